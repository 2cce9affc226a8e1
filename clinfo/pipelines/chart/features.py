"""A question held against a record: how each chunk stands to it, in numbers from which the recovery
and the reranking are learned; and the learned weights (``weights.json``, which is written by
``python -m benchmarks.chart.fit`` and says what it was fitted on).
"""

from __future__ import annotations

import json
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from clinfo.pipelines.chart.index import ChartIndex, vectors_of
from clinfo.pipelines.chart.meanings import told_alike
from clinfo.pipelines.chart.parsed_question import ChartQuestion, Part
from clinfo.retrieval.sparse import searched_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

NAMES: Final = ("cover", "cover plan", "alike", "cosine", "told", "told plan", "first")
"""The features of a chunk, each from 0 to 1: of the question's words, of vectors, of its meanings;
what its best item has, and the best that stands in a plan; and whether it is the first in time of
those that name nearly the most.
"""
CLOSE: Final = 0.02
"""Scores that differ less are held for equal."""


FILE = Path(__file__).with_name("weights.json")


@cache
def _weights() -> dict[str, Any]:
    held: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return held


class Matched:
    """A question and the record that it is put to; what is reckoned of them is kept."""

    def __init__(self, question: ChartQuestion, index: ChartIndex) -> None:
        self.question, self.index = question, index

    @cached_property
    def parts(self) -> list[Part]:
        """The parts of the question without words of plain English that the record never uses:
        these belong to the asking, unless nothing else is asked for.
        """
        every, held = self.question.parts, self.index.holding
        own = [one for one in every if not one.everyday or any(w in held for w in one.names[0])]
        return own if any(not part.faint for part in own) else list(every)

    @cached_property
    def cover(self) -> Floats:
        """The share of the question's weight that each item of the record names, 0 to 1."""
        index, total = self.index, sum(part.weight for part in self.parts) or 1.0
        found = np.zeros(len(index.texts))
        for part in self.parts:
            own = np.zeros(len(index.texts))
            for number, name in enumerate(part.names):
                held = np.zeros(len(index.texts))
                for word in name:
                    if (places := index.holding.get(word)) is not None:
                        held[places] += 1 / len(name)
                own = np.maximum(own, held if number == 0 else np.floor(held + 1e-9))
            found += own * part.weight / total
        return found

    @cached_property
    def told(self) -> Floats:
        """The share of the question's meanings that each occurrence of an item states."""
        return told_alike(self.question, self.index)

    @cached_property
    def near(self) -> tuple[Floats, Floats]:
        """The cosine of the question's telling words with each item, and with each chunk."""
        index, count = self.index, len(self.index.chunks)
        if index.vectors is None:
            return np.zeros(len(index.texts)), np.zeros(count)
        said = self.question.focus or self.question.text
        asked = np.asarray(vectors_of([said], index.embedder))
        found = np.round(np.asarray(index.vectors @ asked[0], float), 6)
        return np.clip(found[count:], 0, 1), found[:count]

    @cached_property
    def words(self) -> Floats:
        """The score of each chunk by BM25."""
        return np.array(self.index.sparse.scores(frozenset(searched_words(self.question.focus))))

    def chance(self, model: Literal["recovery", "rerank"]) -> Floats:
        """The probability that a learned model gives each chunk, 0 to 1, rounded so that every
        machine has the same: that it is one of those that answer (``recovery``, class-weighted), or
        where it stands in their order (``rerank``).
        """
        held = _weights()[model]
        weights = [held["weights"].get(name, 0.0) for name in NAMES]
        value = self.rows @ np.asarray(weights) + held["intercept"]
        found: Floats = np.round(1 / (1 + np.exp(-np.clip(value, -30, 30))), 9)
        return found

    @cached_property
    def rows(self) -> Floats:
        """The features of each chunk, (chunks, len(NAMES))."""
        index, (alike, cosine) = self.index, self.near
        if index.vectors is None:  # without an embedder, what shares the words is alike
            alike = self.cover
        item, chunk, plan = index.columns
        cover, told = self.cover[item], self.told
        columns = {
            "cover": _best(cover, chunk, len(cosine)),
            "cover plan": _best(cover[plan], chunk[plan], len(cosine)),
            "alike": _best(alike[item], chunk, len(cosine)),
            "cosine": np.clip(cosine, 0, 1),
            "told": _best(told, chunk, len(cosine)),
            "told plan": _best(told[plan], chunk[plan], len(cosine)),
        }
        most = np.maximum(columns["cover"], columns["alike"])
        first = np.flatnonzero(most >= most.max(initial=0) - CLOSE)[:1]
        columns["first"] = np.isin(np.arange(len(most)), first).astype(float)
        return np.column_stack([columns[name] for name in NAMES])


def _best(values: Floats, chunks: Any, count: int) -> Floats:
    """The most that each chunk's occurrences have."""
    found = np.zeros(count)
    np.maximum.at(found, chunks, values)
    return found
