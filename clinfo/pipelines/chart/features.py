"""How each chunk of a record stands to a question, in numbers: what the recovery, the reranking and
"not documented" are learned from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from clinfo.pipelines.chart.asked import ChartQuestion, Part
from clinfo.pipelines.chart.columns import (
    against_mask,
    kind_mask,
    occurrence_arrays,
    once,
    stated_mask,
)
from clinfo.pipelines.chart.gloss import told_alike
from clinfo.pipelines.chart.index import ChartIndex
from clinfo.retrieval.sparse import searched_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

NAMES: Final = (
    "cover",
    "cover stated",
    "cover kind",
    "cover plan",
    "cover history",
    "cover list",
    "cover denied",
    "cover doubted",
    "exact",
    "exact kind",
    "alike",
    "alike kind",
    "bm25",
    "cosine",
    "first",
    "first kind",
    "last kind",
    "new",
    "concept",
    "type",
    "told",
    "told kind",
    "told plan",
    "told most",
)
"""The features of a chunk, each from 0 to 1."""
CLOSE: Final = 0.02
"""Scores that differ less are held for equal."""


def coverage(question: ChartQuestion, index: ChartIndex) -> tuple[Floats, Any]:
    """The share of the question's weight that each item of the record names, 0 to 1, and which
    items name all of its telling parts.
    """
    found: tuple[Floats, Any] = once(
        index, "coverage", question, lambda: _coverage(question, index)
    )
    return found


def _coverage(question: ChartQuestion, index: ChartIndex) -> tuple[Floats, Any]:
    parts = asked_parts(question, index)
    total = sum(part.weight for part in parts) or 1.0
    found = np.zeros(len(index.texts))
    whole = np.full(len(index.texts), any(not part.faint for part in parts))
    for part in parts:
        own = np.zeros(len(index.texts))
        for number, name in enumerate(part.names):
            held = np.zeros(len(index.texts))
            for word in name:
                if (places := index.holding.get(word)) is not None:
                    held[places] += 1 / len(name)
            own = np.maximum(own, held if number == 0 else np.floor(held + 1e-9))
        found += own * part.weight / total
        if not part.faint:
            whole &= own > 1 - 1e-9
    return found, whole


def asked_parts(question: ChartQuestion, index: ChartIndex) -> list[Part]:
    """The parts of a question without words of plain English that the record never uses: these
    belong to the asking, unless nothing else is asked for.
    """
    known = [
        part
        for part in question.parts
        if not part.everyday or any(word in index.holding for word in part.names[0])
    ]
    return known if any(not part.faint for part in known) else list(question.parts)


def table(question: ChartQuestion, index: ChartIndex) -> Floats:
    """The features of each chunk, (chunks, len(NAMES))."""
    found: Floats = once(index, "table", question, lambda: _table(question, index))
    return found


def _table(question: ChartQuestion, index: ChartIndex) -> Floats:
    size = len(index.chunks)
    out = np.zeros((size, len(NAMES)))
    if not size:
        return out
    column = {name: out[:, place] for place, name in enumerate(NAMES)}
    cover, _ = coverage(question, index)
    words = frozenset(searched_words(question.focus))
    lengths = np.array([max(1, len(own)) for own in index.words], float)
    telling = {word for part in question.parts if not part.faint for word in part.names[0]}
    exact = cover * np.minimum(1.0, max(1, len(telling)) / lengths)
    alike, cosine = similarities(question, index)
    if index.vectors is None:  # without an embedder, what shares the words is alike
        alike = cover
    arrays = occurrence_arrays(index)
    item, chunk = arrays["item"], arrays["chunk"]
    stated = stated_mask(question, index)
    kind = stated & kind_mask(question, index)

    def most(name: str, values: Floats, which: Any = None) -> None:
        where = slice(None) if which is None else which
        np.maximum.at(column[name], chunk[where], values[item[where]])

    most("cover", cover)
    most("cover stated", cover, stated)
    most("cover kind", cover, kind)
    most("cover plan", cover, stated & arrays["plan"])
    most("cover history", cover, arrays["history"])
    most("cover list", cover, arrays["medications"])
    most("cover denied", cover, ~stated)
    most("cover doubted", cover, against_mask(question, index, "doubted"))
    most("exact", exact, stated)
    most("exact kind", exact, kind)
    most("alike", alike, stated)
    most("alike kind", alike, kind)
    told = told_alike(question, index)
    for name, where in (
        ("told", slice(None)),
        ("told kind", kind_mask(question, index)),
        ("told plan", arrays["plan"]),
    ):
        np.maximum.at(column[name], chunk[where], told[where])
    top = column["told"].max()
    column["told most"][:] = (column["told"] >= top - CLOSE) * (top > 0)
    scores = np.array(index.sparse.scores(words))
    column["bm25"][:] = scores / (scores.max() or 1.0)
    column["cosine"][:] = np.clip(cosine, 0, 1)
    _in_time(column, "first", None, np.maximum(column["cover stated"], column["alike"]))
    best = np.maximum(column["exact kind"], column["alike kind"])
    _in_time(column, "first kind", "last kind", best)
    top = column["cover"]
    column["new"][:] = np.concatenate([[1.0], (top[1:] > top[:-1] + CLOSE).astype(float)])
    column["concept"][:] = [
        len(question.concepts & set(own)) / len(question.concepts) if question.concepts else 0.0
        for own in index.concepts
    ]
    column["type"][:] = [float(bool(question.types & set(own))) for own in index.types]
    return out


def _in_time(column: Any, first: str, last: str | None, values: Floats) -> None:
    """Mark the first and last of the chunks that hold nearly the most."""
    top = values.max()
    places = [int(one) for one in np.flatnonzero(values >= top - CLOSE)] if top > 0 else []
    if len(places):
        column[first][places[0]] = 1.0
        if last is not None:
            column[last][places[-1]] = 1.0


def similarities(question: ChartQuestion, index: ChartIndex) -> tuple[Floats, Floats]:
    """The cosine of the question's telling words with each item, and with each chunk."""
    from clinfo.pipelines.chart.index import vectors_of

    count = len(index.chunks)
    if index.vectors is None:
        return np.zeros(len(index.texts)), np.zeros(count)
    said = question.focus or question.text
    vectors = index.vectors

    def made() -> Floats:
        asked = np.asarray(vectors_of([said], index.embedder))
        return np.round(np.asarray(vectors @ asked[0], float), 6)

    found = once(index, "similarities", question, made)
    return np.clip(found[count:], 0, 1), found[:count]
