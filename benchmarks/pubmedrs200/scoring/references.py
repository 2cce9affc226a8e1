"""The texts that predictions are compared with: whether they are one and the same, and those of the
data set.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final
from unicodedata import normalize

from benchmarks.pubmedrs200.published.answer_text import paragraphs
from benchmarks.pubmedrs200.scoring.predictions import Prediction
from pubmedrs.cells import redecoded, without_markup
from pubmedrs.records import Review

SHOWN: Final = 5
"""Ids that a remark names."""
_BLANKS: Final = re.compile(r"\s+")


def remarks(rows: Sequence[Prediction], reviews: Mapping[str, Review] | None) -> Iterator[str]:
    """A line for each thing that is odd about the references; with a data set, how many rows have
    another answer than it has.
    """
    by_id: dict[str, set[str]] = {}
    for row in rows:
        by_id.setdefault(row.id, set()).add(row.reference)
    several = sorted(id for id, references in by_id.items() if len(references) > 1)
    if several:
        yield (
            f"{len(several):,} questions are compared with different references in different rows: "
            f"{_named(several)}"
        )
    if reviews is None:
        return
    foreign = {
        (id, text)
        for id, texts in by_id.items()
        for text in texts
        if id in reviews and not is_answer(text, reviews[id])
    }
    count = sum((row.id, row.reference) in foreign for row in rows)
    if count:
        yield (
            f"{count:,} references differ from the data set's answers: "
            f"{_named(sorted({id for id, _ in foreign}))}"
        )


def is_answer(text: str, review: Review) -> bool:
    """Return whether a text is the review's answer or the published form of it.

    White space, encoding, mark-up and the order of paragraphs are left aside: the published scores
    had the paragraphs reversed and joined with nothing
    (`benchmarks.pubmedrs200.published.answer_text.published_reference`).
    """
    if text == review.reference:
        return True
    given, parts = _plain(text), [_plain(part) for part in paragraphs(review.answer)]
    return len(given) == sum(map(len, parts)) and all(part in given for part in parts)


def _plain(text: str) -> str:
    while (mended := redecoded(text))[1]:
        text = mended[0]
    return _BLANKS.sub("", normalize("NFC", without_markup(text)[0]))


def _named(ids: Iterable[str]) -> str:
    listed = list(ids)
    return ", ".join(listed[:SHOWN]) + (" …" if len(listed) > SHOWN else "")
