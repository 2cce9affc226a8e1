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
import sys
from pathlib import Path

from clinfo.errors import ClinfoError


def main(argv: list[str]) -> None:
    """Make a report. Exits with 2 in one line where an input cannot be used, with 130 when
    interrupted; nothing is half-written.
    """
    options = _parser().parse_args(argv)
    try:
        _report(options)
    except ClinfoError as error:
        print(f"python -m benchmarks report: {error}", file=sys.stderr)
        sys.exit(error.exit_status)
    except KeyboardInterrupt:
        print("python -m benchmarks report: interrupted; no report was written", file=sys.stderr)
        sys.exit(130)


def _report(options: argparse.Namespace) -> None:
    from benchmarks.pubmedrs200.reporting.files import check, contents, write
    from benchmarks.pubmedrs200.reporting.gathering import Inputs, gather
    from benchmarks.pubmedrs200.reporting.numbers import counted
    from benchmarks.pubmedrs200.reporting.report import make
    from benchmarks.pubmedrs200.reporting.timings import timings
    from benchmarks.pubmedrs200.scoring.outputs import Outputs

    check(options.out)
    summary = Outputs.named(options.scores, options.summary).summary
    inputs = Inputs(options.scores, summary, tuple(options.run), options.data, options.published)
    material = gather(inputs)
    report = make(material, not options.no_plots, lambda line: print(line, file=sys.stderr))
    write(options.out, contents(report, timings(options.run, options.scores)))
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
    parser.add_argument(
        "scores", type=Path, metavar="SCORES.jsonl", help="the rows that score wrote"
    )
    parser.add_argument(
        "--summary", type=Path, metavar="FILE", help="their summary [SCORES.summary.json]"
    )
    parser.add_argument(
        "--run",
        type=Path,
        action="append",
        default=[],
        metavar="FOLDER",
        help="a run's folder, or a file of predictions; repeatable",
    )
    parser.add_argument("--data", type=Path, metavar="CSV", help="the data set that was scored")
    parser.add_argument(
        "--published",
        type=Path,
        metavar="FOLDER",
        help="the folder of the published outputs and scores",
    )
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="FOLDER",
        help="the folder of the report; one made before is replaced",
    )
    parser.add_argument("--no-plots", action="store_true", help="leave the plots out")
    return parser
