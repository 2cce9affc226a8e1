"""Plain keywords, the query language of Semantic Scholar: whatever a model wrote, brought down to
words.

Its relevance search knows no syntax: operators and tags are words to it, the words of a query are
looked for together, and a word with a hyphen finds nothing (API documentation of
``/paper/search``). So alternatives cannot be asked for: of those that an OR joins, the first is
kept. A query typed by a person is never changed; `remarks` says what will not work in it.
"""

import re

from clinfo.pubmed.clean import MARKS, MOST_WORDS, Cleaned, clean
from clinfo.pubmed.lexer import OPERATORS
from clinfo.pubmed.query import parse
from clinfo.pubmed.tree import Boolean, Node, Term, terms
from clinfo.text.words import words

MAX_LENGTH = 300
"""Longest query in characters: far more than the few words that find anything together, of which
it has `MOST_WORDS`."""
PHRASE = range(2, 5)
"""Words of a phrase that may stay in quotation marks; a longer one stands in next to no
abstract.
"""

_MAX_PASSES = 20
_MAX_TEXT = 10_000
_SUBJECT = frozenset({None, "all", "ti", "tiab", "tw", "tt", "ot", "mh", "majr", "sh", "nm", "pa"})
"""PubMed's fields that say what an article is about; terms of any other field limit by date,
language, author and so on.
"""
_HYPHEN = re.compile(r"(?<=\w)[-‐‑‒–—−](?=\w)")
_WORD = re.compile(r"[^\W_]+(?:['’.][^\W_]+)*[+%]?")
_STARRED = re.compile(r"(\w+)[*∗]+")
_PLAIN = "All but plain words and short phrases was removed: Semantic Scholar reads nothing else."
_NARROWED = "Of alternatives only the first was kept, and what excludes or only limits was removed."
_NOTHING = "The reply contains nothing to search for."


def keywords(text: str) -> Cleaned:
    """The plain words of a model's reply or of a query. Never raises; plain words come back as they
    are.

    Empty where nothing is left to search for. A second cleaning changes nothing more.
    """
    made: dict[str, None] = {}
    text = text[:_MAX_TEXT]
    for _ in range(_MAX_PASSES if text else 0):
        beside = _side_by_side(text)
        cleaned = clean(beside)
        made |= dict.fromkeys(cleaned.repairs)
        reduced, narrowed = _reduced(cleaned.text)
        if not reduced:
            break
        if reduced == text:
            return Cleaned(text, tuple(made))
        made |= {_NARROWED: None} if narrowed else {}
        made |= {_PLAIN: None} if reduced != cleaned.text or beside != text else {}
        text = reduced
    return Cleaned("", tuple(made | {_NOTHING: None})) if text else Cleaned("")


def remarks(query: str) -> tuple[str, ...]:
    """Return what in a query that is sent as it is Semantic Scholar does not read as it was meant,
    a sentence each.
    """
    query = query[:_MAX_TEXT]
    told = []
    if _has_syntax(query) or _STARRED.search(query):
        told.append(
            "Semantic Scholar reads plain words only; operators, field tags, brackets and truncated"
            " words have no meaning there."
        )
    if _HYPHEN.search(query):
        told.append(
            "Semantic Scholar finds nothing for a word with a hyphen; write a space instead."
        )
    return tuple(told)


def _has_syntax(query: str) -> bool:
    """Return whether operators, tags or brackets stand outside quotation marks."""
    outside = " ".join(query.split('"')[::2])
    return bool({*"()[]{}&|"} & {*outside} or OPERATORS.keys() & {*outside.split()})


def _side_by_side(text: str) -> str:
    """The entries of a list of words side by side; any other text as it is."""
    lines = [
        one for line in text.splitlines() if (one := line.strip()) and one.rstrip("*_")[-1:] != ":"
    ]
    bare = [MARKS.sub("", line) for line in lines]
    listed = len(lines) > 1 and all(one != line for one, line in zip(bare, lines, strict=True))
    short = all(len(entry.split()) < PHRASE.stop for entry in bare)
    return " ".join(bare) if listed and short else text


def _reduced(text: str) -> tuple[str, bool]:
    """The terms of a query that say what it is about, as plain words and short phrases: of an OR
    the first, of a NOT what stands before it; and whether that left any out.
    """
    whole = {*_words(_STARRED.sub(" ", text).casefold())}

    def beginning(starred: re.Match[str]) -> str:
        """A truncated word, unless a longer form of it stands beside it."""
        stem = starred[1].casefold()
        return " " if any(word.startswith(stem) for word in whole) else starred[1]

    text = _STARRED.sub(beginning, text)
    found: dict[str, str] = {}
    narrowed = False
    pending: list[Node] = [
        Term(piece, quoted=place % 2 == 0) for place, piece in enumerate(text.split('"')[::-1], 1)
    ]
    if _has_syntax(text):
        pending = [tree] if (tree := parse(text).tree) is not None else []
    while pending:
        node = pending.pop()
        if isinstance(node, Boolean) and node.operator == "AND":
            pending += reversed(node.parts)
        elif isinstance(node, Boolean):
            narrowed = True
            telling = node.parts if node.operator == "OR" else ()
            pending.append(next(filter(_tells, telling), node.parts[0]))
        elif isinstance(node, Term) and node.field in _SUBJECT:
            plain = _words(f"{node.text} {node.subheading or ''}")
            phrase = node.quoted and len(plain) in PHRASE
            for word in [f'"{" ".join(plain)}"'] if phrase else plain:
                found.setdefault(word.casefold(), word)
        else:
            narrowed = True
    kept = list(found.values())
    while len(" ".join(kept)) > MAX_LENGTH or len(words(" ".join(kept))) > MOST_WORDS:
        kept.pop()
    return " ".join(kept), narrowed


def _words(text: str) -> list[str]:
    return [word for word in _WORD.findall(_HYPHEN.sub(" ", text)) if word not in OPERATORS]


def _tells(tree: Node) -> bool:
    """Return whether a part of a query holds a term that says what it is about."""
    return any(term.field in _SUBJECT for term in terms(tree))
