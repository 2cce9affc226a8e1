"""Finds where a paper says what a model quotes from it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from clinfo.records.trials import Quote
from clinfo.retrieval.documents import Passage
from clinfo.text.quotes import locate

LEAST = 12
"""Letters and digits that a quotation must have to be one."""


def located(quotes: Iterable[str], passages: Sequence[Passage]) -> tuple[Quote, ...]:
    """The places of quotations in the passages' own text, each once, in the order given.

    What does not stand there, or is too short to be a quotation, is left out.
    """
    found: dict[Quote, None] = {}
    for quote in quotes:
        if sum(map(str.isalnum, quote)) < LEAST:
            continue
        for one in passages:
            own = one.text[len(one.text) - (one.end - one.start) :]
            if place := locate(quote, own):
                found.setdefault(Quote(one.document, one.start + place[0], one.start + place[1]))
                break
    return tuple(found)
