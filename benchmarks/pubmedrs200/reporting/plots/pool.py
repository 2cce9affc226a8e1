"""The share of a review's references among the first k candidates, as k grows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from benchmarks.pubmedrs200.reporting.labels import Named, named
from benchmarks.pubmedrs200.reporting.numbers import fixed, mean
from benchmarks.pubmedrs200.reporting.plots.boxes import shortened
from benchmarks.pubmedrs200.reporting.plots.drawing import (
    COLOURS,
    DASHES,
    MARKERS,
    Plot,
    figure,
    finished,
    titled,
)
from benchmarks.pubmedrs200.reporting.printable import one_line
from benchmarks.pubmedrs200.reporting.report_data import ReportData
from benchmarks.pubmedrs200.reporting.texts import Answer
from pubmedrs.records import Review


@dataclass(frozen=True)
class Curve:
    """``recall[k - 1]`` is the mean recall of the first k candidates over ``n`` questions whose
    reviews list references. ``size`` is the mean count of candidates. Without a known order
    ``recall`` holds only the recall of all of them."""

    system: Named
    recall: tuple[float, ...]
    n: int
    size: float
    ranked: bool


def curves(material: ReportData) -> list[Curve]:
    """A curve for each whole answer whose candidates are known, over scored questions; those that
    got none count recall 0.
    """
    found, scored = [], set(material.questions)
    for label, answers in material.scored_answers.items():
        held = {id: answer for id, answer in answers.items() if id in scored}
        if curve := _curve(named(label), held, material.reviews):
            found.append(curve)
    return found


def _curve(
    system: Named, answers: Mapping[str, Answer], reviews: Mapping[str, Review]
) -> Curve | None:
    pools: list[tuple[list[str], set[str]]] = []
    ranked = False
    for id, answer in answers.items():
        review = reviews.get(id)
        if review is None or not review.references or answer.status == "leaked":
            continue
        if system.published:
            if answer.relevant is None or answer.irrelevant is None:
                continue
            pool = [*answer.relevant, *answer.irrelevant]
        elif answer.retrieved is not None:
            pool, ranked = list(answer.retrieved), True
        elif answer.status == "failed":
            pool = []
        else:
            continue
        pools.append((list(dict.fromkeys(pool)), set(review.references)))
    if not pools or not any(pool for pool, _ in pools):
        return None
    deepest = max(len(pool) for pool, _ in pools)
    depths = range(1, deepest + 1) if ranked else [deepest]
    recall = tuple(
        mean([len(set(pool[:depth]) & wanted) / len(wanted) for pool, wanted in pools])
        for depth in depths
    )
    return Curve(system, recall, len(pools), mean([float(len(pool)) for pool, _ in pools]), ranked)


def pool_plots(material: ReportData) -> Iterator[Plot]:
    """One plot of all curves, none where no candidates are known."""
    found = curves(material)
    if not found:
        return
    with figure(8.0, 4.6) as (drawn, axes):
        from matplotlib.ticker import MaxNLocator

        lines, dots = 0, 0
        for curve in found:
            colour = COLOURS[curve.system.colour]
            title = f"{shortened(curve.system.answer_title)} (n = {curve.n})"
            if curve.ranked:
                depths = range(1, len(curve.recall) + 1)
                axes.plot(
                    depths,
                    curve.recall,
                    DASHES[lines % len(DASHES)],
                    color=colour,
                    linewidth=1.8,
                    label=title,
                )
                lines += 1
            else:
                marker = MARKERS[dots % len(MARKERS)]
                axes.plot(
                    [curve.size],
                    curve.recall,
                    marker,
                    color=colour,
                    markersize=7,
                    label=f"{title}, order not known",
                )
                dots += 1
        axes.set_xlabel("candidates before judging, in rank order (first k)")
        axes.set_ylabel("mean recall of the review's references")
        axes.set_xlim(left=0)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_ylim(bottom=0)
        axes.figure.legend(loc="outside lower center", ncols=2, **titled(_standing(material)))
        yield finished("pool", "Recall against pool size", _words(found), drawn)


def _standing(material: ReportData) -> str:
    subset = one_line(material.summary.subset["name"])
    return (
        f"Subset {subset}; n: questions whose review lists references; without candidates recall "
        "is 0."
    )


def _words(found: list[Curve]) -> str:
    parts = []
    for curve in found:
        steps = [depth for depth in (10, 50) if curve.ranked and depth < len(curve.recall)]
        early = "".join(
            f"{fixed(curve.recall[depth - 1], 3)} of the first {depth}, " for depth in steps
        )
        parts.append(
            f"{one_line(curve.system.answer_title)}: {early}{fixed(curve.recall[-1], 3)} of all "
            f"({fixed(curve.size, 1)} candidates "
            f"a question, n = {curve.n})"
        )
    return (
        (
            "Mean share of a review's references among the first k candidates before judging; "
            "reviews that list no references are left "
            "out; published runs tell no order and are points at their mean size. "
        )
        + "; ".join(parts)
        + "."
    )
