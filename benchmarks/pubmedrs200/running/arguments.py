"""The flags of ``python -m benchmarks run``."""

from __future__ import annotations

import argparse
from typing import Final

from benchmarks.pubmedrs200.running.records import REGIMES
from clinfo.sources.registry import choice

DESCRIPTION: Final = """\
Run systems on the questions of a data set, under each regime. A run that was interrupted, in whatever way, is
resumed by the same command; what is done is not asked or paid for again.

examples:
  python -m benchmarks run --data PubMedRS-200.csv --model extractive --source local --index INDEX --out RUN
  python -m benchmarks run --data PubMedRS-200.csv --subset scored145 --systems systems.toml --repeats 3 --max-cost 20 --out RUN
  python -m benchmarks run --data PubMedRS-200.csv --model openai/gpt-4o-mini --bare openai/gpt-4o-mini --limit 10 --out RUN

exit status: 0 done, 2 wrong usage, 4 some cells failed (the others are done), 5 --max-cost reached, 130 interrupted"""  # noqa: E501


def parser() -> argparse.ArgumentParser:
    """The parser; every flag that is left off is None or its default."""
    made = argparse.ArgumentParser(
        "python -m benchmarks run",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    what = made.add_argument_group("what is run")
    what.add_argument(
        "--data",
        required=True,
        metavar="FILE",
        help="the data set: PubMedRS-200, PubMedQA or BioASQ as published, or rows of CSV, JSON or "
        "JSON lines with question and, where known, id, answer, reference, pmids, date",
    )
    what.add_argument(
        "--subset",
        default="all",
        metavar="NAME",
        help="all, scored145, or a file of PMIDs, one per line [all]",
    )
    what.add_argument(
        "--limit", type=_positive, metavar="N", help="only the first N questions of the subset"
    )
    what.add_argument(
        "--systems", metavar="FILE.toml", help="systems to run, each a [[system]] table with a name"
    )
    what.add_argument(
        "--model",
        action="append",
        default=[],
        metavar="NAME",
        help="the chain with this model; may be repeated",
    )
    what.add_argument(
        "--bare",
        action="append",
        default=[],
        metavar="NAME",
        help="this model without retrieval; may be repeated",
    )
    what.add_argument(
        "--regimes",
        metavar="A,B",
        help=f"[of {', '.join(REGIMES)} those that the questions allow]",
    )
    what.add_argument(
        "--repeats",
        type=_positive,
        default=1,
        metavar="N",
        help="times that each question is asked, with other seeds [1]",
    )
    what.add_argument("--seed", type=int, default=0, metavar="N", help="[0]")
    where = made.add_argument_group("articles")
    where.add_argument("--source", metavar="NAME", help=f"{choice()} [CLINFO_SOURCE]")
    where.add_argument(
        "--index", metavar="DIR", help="the index that --source local searches [CLINFO_INDEX_DIR]"
    )
    where.add_argument(
        "--record",
        metavar="DIR",
        help="freeze the first chain's candidates there, when the run is done",
    )
    where.add_argument(
        "--pool", metavar="DIR", help="give the chains recorded candidates instead of a search"
    )
    chain = made.add_argument_group("chains, unless their entry in --systems says otherwise")
    chain.add_argument("--queries", type=int, metavar="N", help="queries a question [3]")
    chain.add_argument("--per-query", type=int, metavar="N", help="articles a query [16]")
    chain.add_argument("--max-articles", type=int, metavar="N", help="most articles judged [100]")
    chain.add_argument(
        "--rerank",
        type=int,
        metavar="N",
        help="summarise only the N best when more than 35 are relevant [off]",
    )
    chain.add_argument(
        "--chase", type=int, metavar="N", help="follow links of the N first relevant articles [0]"
    )
    chain.add_argument("--strategy", metavar="NAME", help="seeds or pico [seeds]")
    chain.add_argument("--judge", metavar="NAME", help="model, nli, both or none [none]")
    how = made.add_argument_group("how")
    how.add_argument("--out", required=True, metavar="DIR", help="the run's folder")
    how.add_argument(
        "--concurrency",
        type=_positive,
        metavar="N",
        help="cells at a time in a process [4; 2 if all is local]",
    )
    how.add_argument(
        "--processes",
        type=_positive,
        metavar="N",
        help="[1; all cores where nothing waits for a network]",
    )
    how.add_argument(
        "--max-cost",
        type=float,
        metavar="USD",
        help="most that models may cost, earlier starts of the run included",
    )
    how.add_argument("--retry-failed", action="store_true", help="run failed cells again")
    how.add_argument("--quiet", action="store_true", help="no progress on stderr")
    return made


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return value
