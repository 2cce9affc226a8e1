"""Plain keywords, the query language of Semantic Scholar: whatever a model wrote, brought down to
words.

Its relevance search knows no syntax: operators and tags are words to it, the words of a query are
looked for together, and a word with a hyphen finds nothing (API documentation of
``/paper/search``). So alternatives cannot be asked for: of those that an OR joins, the first is
kept. A query typed by a person is never changed; `remarks` says what will not work in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from clinfo.pubmed.clean import Cleaned, clean
from clinfo.pubmed.query import parse
from clinfo.pubmed.tree import Boolean, Node, Term

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
_TAG = re.compile(r"\[[^\[\]]*\]")
_PROXIMITY = re.compile(r"~\s*\d")
_HYPHEN = re.compile(r"(?<=\w)[-‐‑‒–—−](?=\w)")
_STARRED = re.compile(r"(\w+)[*∗]+")
_WORD = re.compile(r"[^\W_]+(?:['’.][^\W_]+)*[+%]?")
_ODD = re.compile(r"[^\w\s]|_")
_LABEL = re.compile(
    r"^[\s*_#>]*(?:[\w ]{0,60}\b)?(?:key ?words?|search words?)\b[\w ]{0,40}:[*_]*\s*",
    re.IGNORECASE,
)
_LISTED = re.compile(r"^\s*(?:[-•–*]|\d{1,2}[.)])\s+(\S.*)$")

_REPAIRS = {
    "list": "The words were extracted from a list.",
    "label": "The label before the words was removed.",
    "operators": "Operators were removed: Semantic Scholar reads only plain words.",
    "alternatives": "Only the first of alternatives joined by OR was kept.",
    "excluded": "Everything after NOT was removed.",
    "tags": "Field tags were removed.",
    "limits": "Terms that limit by date, language, author and so on were removed.",
    "proximity": "The distance between words was removed.",
    "brackets": "Brackets were removed.",
    "stars": (
        "Stars were removed from truncated words, or the words were removed where a longer form "
        "exists."
    ),
    "quotes": "Quotation marks around anything but a phrase of two to four words were removed.",
    "hyphens": "Hyphens were replaced by spaces: Semantic Scholar finds nothing for a word with a hyphen.",  # noqa: E501
    "punctuation": "Punctuation was removed.",
    "repeated": "Repeated words were removed.",
    "length": f"The query was cut to {MAX_LENGTH} characters.",
    "nothing": "The reply contains nothing to search for.",
}
"""The sentence that tells of each repair, by its name."""
_UNREAD = {
    "operators": "operators",
    "tags": "field tags",
    "proximity": "distances between words",
    "brackets": "brackets",
    "stars": "truncated words",
}
"""The names that `remarks` gives to things that a query of one's own may hold in vain."""


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
        cleaned = clean(_out_of_list(text, made))
        # Its sentences are about PubMed's queries; one of them names it.
        made |= dict.fromkeys(
            repair.replace("those PubMed reads", "plain ones") for repair in cleaned.repairs
        )
        reduced = _reduced(_without_label(cleaned.text, made), made)
        if not reduced:
            break
        if reduced == text:
            return Cleaned(text, tuple(made))
        text = reduced
    return Cleaned("", tuple(made | {_REPAIRS["nothing"]: None}))


def remarks(query: str) -> tuple[str, ...]:
    """Return what in a query that is sent as it is Semantic Scholar does not read as it was meant,
    a sentence each.
    """
    made: dict[str, None] = {}
    _reduced(query[:_MAX_TEXT], made)
    unread = [name for code, name in _UNREAD.items() if _REPAIRS[code] in made]
    said = []
    if unread:
        listed = " and ".join([", ".join(unread[:-1]), unread[-1]] if unread[1:] else unread)
        said.append(
            f"Semantic Scholar reads plain words only; the {listed} in this query have no meaning "
            "there."
        )
    if _REPAIRS["hyphens"] in made:
        said.append(
            "Semantic Scholar finds nothing for a word with a hyphen; write a space instead."
        )
    return tuple(said)


def _out_of_list(text: str, made: dict[str, None]) -> str:
    """The entries of a list of words side by side; any other text as it is."""
    lines = [
        line for line in text.splitlines() if line.strip() and not line.rstrip("*_ ").endswith(":")
    ]
    entries = [found[1] for line in lines if (found := _LISTED.match(line))]
    if (
        len(entries) < 2
        or len(entries) < len(lines)
        or any(len(entry.split()) > PHRASE[-1] for entry in entries)
    ):
        return text
    made[_REPAIRS["list"]] = None
    return " ".join(entries)


def _without_label(text: str, made: dict[str, None]) -> str:
    found = _LABEL.match(text)
    if found is None:
        return text
    made[_REPAIRS["label"]] = None
    return text[found.end() :]


def _reduced(text: str, made: dict[str, None]) -> str:
    """A query as plain words and short phrases; the sentences that tell what that took go into
    ``made``.
    """
    outside = _QUOTED.sub(" ", text)
    tags = _TAG.findall(outside)
    found = {
        "operators": _OPERATOR.search(outside) is not None,
        "tags": any(tag.strip("[] ")[:1] not in ("", "~") for tag in tags),
        "proximity": any(_PROXIMITY.search(tag) for tag in tags),
        "brackets": re.search(r"[(){}]", outside) is not None,
    }
    pieces = list(_subject(text, found) if any(found.values()) or tags else _side_by_side(text))
    found["stars"] = any(_STARRED.search(piece) for piece, _ in pieces)
    pieces = _unstarred(pieces)
    found["hyphens"] = any(_HYPHEN.search(piece) for piece, _ in pieces)
    words: list[str] = []
    for piece, quoted in ((_HYPHEN.sub(" ", piece), quoted) for piece, quoted in pieces):
        plain = [word for word in _WORD.findall(piece) if not _OPERATOR.search(word)]
        found["punctuation"] = found.get("punctuation", False) or bool(
            _ODD.search(_WORD.sub("", piece))
        )
        if quoted and len(plain) in PHRASE:
            words.append(f'"{" ".join(plain)}"')
        else:
            found["quotes"] = found.get("quotes", False) or quoted
            words += plain
    once = {word.casefold(): word for word in reversed(words)}
    found["repeated"] = len(once) < len(words)
    kept = list({word.casefold(): once[word.casefold()] for word in words}.values())
    found["length"] = len(" ".join(kept)) > MAX_LENGTH
    while len(" ".join(kept)) > MAX_LENGTH:
        kept.pop()
    made |= dict.fromkeys(sentence for name, sentence in _REPAIRS.items() if found.get(name))
    return " ".join(kept)


def _side_by_side(text: str) -> Iterator[tuple[str, bool]]:
    """The stretches of a text without any operator, tag or bracket, each with whether it is
    quoted.
    """
    for place, piece in enumerate(text.split('"')):
        if piece.strip():
            yield piece, place % 2 == 1


def _subject(text: str, found: dict[str, bool]) -> Iterator[tuple[str, bool]]:
    """The terms of a PubMed query that say what it is about: of an OR the first, of a NOT what
    stands before it.
    """
    pending: list[Node] = [tree] if (tree := parse(text).tree) is not None else []
    while pending:
        node = pending.pop()
        if isinstance(node, Boolean) and node.operator == "AND":
            pending += reversed(node.parts)
        elif isinstance(node, Boolean):
            found["excluded" if node.operator == "NOT" else "alternatives"] = True
            pending.append(
                node.parts[0]
                if node.operator == "NOT"
                else next(filter(_tells, node.parts), node.parts[0])
            )
        elif isinstance(node, Term) and node.field in _SUBJECT:
            found["proximity"] = found["proximity"] or node.within is not None
            yield f"{node.text} {node.subheading or ''}".strip(), node.quoted
        else:
            found["limits"] = True


def _tells(tree: Node) -> bool:
    """Return whether a part of a query holds a term that says what it is about."""
    pending = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, Boolean):
            pending += reversed(node.parts)
        elif isinstance(node, Term) and node.field in _SUBJECT:
            return True
    return False


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
