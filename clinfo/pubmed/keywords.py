"""Plain keywords, the query language of Semantic Scholar: whatever a model wrote, brought down to
words.

Its relevance search knows no syntax: operators and tags are words to it, the words of a query are
looked for together, and a word with a hyphen finds nothing (API documentation of
``/paper/search``). So alternatives cannot be asked for: of those that an OR joins, the first is
kept. A query typed by a person is never changed; `remarks` says what will not work in it.
"""

from __future__ import annotations

import re

from clinfo.pubmed.clean import Cleaned, clean
from clinfo.pubmed.query import parse
from clinfo.pubmed.tree import Boolean, Node, Term, terms

MAX_LENGTH = 300
"""Longest query in characters: far more than the few words that find anything together."""
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

_QUOTED = re.compile(r'"[^"]*"')
_OPERATOR = re.compile(r"(?<!\w)(?:AND|OR|NOT|[&|])(?!\w)")
_HYPHEN = re.compile(r"(?<=\w)[-‐‑‒–—−](?=\w)")
_STARRED = re.compile(r"(\w+)[*∗]+")
_UNREAD = {
    "operators": _OPERATOR,
    "field tags": re.compile(r"\[\s*[^\s\[\]~][^\[\]]*\]"),
    "distances between words": re.compile(r"\[[^\[\]~]*~\s*\d[^\[\]]*\]"),
    "brackets": re.compile(r"[(){}]"),
    "truncated words": _STARRED,
}
"""Things that a query may hold in vain."""
_WORD = re.compile(r"[^\W_]+(?:['’.][^\W_]+)*[+%]?")
_LABEL = re.compile(
    r"^[\s*_#>]*(?:[\w ]{0,60}\b)?(?:key ?words?|search words?)\b[\w ]{0,40}:[*_]*\s*",
    re.IGNORECASE,
)
_LISTED = re.compile(r"^\s*(?:[-•–*]|\d{1,2}[.)])\s+(\S.*)$")
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
    if not text:
        return Cleaned("")
    for _ in range(_MAX_PASSES):
        one_line = _out_of_list(text)
        cleaned = clean(one_line)
        # Its sentences are about PubMed's queries; one of them names it.
        made |= dict.fromkeys(
            repair.replace("those PubMed reads", "plain ones") for repair in cleaned.repairs
        )
        reduced, narrowed = _reduced(_LABEL.sub("", cleaned.text))
        if not reduced:
            break
        if reduced == text:
            return Cleaned(text, tuple(made))
        made |= {_NARROWED: None} if narrowed else {}
        made |= {_PLAIN: None} if reduced != cleaned.text or one_line != text else {}
        text = reduced
    return Cleaned("", (*made, _NOTHING))


def remarks(query: str) -> tuple[str, ...]:
    """Return what in a query that is sent as it is Semantic Scholar does not read as it was meant,
    a sentence each.
    """
    query = query[:_MAX_TEXT]
    outside = _QUOTED.sub(" ", query)
    unread = [name for name, pattern in _UNREAD.items() if pattern.search(outside)]
    said = []
    if unread:
        listed = " and ".join([", ".join(unread[:-1]), unread[-1]] if unread[1:] else unread)
        said.append(
            f"Semantic Scholar reads plain words only; the {listed} in this query have no meaning "
            "there."
        )
    if _HYPHEN.search(query):
        said.append(
            "Semantic Scholar finds nothing for a word with a hyphen; write a space instead."
        )
    return tuple(said)


def _out_of_list(text: str) -> str:
    """The entries of a list of words side by side; any other text as it is."""
    lines = [
        line for line in text.splitlines() if line.strip() and not line.rstrip("*_ ").endswith(":")
    ]
    entries = [found[1] for line in lines if (found := _LISTED.match(line))]
    listed = len(lines) == len(entries) > 1
    short = all(len(entry.split()) <= PHRASE[-1] for entry in entries)
    return " ".join(entries) if listed and short else text


def _reduced(text: str) -> tuple[str, bool]:
    """A query as plain words and short phrases, and whether a term of it was left out."""
    outside = _QUOTED.sub(" ", text)
    if _OPERATOR.search(outside) or re.search(r"[(){}]|\[[^\[\]]*\]", outside):
        pieces, narrowed = _subject(text)
    else:
        pieces, narrowed = _side_by_side(text), False
    words: list[str] = []
    for piece, quoted in _unstarred(pieces):
        plain = [
            word for word in _WORD.findall(_HYPHEN.sub(" ", piece)) if not _OPERATOR.search(word)
        ]
        words += [f'"{" ".join(plain)}"'] if quoted and len(plain) in PHRASE else plain
    once: dict[str, str] = {}
    for word in words:
        once.setdefault(word.casefold(), word)
    kept = list(once.values())
    while len(" ".join(kept)) > MAX_LENGTH:
        kept.pop()
    return " ".join(kept), narrowed


def _side_by_side(text: str) -> list[tuple[str, bool]]:
    """The stretches of a text without any operator, tag or bracket, each with whether it is
    quoted.
    """
    return [(piece, place % 2 == 1) for place, piece in enumerate(text.split('"')) if piece.strip()]


def _subject(text: str) -> tuple[list[tuple[str, bool]], bool]:
    """The terms of a PubMed query that say what it is about: of an OR the first, of a NOT what
    stands before it; and whether that left any out.
    """
    found: list[tuple[str, bool]] = []
    narrowed = False
    pending: list[Node] = [tree] if (tree := parse(text).tree) is not None else []
    while pending:
        node = pending.pop()
        if isinstance(node, Boolean) and node.operator == "AND":
            pending += reversed(node.parts)
        elif isinstance(node, Boolean):
            narrowed = True
            telling = node.parts if node.operator == "OR" else ()
            pending.append(next(filter(_tells, telling), node.parts[0]))
        elif isinstance(node, Term) and node.field in _SUBJECT:
            found.append((f"{node.text} {node.subheading or ''}".strip(), node.quoted))
        else:
            narrowed = True
    return found, narrowed


def _tells(tree: Node) -> bool:
    """Return whether a part of a query holds a term that says what it is about."""
    return any(term.field in _SUBJECT for term in terms(tree))


def _unstarred(pieces: list[tuple[str, bool]]) -> list[tuple[str, bool]]:
    """Without stars: a truncated word as its beginning, or not at all where a longer form of it
    stands beside it.
    """
    whole = {
        word.casefold() for piece, _ in pieces for word in _WORD.findall(_STARRED.sub(" ", piece))
    }

    def beginning(match: re.Match[str]) -> str:
        stem = match[1].casefold()
        return " " if any(word.startswith(stem) for word in whole) else match[1]

    return [(_STARRED.sub(beginning, piece), quoted) for piece, quoted in pieces]
