"""Remarks about a query: a stable code and one plain sentence for each."""

from __future__ import annotations

from collections.abc import Sequence

from clinfo.pubmed.tree import Remark

SENTENCES: dict[str, str] = {
    # characters
    "curly-quotes": "Curly quotation marks are read as straight ones.",
    "look-alike": "{shown} is not the character it looks like; PubMed reads a space.",
    "ignored-characters": "PubMed reads {shown} as a space.",
    "invisible-characters": "Invisible characters are read as spaces.",
    "other-script": "PubMed leaves out text in other scripts and searches only what is in Latin letters.",  # noqa: E501
    "html-entity": "This is an HTML entity; PubMed reads its signs one by one and may find nothing.",  # noqa: E501
    "percent-encoding": "This is percent-encoded; PubMed does not decode it.",
    "colon-as-space": "A colon that is not part of a date range is read as a space.",
    "symbol-operator": "PubMed reads {shown} as {operator}.",
    # quotation marks, brackets, parentheses
    "unbalanced-quote": "This quotation mark is unpaired and is ignored.",
    "empty-phrase": "There is nothing between these quotation marks.",
    "unbalanced-bracket": "This square bracket is unpaired and is read as a space.",
    "bracket-as-text": "These square brackets contain no field tag and are read as spaces.",
    "unbalanced-parenthesis": "This parenthesis is unpaired; PubMed closes or ignores it.",
    "empty-group": "There is nothing between these parentheses.",
    "operator-in-quotes": "Operators inside quotation marks are words of one phrase and combine nothing.",  # noqa: E501
    "tag-in-quotes": "A field tag inside quotation marks is text and has no effect.",
    "long-phrase": "PubMed's phrase index contains almost no phrases of ten or more words.",
    # tags
    "unknown-tag": "PubMed has no field [{tag}] and searches the term as if it had no tag.",
    "unknown-modifier": "PubMed cannot use “:{tag}” with this field and leaves it out.",
    "tag-on-group": "A field tag after parentheses or a line number is ignored.",
    "tag-without-term": "This field tag has no term before it and is ignored.",
    "proximity-field": (
        "Words near each other can be searched in [ti], [tiab] and [ad] only; the distance is "
        "ignored."
    ),
    "proximity-cancelled": "{why}; the distance is ignored.",
    "unknown-subheading": "What follows the slash is not a MeSH subheading and is read as part of the term.",  # noqa: E501
    "no-subheading": "MeSH has no subheading “{shown}”; PubMed finds nothing for it.",
    # operators
    "lower-case-operator": "PubMed reads only AND, OR and NOT in capitals as operators; “{word}” is a word here.",  # noqa: E501
    "dangling-operator": "{operator} has no operand here and is ignored.",
    "repeated-operator": "PubMed uses only one of several operators in a row.",
    "and-not": "AND NOT is read as NOT.",
    "mixed-operators": "AND and OR without parentheses are worked from left to right.",
    # terms
    "short-star": "A star needs at least four characters before it; this one is ignored.",
    "star-inside": "A star that is not at the end of the term is read as a space.",
    "too-many-stars": "PubMed rejects a query with more than 256 truncated terms.",
    "stopword": "{effect}",
    "empty-term": "There is no letter or digit here to search for.",
    "two-fields": "The ends of this range have different fields; the second is used.",
    "open-range": "This range has one end; it is open at the other.",
    "empty-query": "There is nothing to search for.",
}
"""Code → sentence; words in braces are filled in."""


def remark(code: str, start: int, end: int, **filled: str) -> Remark:
    return Remark(code, SENTENCES[code].format(**filled) if filled else SENTENCES[code], start, end)


def in_order(text: str, remarks: Sequence[Remark]) -> tuple[Remark, ...]:
    """The remarks by their places in ``text``; the same one side by side, with only white space
    between, is one.
    """
    kept: list[Remark] = []
    latest: dict[tuple[str, str], int] = {}
    for one in sorted(remarks, key=lambda one: (one.start, one.end, one.code)):
        place = latest.get((one.code, one.text))
        last = kept[place] if place is not None else None
        if (
            place is not None
            and last is not None
            and (last.end >= one.start or text[last.end : one.start].isspace())
        ):
            kept[place] = Remark(one.code, one.text, last.start, max(last.end, one.end))
        else:
            latest[one.code, one.text] = len(kept)
            kept.append(one)
    return tuple(kept)


def sentences(remarks: Sequence[Remark]) -> tuple[str, ...]:
    """Return what the remarks say, each sentence once, in order."""
    return tuple(dict.fromkeys(one.text for one in remarks))
