"""Anybody's questions as a data set: PubMedRS-200's own forms, PubMedQA's and BioASQ's files as
they are published, or rows of CSV, JSON or JSON lines, gzipped or not.

A row has a question, and where known an id (else its number), an answer (yes, no or maybe, or a
text), a reference text, the PMIDs of the articles that answer it, the PMID of the article that it
was made of, and a date before which nothing was known. `NAMES` says what these are called.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from clinfo.errors import UsageError
from clinfo.text.identifiers import read_pmid
from pubmedrs.csv_file import decode, read_bytes
from pubmedrs.reading import load
from pubmedrs.records import COLUMNS, Dataset, Review, Subset

LABELS: Final = ("yes", "no", "maybe")
NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "id": ("id", "qid", "question_id", "pubid"),
    "question": ("question", "body", "query"),
    "answer": ("answer", "final_decision", "label", "exact_answer"),
    "reference": ("reference", "long_answer", "ideal_answer", "reference_answer"),
    "pmids": ("pmids", "references", "documents", "relevant"),
    "pmid": ("pmid", "pubid", "source_pmid"),
    "date": ("date", "published", "before", "year"),
}
"""The names of a field in a file, in any case; the first that is there counts."""
_PMID_AT_END = re.compile(r"(\d{1,9})/?\s*$")
_LONGEST_ID = 120


@dataclass(frozen=True)
class Questions:
    """A data set with what only other people's questions have or lack: ``labels`` of yes, no or
    maybe by id, ``own`` the PMID of the article that a question was made of, ``undated`` the ids
    of questions without a day. ``published`` is PubMedRS-200, or a set in its form.
    """

    dataset: Dataset
    own: Mapping[str, str]
    labels: Mapping[str, str] = field(default_factory=dict)
    undated: frozenset[str] = frozenset()
    published: bool = False


def read(path: Path) -> Questions:
    """Read a file of questions. Raises UsageError, naming the row, where it cannot be used."""
    data = read_bytes(path)
    try:
        plain = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    except (OSError, EOFError):
        raise UsageError(f"{path.name}: the gzip file is damaged") from None
    text = decode(plain, path.name).removeprefix("\ufeff")
    if data is plain and _is_ours(text):
        dataset = load(path)
        own_pmids = {review.pmid: review.pmid for review in dataset.reviews}
        return Questions(dataset, own_pmids, published=True)
    reviews: dict[str, Review] = {}
    own: dict[str, str] = {}
    labels: dict[str, str] = {}
    undated: set[str] = set()
    for number, row in enumerate(_rows(text, path.name), 1):
        where = f"{path.name}: question {number:,}"
        review, pmid, label, dated = _review(row, number, where)
        if review.pmid in reviews:
            raise UsageError(f"{where} has the id {review.pmid} of another one")
        reviews[review.pmid] = review
        own |= {review.pmid: pmid} if pmid else {}
        labels |= {review.pmid: label} if label else {}
        undated |= set() if dated else {review.pmid}
    if not reviews:
        raise UsageError(f"{path.name} holds no questions")
    hashed = hashlib.sha256(data).hexdigest()
    return Questions(
        Dataset(tuple(reviews.values()), (), (), hashed), own, labels, frozenset(undated)
    )


def limited(chosen: Subset, limit: int | None) -> Subset:
    """The first questions of a subset, as many as the limit says."""
    if limit is None or limit >= len(chosen.ids):
        return chosen
    return Subset(f"{chosen.name}, first {limit}", chosen.ids[:limit])


def _is_ours(text: str) -> bool:
    """Return whether the text has one of the two forms of PubMedRS-200."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    if first.startswith("{"):
        return '"schema"' in first and '"title_question"' in first
    return set(COLUMNS) <= set(next(csv.reader([first]), []))


def _rows(text: str, name: str) -> Iterable[Mapping[str, Any]]:
    start = text.lstrip()[:1]
    if start not in ("{", "["):
        return csv.DictReader(io.StringIO(text, newline=""))
    try:
        form: Any = json.loads(text)
    except ValueError:
        try:
            form = [json.loads(line) for line in text.split("\n") if line.strip()]
        except ValueError as error:
            raise UsageError(f"{name} is neither JSON nor JSON lines: {error}") from None
    if isinstance(form, dict) and isinstance(form.get("questions"), list):  # BioASQ
        form = form["questions"]
    elif isinstance(form, dict) and all(isinstance(one, dict) for one in form.values()):
        form = [{"pubid": pmid, **one} for pmid, one in form.items()]  # PubMedQA
    elif isinstance(form, dict):
        form = [form]
    if not all(isinstance(one, dict) for one in form):
        raise UsageError(f"{name} does not hold one object a question")
    rows: list[Mapping[str, Any]] = form
    return rows


def _review(
    row: Mapping[str, Any], number: int, where: str
) -> tuple[Review, str | None, str | None, bool]:
    """A row as (review, PMID of its own article, label, whether it has a day)."""
    given = {str(name).strip().lower(): value for name, value in row.items() if name}
    found = {
        key: next((given[name] for name in names if given.get(name) not in (None, "", [])), None)
        for key, names in NAMES.items()
    }
    question = _text(found["question"])
    if not question:
        raise UsageError(f"{where} has no text; its field is one of {', '.join(NAMES['question'])}")
    id = quote(_text(found["id"]) or str(number), safe="")
    if len(id) > _LONGEST_ID or set(id) == {"."}:
        raise UsageError(f"{where}: the id {id[:40]!r} cannot be used")
    answer = _text(found["answer"])
    day = _day(_text(found["date"]), where)
    review = Review(
        pmid=id,
        title=question,
        question=question,
        answer=_text(found["reference"]) or answer,
        published=day or date.max,
        references=tuple(dict.fromkeys(_pmids(found["pmids"]))),
    )
    label = answer.lower().rstrip(".")
    return review, read_pmid(_text(found["pmid"])), label if label in LABELS else None, bool(day)


def _text(value: Any) -> str:
    """A text, or the first of several; "" where there is none."""
    while isinstance(value, list):
        value = value[0] if value else None
    return " ".join(str(value).split()) if isinstance(value, (str, int, float)) else ""


def _pmids(value: Any) -> list[str]:
    """PMIDs of a list, or of a text that parts them by commas, semicolons or blanks; addresses that
    end in one count too.
    """
    parts = value if isinstance(value, list) else re.split(r"[\s,;|\[\]'\"]+", _text(value))
    return [found[1] for one in parts if (found := _PMID_AT_END.search(str(one)))]


def _day(text: str, where: str) -> date | None:
    """The first day of a date of a year, a month or a day."""
    if not text:
        return None
    try:
        parts = [int(part) for part in text[:10].replace("/", "-").split("-")]
        year, month, day = [*parts, 1, 1][:3]
        return date(year, month, day)
    except ValueError:
        raise UsageError(f"{where}: {text[:20]!r} is not a date YYYY[-MM[-DD]]") from None
