"""The measures of all records of a run, as rows of scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from benchmarks.own.scores import ScoreRow, label
from benchmarks.pubmedrs200.measures.claims import cited_articles, claims, has_events, set_apart
from benchmarks.pubmedrs200.measures.figures import figures_supported
from benchmarks.pubmedrs200.measures.judging import Judge, QuotationJudge, Remembering, not_verified
from benchmarks.pubmedrs200.measures.readability import reading_grade
from benchmarks.pubmedrs200.measures.retrieval import retrieval
from benchmarks.pubmedrs200.measures.specs import SPECS
from benchmarks.pubmedrs200.measures.support import support, supports
from benchmarks.pubmedrs200.running.folder import load_record
from benchmarks.pubmedrs200.running.plan import cells_of, read_run
from benchmarks.pubmedrs200.running.records import Cell, Record
from benchmarks.pubmedrs200.running.timings import seconds_of
from pubmedrs.records import Dataset, Review


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
    own = Remembering(QuotationJudge())
    if judge is not None:
        judge = Remembering(judge)
        _ask_ahead(run, reviews, judge, wanted)
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
        values = dict(_values(record, reviews[cell.id], run, own, judge))
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


def _ask_ahead(
    run: Path, reviews: Mapping[str, Review], judge: Judge, wanted: Callable[[str], bool]
) -> None:
    """Ask of all answers together, because a judge that is far away answers many questions at a
    time.
    """
    supports(
        [
            (claims(record, of_chain=has_events(record, run)), articles)
            for record in _records(run, reviews)
            if record.status == "answered"
            and wanted(_label(record.cell))
            and (articles := cited_articles(record, run)) is not None
        ],
        judge,
    )


def _values(
    record: Record, review: Review, run: Path, own: Judge, judge: Judge | None
) -> Iterator[tuple[str, float]]:
    yield from retrieval(record, review)
    if record.status != "failed":
        yield "abstained", float(not record.synthesis.strip())
    yield from _used(record)
    articles = cited_articles(record, run)
    if record.status != "answered":
        return
    if (grade := reading_grade(record.synthesis)) is not None:
        yield "reading_grade", grade
    if articles is None:
        return
    of_chain = has_events(record, run)
    if (apart := set_apart(record, of_chain=of_chain)) is not None:
        yield "sentences_set_apart", apart
    told = claims(record, of_chain=of_chain)
    if (share := figures_supported(told, articles)) is not None:
        yield "figures_supported", share
    if told:
        cited = [
            (claim.text, [articles[n] for n in claim.cites if n in articles]) for claim in told
        ]
        yield (
            "sentences_not_verified",
            sum(bool(every) and not_verified(text, every) for text, every in cited) / len(told),
        )
    for asked, suffix in ((own, "_own"), (judge, "")):
        if asked is None:
            continue
        found = support(told, articles, asked)
        for name, value in (
            ("sentences_supported", found.sentences),
            ("citation_recall", found.recall),
            ("citation_precision", found.precision),
        ):
            if value is not None:
                yield name + suffix, value


def _used(record: Record) -> Iterator[tuple[str, float]]:
    if record.usage is None:
        return
    yield "tokens", float(record.usage["prompt_tokens"] + record.usage["completion_tokens"])
    if record.usage["cost_usd"] is not None:
        yield "cost_usd", float(record.usage["cost_usd"])
