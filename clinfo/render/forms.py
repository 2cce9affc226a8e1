"""The forms that an answer can be had in: pages and JSON, written here, and every format of
`clinfo.references`.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, Final, Literal, get_args

from clinfo import render
from clinfo.errors import UsageError
from clinfo.pipelines.literature.answer import build_answer
from clinfo.pipelines.literature.events import LiteratureLog
from clinfo.pipelines.literature.stages import LITERATURE
from clinfo.records.answer import Answer
from clinfo.references.registry import IEEE, ReferenceFormat, specs, styles
from clinfo.render import notebook, office
from clinfo.render.blocks import Block
from clinfo.render.html import document
from clinfo.render.markdown import blocks_as_markdown
from clinfo.render.office import blocks_as_docx
from clinfo.render.page import page
from clinfo.render.prisma import prisma_s
from clinfo.render.text import written
from clinfo.runs.pipeline import Pipeline

Include = Literal["cited", "relevant", "all"]
INCLUDES: Final[tuple[Include, ...]] = get_args(Include)
"""The articles that the reference formats hold."""


@dataclass(frozen=True)
class Form:
    """A form that an answer can be had in. ``note`` says in a few words who reads it."""

    name: str
    title: str
    note: str
    suffix: str
    """The ending of a file's name, without the dot."""
    media_type: str
    write: Callable[[LiteratureLog, Include, str], str | bytes]
    """Of a run, which articles, and the citation style, makes a text or a file's bytes."""
    shown: bool = False
    """True where a browser shows it rather than keeping it."""
    of_references: bool = False
    package: str = ""
    """The package of the extra ``office`` that it needs."""


@cache
def forms() -> tuple[Form, ...]:
    """All forms, in the order in which they are offered."""
    kind = "text/markdown; charset=utf-8"
    listed = [
        Form(
            one.name,
            one.title,
            one.note,
            one.suffix,
            one.media_type,
            partial(_references, one),
            of_references=True,
        )
        for one in specs()
    ]
    return (
        Form(
            "markdown",
            "Markdown",
            "the whole page, for notes and wikis",
            "md",
            kind,
            partial(_page, lambda _, blocks, links: blocks_as_markdown(blocks, links)),
        ),
        Form(
            "text",
            "Text",
            "the whole page, for e-mail",
            "txt",
            "text/plain; charset=utf-8",
            partial(_page, lambda _, blocks, links: written(blocks)),
            shown=True,
        ),
        Form("json", "JSON", "all data, for programs", "json", "application/json", _json),
        *listed,
        Form(
            "prisma-s",
            "PRISMA-S",
            "the search in the form of a review's appendix",
            "prisma-s.md",
            kind,
            _prisma_s,
        ),
        Form(
            "docx",
            "Word",
            "the whole page",
            "docx",
            office.DOCX,
            partial(_page, lambda title, blocks, links: blocks_as_docx(title, blocks)),
            package="docx",
        ),
        Form(
            "xlsx",
            "Excel",
            "sentences, evidence table and references",
            "xlsx",
            office.XLSX,
            _xlsx,
            package="openpyxl",
        ),
    )


def styled(run_log: LiteratureLog, style: str = IEEE) -> Answer:
    """The answer with its references in a citation style of `clinfo.references.registry.styles`."""
    answer = build_answer(run_log)
    if style == IEEE:
        return answer
    lines = _lines(run_log, style)
    return replace(
        answer,
        references=tuple(
            replace(one, citation=lines.get(one.id, one.citation)) for one in answer.references
        ),
    )


def _lines(run_log: LiteratureLog, style: str) -> dict[str, str]:
    return {article.id: styles()[style](article) for article in run_log.articles}


def _page(
    write: Callable[[str, list[Block], Mapping[int, str]], str | bytes],
    run_log: LiteratureLog,
    include: Include,
    style: str,
) -> str | bytes:
    """The page of an answer, whose citation numbers lead to the articles."""
    answer = styled(run_log, style)
    links = {reference.n: reference.url for reference in answer.references}
    blocks = page(answer, run_log.articles, "answer" in run_log)
    return write(answer.question, blocks, links)


def _xlsx(run_log: LiteratureLog, include: Include, style: str) -> bytes:
    finished = "answer" in run_log
    return office.xlsx(styled(run_log, style), run_log.articles, finished=finished)


def _json(run_log: LiteratureLog, include: Include, style: str) -> str:
    """The JSON answer as the run recorded it; one of a run without an end says ``"finished":
    false``.
    """
    unfinished = {} if "answer" in run_log else {"finished": False}
    form = (LITERATURE.answer(run_log) or {}) | unfinished
    if style != IEEE:
        lines = _lines(run_log, style)
        form["references"] = [
            {**one, "citation": lines.get(one["id"], one["citation"])} for one in form["references"]
        ]
    return json.dumps(form, ensure_ascii=False, indent=2) + "\n"


def _prisma_s(run_log: LiteratureLog, include: Include, style: str) -> str:
    address = run_log.started.source_address if run_log.started else None
    return prisma_s(build_answer(run_log), address=address, finished="answer" in run_log)


def _references(form: ReferenceFormat, run_log: LiteratureLog, include: Include, style: str) -> str:
    """The articles of ``include`` in fused rank order, each with what is known of it."""
    answer = build_answer(run_log)
    if include == "all":
        wanted = {article.id for article in run_log.articles} - run_log.excluded.keys()
    else:
        wanted = {line.id for line in answer.references if line.cited or include == "relevant"}
    articles = [article for article in run_log.articles if article.id in wanted]
    marks = {
        line.id: ("cited", *line.flags) if line.cited else line.flags for line in answer.references
    }
    return form.write(articles, marks)


def file_of(path: Path, pipeline: Pipeline[Any, Any], record: Any, run_log: Any) -> bytes:
    """The content of a file of this name. Raises UsageError where it ends in no form that the
    answer has, and where a package is missing.
    """
    known = _writers(pipeline, record, run_log)
    ends = sorted(known, key=len, reverse=True)  # ".csl.json" before ".json"
    end = next((one for one in ends if path.name.lower().endswith(f".{one}")), None)
    if end is None:
        raise UsageError(
            f"an answer cannot be written as {path.name}: let the name end in .jsonl (the run), "
            f".{', .'.join(sorted(known))}"
        )
    made = known[end]()
    return made.encode() if isinstance(made, str) else made


def _writers(
    pipeline: Pipeline[Any, Any], record: Any, run_log: Any
) -> Mapping[str, Callable[[], str | bytes]]:
    """The forms of an answer by the ends of names, without the dot."""

    def html() -> str:
        shown = getattr(notebook, pipeline.name)(record, run_log)
        return document(record.question, shown)

    if pipeline is LITERATURE:
        lists = {one.suffix: partial(one.write, run_log, "cited", IEEE) for one in forms()}
        return {**lists, "html": html}
    blocks = list(getattr(render, f"{pipeline.name}_page")(record))
    form = pipeline.answer(run_log)
    return {
        "docx": lambda: blocks_as_docx(record.question, blocks),
        "html": html,
        "json": lambda: json.dumps(form, ensure_ascii=False, indent=2) + "\n",
        "md": lambda: blocks_as_markdown(blocks),
        "txt": lambda: written(blocks),
    }
