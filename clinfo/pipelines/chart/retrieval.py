"""A question held against a record: how each chunk stands to it, in numbers from which the recovery
and the reranking are learned (``weights.json``, which ``python -m benchmarks.chart.fit`` writes);
and the stages of the retrieval, each from what stands to what is kept, told in a trace.

    chunks ─► types ─► entities ─► dense k' ─► recovery ─► rerank ─► the days that are asked for

``published`` drops what a stage does not keep, as the paper does; ``ordered`` drops nothing: the
stages are gone through and told, and every chunk is ordered by the last of them.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from clinfo.patients.times import within
from clinfo.pipelines.chart.index import ChartIndex, vectors_of
from clinfo.pipelines.chart.parsed_question import ChartQuestion, Part
from clinfo.pipelines.chart.records import STAGES, Combined, StageTrace, Window
from clinfo.retrieval.fusion import fused
from clinfo.retrieval.sparse import searched_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

NAMES: Final = ("cover", "alike", "told", "first")
"""The features of a chunk, each from 0 to 1: the share of the question's words, and of its
meanings, that the best item in a plan has, the cosine of their vectors, and whether it is the first
in time of those that state nearly the most of the meanings.
"""
CLOSE: Final = 0.02
"""Scores that differ less are held for equal."""
UNSURE: Final = 1.0
"""Weight of the doubt whether what of a question is known is all that it asks for."""
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
        """The share of the question's meanings that each occurrence of an item states, 0 to 1, rare
        ones weighing more; meanings that nothing in the record has belong to the asking.
        """
        of, count, holding = self.index.statements
        found, total = np.zeros(count), UNSURE
        for meaning in self.question.meanings:
            if (held := holding.get(meaning)) is not None:
                places, strengths = held
                worth = max(0.0, math.log((count + 1) / (strengths.sum() + 0.5)))
                found[places] += worth * strengths
                total += worth
        shares: Floats = (found / total)[of]
        return shares

    @cached_property
    def near(self) -> Floats:
        """The cosine of the question's telling words with each chunk."""
        index = self.index
        if index.vectors is None:
            return np.zeros(len(index.chunks))
        said = self.question.focus or self.question.text
        asked = np.asarray(vectors_of([said], index.embedder))
        return np.round(np.asarray(index.vectors @ asked[0], float), 6)

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
        value = self.rows @ [held["weights"][name] for name in NAMES] + held["intercept"]
        found: Floats = np.round(1 / (1 + np.exp(-np.clip(value, -30, 30))), 9)
        return found

    @cached_property
    def rows(self) -> Floats:
        """The features of each chunk, (chunks, len(NAMES))."""
        cover, told, first = np.zeros((3, len(self.near)))
        for one, share in zip(self.index.occurrences, self.told, strict=True):
            if one.plan:
                cover[one.chunk] = max(cover[one.chunk], self.cover[one.item])
                told[one.chunk] = max(told[one.chunk], share)
        first[np.flatnonzero(told >= told.max(initial=0) - CLOSE)[:1]] = 1.0
        return np.column_stack([cover, np.clip(self.near, 0, 1), told, first])


GAMMA: Final = 0.8
"""The probability from which the recovery revives a chunk; the paper's."""
THRESHOLD: Final = 2
"""Chunks that must name an entity of the hypothetical note for it to count; the paper gives no
figure.
"""
NAMED: Final = 0.6
"""Share of the question's weight from which an item of the record is a direct entity of it."""
NARROWER: Final = 50
"""Narrower headings taken of a concept."""
FEW: Final = 4
"""Chunks up to which a note is given whole."""


@dataclass(frozen=True)
class Retrieved:
    """The chunks found, by place, best first, with their scores from 0 to 1."""

    order: tuple[int, ...]
    scores: Mapping[int, float]
    trace: tuple[StageTrace, ...]


@lru_cache(maxsize=1024)
def with_narrower(concepts: frozenset[str]) -> frozenset[str]:
    """Concepts with those right below them in MeSH, by which a note may call the same thing."""
    from clinfo.terms.naming import known

    mesh, found = known(), set(concepts)
    for concept in sorted(concepts):
        if (heading := mesh.descriptor(concept)) is not None:
            found |= {heading.heading, *mesh.narrower(heading)[:NARROWER]}
    return frozenset(found)


def hybrid(asked: Matched) -> Floats:
    """A score for each chunk by words and by meaning: reciprocal ranks of both."""
    if asked.index.vectors is None:
        return asked.words
    orders = (np.argsort(-one, kind="stable") for one in (asked.words, asked.near))
    scores = fused(map(str, order) for order in orders)
    return np.array([scores[str(place)] for place in range(len(asked.words))])


def retrieved(
    asked: Matched,
    types: Iterable[str] = (),
    hypothetical: Iterable[str] = (),
    *,
    threshold: int = THRESHOLD,
    published: bool = False,
    combined: Combined = "intersection",
    upto: str = "rerank",
    window: Window | None = None,
) -> Retrieved:
    """The chunks of a record for a question, after the stages up to ``upto``.

    ``types`` are those that a model adds, ``hypothetical`` the concepts of a hypothetical note;
    they and the narrower names of what is asked count where at least ``threshold`` chunks name
    them. ``combined`` says whether a chunk passes by type or entity, or must by both; where the
    question has no types, or no entities, the other filter counts alone, and without either all
    pass. ``window`` is the time that is asked for: it orders and drops nothing.
    """
    index, question = asked.index, asked.question
    ids = [chunk.id for chunk in index.chunks]
    kept = everything = list(range(len(ids)))
    last = STAGES.index(upto)
    trace: list[StageTrace] = []
    scores, chances = hybrid(asked), asked.chance("recovery")

    def told(name: str, given: Collection[int], why: Mapping[int, str], **measures: float) -> None:
        out = tuple(ids[place] for place in kept)
        reasons = {ids[place]: why[place] for place in given}
        measures["ratio"] = len(kept) / len(ids) if ids else 1.0
        rounded = {key: round(float(value), 6) for key, value in measures.items()}
        trace.append(StageTrace(name, tuple(ids[p] for p in given), out, reasons, rounded))

    wanted = question.types | frozenset(types)
    typed = {
        place: ", ".join(shared)
        for place, own in enumerate(index.types)
        if (shared := sorted(wanted & own.keys()))
    }
    by_type = typed if wanted else dict.fromkeys(everything, "")
    kept = list(by_type)
    other = "dropped: no entity of these types"
    told("types", everything, {place: typed.get(place, other) for place in everything})
    if last >= 1:
        named = _sharing(asked, frozenset(hypothetical), threshold)
        by_entity = named or dict.fromkeys(everything, "")
        both = by_type.keys() & by_entity.keys()
        if combined == "union" and wanted and named:
            both = by_type.keys() | by_entity.keys()
        kept = sorted(both)
        why = dict.fromkeys(everything, "names nothing of the question")
        told("entities", everything, why | dict.fromkeys(kept, "type only") | named)
    filtered = sorted(kept, key=lambda place: (-scores[place], place))
    if last >= 2:
        k = min(30, max(1, 3 * len(filtered) // 10), len(filtered))  # k' of the paper
        kept = filtered[:k]
        why = {place: f"rank {n}" for n, place in enumerate(filtered, 1)}
        why |= {place: f"{why[place]}, beyond {k}" for place in filtered[k:]}
        told("dense", filtered, why, k=k)
    if last >= 3:
        others = sorted({*everything}.difference(kept))
        revived = [place for place in others if chances[place] >= GAMMA]
        kept = sorted({*kept, *revived}, key=lambda place: (-chances[place], place))
        why = {place: f"likely {chances[place]:.0%}" for place in others}
        told("recovery", others, why, revived=len(revived))
    if last >= 4:
        scores = asked.chance("rerank")
        kept = sorted(kept, key=lambda place: (-scores[place], place))
        told("rerank", kept, {place: f"score {scores[place]:.3f}" for place in kept})
    order = kept if published else sorted(everything, key=lambda p: (-scores[p], p))
    if window:
        inside = {place for place in order if _within(index, place, window)}
        kept = order = in_time(order, inside, index, window, chances >= GAMMA)
        why = dict.fromkeys(order, "other days: last") | dict.fromkeys(inside, "of these days")
        told("time", order, why)
    return Retrieved(
        tuple(order if published else with_rest_of_note(order, index)),
        {place: float(scores[place]) for place in order},
        tuple(trace),
    )


def _sharing(asked: Matched, hypothetical: frozenset[str], threshold: int) -> dict[int, str]:
    """By chunk, the first entity that it shares with the question: a concept, else an item that
    names nearly the most of it.
    """
    index, cover, direct = asked.index, asked.cover, asked.question.concepts
    counts = Counter(concept for own in index.concepts for concept in own)
    widened = {one for one in with_narrower(direct) | hypothetical if counts[one] >= threshold}
    found = {
        place: shared[0]
        for place, own in enumerate(index.concepts)
        if (shared := sorted((direct | widened) & own.keys()))
    }
    least = max(NAMED, cover.max(initial=0) - CLOSE)
    for one in index.occurrences:
        if cover[one.item] >= least:
            found.setdefault(one.chunk, index.texts[one.item])
    return found


def in_time(
    order: Sequence[int], inside: Collection[int], index: ChartIndex, window: Window, answers: Any
) -> list[int]:
    """The chunks with those of the days (``inside``) first, none left out; of these the ones that
    likely answer (``answers`` says of each) from the first or the last on, where that is asked.
    """
    first = [place for place in order if place in inside]
    if window.order:
        dated = [place for place in first if answers[place] and index.chunks[place].since]
        dated.sort(key=lambda place: index.chunks[place].since, reverse=window.order == "last")
        first = [*dated, *first]
    return list(dict.fromkeys((*first, *order)))


def _within(index: ChartIndex, place: int, window: Window) -> bool:
    times = (index.notes[part.note].time for part in index.chunks[place].parts)
    return any(within(time, window.since, window.until) for time in times)


def with_rest_of_note(order: Sequence[int], index: ChartIndex) -> list[int]:
    """The chunks in order, the rest of a note of at most `FEW` chunks right after its first: what
    answers may stand in the next one.
    """
    holding: dict[str, list[int]] = {}
    for place in sorted(order):
        for part in index.chunks[place].parts:
            holding.setdefault(part.note, []).append(place)
    found: dict[int, None] = {}
    for place in order:
        found[place] = None
        for part in index.chunks[place].parts:
            if len(own := holding[part.note]) <= FEW:
                found.update(dict.fromkeys(own))
    return list(found)


def note_order(index: ChartIndex, order: Sequence[int]) -> tuple[str, ...]:
    """The notes of chunks in order, each where its first chunk is."""
    return tuple(dict.fromkeys(part.note for p in order for part in index.chunks[p].parts))
