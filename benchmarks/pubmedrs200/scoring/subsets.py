"""The questions that scores are about: a subset of the data set, or those that the inputs hold."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from benchmarks.pubmedrs200.scoring.inputs import Inputs
from clinfo.errors import UsageError
from pubmedrs.records import Dataset, Subset

if TYPE_CHECKING:
    from benchmarks.pubmedrs200.published.reading import Published

GIVEN: Final = "given"
"""The name of the subset of those questions that any input has a row for."""
_DECIDING: Final = ("source-dropped", "unrestricted")
"""Regimes in which it shows whether anything but the source was retrieved."""


def subset(name: str | None, inputs: Inputs, dataset: Dataset | None) -> Subset:
    """The subset of that name; without a name, what the inputs hold.

    ``paper`` keeps the questions for which every system that tells what it retrieved had more than
    the source, with the source dropped and without restriction, candidates before judging counted.
    Raises UsageError for a subset that needs a data set where there is none, for an unknown one,
    and where ``paper`` leaves nothing.
    """
    held = {row.id for row in inputs.rows} | {
        id for ids in inputs.quarantined.values() for id in ids
    }
    if dataset is None:
        if name is not None:
            raise UsageError("--subset needs the data set it is of: --data PubMedRS-200.csv")
        return Subset(GIVEN, tuple(sorted(held)))
    from pubmedrs.subsets import PAPER
    from pubmedrs.subsets import subset as named

    in_order = tuple(review.pmid for review in dataset.reviews if review.pmid in held)
    if name is None:
        return Subset(GIVEN, in_order)
    if name != PAPER:
        return named(dataset, name)
    left = without_source_only(in_order, _retrieved(inputs))
    if not left.ids:
        raise UsageError(
            f"--subset {PAPER} leaves no question: for every question some system retrieved "
            "nothing but the source"
        )
    return left


def without_source_only(
    ids: Iterable[str], retrieved_by_id: Mapping[str, Collection[str]]
) -> Subset:
    """The questions left when those are dropped for which nothing but the source review was
    retrieved: the subset ``paper``.

    A question can only be asked in all regimes if articles are left once its source is dropped, so
    the paper left such questions out of every regime. ``retrieved_by_id`` holds, a question an
    entry, the PMIDs retrieved with the source dropped, or those retrieved without restriction: the
    question's own PMID is disregarded in either. An empty entry drops the question. Raises
    UsageError for questions without an entry, which would otherwise pass for unanswered ones.
    """
    from pubmedrs.subsets import PAPER, first_of

    ids = tuple(ids)
    if missing := [id for id in ids if id not in retrieved_by_id]:
        raise UsageError(
            f"subset {PAPER}: it is not known what was retrieved for {first_of(missing)}"
        )
    return Subset(PAPER, tuple(id for id in ids if any(pmid != id for pmid in retrieved_by_id[id])))


def _retrieved(inputs: Inputs) -> dict[str, list[str]]:
    """By question, the PMIDs beside the source that whichever system retrieved fewest of them
    retrieved.
    """
    least: dict[str, list[str]] = {}
    told = [pair for folder in inputs.runs for pair in _of_run(folder)]
    told += [pair for published in inputs.published for pair in _of_published(published)]
    for id, pmids in told:
        others = [pmid for pmid in pmids if pmid != id]
        if id not in least or len(others) < len(least[id]):
            least[id] = others
    return least


def _of_run(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """(question, PMIDs retrieved) of each record of a deciding regime that tells them. Raises
    UsageError for a damaged one.
    """
    for regime in _DECIDING:
        for path in sorted(folder.glob(f"records/*/{regime}/*/*.json")):
            try:
                form: Any = json.loads(path.read_bytes())
                retrieved = form["retrieved"]
                pmids = None if retrieved is None else [str(pmid) for pmid in retrieved]
            except (OSError, ValueError, KeyError, TypeError):
                raise UsageError(
                    f"{path} cannot be read: it is not as the run command writes it"
                ) from None
            if pmids is not None:
                yield path.stem, pmids


def _of_published(published: Published) -> Iterator[tuple[str, list[str]]]:
    for question in published.questions:
        for regime in _DECIDING:
            yield question.pmid, [*question.relevant[regime], *question.irrelevant[regime]]
