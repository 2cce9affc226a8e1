"""A run's answer as files: what it is written as, its media type, its name. A run that goes on gives what there is so far."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from clinfo import references
from clinfo.pipelines.literature.fold import fold, recorded_json
from clinfo.pipelines.literature.run_log import Transcript
from clinfo.records.answer import Answer
from clinfo.records.articles import Article

Include = Literal["cited", "relevant", "all"]
INCLUDES: Final[tuple[Include, ...]] = ("cited", "relevant", "all")
LONGEST_NAME: Final = 60
"""Characters of the question that a file's name holds."""


@dataclass(frozen=True)
class Export:
    """A file to be sent: ``filename`` is plain ASCII without a quotation mark, a slash or a control character."""

    content: bytes
    media_type: str
    filename: str


@dataclass(frozen=True)
class Form:
    """A form that an answer can be had in. ``what`` says in a few words who reads it; it is ``shown`` in the browser, or kept."""

    suffix: str
    name: str
    what: str
    media_type: str
    write: Callable[[Transcript, Answer, Include], str]
    shown: bool = False
    of_references: bool = False


def export(transcript: Transcript, suffix: str, include: Include = "cited") -> Export:
    """The run so far in a form of `FORMS`. Raises KeyError for another, ValueError without a run_started event."""
    form = FORMS[suffix]
    answer = fold(transcript)
    text = form.write(transcript, answer, include)
    name = file_name(answer, suffix, finished="answer" in transcript)
    return Export(text.encode("utf-8", errors="replace"), form.media_type, name)


def file_name(answer: Answer, suffix: str, finished: bool) -> str:
    """``clinfo-does-yoga-lower-blood-pressure-2026-11-22.md``; what is not finished says so."""
    ascii_form = unicodedata.normalize("NFKD", answer.question).encode("ascii", "ignore").decode().lower()
    words = re.sub(r"[^a-z0-9]+", "-", ascii_form).strip("-")
    if len(words) > LONGEST_NAME:
        words = words[:LONGEST_NAME].rpartition("-")[0] or words[:LONGEST_NAME]
    day = re.sub(r"[^0-9-]", "", answer.searched_on)
    parts = ["clinfo", words or "answer", day, "" if finished else "unfinished"]
    return "-".join(part for part in parts if part) + f".{suffix}"


def _markdown(transcript: Transcript, answer: Answer, include: Include) -> str:
    from clinfo.render.markdown import markdown

    return markdown(answer, transcript.articles, finished="answer" in transcript)


def _text(transcript: Transcript, answer: Answer, include: Include) -> str:
    from clinfo.render.text import text

    return text(answer, transcript.articles, finished="answer" in transcript)


def _json(transcript: Transcript, answer: Answer, include: Include) -> str:
    """The JSON answer as the run recorded it; one of a run without an end says ``"finished": false``."""
    unfinished = {} if "answer" in transcript else {"finished": False}
    return json.dumps(recorded_json(transcript) | unfinished, ensure_ascii=False, indent=2) + "\n"


def _prisma_s(transcript: Transcript, answer: Answer, include: Include) -> str:
    from clinfo.render.prisma import prisma_s

    address = transcript.started.source_address if transcript.started else None
    return prisma_s(answer, address=address, finished="answer" in transcript)


def _listed(write: Callable[[list[Article], Mapping[str, tuple[str, ...]]], str]) -> Callable[[Transcript, Answer, Include], str]:
    def written(transcript: Transcript, answer: Answer, include: Include) -> str:
        if include == "all":
            wanted = {article.id for article in transcript.articles} - transcript.withheld.keys()
        else:
            wanted = {line.id for line in answer.references if line.cited or include == "relevant"}
        articles = [article for article in transcript.articles if article.id in wanted]
        marks = {line.id: ("cited", *line.flags) if line.cited else line.flags for line in answer.references}
        return write(articles, marks)

    return written


FORMS: Final[dict[str, Form]] = {
    form.suffix: form
    for form in (
        Form("md", "Markdown", "the whole page, for notes and wikis", "text/markdown; charset=utf-8", _markdown),
        Form("txt", "Text", "the whole page, for e-mail", "text/plain; charset=utf-8", _text, shown=True),
        Form("json", "JSON", "everything, for programs", "application/json", _json),
        Form(
            "ris", "RIS", "for EndNote, Zotero, Mendeley", "application/x-research-info-systems; charset=utf-8",
            _listed(references.ris), of_references=True,
        ),
        Form("bib", "BibTeX", "for LaTeX", "application/x-bibtex; charset=utf-8", _listed(references.bibtex), of_references=True),
        Form("nbib", "NBIB", "as PubMed exports", "application/nbib; charset=utf-8", _listed(references.nbib), of_references=True),
        Form(
            "csl.json", "CSL-JSON", "for Zotero and pandoc", "application/vnd.citationstyles.csl+json; charset=utf-8",
            _listed(references.csl), of_references=True,
        ),
        Form("prisma-s.md", "PRISMA-S", "the search as a review's appendix reports it", "text/markdown; charset=utf-8", _prisma_s),
    )
}  # fmt: skip
"""By the end of the address, in the order in which a page offers them."""
