"""``python -m benchmarks score``: predictions and runs into scores."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

from benchmarks.pubmedrs200.scoring.evaluation import evaluate
from benchmarks.pubmedrs200.scoring.orientation import ORIENTATIONS
from benchmarks.pubmedrs200.scoring.outputs import Outputs
from benchmarks.pubmedrs200.scoring.plan import NONE, plan
from benchmarks.pubmedrs200.scoring.predictions import FaultyPredictions
from benchmarks.pubmedrs200.scoring.tables import FORMATS, show
from clinfo.console import streams
from clinfo.errors import ClinfoError
from clinfo.text.printable import one_line

PROGRAM: Final = "python -m benchmarks score"
_EPILOG: Final = """\
inputs:
  FILE.jsonl    rows {"id", "system", "prediction", "reference", "source"?}; an empty prediction is an unanswered question,
                which counts the metric's floor; with "failed": true beside it, one that a crash or an outage kept from being
                answered: the floor too, listed apart. Anything missing or malformed is named by its line, and nothing is scored
  RUN           a folder that `python -m benchmarks run` made: its texts and, with --data, measures of its whole answers
  PUBLISHED     the folder with the published outputs of 13 systems

examples:
  python -m benchmarks score predictions.jsonl --out scores.jsonl
  python -m benchmarks score run/ --data PubMedRS-200.csv --metrics lexical --out scores.jsonl --baseline gpt4:none:synthesis
  python -m benchmarks score run/ published/ --data PubMedRS-200.csv --subset scored145 --judge gpt-4o --max-cost 5 --out s.jsonl
  python -m benchmarks score predictions.jsonl --metrics bertscore,comet --weights weights/ --out neural.jsonl

Stopped in whatever way, the same command resumes where it was: what was computed stands in OUT.cache.jsonl beside OUT. How long
a run's answers took goes to timings-OUT.jsonl and timings-OUT.summary.json.

Exit status: 0 scored, 2 an input or option that cannot be used, 4 a metric or judge failed, 5 --max-cost reached, 130 interrupted.
"""  # noqa: E501


def main(argv: list[str]) -> None:
    """Run the command; ends the process with its exit status where that is not 0."""
    streams.take_missing_stderr()
    options = _parser().parse_args(argv)
    try:
        _run(options)
    except FaultyPredictions as error:
        for line in [*error.listing(), str(error)]:
            streams.say(f"score: {one_line(line)}")
        sys.exit(error.exit_status)
    except ClinfoError as error:
        for line in str(error).splitlines():
            streams.say(f"score: {one_line(line)}")
        sys.exit(error.exit_status)
    except OSError as error:
        streams.say(
            f"score: {one_line(str(error.filename or 'a file'))}: "
            f"{error.strerror or 'cannot be read or written'}"
        )
        sys.exit(2)
    except KeyboardInterrupt:
        streams.say("score: interrupted; run the same command again to resume (results are kept)")
        sys.exit(130)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=PROGRAM,
        description="Predictions and runs into scores, with means, intervals and tests of difference.",  # noqa: E501
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add(
        "inputs",
        nargs="+",
        type=Path,
        metavar="INPUT",
        help="what is scored, see below; several are scored together",
    )
    add(
        "--metrics",
        default="lexical",
        metavar="A,B",
        help="names, or lexical, neural, all, none [lexical]",
    )
    add(
        "--orientation",
        choices=ORIENTATIONS,
        default="correct",
        help=(
            "published gives metrics the reference as prediction, as the published scores did "
            "[correct]"
        ),
    )
    add(
        "--out",
        type=Path,
        required=True,
        metavar="OUT.jsonl",
        help='rows {"id", "system", "metric", "value"}',
    )
    add(
        "--summary",
        type=Path,
        metavar="FILE",
        help="means and all about them as JSON [OUT with .summary.json]",
    )
    add(
        "--format", choices=FORMATS, default="text", help="of the summary on standard output [text]"
    )
    add(
        "--data",
        type=Path,
        metavar="CSV",
        help="the data set: checks ids, gives sources, and is needed to measure whole answers",
    )
    add(
        "--subset",
        metavar="NAME",
        help="all, scored145, paper, or a file of PMIDs [the questions that the inputs hold]",
    )
    add(
        "--systems",
        default="",
        metavar="A,B",
        help="labels, or the beginnings of labels up to a colon [all]",
    )
    add(
        "--baseline",
        metavar="SYSTEM",
        help="compare every system with this one: paired tests with Holm's correction",
    )
    add("--weights", type=Path, metavar="DIR", help="folder of model weights, for neural metrics")
    add("--measures", action=argparse.BooleanOptionalAction, default=None,
        help="measure whole answers: retrieval, support, cost … [where inputs and --data allow it]")  # fmt: skip  # noqa: E501
    add(
        "--judge",
        default=NONE,
        metavar="NAME",
        help="who judges support independently: a model, nli:FOLDER or none [none]",
    )
    add(
        "--max-cost",
        type=_dollars,
        metavar="USD",
        help="stop before the judge's calls would cost more",
    )
    add(
        "--processes",
        type=_count,
        default=None,
        metavar="N",
        help="for lexical metrics [the cores there are]",
    )
    add("--fresh", action="store_true", help="compute everything anew")
    return parser


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 1024:
        raise argparse.ArgumentTypeError("must be a whole number from 1 to 1024")
    return int(text)


def _dollars(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError("must be an amount of US dollars")
    return value


def _run(options: argparse.Namespace) -> None:
    outputs = Outputs.named(options.out, options.summary)
    outputs.check(options.inputs)
    chosen = plan(options)
    with outputs.held():
        streams.write(show(evaluate(options, chosen, outputs), options.format))
