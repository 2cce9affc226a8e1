"""The measures of whole answers: retrieval, citations, support, cost, readability.

Support is judged on the sentences that say something of articles. Those that a chain added to a
model's words, or that count only its own studies, rest on no passage and are left out for both
judges; how many there are is a measure of its own, because the less is judged the less the other
figures say. Of other systems every sentence is judged.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from benchmarks.own.scores import ScoreRow, label
from benchmarks.pubmedrs200.measures.support import (
    Claim,
    Judge,
    QuotationJudge,
    Support,
    cited_articles,
    claims,
    figures_supported,
    has_events,
    reading_grade,
    set_apart,
    supports,
)
from benchmarks.pubmedrs200.metrics.spec import MetricSpec
from benchmarks.pubmedrs200.running.folder import cells_of, load_record, read_run, seconds_of
from benchmarks.pubmedrs200.running.records import Cell, Record
from benchmarks.pubmedrs200.scoring.inputs import Inputs, chosen
from clinfo.console import streams
from clinfo.records.articles import Article
from pubmedrs.records import Dataset, Review

INTERVAL: Final = 10.0
"""Seconds between lines of progress."""
_JUDGED: Final = ("sentences_supported", "citation_recall", "citation_precision")
"""Measures whose figures depend on the independent judge."""
_ALCE: Final = (
    "Gao et al., Enabling Large Language Models to Generate Text with Citations, EMNLP 2023 (ALCE)"
)
_TABLE_3: Final = "as Table 3 of Lozano et al., PSB 2024"
_RULES: Final = (
    "clinfo.claims.cited: the sentence, or each of its clauses, word for word in a cited article"
)
_READER: Final = (
    "numbers (clinfo.text.quotes) that stand in title or abstract of an article which the sentence "
    "cites, in digits or in words"
)
_GRADE: Final = (
    "Flesch-Kincaid grade level (Kincaid et al. 1975), syllables by Pyphen; synthesis without "
    "citation marks"
)


def _share(name: str, title: str, source: str, floor: float | None = None) -> MetricSpec:
    return MetricSpec(name, title, 0, 1, "higher", floor, source)


def _amount(name: str, title: str, source: str) -> MetricSpec:
    return MetricSpec(name, title, 0, None, "lower", None, source)


_ALL: Final = (
    _share(
        "sentences_supported",
        "sentences supported (independent judge)",
        f"{_ALCE}; synthesis and TL;DR",
    ),
    _share("citation_recall", "citation recall (independent judge)", f"{_ALCE}; synthesis"),
    _share("citation_precision", "citation precision (independent judge)", f"{_ALCE}; synthesis"),
    _share(
        "sentences_supported_own",
        "sentences supported (own judge)",
        f"{_RULES}; synthesis and TL;DR",
    ),
    _share(
        "citation_recall_own",
        "citation recall (own judge)",
        f"{_ALCE}, judged by {_RULES}; synthesis",
    ),
    _share(
        "citation_precision_own",
        "citation precision (own judge)",
        f"{_ALCE}, judged by {_RULES}; synthesis",
    ),
    _share("figures_supported", "figures stated by a cited article", _READER),
    MetricSpec(
        "sentences_set_apart",
        "sentences set apart",
        0,
        1,
        "neither",
        None,
        "of a chain: added, or only counting studies; not judged",
    ),
    _share(
        "retrieval_precision",
        "retrieval precision",
        f"the review's references among relevant articles, {_TABLE_3}",
        0.0,
    ),
    _share(
        "retrieval_recall",
        "retrieval recall",
        f"share of the review's references judged relevant, {_TABLE_3}",
        0.0,
    ),
    _share(
        "pool_recall",
        "recall of the pool before judging",
        "share of the review's references among all candidates",
        0.0,
    ),
    MetricSpec(
        "source_included",
        "source review included",
        0,
        1,
        "neither",
        0.0,
        f"the review among relevant articles, {_TABLE_3}",
    ),
    MetricSpec(
        "abstained", "abstained", 0, 1, "neither", None, "1 where a question got no synthesis"
    ),
    _amount("tokens", "tokens", "prompt and completion tokens of all calls, cached ones included"),
    _amount(
        "cost_usd", "US dollars", "as reported by the run; questions of unknown cost have no value"
    ),
    _amount("seconds", "seconds", "wall time of a question"),
    MetricSpec("reading_grade", "reading grade", None, None, "lower", None, _GRADE),
)
SPECS: Final = {spec.name: spec for spec in _ALL}
"""By name, the headline first."""


@dataclass(frozen=True)
class Measured:
    """Rows of whole answers in the order of the inputs, and the measures that have any, each with
    what it is measured by; ``warnings`` are what the judge says of its verdicts."""

    rows: Sequence[ScoreRow] = ()
    metrics: Mapping[str, tuple[MetricSpec, str]] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def measured(
    inputs: Inputs,
    dataset: Dataset,
    ids: Collection[str],
    systems: Sequence[str],
    judge: Judge | None = None,
) -> Measured:
    """Measures on some questions, of some systems: of runs, and of what the published systems
    retrieved. Raises UsageError for a damaged run, and what the judge raises.
    """
    wanted = set(ids)
    reviews = tuple(review for review in dataset.reviews if review.pmid in wanted)
    part = replace(dataset, reviews=reviews)
    rows: list[ScoreRow] = []
    said = time.monotonic()
    for run in inputs.runs:
        streams.say(f"measuring the answers in {run.name}")
        for row in measure(run, part, judge, lambda label: chosen(label, systems)):
            rows.append(row)
            if time.monotonic() - said >= INTERVAL:
                said = time.monotonic()
                streams.say(f"measures {len(rows):,}")
    for published in inputs.published:
        told = published.retrieval(dataset)
        rows += [row for row in told if row.id in wanted and chosen(row.system, systems)]
    there = {row.metric for row in rows}
    by = dict.fromkeys(_JUDGED, f"; judge {judge.name}") if judge is not None else {}
    metrics = {
        name: (spec, spec.source + by.get(name, ""))
        for name, spec in SPECS.items()
        if name in there
    }
    return Measured(rows, metrics, judge.warnings if judge is not None else ())


def measure(
    run: Path,
    dataset: Dataset,
    judge: Judge | None = None,
    wanted: Callable[[str], bool] = lambda name: True,
) -> Iterator[ScoreRow]:
    """The rows of a run's folder: system by system, question by question. Quarantined records have
    none.

    ``wanted`` is asked for the label of each whole answer; those that it refuses have no rows, and
    no judge is asked about them. Without an independent ``judge`` its three measures have no rows.
    ``seconds`` come from the run's ``timings.jsonl``. Where a system that elsewhere tells what it
    retrieved failed, it retrieved nothing, which counts the floor. Raises what the judge raises,
    and UsageError for files that are not those of a run.
    """
    reviews = {review.pmid: review for review in dataset.reviews}
    seconds = seconds_of(run)
    held = {
        record.cell: (claims(record, of_chain=has_events(record, run)), articles)
        for record in _records(run, reviews)
        if record.status == "answered"
        and wanted(_label(record.cell))
        and (articles := cited_articles(record, run)) is not None
    }
    judges = {"_own": QuotationJudge(), **({"": judge} if judge is not None else {})}
    judged = {
        suffix: dict(zip(held, supports([*held.values()], each), strict=True))
        for suffix, each in judges.items()
    }
    tells, tells_all = _told(_records(run, reviews))
    for record in _records(run, reviews):
        cell = record.cell
        name = _label(cell)
        if record.status == "leaked" or not wanted(name):
            continue
        if record.status == "failed" and cell.system in tells:
            record = replace(
                record, relevant=(), retrieved=() if cell.system in tells_all else None
            )
        values = dict(_values(record, reviews[cell.id]))
        if cell in held:
            values |= _said(record, run, *held[cell])
            for suffix, found in judged.items():
                values |= _supported(found[cell], suffix)
        if cell in seconds:
            values["seconds"] = seconds[cell]
        for metric, spec in SPECS.items():
            if metric in values:
                yield ScoreRow(
                    cell.id,
                    name,
                    metric,
                    values[metric],
                    record.status != "answered" and spec.floor is not None,
                )


def _label(cell: Cell) -> str:
    return label(cell.system, cell.regime, repeat=cell.repeat)


def _records(run: Path, reviews: Mapping[str, Review]) -> Iterator[Record]:
    """The records of a run's questions among ``reviews``, in the order of ``run.json``."""
    form = read_run(run)
    kinds = {system["name"]: system["kind"] for system in form["systems"]}
    for cell in cells_of(kinds, form["regimes"], form["repeats"], form["ids"]):
        path = cell.path(run)
        if cell.id in reviews and path.exists():
            yield load_record(path)


def _told(records: Iterable[Record]) -> tuple[set[str], set[str]]:
    """The systems that tell what they retrieved, and those that tell all their candidates as
    well.
    """
    relevant, retrieved = set(), set()
    for record in records:
        if record.relevant is not None:
            relevant.add(record.cell.system)
        if record.retrieved is not None:
            retrieved.add(record.cell.system)
    return relevant, retrieved


def _values(record: Record, review: Review) -> Iterator[tuple[str, float]]:
    yield from retrieval(record, review)
    if record.status != "failed":
        yield "abstained", float(not record.synthesis.strip())
    yield from _used(record)
    answered = record.status == "answered"
    if answered and (grade := reading_grade(record.synthesis)) is not None:
        yield "reading_grade", grade


def _said(
    record: Record, run: Path, told: Sequence[Claim], articles: Mapping[int, Article]
) -> Iterator[tuple[str, float]]:
    """Measures of what an answer says that no judge is asked about."""
    if (apart := set_apart(record, of_chain=has_events(record, run))) is not None:
        yield "sentences_set_apart", apart
    if (share := figures_supported(told, articles)) is not None:
        yield "figures_supported", share


def _supported(found: Support, suffix: str) -> dict[str, float]:
    shares = (found.sentences, found.recall, found.precision)
    return {
        name + suffix: share
        for name, share in zip(_JUDGED, shares, strict=True)
        if share is not None
    }


def _used(record: Record) -> Iterator[tuple[str, float]]:
    if record.usage is None:
        return
    yield "tokens", float(record.usage["prompt_tokens"] + record.usage["completion_tokens"])
    if record.usage["cost_usd"] is not None:
        yield "cost_usd", float(record.usage["cost_usd"])


def retrieval(record: Record, review: Review) -> Iterator[tuple[str, float]]:
    """(measure, value) of one question: precision and recall of what was judged relevant, recall of
    the pool, source included.

    A review without references has no precision and no recall, and a system that does not tell what
    it retrieved has no values at all. Where nothing was
    judged relevant precision is 0: leaving such questions out, as the published table did, rewards
    retrieving nothing. Whether the source
    is included is asked in the unrestricted regime only, the one that permits it.
    """
    if record.relevant is None:
        return
    relevant, wanted = set(record.relevant), set(review.references)
    if wanted:
        found = len(relevant & wanted)
        yield "retrieval_precision", found / len(relevant) if relevant else 0.0
        yield "retrieval_recall", found / len(wanted)
        if record.retrieved is not None:
            yield "pool_recall", len(set(record.retrieved) & wanted) / len(wanted)
    if record.cell.regime == "unrestricted" and review.abstract:  # else no review, a question
        yield "source_included", float(review.pmid in relevant)
