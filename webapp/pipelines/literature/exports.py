"""A run's answer as files: what it is written as, its media type, its name. A run that goes on
gives what there is so far.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Final

from clinfo.pipelines.literature import LiteratureLog, build_answer
from clinfo.records import Answer
from clinfo.references import IEEE, csv_rows
from clinfo.render import EVIDENCE_HEAD as EVIDENCE
from clinfo.render import Form, Include, evidence_table
from clinfo.render import export_forms as forms


def _evidence(run_log: LiteratureLog, include: Include, style: str) -> str:
    return csv_rows([EVIDENCE, *evidence_table(build_answer(run_log), run_log.articles)])


EVIDENCE_CSV: Final = Form(
    "evidence-csv",
    "Studies, CSV",
    "a line a study, with what its abstract states",
    "evidence.csv",
    "text/csv; charset=utf-8",
    _evidence,
)
FORMS: Final = {
    form.suffix: form
    for form in (*forms(), EVIDENCE_CSV)
    if not form.package or find_spec(form.package)
}
"""By the end of the address, in the order in which a page offers them."""
LONGEST_NAME: Final = 60
"""Characters of the question that a file's name holds."""


@dataclass(frozen=True)
class Export:
    """A file to be sent: ``filename`` is plain ASCII without a quotation mark, a slash or a control
    character.
    """

    content: bytes
    media_type: str
    filename: str


def export(
    run_log: LiteratureLog, suffix: str, include: Include = "cited", style: str = IEEE
) -> Export:
    """The run so far in a form of `FORMS`, its references in a citation style. Raises KeyError for
    another form, ValueError without a run_started event.
    """
    form = FORMS[suffix]
    name = file_name(build_answer(run_log), suffix, finished="answer" in run_log)
    made = form.write(run_log, include, style)
    content = made if isinstance(made, bytes) else made.encode("utf-8", errors="replace")
    return Export(content, form.media_type, name)


def file_name(answer: Answer, suffix: str, finished: bool) -> str:
    """``clinfo-does-yoga-lower-blood-pressure-2026-11-22.md``; what is not finished says so."""
    ascii_form = (
        unicodedata.normalize("NFKD", answer.question).encode("ascii", "ignore").decode().lower()
    )
    words = re.sub(r"[^a-z0-9]+", "-", ascii_form).strip("-")
    if len(words) > LONGEST_NAME:
        words = words[:LONGEST_NAME].rpartition("-")[0] or words[:LONGEST_NAME]
    day = re.sub(r"[^0-9-]", "", answer.searched_on)
    parts = ["clinfo", words or "answer", day, "" if finished else "unfinished"]
    return "-".join(part for part in parts if part) + f".{suffix}"
