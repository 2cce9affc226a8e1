"""Reads the papers of a run, each in a process of its own, looks them up and cuts them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from clinfo.errors import ClinfoError, RecordError, SourceError, UsageError
from clinfo.integrity.notices import RECORD, notices
from clinfo.integrity.retractions import Retractions, loaded_list
from clinfo.pipelines.trials.events import PaperRead, PaperRefused, PapersChecked
from clinfo.pipelines.trials.run_log import TrialsLog
from clinfo.records.appraisal import Notice
from clinfo.records.articles import Article
from clinfo.records.trials import TrialsRequest
from clinfo.retrieval.chunking import by_section
from clinfo.retrieval.documents import Document, Passage
from clinfo.retrieval.readers import MOST_BYTES, read_document
from clinfo.retrieval.rerankers import Reranker
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
    """Where papers come from: ``read`` gives the bytes of one by its name and raises ClinfoError
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
    return Shelf(
        read or (handed_over(request) if request.texts else read_file),
        open_full_texts(opened.settings, opened.cache),
        _ranking(request.embedder, opened) if request.embedder else ResultReranker(),
        loaded_list(opened.settings.data_dir),
        guarded or opened.remote,
    )


def _ranking(name: str, opened: Opened) -> Reranker:
    """Return what ranks passages by the meaning that an embedder gives them. Raises UsageError."""
    from clinfo.retrieval.embedders import embedder_named
    from clinfo.retrieval.rerankers.meaning import MeaningReranker

    return MeaningReranker(embedder_named(name, opened.cache, opened.budget))


def handed_over(request: TrialsRequest) -> Read:
    """Return what reads the papers that came with the request, and no file."""

    def read(name: str) -> bytes:
        if name not in request.texts:
            raise RecordError(f"{name}: was not handed over")
        return request.texts[name].encode()

    return read


def read_file(name: str) -> bytes:
    """The bytes of a file. Raises RecordError where it is not there, or too large."""
    path = Path(name)
    try:
        if path.stat().st_size > MOST_BYTES:
            raise RecordError(f"{name}: larger than {MOST_BYTES // 1_000_000} MB, not read")
        return path.read_bytes()
    except OSError as error:
        raise RecordError(f"{name}: {error.strerror or error}") from None


class Papers:
    """The papers that a run is asked to read, as far as they are not in its record."""

    def __init__(self, run: TrialsRun, apart: Apart) -> None:
        self._shelf, self._emit, self._log = run.parts, run.emit, run.run_log
        self._names = tuple(dict.fromkeys(run.request.papers))
        self._texts = run.request.texts
        self._apart = apart
        self._slots = asyncio.Semaphore(AT_ONCE)

    async def all(self) -> Mapping[str, Document]:
        """The papers by their ids. One that cannot be read is told and left out; raises UsageError
        where none can.
        """
        await self._read_all()
        papers = self._log.papers
        if not papers:
            refused = "; ".join(event.reason for event in self._log.all(PaperRefused))
            raise UsageError(f"none of the papers could be read: {refused}")
        if "checked" not in self._log:
            found = checked(tuple(papers.values()), self._shelf.retractions)
            self._emit(PapersChecked(notices=found))
        return papers

    async def _read_all(self) -> None:
        ids = {event.document.id: event.name for event in self._log.all(PaperRead)}
        names = [name for name in self._names if f"paper {name}" not in self._log]
        works = [asyncio.ensure_future(self._read(name)) for name in names]
        try:
            for name, work in zip(names, works, strict=True):
                self._emit(await _told(name, work, ids))
        finally:
            await cancelled(works)

    async def _read(self, name: str) -> Document:
        pmcid = None if name in self._texts else read_pmcid(name)
        if pmcid is None or name != pmcid:
            raw = await asyncio.to_thread(self._shelf.read, name)
            return await self._apart.do(name, read_paper, raw, name, self._shelf.guarded)
        async with self._slots:
            raw = await self._shelf.full_texts.article(pmcid)
        document = await self._apart.do(name, read_paper, raw, name, False)
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
