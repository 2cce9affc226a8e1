"""``python -m benchmarks reproduce``: the published scores from the published texts, value by
value.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import nan
from pathlib import Path
from typing import Any, Final

from benchmarks import flags
from benchmarks.pubmedrs200.metrics.registry import NEURAL, check, checked_names
from benchmarks.pubmedrs200.metrics.spec import Pair
from benchmarks.pubmedrs200.published import validation
from benchmarks.pubmedrs200.published.data import (
    BY_KEY,
    BY_METRIC,
    PRINTED,
    REGIME_TITLES,
    RETRIEVING,
    ROWS,
    SYSTEMS,
    Table,
    layout,
)
from benchmarks.pubmedrs200.published.reading import (
    Published,
    Question,
    Spread,
    published_reference,
    read,
    spread,
)
from benchmarks.pubmedrs200.scoring.computing import computed
from clinfo.errors import UsageError
from clinfo.files import file_errors, whole_file

PROGRAM: Final = "python -m benchmarks reproduce"
OVERALL: Final = "unieval_overall"
"""The mean of its four published parts is what can be checked of it without a model."""
EXACT: Final = 1e-6
CLOSE: Final = 1e-3
"""A neural value: what other versions of torch and another device change in the last digits is
smaller."""
ROUNDED: Final = 0.0005
"""The most that rounding to three decimals takes from a cell."""
SAMPLE: Final = 2
"""Questions on which both ways round are tried for metrics whose published way is not known."""
TITLES: Final[Mapping[Table, str]] = {
    "table1": "Table 1: source-augmented metrics, and length in words",
    "table2": "Table 2: source-free metrics",
}
ROLES: Final = {
    "swapped": "human answer as prediction, output as reference",
    "output": "output as prediction",
    "published": "published values",
}
HEADER: Final = ("id", "system", "metric", "published", "recomputed", "difference")
METRICS: Final = (
    "metric", "values", "largest_difference", "over_1e-6", "tolerance", "agrees", "scored",
    "signature",
)  # fmt: skip
RETRIEVAL: Final = (
    "id", "regime", "relevant", "hits", "references", "precision", "recall", "source_included",
)  # fmt: skip
DESCRIPTION: Final = """\
Recompute the published scores of PubMedRS-200 from the published texts and ids, and compare them value by value.

DIR holds Model__all_all_scores.csv and scores__all_2021.csv of the published repository (its folder PubMedRS-200/LLMEvaluations,
or the whole repository), whole or cut after a record; where the small table files lie beside them, tables are compared, too.

On stdout: one line a value (tab-separated: id, system, metric, published, recomputed, difference), then Markdown: how far each
metric is off, and Tables 1 to 3 beside the published ones. Without --neural no model is needed; what only a model can tell is
then marked "not validated".
"""  # noqa: E501
EXAMPLES: Final = """\
examples:
  python -m benchmarks reproduce Clinfo.AI/PubMedRS-200 --questions none
  python -m benchmarks reproduce Clinfo.AI/PubMedRS-200 --out reproduced --metrics rouge_l,chrf
  python -m benchmarks reproduce Clinfo.AI/PubMedRS-200 --neural --weights ~/weights --questions none

exit status: 0 everything compared agrees, 1 something does not (said on stderr), 2 wrong usage or input, 130 interrupted
"""  # noqa: E501
Values = Mapping[str, Sequence[float]]
"""By system key, one a question."""


@dataclass(frozen=True)
class Agreement:
    """One metric's values made anew beside the published ones. ``role`` says what was scored (see
    `ROLES`), ``over`` counts values more than 1e-6 apart, ``worst`` is (PMID, system) of the one
    furthest apart.
    """

    metric: str
    signature: str
    role: str
    values: Values
    n: int
    largest: float
    over: int
    tolerance: float
    worst: tuple[str, str]

    @property
    def agrees(self) -> bool:
        return self.largest <= self.tolerance


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command and end the process with its exit status."""
    options = _parser().parse_args(argv)
    with flags.ending("reproduce", "nothing was written"):
        sys.exit(_reproduce(options))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=PROGRAM, description=DESCRIPTION, epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    flags.add(
        parser,
        {
            "folder": {
                "type": Path,
                "metavar": "DIR",
                "help": "folder that holds the published files, at most four levels down",
            },
            "--out": {
                "type": Path,
                "metavar": "FOLDER",
                "help": "also write questions.csv, metrics.csv, retrieval.csv, tables.md",
            },
            "--metrics": {
                "default": "",
                "metavar": "A,B",
                "help": f"which ones, of {', '.join(BY_METRIC)} [all that need no model]",
            },
            "--questions": {
                "choices": ("all", "none"),
                "default": "all",
                "help": "lines for every value on stdout [all]",
            },
            "--neural": {
                "action": "store_true",
                "help": "also the metrics that need a model, and record which ones agree",
            },
            "--weights": {
                "type": Path,
                "metavar": "DIR",
                "help": "folder of model weights, for --neural",
            },
        },
    )
    return parser


def _reproduce(options: argparse.Namespace) -> int:
    names = _names(options.metrics, options.neural)
    if options.weights is not None and not options.neural:
        raise UsageError("--weights is for --neural")
    loaded = [name for name in names if options.neural or name != OVERALL]
    check(loaded, options.weights)
    started = time.monotonic()
    published = read(options.folder)
    n = len(published.questions)
    print(f"reproduce: {n} questions of {ROWS}, {len(SYSTEMS)} systems", file=sys.stderr)
    found = recomputed(published, loaded, options.weights)
    if OVERALL in names and not options.neural:
        found[OVERALL] = _overall(published)
    agreements = {name: found[name] for name in names}
    tables = {table: _cells(published, table, agreements) for table in TITLES}
    retrieved = list(_table3(published))
    text = _text(published, agreements, tables, retrieved)
    if options.out is not None:
        _write(options.out, published, agreements, text)
    if options.neural:
        outcomes = [
            (
                name,
                one.signature,
                {"largest_difference": one.largest, "n": one.n, "tolerance": one.tolerance,
                 "agrees": one.agrees, "role": one.role},
            )
            for name, one in agreements.items() if name in NEURAL
        ]  # fmt: skip
        kept = [validation.path(), *([options.out / validation.FILE] if options.out else [])]
        with file_errors("the outcome for neural metrics cannot be kept"):
            for path in kept if outcomes else ():
                validation.write(path, outcomes)
    if options.questions == "all":  # last, since whoever reads may leave before the end
        print("\t".join(HEADER))
        for row in _rows(published, agreements):
            print("\t".join(row))
        print()
    print(text, end="")
    print(f"reproduce: {time.monotonic() - started:.1f} s", file=sys.stderr)
    problems = [
        f"{one.metric} differs: by up to {one.largest:.3g} where {one.tolerance:g} is allowed "
        f"(PMID {one.worst[0]}, {one.worst[1]})"
        for one in agreements.values()
        if not one.agrees
    ]
    agree: dict[str, list[bool | None]] = {}
    agree.update((table, [one[3] for one in cells]) for table, cells in tables.items())
    agree["table3"] = [one[4] for one in retrieved]
    for name, told in agree.items():
        if off := told.count(False):
            than = "the published table files" if name in TITLES else "the printed values"
            problems.append(f"{name} differs from {than} in {off} cells, marked ≠")
    for problem in problems:
        print(f"reproduce: {problem}", file=sys.stderr)
    return 1 if problems else 0


def _names(text: str, neural: bool) -> list[str]:
    """The metrics asked for, in the benchmark's order. Raises UsageError for unknown ones and those
    that need a model.
    """
    if not text:
        return [name for name in BY_METRIC if neural or name == OVERALL or name not in NEURAL]
    asked = checked_names(text)
    needy = [name for name in asked if name in NEURAL and name != OVERALL]
    if needy and not neural:
        raise UsageError(
            f"--metrics: {', '.join(needy)} need a model: add --neural and --weights DIR"
        )
    return list(asked)


def recomputed(
    published: Published, names: Sequence[str], weights: Path | None = None
) -> dict[str, Agreement]:
    """The published values made anew from the published texts, in the roles that the metrics were
    given them in then; where a role is not known, the one that comes closer to the published values
    of a sample.
    """
    roles = {name: BY_METRIC[name].role for name in names}
    unknown = [name for name, role in roles.items() if role == "unknown"]
    tried = {
        role: _values(published.questions[:SAMPLE], dict.fromkeys(unknown, role), weights)[0]
        for role in ("output", "swapped")
    }
    for name in unknown:
        roles[name] = min(
            tried,
            key=lambda role, name=name: sum(  # type: ignore[misc]
                abs(value - published.values[name][key][number])
                for key, made in tried[role][name].items()
                for number, value in enumerate(made)
            ),
        )
    values, signatures = _values(published.questions, roles, weights)
    return {
        name: _agreement(published, name, signatures[name], roles[name], values[name])
        for name in names
    }


def _values(
    questions: Sequence[Question], roles: Mapping[str, str], weights: Path | None
) -> tuple[dict[str, dict[str, tuple[float, ...]]], dict[str, str]]:
    """By metric and system, a value a question; and signatures by metric. Every text is the cell as
    published; the human answer is in the order that the scores had.
    """
    given: dict[str, list[tuple[tuple[str, str], Pair]]] = {"swapped": [], "output": []}
    for system in SYSTEMS:
        for one in questions:
            answer, output = published_reference(one.human_answer), one.outputs[system.key]
            row = (system.key, one.pmid)
            given["swapped"].append((row, Pair(answer, output, one.context)))
            given["output"].append((row, Pair(output, answer, one.context)))
    found = computed({name: given[role] for name, role in roles.items()}, weights)
    values = {
        name: {
            system.key: tuple(by_row[system.key, one.pmid] for one in questions)
            for system in SYSTEMS
        }
        for name, by_row in found.values.items()
    }
    return values, found.signatures


def _overall(published: Published) -> Agreement:
    names = [column.metric for column in layout("table1")[:4]]
    values = {
        system.key: [
            sum(four) / 4
            for four in zip(*(published.values[name][system.key] for name in names), strict=True)
        ]
        for system in SYSTEMS
    }
    said = "mean of its four published parts"
    return _agreement(published, OVERALL, said, "published", values)


def _agreement(
    published: Published, metric: str, signature: str, role: str, values: Values
) -> Agreement:
    """A value that is not a number agrees with nothing."""
    off = {}
    for number, question in enumerate(published.questions):
        for system in SYSTEMS:
            less = values[system.key][number] - published.values[metric][system.key][number]
            off[question.pmid, system.key] = abs(less) if less == less else float("inf")
    worst = max(off, key=lambda row: off[row])
    tolerance = CLOSE if metric in NEURAL and role != "published" else EXACT
    over = sum(size > EXACT for size in off.values())
    return Agreement(metric, signature, role, values, len(off), off[worst], over, tolerance, worst)


def _rows(published: Published, made: Mapping[str, Agreement]) -> Iterator[tuple[str, ...]]:
    """One row of `HEADER` a value: question by question within each metric; numbers as short as
    they can be without loss.
    """
    for metric, one in made.items():
        for number, question in enumerate(published.questions):
            for system in SYSTEMS:
                old = published.values[metric][system.key][number]
                new = one.values[system.key][number]
                numbers = (repr(old), repr(new), f"{new - old:.3g}")
                yield question.pmid, system.key, metric, *numbers


def _cells(
    published: Published, table: Table, made: Mapping[str, Agreement]
) -> list[tuple[str, str, str, bool | None]]:
    """(metric, system, text, whether it agrees) of each cell of Table 1 or 2. Compared only where
    all questions of the published tables are there, and table files to compare with.
    """
    found = []
    for column in layout(table):
        one = made.get(column.metric)
        if one is not None and one.role == "published":
            one = None  # put together from published values: no model has been asked
        slack = ROUNDED + (EXACT if one is None else min(ROUNDED, one.tolerance))
        for system in SYSTEMS:
            values = spread(published.values[column.metric][system.key])
            anew = None if one is None else spread(one.values[system.key])
            held = published.tables.get(table, {}).get(column.metric, {}).get(system.key)
            agrees = None
            if held is not None and len(published.questions) == ROWS:
                agrees = all(
                    abs(own.mean - held.mean) <= slack and abs(own.sd - held.sd) <= slack
                    for own in (values, anew)
                    if own is not None
                )
            doubt = "not validated" if column.metric in NEURAL else "not recomputed"
            left = str(anew) if anew is not None else f"{doubt}: {values}"
            text = f"{left} / {held or '–'}{' ≠' if agrees is False else ''}"
            found.append((column.metric, system.key, text, agrees))
    return found


def _retrievals(published: Published) -> Iterator[tuple[Any, ...]]:
    """(PMID, regime, relevant, hits, references, source included) from the files alone, reference
    lists as they stand (own PMIDs and entries "0" included).
    """
    for regime in RETRIEVING:
        for one in published.questions:
            relevant, references = set(one.relevant[regime]), set(one.references)
            hits = len(relevant & references)
            sizes = (len(relevant), hits, len(references))
            yield one.pmid, regime, *sizes, one.pmid in relevant


def _table3(published: Published) -> Iterator[tuple[str, str, int, str, bool | None]]:
    """(regime, rule, n, text, whether it agrees) of each cell of Table 3: by the rule found for it,
    without questions that have no references or for which nothing was found, and the source-dropped
    regime over every question, too, as the paper seems to have it.
    """
    every = list(_retrievals(published))
    for regime in RETRIEVING:
        for rule in ("paper", *(["every"] if regime == "source-dropped" else [])):
            of = [one for one in every if one[1] == regime]
            of = of if rule == "every" else [one for one in of if one[2] and one[4]]
            values = {
                "retrieval_precision": [hits / n if n else 0.0 for _, _, n, hits, _, _ in of],
                "retrieval_recall": [hits / n if n else 0.0 for _, _, _, hits, n, _ in of],
                "source_included": [float(one[5]) for one in of],
            }
            for metric, column in values.items():
                cell = spread(column) if column else Spread(nan, nan)
                known = PRINTED.table3.get(regime, {}).get(metric)
                misprint = PRINTED.is_misprint("table3", regime, metric)
                as_printed = (rule == "every") == (regime == "source-dropped")
                agrees = None
                if known is not None and as_printed and not misprint:
                    whole = len(published.questions) == ROWS
                    agrees = abs(cell.mean - known) <= ROUNDED + EXACT if whole else None
                said = "not known" if known is None else f"{known:.3f}"
                sign = " (misprint)" if misprint else " ≠" if agrees is False else ""
                yield regime, rule, len(of), f"{cell} / {said}{sign}", agrees


def _text(
    published: Published,
    agreements: Mapping[str, Agreement],
    tables: Mapping[Table, Sequence[tuple[str, str, str, bool | None]]],
    retrieved: Sequence[tuple[str, str, int, str, bool | None]],
) -> str:
    """The comparison as Markdown, tables in the paper's layout."""
    import jinja2

    n = len(published.questions)

    def verdict(agree: Iterable[bool | None]) -> str:
        compared = [one for one in agree if one is not None]
        if n != ROWS:
            return f": n = {n} of {ROWS}, so the two are of different questions and not compared."
        told = f"{sum(compared)} of {len(compared)} cells compared agree"
        return f": {told if compared else 'not compared'}."

    shown = []
    for table, cells in tables.items():
        by_cell = {(metric, key): text for metric, key, text, _ in cells}
        columns = layout(table)
        groups = [
            (group, [(one.title, [by_cell[c.metric, one.key] for c in columns]) for one in own])
            for group, own in groupby(SYSTEMS, key=lambda one: one.group)
        ]
        agree = verdict(one[3] for one in cells)
        notes = list(_notes(published, table))
        shown.append({"title": TITLES[table], "columns": columns, "groups": groups, "notes": notes,
                      "verdict": agree})  # fmt: skip
    rules = {"paper": "with references and articles found", "every": "every question"}
    lines = [
        [REGIME_TITLES[regime], rules[rule], str(count), *(one[3] for one in of)]
        for (regime, rule, count), of in groupby(retrieved, key=lambda one: one[:3])
    ]
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=jinja2.StrictUndefined, trim_blocks=True, keep_trailing_newline=True,
        autoescape=False,
    )  # fmt: skip
    return environment.get_template("reproduced.md").render(
        n=n, rows=ROWS, count=f"n = {n}" if n == ROWS else f"n = {n} of {ROWS}", roles=ROLES,
        agreements=list(agreements.values()), tables=shown, source=PRINTED.source,
        table3={"lines": lines, "verdict": verdict(one[4] for one in retrieved),
                "notes": PRINTED.notes_of("table3")},
    )  # fmt: skip


def _notes(published: Published, table: Table) -> Iterator[str]:
    yield from PRINTED.notes_of(table)
    for metric, by_system in (PRINTED.table1 if table == "table1" else {}).items():
        for key, value in by_system.items():
            held = published.tables.get("table1", {}).get(metric, {}).get(key)
            beside = f", table files {held.mean:.3f}" if held is not None else ""
            where = f"{BY_METRIC[metric].title}, {BY_KEY[key].title}"
            yield f"Printed mean of {where}: {value:.3f}{beside}."
    if table == "table1":
        yield "Other printed cells are not known here."
    if table not in published.tables:
        yield "The table files with means and deviations are not there: nothing to compare with."
    yield from PRINTED.notes_of(f"{table} file")


def _write(folder: Path, published: Published, made: Mapping[str, Agreement], text: str) -> None:
    """Files of the same bytes for the same input; ids, names and numbers, no published text."""
    metrics = (
        (a.metric, a.n, a.largest, a.over, a.tolerance, str(a.agrees).lower(), a.role, a.signature)
        for a in made.values()
    )
    retrieved = (
        (
            pmid, regime, found, hits, of,
            repr(hits / found) if found and of else "", repr(hits / of) if of else "",
            int(included),
        )
        for pmid, regime, found, hits, of, included in _retrievals(published)
    )  # fmt: skip
    files: tuple[tuple[str, Sequence[str], Iterable[Sequence[object]]], ...] = (
        ("questions.csv", HEADER, _rows(published, made)),
        ("metrics.csv", METRICS, metrics),
        ("retrieval.csv", RETRIEVAL, retrieved),
    )
    with file_errors(f"--out {folder}"):
        folder.mkdir(parents=True, exist_ok=True)
        for name, header, rows in files:
            with whole_file(folder / name) as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow(header)
                writer.writerows(rows)
        with whole_file(folder / "tables.md") as file:
            file.write(text)
