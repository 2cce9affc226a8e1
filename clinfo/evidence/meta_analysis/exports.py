"""A pooled outcome as files that other programs read. Studies that are not pooled stand in each,
with the reason.
"""

from collections.abc import Iterator, Mapping

from clinfo.evidence.meta_analysis.analysis import Analysis, PooledOutcome
from clinfo.evidence.meta_analysis.values import Counts, LeftOut, Means, StudyEffect
from clinfo.references.formats.csv_file import csv_rows

Cell = str | float | None

_METAFOR = {
    "study": "study",
    "pooled": "pooled",
    "ai": "events 1",
    "bi": "others 1",
    "n1i": "total 1",
    "ci": "events 2",
    "di": "others 2",
    "n2i": "total 2",
    "m1i": "mean 1",
    "sd1i": "sd 1",
    "m2i": "mean 2",
    "sd2i": "sd 2",
    "yi": "y",
    "vi": "v",
    "weight": "weight",
    "note": "note",
}
_PLAIN = {
    "study": "study",
    "pooled": "pooled",
    **{f"intervention_{name}": f"{name} 1" for name in ("events", "mean", "sd", "total")},
    **{f"control_{name}": f"{name} 2" for name in ("events", "mean", "sd", "total")},
    "measure": "measure",
    "estimate": "estimate",
    "low": "low",
    "high": "high",
    "weight": "weight",
    "text_conclusion": "conclusion",
    "note": "note",
}
_REVMAN = (
    *("Comparison Number", "Outcome Number", "Subgroup Number", "Name"),
    *("Data Type", "Statistical Method", "Effect Measure", "Analysis Model"),
    *("Events 1", "Mean 1", "SD 1", "Total 1", "Events 2", "Mean 2", "SD 2", "Total 2"),
    *("O-E", "Var", "Effect Estimate", "SE", "CI Start", "CI End", "Weight"),
    *("Q", "P(Q)", "I²(Q)", "Tau²", "Z", "P(Z)", "Qint", "P(Qint)", "I²(Qint)", "df"),
    *("Group Label 1", "Group Label 2", "Left Graph Label", "Right Graph Label"),
    *("Year of study", "User defined order", "Footnotes"),
)


_REVMAN_STUDY = {
    **{f"{name} {n}": f"{name.lower()} {n}" for name in ("Events", "Mean", "SD") for n in (1, 2)},
    "Name": "study",
    "Total 1": "total 1",
    "Total 2": "total 2",
    "Effect Estimate": "estimate",
    "SE": "se",
    "CI Start": "low",
    "CI End": "high",
    "Footnotes": "footnotes",
}
"""Columns, each with what of `_studies` it holds."""


def metafor_csv(analysis: Analysis) -> str:
    """A table with the columns that metafor's escalc takes; ``yi`` and ``vi`` are what was pooled,
    of studies whose ``pooled`` is TRUE.
    """
    return _table(_METAFOR, analysis, {True: "TRUE", False: "FALSE"})


def plain_csv(analysis: Analysis) -> str:
    """A line a study: its arms' numbers, its effect as it is shown, its weight."""
    return _table(_PLAIN, analysis, {True: "yes", False: "no"})


def revman_csv(shown: PooledOutcome) -> str:
    """The analysis as RevMan 5 exports one (and R's meta reads one, by read.rm5), with a column of
    footnotes: the comparison, its outcome with the pool, the studies. Ratios are not logarithms;
    the standard error is of the logarithm.
    """
    analysis, pooled = shown.analysis, shown.analysis.pooled
    outcome: dict[str, Cell] = {
        "Outcome Number": 1,
        "Name": shown.outcome or analysis.measure,
        "Data Type": "DICH" if analysis.measure in ("RR", "RD") else "CONT",
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
            "Statistical Method": "IV",
            "Analysis Model": "Random",
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
        }
    name = f"{shown.intervention} versus {shown.comparator}"
    rows: list[dict[str, Cell]] = [{"Outcome Number": 0, "Name": name}, outcome]
    for place, study in enumerate(_studies(analysis), 1):
        cells = {column: study.get(key) for column, key in _REVMAN_STUDY.items()}
        weight = study["weight"] or 0.0
        rows.append({"Outcome Number": 1, "User defined order": place, "Weight": weight, **cells})
    numbers: dict[str, Cell] = {"Comparison Number": 1, "Subgroup Number": 0}
    return csv_rows([_REVMAN, *([{**numbers, **row}.get(at) for at in _REVMAN] for row in rows)])


def _table(columns: Mapping[str, str], analysis: Analysis, words: Mapping[bool, str]) -> str:
    rows = ({**row, "pooled": words[row["weight"] is not None]} for row in _studies(analysis))
    return csv_rows([columns, *([row.get(key) for key in columns.values()] for row in rows)])


def _studies(analysis: Analysis) -> Iterator[dict[str, Cell]]:
    """The studies pooled with their weights, then the others, each as cells by name; 1 is the
    intervention's arm, 2 the control's.
    """
    weights = dict(
        zip(analysis.effects, analysis.pooled.weights if analysis.pooled else (), strict=False)
    )
    every: list[StudyEffect | LeftOut] = [*analysis.effects, *analysis.left_out]
    for one in every:
        said = one.comparison
        weight = weights.get(one) if isinstance(one, StudyEffect) else None
        cells: dict[str, Cell] = {
            "study": said.study,
            "measure": analysis.measure,
            "weight": weight,
        }
        for n, arm in ((1, said.intervention), (2, said.control)):
            if arm is not None:
                cells[f"total {n}"] = arm.total
            if isinstance(arm, Counts):
                cells |= {f"events {n}": arm.events, f"others {n}": arm.total - arm.events}
            elif isinstance(arm, Means):
                cells |= {f"mean {n}": arm.mean, f"sd {n}": arm.sd}
        if isinstance(one, StudyEffect):
            note = "; ".join(one.notes)
            cells |= {"y": one.y, "v": one.v, "se": one.v**0.5}
            cells |= {"estimate": one.estimate, "low": one.low, "high": one.high}
        else:
            note = "; ".join((*said.notes, one.reason))
        told = f"in the text: {said.conclusion}" if said.conclusion else ""
        footnotes = "; ".join(filter(None, (told, note)))
        yield {**cells, "conclusion": said.conclusion, "note": note, "footnotes": footnotes}
