"""Scores into a report: tables, plots and a page for every question, as Markdown, HTML, CSV, LaTeX,
SVG and PNG.

    python -m benchmarks report scores.jsonl --out report
    python -m benchmarks report scores.jsonl --run run --data PubMedRS-200.csv --published FOLDER --out report

scores.jsonl and its summary come from ``score``. With a run's folder the report shows answers,
retrieval and cost, with the data set questions, reference answers and both splits by date, with the
folder of published files the texts of the 13 published systems and the values printed for them.
What is not given is said to be missing. The same input gives the same bytes; only files named
timings differ from run to run.
"""  # noqa: E501

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from numpy import quantile

from benchmarks import flags
from benchmarks.own.scores import read_rows
from benchmarks.pubmedrs200.reporting.building import (
    SOURCE_AUGMENTED,
    SOURCE_FREE,
    anchor,
    every_table,
    shared_questions,
    texts_of,
)
from benchmarks.pubmedrs200.reporting.labels import Named, named, ordered
from benchmarks.pubmedrs200.reporting.material import Inputs, ReportData, gather
from benchmarks.pubmedrs200.reporting.pages import Page, pages, url
from benchmarks.pubmedrs200.reporting.plots import (
    Plot,
    box_plots,
    inline,
    pool_plots,
)
from benchmarks.pubmedrs200.reporting.sharing import unvalidated
from benchmarks.pubmedrs200.reporting.tables import (
    Cell,
    Column,
    Row,
    Table,
    counted,
    fixed,
    grouped,
    one_line,
    printable,
    table_csv,
    unbroken,
)
from benchmarks.pubmedrs200.scoring.command import Outputs
from benchmarks.pubmedrs200.scoring.statistics import FEW, TOO_FEW, mean, wilson
from clinfo.errors import UsageError
from clinfo.extras import needed

_TEMPLATES = Path(__file__).parent / "templates"
_LONG = 40


_LATEX: Final = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
    '"': r"\textquotedbl{}",
    "'": "'",
    "`": r"\textasciigrave{}",
    "−": "$-$",
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
    "†": r"\textdagger{}",
    "‡": r"\textdaggerdbl{}",
    "§": r"\S{}",
    "×": r"$\times$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "‘": "`",
    "’": "'",
    "“": "``",
    "”": "''",
    "�": "?",
    "\u00a0": "~",
}
_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]<>()#|~$!&])")
_WIDE: Final = 10
"""Characters of a column's title in one line of LaTeX."""


MOST: Final = 8
"""No more systems than this are told of in a sentence; the tables have all."""


def in_short(material: ReportData) -> tuple[str, ...]:
    """Support, answered and failed questions, what overlap is worth here, and what was not computed
    or not validated.
    """
    known = material.summary.metrics
    measured = any(metric in known for metric in (*SOURCE_AUGMENTED, *SOURCE_FREE))
    return (
        *_decisions(material),
        *_support(material),
        *_answered(material),
        *_failed(material),
        *([_overlap(material)] if measured or not material.own else []),
        *_lacking(material),
    )


def _decisions(material: ReportData) -> Iterator[str]:
    """Yes, no or maybe against what was given; of too few questions the counts alone."""
    told = []
    for one in material.decisions:
        n, share = one["n"], one["accuracy"]
        right = "none decided" if share is None else f"{round(share * n)} of {n} as given"
        ends = [fixed(100 * end, 1) for end in wilson(share or 0, n)]
        known = TOO_FEW if n < FEW else f"95 % interval {' to '.join(ends)}%"
        more = "" if share is None else f" ({known})"
        told.append(f"{named(one['system']).answer_title} {right}{more}")
    if told:
        yield f"Answers of yes, no or maybe: {_listed(told)}."


def _support(material: ReportData) -> Iterator[str]:
    judge = material.summary.judge
    own = "Sentences that stand word for word in an article they cite"
    if judge:
        yield from _shares(
            material,
            "sentences_supported",
            f"Sentences supported by the articles they cite, judged by {judge}",
        )
    else:
        yield (
            "No independent judge has looked at these answers, so this report does not show that "
            "what they say is supported by "
            "what they cite (score --judge names a judge)."
        )
    yield from _shares(material, "sentences_supported_own", own)
    if any(
        any(material.values(system.label, "sentences_set_apart")) for system in material.systems
    ):
        apart = (
            "Sentences that no judge was asked about, because the chain added them, or because "
            "they only count studies"
        )
        yield from _shares(material, "sentences_set_apart", apart)


def _shares(material: ReportData, metric: str, words: str) -> Iterator[str]:
    """Shares with count and interval; of too few questions the count alone."""
    told, few = list[str](), list[str]()
    for system in material.systems:
        found = material.statistics(system.label, metric)
        if found is None or found.mean is None:
            continue
        of = counted(found.n, "question")
        if found.n < FEW:
            few.append(f"{system.answer_title} {found.n}")
            continue
        share, low, high = (
            fixed(100 * one, 1) for one in (found.mean, *wilson(found.mean, found.n))
        )
        figure = f"{share}% (95 % interval {low} to {high})"
        told.append(f"{system.answer_title} {figure} over {of}")
    if told:
        yield f"{words}: {_listed(told)}."
    if few:
        yield f"{words}: {TOO_FEW}, fewer than {FEW} with a value: {'; '.join(few)}."


def _answered(material: ReportData) -> Iterator[str]:
    answers: dict[str, Named] = {}
    for system in material.systems:
        if not system.published:
            answers.setdefault(system.answer, system)
    told = [
        f"{system.answer_title} {answered:,} of {len(material.asked(system.label)):,}"
        for system in answers.values()
        if (answered := material.answered(system.label)) is not None
    ]
    if told:
        yield (
            f"Questions answered: {_listed(told)}. A question left open counts the floor of each "
            "metric of texts that has one."
        )


def _failed(material: ReportData) -> Iterator[str]:
    """Yield how many answers could not be used, and whose."""
    failed: dict[str, set[str]] = {}
    for system in ordered(material.summary.failed):
        failed.setdefault(system.answer, set()).update(material.summary.failed[system.label])
    told = [f"{named(answer).answer_title} {len(ids):,}" for answer, ids in failed.items() if ids]
    if told:
        yield (
            f"Failed: {counted(sum(map(len, failed.values())), 'answer')} ({_listed(told)}). They "
            "count the floors. Whether a system or what it runs on is to blame, the reasons in the "
            "sections of the questions tell."
        )


def _listed(told: list[str]) -> str:
    """Return what is told of each system, or of the first of many."""
    more = len(told) - MOST
    return "; ".join(told[:MOST]) + (f"; {counted(more, 'more', 'more')} below" if more > 0 else "")


def _overlap(material: ReportData) -> str:
    repeats = any(
        (statistics := material.statistics(system.label, "source_included")) is not None
        and statistics.mean
        for system in material.systems
    )
    more = (
        " Under unrestricted search the review itself can be found, and repeating it scores high."
        if repeats
        else ""
    )
    where = "" if material.own else " (Tables 1 and 2)"
    return (
        f"Likeness to the human answer{where} does not show that an answer is right or rests on "
        f"evidence.{more}"
    )


def _lacking(material: ReportData) -> Iterator[str]:
    known = material.summary.metrics
    wanted = [*SOURCE_AUGMENTED, *SOURCE_FREE]
    absent = [metric for metric in wanted if metric not in known]
    if absent and not material.own:
        yield (
            f"{len(absent)} of the {len(wanted)} metrics of Tables 1 and 2 were not computed here; "
            "their cells say so."
        )
    doubtful = [known[metric].title for metric in known if unvalidated(metric, known[metric])]
    if doubtful:
        yield f"Not validated against the published values: {', '.join(doubtful)}."


TITLE = "PubMedRS-200 benchmark"
TIMES_NOTE = (
    "Seconds differ from run to run and are in separate files, timings.md and timings.csv, if a "
    "run recorded any."
)
NO_PLOTS = "Plots were not requested (--no-plots)."


@dataclass(frozen=True)
class Report:
    """``short`` is what the report shows in a few sentences, ``facts`` what was scored, in pairs of
    name and value, ``remarks`` what is missing or must be known."""

    title: str
    short: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    remarks: tuple[str, ...]
    tables: tuple[Table, ...]
    plots: tuple[Plot, ...]
    pages: tuple[Page, ...]


def make(
    material: ReportData, with_plots: bool = True, say: Callable[[str], None] = lambda line: None
) -> Report:
    """The whole report. Without matplotlib the plots are left out and the report says so."""
    tables = every_table(material)
    remarks = [*_uneven(material), *material.summary.warnings, *material.missing]
    plots: list[Plot] = []
    if not with_plots:
        remarks.append(NO_PLOTS)
    else:
        try:
            for family in (box_plots, pool_plots):
                for plot in family(material):
                    say(f"drew {plot.key}")
                    plots.append(plot)
        except UsageError as error:
            remarks.append(f"No plots: {error}")
    if plots and not material.own and not any(plot.key == "pool" for plot in plots):
        remarks.append("No plot of recall against pool size: no system tells both.")
    made = tuple(pages(material))
    data = (material.summary.data or {}).get("name")
    title = f"Benchmark: {data}" if material.own else TITLE
    return Report(
        title, in_short(material), _facts(material), tuple(remarks), tables, tuple(plots), made
    )


def _uneven(material: ReportData) -> list[str]:
    """Says so where systems stand on different questions, since their means cannot be compared
    then.
    """
    sizes = Counter(material.asked(system.label) for system in texts_of(material))
    if len(sizes) < 2:
        return []
    parts = "; ".join(
        f"{counted(count, 'text')} on {counted(len(ids), 'question')}"
        for ids, count in sorted(sizes.items(), key=lambda item: (-len(item[0]), sorted(item[0])))
    )
    shared = len(shared_questions(material))
    way = (
        f'the table "The same questions" compares them on the {shared} that all share'
        if shared
        else "they share none"
    )
    return [
        (
            f"Not all systems were scored on the same questions ({parts}): means of different "
            f"questions are not comparable; {way}."
        )
    ]


def _questions(listed: Mapping[str, Sequence[str]], where: str) -> str:
    """Return how many answers a list by label is about; the texts of one answer count once."""
    count = len({(named(label).answer, id) for label, ids in listed.items() for id in ids})
    return f"{counted(count, 'answer')} of all systems together, {where}" if count else "none"


def _facts(material: ReportData) -> tuple[tuple[str, str], ...]:
    summary = material.summary
    data = summary.data or {}
    published = sum(system.published for system in material.systems)
    rows = f"{counted(len(material.systems), 'row')} in tables, one a text or whole answer"
    again = "" if material.own else f"; {published} of them published and scored again"
    return (
        (
            "Subset",
            (
                f"{summary.subset.name}, n = {summary.subset.n}, SHA-256 of the ids "
                f"{summary.subset.sha256}"
            ),
        ),
        (
            "Data set",
            f"{data.get('name')}, SHA-256 {data.get('sha256')}"
            if data.get("sha256")
            else "not named in the summary",
        ),
        ("Orientation", summary.orientation),
        (
            "Independent judge",
            summary.judge or "none: support under an independent judge is not judged",
        ),
        ("Systems", rows + again),
        ("Questions with scores", str(len(material.questions))),
        ("Unanswered", _questions(summary.unanswered, "listed below")),
        ("Failed", _questions(summary.failed, "listed below")),
        ("Quarantined", _questions(summary.quarantined, "for a leak, listed below")),
    )


def rendered(name: str, report: Report, table: Table | None = None) -> str:
    """A file's text. In HTML everything from outside is escaped by the template engine, and only
    our own plots are put in as markup; the others escape what their macros are given.
    """
    jinja2 = needed("jinja2", "metrics")
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=name.endswith(".html"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "counted": counted, "unbroken": unbroken, "line": one_line, "clean": printable,
        "anchor": anchor, "url": url, "md": _markdown, "tex": _latex,
        "wrap": lambda text: textwrap.wrap(unbroken(text), _WIDE),
    }  # fmt: skip
    from markupsafe import Markup

    style = (_TEMPLATES / "report.css").read_text(encoding="utf-8")
    text: str = environment.get_template(name).render(
        report=report, held=table, kind=_kind, times_note=TIMES_NOTE, style=Markup(style),
        plots=[(plot, Markup(inline(plot))) for plot in report.plots] if ".html" in name else (),
    )  # fmt: skip
    return text


def _markdown(text: str) -> str:
    """Text that Markdown shows as it is, on one line; numbers and plain words stay readable."""
    return re.sub(r"\\([()])", r"\1", _SPECIAL.sub(r"\\\1", one_line(text)))


def _latex(text: str) -> str:
    """Text as LaTeX sets it literally. Letters outside ASCII stay as they are (UTF-8 is LaTeX's
    default since 2018).
    """
    return "".join(_LATEX.get(character, character) for character in one_line(text))


def _kind(table: Table, place: int, cell: Cell) -> str:
    """Classes of a cell: numbers to the right, and with them the words that stand in a number's
    place, in italics.
    """
    if cell.value is not None:
        return "number"
    if table.numeric(place):
        return "number words"
    return "long" if cell.link or len(cell.text) > _LONG else "counts"


_OURS: Final = ("report.md", "report.html", "tables", "plots", "timings.md", "timings.csv")


def contents(report: Report, timings: Table | None) -> Mapping[str, str | bytes]:
    """Every file's contents by its path under the folder."""
    files: dict[str, str | bytes] = {
        "report.md": rendered("report.md", report),
        "report.html": rendered("report.html", report),
    }
    for table in report.tables:
        files[f"tables/{table.key}.csv"] = table_csv(table)
        files[f"tables/{table.key}.tex"] = rendered("table.tex", report, table)
    for plot in report.plots:
        files[f"plots/{plot.key}.svg"] = plot.svg
        files[f"plots/{plot.key}.png"] = plot.png
    if timings is not None:
        files["timings.md"] = rendered("timings.md", report, timings)
        files["timings.csv"] = table_csv(timings)
    return files


def check(folder: Path) -> None:
    """UsageError where the folder holds anything that is not a report of ours: nothing of others is
    ever replaced.
    """
    if not folder.exists():
        return
    if not folder.is_dir():
        raise UsageError(f"{folder} is a file; --out names a folder")
    strange = sorted(path.name for path in folder.iterdir() if path.name not in _OURS)
    if strange:
        raise UsageError(
            f"{folder} holds {strange[0]!r}, which is not part of a report; name a folder of its "
            "own with --out"
        )


def write(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Put the files in place of an earlier report by renaming; killed between two renamings, the
    old one is at NAME.old.
    """
    check(folder)
    folder = folder.absolute()
    partial, old = (
        folder.with_name(folder.name + ".partial"),
        folder.with_name(folder.name + ".old"),
    )
    try:
        for stale in (partial, old):
            if stale.exists():
                check(stale)
                shutil.rmtree(stale)
        for name, content in files.items():
            path = partial / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        if folder.exists():
            os.replace(folder, old)
        os.replace(partial, folder)
        if old.exists():
            shutil.rmtree(old)
    except OSError as error:
        raise UsageError(f"{folder}: {error.strerror or error}") from None


def timings(scores: Path) -> Table | None:
    """Seconds a question by whole answer, as ``score`` left them beside its rows; None where it
    left none.
    """
    path = Outputs.named(scores).times
    if not path.is_file():
        return None
    seconds: dict[str, dict[str, float]] = {}
    for row in read_rows(path):
        seconds.setdefault(row.system, {})[row.id] = row.value
    rows = [
        (
            system.group,
            _times_row(
                system.short_answer_title, system.label, list(seconds[system.label].values())
            ),
        )
        for system in ordered(seconds)
    ]
    titles = {
        "mean": "Mean",
        "median": "Median",
        "p95": "95th percentile",
        "longest": "Longest",
        "n": "n",
    }
    return Table(
        "timings",
        "Seconds a question",
        "Wall time of a question in seconds, waits for the other questions of the run included.",
        "System",
        tuple(Column(key, title) for key, title in titles.items()),
        grouped(rows),
        ("These figures differ from run to run and are in no other file of the report.",),
    )


def _times_row(title: str, label: str, values: list[float]) -> Row:
    figures = (mean(values), *map(float, quantile(values, (0.5, 0.95))), max(values))
    return Row(
        title,
        (*(Cell(fixed(value, 2), value) for value in figures), Cell(str(len(values)), len(values))),
        label,
    )


def main(argv: list[str]) -> None:
    """Make a report. Exits with 2 in one line where an input cannot be used, with 130 when
    interrupted; nothing is half-written.
    """
    options = _parser().parse_args(argv)
    with flags.ending("report", "no report was written"):
        _report(options)


def _report(options: argparse.Namespace) -> None:
    check(options.out)
    summary = Outputs.named(options.scores, options.summary).summary
    inputs = Inputs(options.scores, summary, tuple(options.run), options.data, options.published)
    material = gather(inputs)
    report = make(material, not options.no_plots, lambda line: print(line, file=sys.stderr))
    write(options.out, contents(report, timings(options.scores)))
    for remark in report.remarks:
        print(remark, file=sys.stderr)
    told = (
        counted(len(report.tables), "table"),
        counted(len(report.plots), "plot"),
        counted(len(report.pages), "question"),
    )
    print(f"{options.out / 'report.html'}: {', '.join(told)}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks report",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    flags.add(
        parser,
        {
            "scores": {
                "type": Path,
                "metavar": "SCORES.jsonl",
                "help": "the rows that score wrote",
            },
            "--summary": {
                "type": Path,
                "metavar": "FILE",
                "help": "their summary [SCORES.summary.json]",
            },
            "--run": {
                "type": Path,
                "action": "append",
                "default": [],
                "metavar": "FOLDER",
                "help": "a run's folder, or a file of predictions; repeatable",
            },
            "--data": {"type": Path, "metavar": "CSV", "help": "the data set that was scored"},
            "--published": {
                "type": Path,
                "metavar": "FOLDER",
                "help": "the folder of the published outputs and scores",
            },
            "--out": {
                "type": Path,
                "required": True,
                "metavar": "FOLDER",
                "help": "the folder of the report; one made before is replaced",
            },
            "--no-plots": {"action": "store_true", "help": "leave the plots out"},
        },
    )
    return parser
