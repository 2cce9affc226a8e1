"""Finds where a paper says what a model quotes from it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from clinfo.records.trials import Quote
from clinfo.retrieval.documents import Passage

LEAST = 12
"""Letters and digits that a quotation must have to be one."""
LONGEST = 2_000
_WORD = re.compile(r"[^\W_]+")


def located(quotes: Iterable[str], passages: Sequence[Passage]) -> tuple[Quote, ...]:
    """The places of quotations in the passages' own text, each once, in the order given.

    Words must be the same in the same order; case, white space and punctuation may differ. What
    does not stand there, or is too short to be a quotation, is left out.
    """
    found: dict[Quote, None] = {}
    texts = [(one, one.text[len(one.text) - (one.end - one.start) :]) for one in passages]
    for quote in quotes:
        words = _WORD.findall(quote[:LONGEST])
        if sum(map(len, words)) < LEAST:
            continue
        pattern = re.compile(r"[\W_]+".join(map(re.escape, words)) + r"[^\w\s]{0,4}", re.IGNORECASE)
        for one, text in texts:
            if match := pattern.search(text):
                place = Quote(one.document, one.start + match.start(), one.start + match.end())
                found.setdefault(place)
                break
    return tuple(found)
