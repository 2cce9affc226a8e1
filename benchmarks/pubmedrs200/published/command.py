"""``python -m benchmarks reproduce``: the published scores from the published texts, value by
value.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from benchmarks.pubmedrs200.published import layout
from benchmarks.pubmedrs200.published.columns import (
    BY_METRIC,
    COLUMNS,
    LAYOUT,
    PUBLISHED_ROWS,
    Table,
)
from benchmarks.pubmedrs200.published.comparison import (
    Agreement,
    CellComparison,
    Table3Cell,
    agreement,
    cells,
    table3_cells,
)
from benchmarks.pubmedrs200.published.outcome import HEADER, keep, value_rows, write
from benchmarks.pubmedrs200.published.printed import Printed, printed
from benchmarks.pubmedrs200.published.reading import Published, read
from benchmarks.pubmedrs200.published.recomputation import overall_of_parts, recompute
from benchmarks.pubmedrs200.published.retrieval import table3
from benchmarks.pubmedrs200.published.systems import SYSTEMS
from benchmarks.pubmedrs200.published.validation import Validation
from clinfo.errors import ClinfoError, UsageError

PROGRAM: Final = "python -m benchmarks reproduce"
LEXICAL: Final = tuple(column.metric for column in COLUMNS if not column.neural)
NEURAL: Final = tuple(column.metric for column in COLUMNS if column.neural)
TABLES: Final[tuple[Table, ...]] = ("table1", "table2")

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


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command and end the process with its exit status."""
    options = _parser().parse_args(argv)
    try:
        status = _reproduce(options)
        sys.stdout.flush()
    except ClinfoError as error:
        print(f"{PROGRAM}: {error}", file=sys.stderr)
        status = error.exit_status
    except KeyboardInterrupt:
        print(f"{PROGRAM}: interrupted", file=sys.stderr)
        status = 130
    except BrokenPipeError:  # whoever read stdout has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 141
    sys.exit(status)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=PROGRAM,
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "folder",
        type=Path,
        metavar="DIR",
        help="folder that holds the published files, at most four levels down",
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FOLDER",
        help="also write questions.csv, metrics.csv, retrieval.csv, tables.md",
    )
    parser.add_argument(
        "--metrics",
        default="",
        metavar="A,B",
        help=f"which ones, of {', '.join(BY_METRIC)} [all that need no model]",
    )
    parser.add_argument(
        "--questions",
        choices=("all", "none"),
        default="all",
        help="lines for every value on stdout [all]",
    )
    parser.add_argument(
        "--neural",
        action="store_true",
        help="also the metrics that need a model, and record which ones agree",
    )
    parser.add_argument(
        "--weights", type=Path, metavar="DIR", help="folder of model weights, for --neural"
    )
    parser.add_argument(
        "--processes",
        type=int,
        metavar="N",
        help="processes for metrics without a model [one a core]",
    )
    return parser


def _reproduce(options: argparse.Namespace) -> int:
    from benchmarks.pubmedrs200.metrics.neural_scorers import check
    from benchmarks.pubmedrs200.scoring.parallel import cores
    from benchmarks.pubmedrs200.scoring.progress import Counter

    names = _names(options.metrics, options.neural)
    processes = cores() if options.processes is None else options.processes
    if processes < 1:
        raise UsageError("--processes must be at least 1")
    if options.weights is not None and not options.neural:
        raise UsageError("--weights is for --neural")
    loaded = [name for name in names if options.neural or name != "unieval_overall"]
    check(loaded, options.weights)
    started = time.monotonic()
    published = read(options.folder)
    n = len(published.questions)
    print(f"reproduce: {n} questions of {PUBLISHED_ROWS}, {len(SYSTEMS)} systems", file=sys.stderr)
    with Counter("reproduce: values", n * len(SYSTEMS) * len(loaded)) as counter:
        found = dict(recompute(published, loaded, processes, options.weights, counter.add))
    if "unieval_overall" in names and not options.neural:
        found["unieval_overall"] = overall_of_parts(published)
    recomputed = {name: found[name] for name in names}
    agreements = [agreement(published, item) for item in recomputed.values()]
    by_table = {name: cells(published, name, recomputed) for name in TABLES}
    retrieved = table3_cells(table3(published), paper := printed(), n)
    text = "\n".join(_text(published, agreements, by_table, retrieved, paper)) + "\n"
    if options.out is not None:
        write(options.out, published, recomputed, agreements, text)
    if options.neural:
        keep([_validation(item) for item in agreements if item.metric in NEURAL], options.out)
    if options.questions == "all":  # last, since whoever reads may leave before the end
        print("\t".join(HEADER))
        for row in value_rows(published, recomputed):
            print("\t".join(row))
        print()
    print(text, end="")
    print(f"reproduce: {time.monotonic() - started:.1f} s, {processes} processes", file=sys.stderr)
    problems = _problems(
        agreements, [cell for table in by_table.values() for cell in table], retrieved
    )
    for problem in problems:
        print(f"reproduce: {problem}", file=sys.stderr)
    return 1 if problems else 0


def _names(text: str, neural: bool) -> list[str]:
    """The metrics asked for, in the benchmark's order. Raises UsageError for unknown ones and those
    that need a model.
    """
    if not text:
        return [
            name for name in BY_METRIC if neural or name in LEXICAL or name == "unieval_overall"
        ]
    from benchmarks.pubmedrs200.metrics.registry import checked_names

    asked = checked_names(text)
    needy = [name for name in asked if name in NEURAL and name != "unieval_overall"]
    if needy and not neural:
        raise UsageError(
            f"--metrics: {', '.join(needy)} need a model: add --neural and --weights DIR"
        )
    return list(asked)


def _text(
    published: Published,
    agreements: Sequence[Agreement],
    by_table: Mapping[Table, Sequence[CellComparison]],
    retrieved: Sequence[Table3Cell],
    paper: Printed,
) -> Iterator[str]:
    yield (
        f"# The published scores of PubMedRS-200, recomputed ({len(published.questions)} of "
        f"{PUBLISHED_ROWS} questions)"
    )
    yield ""
    yield from layout.summary(agreements)
    for name, compared in by_table.items():
        yield ""
        yield from layout.table(name, published, compared, paper)
    yield ""
    yield from layout.table3(retrieved, len(published.questions), paper)
    yield ""
    yield f"Printed values: {paper.source}."


def _validation(item: Agreement) -> Validation:
    return Validation(
        item.metric, item.signature, item.largest, item.n, item.tolerance, item.agrees, item.role
    )


def _problems(
    agreements: Sequence[Agreement],
    compared: Sequence[CellComparison],
    retrieved: Sequence[Table3Cell],
) -> list[str]:
    """Return what does not agree, a line each."""
    lines = [
        (
            f"{item.metric} differs: by up to {item.largest:.3g} where {item.tolerance:g} is "
            f"allowed (PMID {item.worst.pmid}, "
            f"{item.worst.system})"
        )
        for item in agreements
        if not item.agrees
    ]
    for name in TABLES:
        off = [cell for cell in compared if cell.agrees is False and cell.metric in LAYOUT[name]]
        if off:
            lines.append(
                f"{name} differs from the published table files in {len(off)} cells, marked ≠"
            )
    off3 = [cell for cell in retrieved if cell.agrees is False]
    if off3:
        lines.append(f"table3 differs from the printed values in {len(off3)} cells, marked ≠")
    return lines
