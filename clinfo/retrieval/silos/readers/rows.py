"""Rows of JSON, one a line: CIViC's evidence items, question–answer pages, or any with an id, a
title and a text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from clinfo.errors import RecordError
from clinfo.retrieval.silos import SiloDocument
from clinfo.retrieval.silos.readers import Content, civic
from clinfo.retrieval.silos.staged import About
from clinfo.text.wording import number

HEAD = 400
"""Code points at the beginning of an answer that tell what it is about."""
_TEXTS = ("text", "contents", "content", "abstract", "answer", "body")
_OWN = {"id", "title", "licence", "license", "date", "version", "url", "focus", "question", *_TEXTS}
_ANSWERS = About(
    "National Cancer Institute (CancerGov, PDQ) question and answer pages, from MedQuAD",
    "CC BY 4.0",
    "",
    "",
    "https://github.com/abachaa/MedQuAD",
)


def from_lines(text: str, name: str, silo: str) -> Content:
    """The documents of rows; rows that cannot be read are told. Raises RecordError where there is
    none that can.
    """
    rows: list[dict[str, Any]] = []
    bad: list[int] = []
    for at, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if isinstance(row, dict):
            rows.append(row)
        else:
            bad.append(at)
    problems: tuple[str, ...] = ()
    if bad:
        problems = (f"{name}: {len(bad)} lines are no JSON objects, the first is line {bad[0]}",)
    if not rows:
        raise RecordError(f"{name}: no JSON object in it")
    if "evidence_id" in rows[0]:
        found = civic.from_rows(rows, name, silo)
        return Content(found.documents, found.about, (*problems, *found.problems))
    documents = [one for row in rows if (one := _document(row, silo)) is not None]
    if len(documents) < len(rows):
        problems += (f"{name}: {number(len(rows) - len(documents), 'row')} without a text",)
    answers = "answer" in rows[0]
    return Content(tuple(documents), _ANSWERS if answers else About(), problems)


def _document(row: Mapping[str, Any], silo: str) -> SiloDocument | None:
    """The document of a row; None where it holds no text.

    A question that stands beside an answer is not kept: it is what is to be answered.
    """
    text = next((str(row[one]) for one in _TEXTS if row.get(one)), "")
    if not text.strip():
        return None
    title = str(row.get("title") or row.get("focus") or "")
    abstractions = {"title": title} if title else {}
    if "answer" in row:  # the questions that it answers, as its first sentences show
        head = text[:HEAD]
        said = next((said for pattern, said in _kinds() if pattern.search(head)), "what is")
        abstractions = {"questions": f"{title}: {said}"}
    return SiloDocument(
        silo=silo,
        id=str(row.get("id") or sha256(text.encode()).hexdigest()[:16]),
        title=title,
        text=text,
        abstractions=abstractions,
        fields={
            key: str(value)
            for key, value in row.items()
            if key not in _OWN and isinstance(value, (str, int, float)) and str(value)
        },
        licence=str(row.get("licence") or row.get("license") or ""),
        date=str(row.get("date") or ""),
        version=str(row.get("version") or ""),
        url=str(row.get("url") or ""),
    )


@cache
def _kinds() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return what answers of a kind say first, and the questions of that kind."""
    path = Path(__file__).with_name("answered_questions.tsv")
    lines = path.read_text(encoding="utf-8").splitlines()
    pairs = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return tuple((re.compile(pattern, re.IGNORECASE), said) for pattern, said in pairs)
