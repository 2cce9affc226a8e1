"""A pooled outcome as files that other programs read. Studies that are not pooled stand in each,
with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator

from clinfo.evidence.meta_analysis.analysis import Analysis, PooledOutcome
from clinfo.evidence.meta_analysis.measures import OF_COUNTS, OF_MEANS
from clinfo.evidence.meta_analysis.values import (
    Arm,
    Counts,
    LeftOut,
    Means,
    StudyEffect,
    named,
)
from clinfo.references.formats.csv_file import csv_rows

Cell = str | float | None

_METAFOR = (
    "study",
    "pooled",
    *("ai", "bi", "n1i", "ci", "di", "n2i"),
    *("m1i", "sd1i", "m2i", "sd2i"),
    *("yi", "vi", "weight", "note"),
)
_PLAIN = (
    "study",
    "pooled",
    *("intervention_events", "intervention_mean", "intervention_sd", "intervention_total"),
    *("control_events", "control_mean", "control_sd", "control_total"),
    *("measure", "estimate", "low", "high", "weight", "text_conclusion", "note"),
)
_REVMAN = (
    *("Comparison Number", "Outcome Number", "Subgroup Number", "Name"),
    *("Data Type", "Statistical Method", "Effect Measure", "Analysis Model"),
    *("Events 1", "Mean 1", "SD 1", "Total 1", "Events 2", "Mean 2", "SD 2", "Total 2"),
    *("O-E", "Var", "Effect Estimate", "SE", "CI Start", "CI End", "Weight"),
    *("Q", "P(Q)", "I²(Q)", "Tau²", "Z", "P(Z)", "Qint", "P(Qint)", "I²(Qint)", "df"),
    *("Group Label 1", "Group Label 2", "Left Graph Label", "Right Graph Label"),
    *("Year of study", "User defined order", "Footnotes"),
)


def metafor_csv(analysis: Analysis) -> str:
    """A table with the columns that metafor's escalc takes; ``yi`` and ``vi`` are what was pooled,
    of studies whose ``pooled`` is TRUE.
    """
    return csv_rows([_METAFOR, *(_metafor(*row) for row in _studies(analysis))])


def plain_csv(analysis: Analysis) -> str:
    """A line a study: its arms' numbers, its effect as it is shown, its weight."""
    return csv_rows([_PLAIN, *(_plain(analysis.measure, *row) for row in _studies(analysis))])


def revman_csv(shown: PooledOutcome) -> str:
    """The analysis as RevMan 5 exports one (and R's meta reads one, by read.rm5), with a column of
    footnotes: the comparison, its outcome with the pool, the studies. Ratios are not logarithms;
    the standard error is of the logarithm.
    """
    analysis, pooled = shown.analysis, shown.analysis.pooled
    counts, means = analysis.measure in OF_COUNTS, analysis.measure in OF_MEANS
    outcome: dict[str, Cell] = {
        "Outcome Number": 1,
        "Name": shown.outcome or analysis.measure,
        "Data Type": "DICH" if counts else "CONT" if means else "IV",
        "Effect Measure": analysis.measure,
        "Group Label 1": shown.intervention,
        "Group Label 2": shown.comparator,
    }
    if shown.better is not None:
        sides = [shown.intervention, shown.comparator]
        left, right = sides if shown.better == "lower" else sides[::-1]
        outcome |= {"Left Graph Label": f"Favours {left}", "Right Graph Label": f"Favours {right}"}
    if pooled is not None:
        outcome |= {
            "Statistical Method": "MH" if pooled.model == "MH" else "IV",
            "Analysis Model": "Random" if pooled.model in ("DL", "REML") else "Fixed",
            "Effect Estimate": pooled.estimate,
            "SE": pooled.se,
            "CI Start": pooled.low,
            "CI End": pooled.high,
            "Weight": 100.0,
            "Q": pooled.q,
            "P(Q)": pooled.q_p,
            "I²(Q)": pooled.i2,
            "Tau²": pooled.tau2,
            "Z": pooled.y / pooled.se,
            "P(Z)": pooled.p,
            "df": pooled.df,
            "Footnotes": "; ".join(pooled.notes),
        }
    name = f"{shown.intervention} versus {shown.comparator}"
    rows: list[dict[str, Cell]] = [{"Outcome Number": 0, "Name": name}, outcome]
    rows += [
        {"Outcome Number": 1, "User defined order": place, **_revman(*row)}
        for place, row in enumerate(_studies(analysis), 1)
    ]
    numbers: dict[str, Cell] = {"Comparison Number": 1, "Subgroup Number": 0}
    return csv_rows([_REVMAN, *([{**numbers, **row}.get(at) for at in _REVMAN] for row in rows)])


def _studies(analysis: Analysis) -> Iterator[tuple[StudyEffect | LeftOut, float | None]]:
    """The studies pooled with their weights, then the others."""
    alone = (None,) * len(analysis.effects)
    weights = analysis.pooled.weights if analysis.pooled else alone
    yield from zip(analysis.effects, weights, strict=True)
    yield from ((each, None) for each in analysis.left_out)


def _metafor(study: StudyEffect | LeftOut, weight: float | None) -> list[Cell]:
    one, other = study.comparison.intervention, study.comparison.control
    counts: list[Cell] = []
    for arm in (one, other):
        counts += [*arm.cells()] if isinstance(arm, Counts) else [None, None]
        counts.append(arm.total if arm else None)
    means = [each for arm in (one, other) for each in _events_mean_sd(arm)[1:]]
    effect = [study.y, study.v] if isinstance(study, StudyEffect) else [None, None]
    pooled = "FALSE" if weight is None else "TRUE"
    return [named(study.comparison), pooled, *counts, *means, *effect, weight, _note(study)]


def _plain(measure: str, study: StudyEffect | LeftOut, weight: float | None) -> list[Cell]:
    said = study.comparison
    arms = [
        cell
        for arm in (said.intervention, said.control)
        for cell in (*_events_mean_sd(arm), arm.total if arm else None)
    ]
    effect: list[Cell] = [None, None, None]
    if isinstance(study, StudyEffect):
        effect = [study.estimate, study.low, study.high]
    pooled = "no" if weight is None else "yes"
    return [named(said), pooled, *arms, measure, *effect, weight, said.conclusion, _note(study)]


def _revman(study: StudyEffect | LeftOut, weight: float | None) -> dict[str, Cell]:
    cells: dict[str, Cell] = {"Name": named(study.comparison), "Weight": weight or 0.0}
    for n, arm in ((1, study.comparison.intervention), (2, study.comparison.control)):
        found = (*_events_mean_sd(arm), arm.total if arm else None)
        cells |= {f"{name} {n}": cell for name, cell in zip(_ARM, found, strict=True)}
    if isinstance(study, StudyEffect):
        cells |= {
            "Effect Estimate": study.estimate,
            "SE": study.v**0.5,
            "CI Start": study.low,
            "CI End": study.high,
        }
    conclusion = study.comparison.conclusion
    said = f"in the text: {conclusion}" if conclusion else ""
    return {**cells, "Footnotes": "; ".join(filter(None, [said, _note(study)]))}


_ARM = ("Events", "Mean", "SD", "Total")


def _events_mean_sd(arm: Arm | None) -> tuple[Cell, Cell, Cell]:
    if isinstance(arm, Counts):
        return arm.events, None, None
    return (None, arm.mean, arm.sd) if isinstance(arm, Means) else (None, None, None)


def _note(study: StudyEffect | LeftOut) -> str:
    if isinstance(study, StudyEffect):
        return "; ".join(study.notes)
    return "; ".join((*study.comparison.notes, study.reason))
