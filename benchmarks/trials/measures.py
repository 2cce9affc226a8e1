"""Measures of passages and directions, as `python -m benchmarks trials` prints them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

from benchmarks.classes import by_class
from benchmarks.trials.data import Question
from clinfo.evidence.meta_analysis.values import Direction
from clinfo.retrieval.chunking import by_section
from clinfo.retrieval.documents import Document, Passage
from clinfo.retrieval.rerankers import best
from clinfo.retrieval.rerankers.results import ResultReranker

CHARACTERS = 620
"""Characters that each passage may spend: k passages are cut at 620·k in all."""
CLASSES: tuple[Direction, ...] = ("increase", "decrease", "no_difference")


def span_hits(
    questions: Sequence[Question], papers: Mapping[str, Document], depths: Iterable[int] = (5, 10)
) -> dict[str, float]:
    """By depth k, the share of questions whose first k passages hold half of a marked span, and the
    mean of characters given.
    """
    asked = [one for one in questions if one.spans]
    cut = {name: by_section(paper, CHARACTERS) for name, paper in papers.items()}
    ranked = [_ranked(one, cut[one.paper]) for one in asked]
    found: dict[str, float] = {}
    for depth in depths:
        given = [within(order[:depth], CHARACTERS * depth) for order in ranked]
        hits = sum(holds(own, one) for own, one in zip(given, asked, strict=True))
        found[f"span_hit_at_{depth}"] = hits / max(1, len(asked))
        total = sum(end - start for own in given for start, end in own)
        found[f"span_chars_at_{depth}"] = total / max(1, len(asked))
    return found


def _ranked(question: Question, passages: Sequence[Passage]) -> list[Passage]:
    scores = ResultReranker().scores(question.asked, passages)
    return [passages[place] for place in best(scores, len(passages))]


def within(passages: Sequence[Passage], most: int) -> list[tuple[int, int]]:
    """The spans of passages, cut after ``most`` characters in all."""
    spans: list[tuple[int, int]] = []
    for one in passages:
        end = min(one.end, one.start + most)
        if end > one.start:
            spans.append((one.start, end))
        most -= max(0, end - one.start)
    return spans


def holds(given: Sequence[tuple[int, int]], question: Question) -> bool:
    """Return whether the spans given hold half of a marked span."""
    return any(
        2 * sum(max(0, min(b, end) - max(a, start)) for a, b in given) >= end - start
        for start, end in question.spans
    )


def f1(pairs: Sequence[tuple[str, str]]) -> dict[str, float]:
    """Measures of (gold, answer) pairs over the three classes: ``macro_f1``, the mean of the
    classes' F1; ``published_f1``, the harmonic mean of mean precision and mean recall, which the
    paper calls F1; ``accuracy``; ``answered``.
    """
    precision, recall, macro = map(fmean, by_class(pairs, CLASSES))
    n = max(1, len(pairs))
    return {
        "macro_precision": precision,
        "macro_recall": recall,
        "macro_f1": macro,
        "published_f1": _harmonic(precision, recall),
        "accuracy": sum(gold == said for gold, said in pairs if said in CLASSES) / n,
        "answered": sum(said in CLASSES for _, said in pairs) / n,
    }


def _harmonic(first: float, second: float) -> float:
    return 2 * first * second / (first + second) if first + second else 0.0
