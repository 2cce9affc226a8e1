"""The measures of the chart pipeline, as interfaces.md defines them, and the baselines."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.chart.data import Question, digest
from clinfo.patients.lexicon import Lexicon
from clinfo.patients.records import Record
from clinfo.pipelines.chart.index import ChartIndex
from clinfo.pipelines.chart.quoting import found_notes
from clinfo.pipelines.chart.records import STAGES, Combined
from clinfo.pipelines.chart.retrieval import (
    Matched,
    Retrieved,
    hybrid,
    note_order,
    retrieved,
)
from clinfo.retrieval.rerankers import best
from clinfo.text.words import key

DEPTHS = (1, 3)
GIVEN = 0.5
"""Share of a note's characters that must be given for it to count."""
ABSENT = 100
SHARE = 0.60


@dataclass(frozen=True)
class Row:
    """The values of one question, by measure; None where a measure does not speak of it."""

    patient: str
    values: Mapping[str, float | None]
    revived: tuple[int, int] = (0, 0)


def given(index: ChartIndex, order: Sequence[int], depth: int) -> set[str]:
    """The notes of which at least half the characters stand in the first ``depth`` notes' worth of
    chunks: chunks in order until ``depth`` notes are touched.
    """
    shares: dict[str, int] = {}
    for place in order:
        parts = index.chunks[place].parts
        touched = shares.keys() | {part.note for part in parts}
        if len(touched) > depth and shares:
            break
        for part in parts:
            shares[part.note] = shares.get(part.note, 0) + part.end - part.start
    return {note for note, size in shares.items() if size >= GIVEN * len(index.notes[note].text)}


def recall(found: Sequence[str], gold: frozenset[str], depth: int) -> float:
    """Gold notes among the first ``depth`` ÷ min(depth, gold)."""
    return len(gold & set(found[:depth])) / min(depth, len(gold))


def given_recall(
    index: ChartIndex, order: Sequence[int], gold: frozenset[str], depth: int
) -> float:
    """`recall` of chunks: a note counts when at least half of it is given."""
    return len(gold & given(index, order, depth)) / min(depth, len(gold))


def row(question: Question, asked: Matched, combined: Combined = "intersection") -> Row:
    """One question through both modes."""
    index, free = asked.index, retrieved(asked)
    strict = retrieved(asked, published=True, combined=combined)
    first = found_notes(asked, free, max(DEPTHS))
    order = note_order(index, free.order)
    revived = revived_chunks(strict)
    passed = {*strict.trace[STAGES.index("entities")].kept, *revived}
    kept = {part.note for chunk in index.chunks if chunk.id in passed for part in chunk.parts}
    gold, count = question.gold, len(index.notes)
    values: dict[str, float | None] = {
        f"recall_at_{depth}": given_recall(index, free.order, gold, depth) for depth in DEPTHS
    }
    values |= {
        f"published_recall_at_{depth}": given_recall(index, strict.order, gold, depth)
        for depth in DEPTHS
    }
    values |= {
        "filtering_recall": len(gold & kept) / len(gold),
        "corpus_ratio": len(passed) / max(1, len(index.chunks)),
        "filtering_recall_ordered": len(gold & set(order[: math.ceil(SHARE * count)])) / len(gold),
        "quoted_gold": len(gold & {note.id for note in first if note.spans})
        / min(max(DEPTHS), len(gold)),
    }
    return Row(question.patient, values, revived_gold(revived, index, gold))


def revived_chunks(found: Retrieved) -> frozenset[str]:
    """The ids of the chunks that the recovery brought back."""
    recovery = found.trace[STAGES.index("recovery")]
    return frozenset(recovery.given) & frozenset(recovery.kept)


def revived_gold(
    revived: Collection[str], index: ChartIndex, gold: frozenset[str]
) -> tuple[int, int]:
    """Chunks of gold notes among the revived, and all revived."""
    chunks = [one for one in index.chunks if one.id in revived]
    return sum(any(part.note in gold for part in one.parts) for one in chunks), len(chunks)


Ranker = Callable[[Question, Matched], Sequence[int]]


def plan_rule(question: Question, asked: Matched) -> Sequence[int]:
    """The trivial rule: notes where the recorded term stands under Assessment and Plan, in time
    order, then the others.
    """
    term = f" {key(question.term)} "
    held = [
        f" {key(chunk.text.rpartition('Assessment and Plan')[2])} ".find(term) >= 0
        and bool(question.term)
        for chunk in asked.index.chunks
    ]
    return best([float(one) for one in held], len(held))


def first_stage(scores: Callable[[Matched], Any]) -> Ranker:
    """A baseline: the first stage alone, by these scores of chunks."""

    def ranked(question: Question, asked: Matched) -> Sequence[int]:
        return best([float(one) for one in scores(asked)], len(asked.index.chunks))

    return ranked


BASELINES: dict[str, Ranker] = {
    "bm25": first_stage(lambda asked: asked.words),
    "dense": first_stage(lambda asked: asked.near),
    "hybrid": first_stage(hybrid),
    "plan_rule": plan_rule,
}


def absent_pairs(
    asked: Sequence[Question], known: Mapping[str, Record], lexicon: Lexicon, count: int = ABSENT
) -> list[tuple[str, Question]]:
    """Patients with questions about terms that other patients have and they have not, under no
    name of the dictionary; the first ``count`` by sha256.
    """
    by_term: dict[str, Question] = {}
    for one in asked:
        if one.term:
            by_term.setdefault(key(one.term), one)
    patients = sorted({one.patient for one in asked})
    pairs = sorted(
        ((patient, term) for patient in patients for term in by_term),
        key=lambda pair: digest(*pair),
    )
    found: list[tuple[str, Question]] = []
    texts: dict[str, str] = {}
    for patient, term in pairs:
        if len(found) == count:
            break
        if patient not in texts:
            texts[patient] = " ".join(f" {key(note.text)} " for note in known[patient].notes)
        if not any(f" {name} " in texts[patient] for name in names_of(term, lexicon)):
            found.append((patient, by_term[term]))
    return found


def names_of(term: str, lexicon: Lexicon) -> set[str]:
    """The term and the other names of what the dictionary takes it for."""
    from clinfo.terms.naming import known

    names = {term}
    if (named := lexicon.named(term)) is not None and (found := known().descriptor(named.concept)):
        names |= {key(name) for name in (found.heading, *found.entry_terms)}
    return names
