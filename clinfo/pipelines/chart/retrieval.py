"""The stages of the retrieval, each a function from what stands to what is kept, told in a trace.

    chunks ─► types ─► entities ─► dense k' ─► recovery ─► rerank ─► the days that are asked for

``published`` drops what a stage does not keep, as the paper does; ``ordered`` drops nothing: the
stages are gone through and told, and every chunk is ordered by the last of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from clinfo.patients.times import within
from clinfo.pipelines.chart.features import CLOSE, Matched
from clinfo.pipelines.chart.index import ChartIndex
from clinfo.records.chart import STAGES, Combined, StageTrace, Window
from clinfo.retrieval.fusion import CONSTANT

if TYPE_CHECKING:
    from clinfo.pipelines.chart.features import Floats

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
class Entities:
    """What a question is matched by: direct and complementary types, concepts named in it,
    validated concepts of a hypothetical note, items of the record that name it.
    """

    types: frozenset[str]
    direct: frozenset[str]
    validated: frozenset[str]
    items: frozenset[int]


@dataclass(frozen=True)
class Retrieved:
    """The chunks found, by place, best first, with their scores from 0 to 1; ``kept`` are those
    that the filters and the recovery let through.
    """

    order: tuple[int, ...]
    scores: Mapping[int, float]
    kept: frozenset[int]
    revived: frozenset[int]
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


def most_kept(count: int) -> int:
    """k' = min(30, max(1, ⌊0.3·count⌋)), of no chunks 0."""
    return min(30, max(1, 3 * count // 10), count)


def entities_of(
    asked: Matched,
    hypothetical: Iterable[str] = (),
    more_types: Iterable[str] = (),
    threshold: int = THRESHOLD,
) -> Entities:
    """The types and entities of a question. ``hypothetical`` are the concepts of a hypothetical
    note; they and the narrower names of what is asked count where at least ``threshold`` chunks
    name them. ``more_types`` are a model's.
    """
    question, cover = asked.question, asked.cover
    named = Counter(concept for own in asked.index.concepts for concept in own)
    widened = with_narrower(question.concepts) | frozenset(hypothetical)
    top = float(cover.max()) if len(cover) else 0.0
    items = np.flatnonzero(cover >= max(NAMED, top - CLOSE)) if top >= NAMED else ()
    return Entities(
        question.types | frozenset(more_types),
        question.concepts,
        frozenset(one for one in widened if named[one] >= threshold),
        frozenset(int(place) for place in items),
    )


def by_type(index: ChartIndex, entities: Entities) -> dict[int, str]:
    """Why chunks pass the filter of types: the types of the question that they name, by place."""
    found = {place: sorted(entities.types & set(own)) for place, own in enumerate(index.types)}
    return {place: ", ".join(types) for place, types in found.items() if types}


def by_entity(index: ChartIndex, entities: Entities) -> dict[int, str]:
    """Why chunks pass the filter of entities: the first that they share with the question."""
    wanted = entities.direct | entities.validated
    found = {
        place: shared[0]
        for place, own in enumerate(index.concepts)
        if (shared := sorted(wanted & set(own)))
    }
    for number in np.flatnonzero(np.isin(index.columns.item, list(entities.items))):
        one = index.occurrences[number]
        found.setdefault(one.chunk, index.texts[one.item])
    return found


def first_stage(asked: Matched, method: str = "hybrid") -> Floats:
    """A score for each chunk by ``bm25``, ``dense`` or both (``hybrid``: reciprocal ranks)."""
    if method == "bm25" or asked.index.vectors is None:
        return asked.words
    if method == "dense":
        return asked.near[1]
    both = np.zeros(len(asked.words))
    for scores in (asked.words, asked.near[1]):
        ranks = np.empty(len(scores))
        ranks[np.argsort(-scores, kind="stable")] = np.arange(1, len(scores) + 1)
        both += 1 / (CONSTANT + ranks)
    return both


def retrieved(
    asked: Matched,
    entities: Entities | None = None,
    published: bool = False,
    combined: Combined = "intersection",
    upto: str = "rerank",
    window: Window | None = None,
) -> Retrieved:
    """The chunks of a record for a question, after the stages up to ``upto``.

    ``combined`` says whether a chunk passes by type or entity, or must by both; where the question
    has no types, or no entities, the other filter counts alone, and without either all pass.
    ``window`` is the time that is asked for: it orders and drops nothing.
    """
    index = asked.index
    entities = entities_of(asked) if entities is None else entities
    ids = [chunk.id for chunk in index.chunks]
    everything = range(len(ids))
    last = STAGES.index(upto)
    trace: list[StageTrace] = []
    scores = first_stage(asked)
    chances = asked.chance("recovery")
    kept = list(everything)

    def told(name: str, given: Collection[int], why: Mapping[int, str], **measures: float) -> None:
        out = [ids[place] for place in kept]
        reasons = {ids[place]: why.get(place, "") for place in given}
        measures["ratio"] = len(kept) / len(ids) if ids else 1.0
        rounded = {key: round(float(value), 6) for key, value in measures.items()}
        trace.append(StageTrace(name, tuple(ids[p] for p in given), tuple(out), reasons, rounded))

    typed = by_type(index, entities)
    if entities.types:
        kept = [place for place in everything if place in typed]
    told(
        "types",
        everything,
        {p: typed.get(p, "dropped: no entity of these types") for p in everything},
    )
    if last >= 1:
        kept, reasons = _entity_filtered(index, entities, typed, combined)
        told("entities", everything, reasons)
    filtered = sorted(kept, key=lambda place: (-scores[place], place))
    if last >= 2:
        k = most_kept(len(filtered))
        kept = filtered[:k]
        ranks = {
            place: f"rank {n}" + ("" if n <= k else f", beyond {k}")
            for n, place in enumerate(filtered, 1)
        }
        told("dense", filtered, ranks, k=k)
    revived: list[int] = []
    if last >= 3:
        held = set(kept)
        others = [place for place in everything if place not in held]
        revived = [place for place in others if chances[place] >= GAMMA]
        why = {place: f"p {chances[place]:.3f}" for place in others}
        kept = sorted({*kept, *revived}, key=lambda place: (-chances[place], place))
        told("recovery", others, why, revived=len(revived))
    if last >= 4:
        final = asked.chance("rerank")
        kept = sorted(kept, key=lambda place: (-final[place], place))
        told("rerank", kept, {place: f"score {final[place]:.3f}" for place in kept})
        scores = final
    order = kept if published else sorted(everything, key=lambda p: (-scores[p], p))
    if window is not None and window:
        kept = order = in_time(order, index, window, chances >= GAMMA)
        inside = [place for place in order if _within(index, place, window)]
        told(
            "time",
            order,
            {p: "of these days" if p in inside else "other days: last" for p in order},
        )
    return Retrieved(
        tuple(order if published else with_rest_of_note(order, index)),
        {place: float(scores[place]) for place in order},
        frozenset({*filtered, *revived}),
        frozenset(revived),
        tuple(trace),
    )


def in_time(order: Sequence[int], index: ChartIndex, window: Window, answers: Any) -> list[int]:
    """The chunks with those of the days first, none left out; of these the ones that likely
    answer (``answers`` says of each) from the first or the last on, where that is asked.
    """
    inside = [place for place in order if _within(index, place, window)]
    if window.order:
        dated = [place for place in inside if answers[place] and index.chunks[place].since]
        dated.sort(key=lambda place: index.chunks[place].since, reverse=window.order == "last")
        inside = list(dict.fromkeys((*dated, *inside)))
    return list(dict.fromkeys((*inside, *order)))


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


def _entity_filtered(
    index: ChartIndex, entities: Entities, typed: Mapping[int, str], combined: Combined
) -> tuple[list[int], dict[int, str]]:
    shared = by_entity(index, entities)
    everything = range(len(index.chunks))
    if not shared:
        passing = set(typed) if entities.types else set(everything)
    elif not entities.types:
        passing = set(shared)
    elif combined == "union":
        passing = set(typed) | set(shared)
    else:
        passing = set(typed) & set(shared)
    reasons = {
        place: shared.get(place)
        or ("type only" if place in passing else "dropped: no shared entity")
        for place in everything
    }
    return [place for place in everything if place in passing], reasons


def note_order(index: ChartIndex, order: Sequence[int]) -> tuple[str, ...]:
    """The notes of chunks in order, each where its first chunk is."""
    return tuple(dict.fromkeys(part.note for p in order for part in index.chunks[p].parts))
