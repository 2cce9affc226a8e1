"""The published outputs as predictions, to be scored like any other system's.

Each text is the published cell with its mis-decoded characters brought back (elicit has them in
about one text of eight) and nothing else changed: the space most begin with, line breaks and
citation markers stay. References and sources are those of the repaired data set, so that all
systems are compared with the same texts. None of this serves to reproduce the published scores,
which were made from the cells as they stand (`benchmarks.pubmedrs200.published.recomputation`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypedDict

from benchmarks.pubmedrs200.published.answer_text import paragraphs
from benchmarks.pubmedrs200.published.reading import Published, PublishedQuestion
from benchmarks.pubmedrs200.published.systems import SYSTEMS
from clinfo.errors import UsageError
from pubmedrs.cells import redecoded
from pubmedrs.records import Dataset


class Prediction(TypedDict):
    """A row of a predictions file; ``id`` is a PMID, ``system`` a key of the published files."""

    id: str
    system: str
    prediction: str
    reference: str
    source: str


def predictions(published: Published, dataset: Dataset | None = None) -> Iterator[Prediction]:
    """One row a system and question: system by system in table order, questions in the order of the
    files.

    Without ``dataset``, references and sources are made from the published files' own cells,
    encoding repaired. Raises UsageError where the data set lacks a published question.
    """
    texts = _texts(published, dataset)
    for system in SYSTEMS:
        for question in published.questions:
            reference, source = texts[question.pmid]
            prediction, _ = redecoded(question.outputs[system.key])
            yield {
                "id": question.pmid,
                "system": system.key,
                "prediction": prediction,
                "reference": reference,
                "source": source,
            }


def _texts(published: Published, dataset: Dataset | None) -> dict[str, tuple[str, str]]:
    """Reference and source by PMID."""
    if dataset is None:
        return {question.pmid: _own_texts(question) for question in published.questions}
    reviews = {review.pmid: review for review in dataset.reviews}
    missing = [pmid for pmid in published.ids if pmid not in reviews]
    if missing:
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        raise UsageError(
            f"the data set lacks published questions: PMID {', '.join(missing[:3])}{more}"
        )
    return {pmid: (reviews[pmid].reference, reviews[pmid].context) for pmid in published.ids}


def _own_texts(question: PublishedQuestion) -> tuple[str, str]:
    answer, _ = redecoded(question.human_answer)
    context, _ = redecoded(question.context)
    return " ".join(paragraphs(answer)), context
