"""Reads the papers of a run, each in a process of its own, looks them up, cuts them, and puts those
together that tell of one study.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from clinfo.errors import ClinfoError, RecordError, SourceError, UsageError
from clinfo.integrity.notices import RECORD, notices
from clinfo.integrity.retractions import Retractions, loaded_list
from clinfo.pipelines.trials.events import PaperRead, PaperRefused, PapersChecked, TrialsLog
from clinfo.pipelines.trials.records import StudyPapers, TrialsRequest
from clinfo.records.appraisal import Notice
from clinfo.records.articles import Article
from clinfo.retrieval.chunking import by_section
from clinfo.retrieval.documents import Document, Passage
from clinfo.retrieval.embedders import embedder_named
from clinfo.retrieval.readers import MOST_BYTES, read_document
from clinfo.retrieval.rerankers import Reranker
from clinfo.retrieval.rerankers.meaning import MeaningReranker
from clinfo.retrieval.rerankers.results import ResultReranker, prepare
from clinfo.runs.engine import Opened, Run
from clinfo.runs.tasks import cancelled
from clinfo.sources.full_texts import FullTexts, open_full_texts, read_pmcid

if TYPE_CHECKING:
    from clinfo.runs.apart import Apart

FILE: Final = "the paper's file"
Read: TypeAlias = Callable[[str], bytes]
AT_ONCE: Final = 8
"""Articles of PubMed Central that are asked for at a time."""


@dataclass(frozen=True)
class Shelf:
    """The source of papers: ``read`` gives the bytes of one by its name and raises ClinfoError
    where it cannot, ``full_texts`` gives those named by a PMCID. Where it is ``guarded``, a paper
    that seems to identify a patient is not read. ``reranker`` ranks their passages.
    """

    read: Read
    full_texts: FullTexts
    reranker: Reranker
    retractions: Retractions | None = None
    guarded: bool = False


TrialsRun: TypeAlias = Run[TrialsRequest, TrialsLog, Shelf]


def shelf(
    opened: Opened, request: TrialsRequest, *, read: Read | None = None, guarded: bool = False
) -> Shelf:
    """The shelf for a request. ``read`` takes the place of reading files; papers are ``guarded``
    too where a model is elsewhere. Raises UsageError, and RecordError for a retraction list that
    cannot be used.
    """
    reranker: Reranker = ResultReranker()
    if request.embedder:
        embedder = embedder_named(request.embedder, opened.cache, opened.budget)
        reranker = MeaningReranker(embedder)
    return Shelf(
        read or read_file,
        open_full_texts(opened.settings, opened.cache),
        reranker,
        loaded_list(opened.settings.data_dir),
        guarded or opened.remote,
    )


def read_file(name: str) -> bytes:
    """The bytes of a file. Raises RecordError where it is not there, or too large."""
    path = Path(name)
    try:
        if path.stat().st_size > MOST_BYTES:
            raise RecordError(f"{name}: larger than {MOST_BYTES // 1_000_000} MB, not read")
        return path.read_bytes()
    except OSError as error:
        raise RecordError(f"{name}: {error.strerror or error}") from None


async def read_all(run: TrialsRun, apart: Apart) -> Mapping[str, Document]:
    """The papers of a run by their ids, as far as they are not in its record read now. One that
    cannot be read is told and left out; raises UsageError where none can.
    """
    log, slots = run.run_log, asyncio.Semaphore(AT_ONCE)
    names = [name for name in dict.fromkeys(run.request.papers) if f"paper {name}" not in log]
    ids = {event.document.id: event.name for event in log.all(PaperRead)}
    works = [asyncio.ensure_future(_read(run, apart, slots, name)) for name in names]
    try:
        for name, work in zip(names, works, strict=True):
            run.emit(await _told(name, work, ids))
    finally:
        await cancelled(works)
    papers = log.papers
    if not papers:
        refused = "; ".join(event.reason for event in log.all(PaperRefused))
        raise UsageError(f"none of the papers could be read: {refused}")
    if "checked" not in log:
        run.emit(PapersChecked(notices=checked(tuple(papers.values()), run.parts.retractions)))
    return papers


async def _read(run: TrialsRun, apart: Apart, slots: asyncio.Semaphore, name: str) -> Document:
    shelf, pmcid = run.parts, read_pmcid(name)
    if pmcid is None or name != pmcid:
        raw = await asyncio.to_thread(shelf.read, name)
        return await apart.do(name, read_paper, raw, name, shelf.guarded)
    async with slots:
        raw = await shelf.full_texts.article(pmcid)
    document = await apart.do(name, read_paper, raw, name, False)
    return replace(document, id=f"pmcid:{pmcid}")


async def _told(
    name: str, work: Awaitable[Document], ids: dict[str, str]
) -> PaperRead | PaperRefused:
    try:
        document = await work
    except SourceError:
        raise  # PubMed Central may answer the next time the run is resumed
    except ClinfoError as error:
        return PaperRefused(name=name, reason=str(error))
    if (same := ids.setdefault(document.id, name)) != name:
        return PaperRefused(name=name, reason=f"{name}: the same paper as {same}")
    return PaperRead(name=name, document=document)


def cut_up(paper: Document) -> tuple[Passage, ...]:
    """The passages of a paper, ready to be ranked."""
    passages = by_section(paper)
    prepare(passages)
    return passages


def read_paper(raw: bytes, name: str, guarded: bool) -> Document:
    """The paper. Raises RecordError for one that seems to identify a patient, where its text might
    go where no patient's may (``guarded``); one that a publisher numbered is not looked at.
    """
    document = read_document(raw, name)
    if not (guarded and document.id.startswith("sha256:")):
        return document
    from clinfo.privacy.phi_guard import in_paper

    if kinds := ", ".join(dict.fromkeys(one.kind for one in in_paper(document.text))):
        raise RecordError(f"{name}: seems to identify a patient ({kinds}); it was not read")
    return document


def checked(papers: Sequence[Document], retractions: Retractions | None) -> tuple[Notice, ...]:
    """The notices of papers by what their files and titles say and a retraction list holds."""
    found = notices([_article(paper) for paper in papers], retractions)
    return tuple(
        replace(one, reported_by=FILE) if one.reported_by == RECORD else one for one in found
    )


def _article(paper: Document) -> Article:
    ids = dict(id.split(":", 1) for id in (*paper.ids, paper.id) if ":" in id)
    return Article(
        paper.id,
        paper.title,
        pmid=ids.get("pmid"),
        doi=ids.get("doi"),
        publication_types=paper.types,
    )


MOST_SHARED = 3
"""A paper that names more registrations than this reviews trials and belongs to none of them."""


def grouped(
    papers: Sequence[Document], told: Mapping[str, Sequence[str]] | None = None
) -> tuple[StudyPapers, ...]:
    """The studies of these papers, in the order of their first ones; each paper is in one.

    ``told`` gives names of studies with the files of their papers. Raises UsageError where it names
    a file that was not read, or one twice.
    """
    by_file = {paper.file: paper for paper in papers}
    study_of: dict[str, str] = {}
    why = dict.fromkeys(told or (), "as told")
    for name, file in ((name, file) for name, files in (told or {}).items() for file in files):
        if file not in by_file:
            raise UsageError(f"the study {name!r} names {file!r}, which is not among the papers")
        if study_of.setdefault(by_file[file].id, name) != name:
            raise UsageError(f"{file!r} is named in two studies")
    first_with: dict[str, str] = {}
    for paper in papers:
        if paper.id in study_of:
            continue
        numbers = _numbers(paper)
        known = next((number for number in numbers if number in first_with), None)
        name = first_with[known] if known else _name(paper, {*study_of.values()})
        study_of[paper.id] = name
        if known:
            why[name] = f"the papers name {known}"
        for number in numbers[:1]:
            first_with.setdefault(number, name)
    studies: dict[str, dict[str, None]] = {}
    for paper in papers:
        studies.setdefault(study_of[paper.id], {})[paper.id] = None
    return tuple(
        StudyPapers(name, tuple(ids), why.get(name, "one paper")) for name, ids in studies.items()
    )


def _numbers(paper: Document) -> tuple[str, ...]:
    return paper.registrations if len(paper.registrations) <= MOST_SHARED else ()


def _name(paper: Document, taken: set[str]) -> str:
    """The name of a study of this paper: its first registration number, else its title's beginning,
    made different from the names ``taken``.
    """
    title = paper.title if len(paper.title) <= 60 else paper.title[:59].rsplit(" ", 1)[0] + "…"
    name = next(iter(_numbers(paper)), title) or paper.file or paper.id
    number, made = 2, name
    while made in taken:
        number, made = number + 1, f"{name} ({number})"
    return made
