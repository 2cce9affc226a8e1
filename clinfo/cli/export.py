"""Every hit of a query written down, however many there are; an export that was cut off resumes
where it was.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from clinfo.cli.bar import Bar
from clinfo.console import streams
from clinfo.errors import NOTHING_FOUND, RecordError, UsageError
from clinfo.files import claim, file_errors
from clinfo.records.articles import Article, SearchRequest
from clinfo.references.parts import Marks
from clinfo.references.registry import ReferenceFormat
from clinfo.sources.export import Part, Progress
from clinfo.sources.protocols import ArticleSource
from clinfo.text.wording import left_out, number

BATCH = 1_000
"""Articles fetched and written at a time."""


@runtime_checkable
class _ByDay(Protocol):
    """A source that gives out more hits than one search of it can hold."""

    def all_ids(
        self,
        request: SearchRequest,
        progress: Callable[[Progress], None] | None = None,
        after: date | None = None,
    ) -> AsyncIterator[Part]: ...


async def export(
    source: ArticleSource,
    request: SearchRequest,
    form: ReferenceFormat,
    out: str | None,
    quiet: bool,
    excluding: Callable[[Article], str | None],
    flags: Callable[[Sequence[Article]], Marks],
) -> int:
    """Write every hit to ``out``, or to stdout, but those for which ``excluding`` gives a reason;
    the exit status is given back.

    ``flags`` gives what is to be known of the records that are written at a time, and stands in
    each as keywords and note.

    While it is made a file is called ``out.part``, and ``out.part.json`` says how far it is. Raises
    UsageError where ``out`` is there already, another run is writing it or another search's part
    lies there, SourceError, RecordError where a file cannot be written.
    """
    # Neither how many ids are asked for at once nor whether kept answers count makes it another
    # search.
    search = f"{source.name} {replace(request, limit=0, fresh=False)}"
    target = _Stdout(form) if out is None else _File(Path(out), form, search)
    bar, total = Bar(quiet=quiet), None
    written, excluded = target.written, target.excluded

    def searched(progress: Progress) -> None:
        nonlocal total
        total = progress.total

    try:
        async for part in _parts(source, request, target.after, searched):
            for warning in part.warnings:
                streams.say(warning)
            for start in range(0, len(part.ids), BATCH):
                chunk = part.ids[start : start + BATCH]
                fetched = await source.fetch(chunk, fresh=request.fresh)
                held = {article.id: article for article in fetched.articles}
                reasons = {id: excluding(held[id]) for id in chunk if id in held}
                excluded.update(reason for reason in reasons.values() if reason is not None)
                chosen = [held[id] for id, reason in reasons.items() if reason is None]
                target.write(chosen, flags(chosen))
                written += len(chosen)
                lost = [*fetched.missing, *(record.id for record in fetched.unreadable)]
                if lost:
                    streams.say(
                        f"{len(lost):,} found but not returned or not readable: "
                        f"{', '.join(lost[:20])}"
                    )
                bar.show("records", written, total)
            target.done_to(part.last, written, excluded)
        target.finish(written)
    except OSError as error:
        raise RecordError(f"the export could not be written: {error.strerror or error}") from None
    finally:
        target.close()
        bar.close()
    if not quiet:
        to = f" to {out}" if out and written else ""
        streams.say(f"{number(written, 'record')} written{to}")
    if excluded:
        streams.say(left_out(excluded))
    return 0 if written else NOTHING_FOUND


def kept(out: str) -> bool:
    """Return whether an export to this file would go on where another was cut off."""
    return _state_of(Path(out)).exists()


async def _parts(
    source: ArticleSource,
    request: SearchRequest,
    after: date | None,
    progress: Callable[[Progress], None],
) -> AsyncIterator[Part]:
    """The hits, by day of entry where the source hands out only so many for one search."""
    if isinstance(source, _ByDay):
        async for part in source.all_ids(request, progress, after):
            yield part
        return
    counted = await source.search(request)
    result = (
        await source.search(replace(request, limit=counted.count)) if counted.count else counted
    )
    warnings = (
        ()
        if len(result.ids) == result.count
        else (
            f"{source.name} counts {result.count:,} hits and returns {len(result.ids):,} of them.",
        )
    )
    yield Part(None, None, result.ids, warnings)


class _Stdout:
    """Records as they come."""

    after: date | None = None
    written = 0

    def __init__(self, form: ReferenceFormat) -> None:
        self._form = form
        self.excluded: Counter[str] = Counter()
        streams.write(form.head)

    def write(self, articles: Sequence[Article], marks: Marks) -> None:
        streams.write(self._form.records(articles, marks))

    def done_to(self, *_: object) -> None:
        """Nothing is kept of how far a stream is, and it stays open."""

    finish = close = done_to


class _File:
    """A file that gets its name when it is whole. No two processes write it at once."""

    def __init__(self, path: Path, form: ReferenceFormat, search: str) -> None:
        self._path, self._form = path, form
        self._part, self._state = path.with_name(f"{path.name}.part"), _state_of(path)
        self._search = {"search": search, "format": form.name}
        self._refuse_if_there()
        with file_errors(f"--out: the file {self._part} cannot be written"):
            self._file = os.fdopen(os.open(self._part, os.O_RDWR | os.O_CREAT, 0o666), "r+b")
        try:
            claim(self._file, f"--out: another run is writing {path}")
            self._refuse_if_there()  # whoever had it may have ended
            self._open()
        except BaseException:
            self._file.close()
            raise

    def _refuse_if_there(self) -> None:
        if self._path.exists():
            raise UsageError(f"--out: the file {self._path} already exists")

    def _open(self) -> None:
        state = self._read_state()
        held = int(state.get("bytes", 0))
        if os.fstat(self._file.fileno()).st_size < held:
            raise UsageError(
                f"--out: {self._part} lacks what {self._state.name} says; remove both to start "
                "again"
            )
        self.after = date.fromisoformat(state["after"]) if state.get("after") else None
        self.written = int(state.get("written", 0))
        self.excluded = Counter(state.get("withheld", {}))
        self._file.truncate(held)
        self._file.seek(held)
        if not state:
            self._file.write(self._form.head.encode())

    def _read_state(self) -> dict[str, Any]:
        try:
            state: dict[str, Any] = json.loads(self._state.read_text("utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError):
            raise UsageError(
                f"--out: {self._state} cannot be read; remove it to start again"
            ) from None
        if {name: state.get(name) for name in self._search} != self._search:
            raise UsageError(
                f"--out: {self._part} is from another search; remove it and {self._state.name}, or "
                "choose a name"
            )
        return state

    def write(self, articles: Sequence[Article], marks: Marks) -> None:
        self._file.write(self._form.records(articles, marks).encode(errors="replace"))

    def done_to(self, last: date | None, written: int, excluded: Mapping[str, int]) -> None:
        """Everything entered up to ``last`` is in the file."""
        self._file.flush()
        os.fsync(self._file.fileno())
        if last is None:
            return
        state = {
            **self._search,
            "after": last.isoformat(),
            "written": written,
            "withheld": excluded,
            "bytes": self._file.tell(),
        }
        beside = self._state.with_name(f"{self._state.name}.new")
        beside.write_text(json.dumps(state), "utf-8")
        beside.replace(self._state)

    def finish(self, written: int) -> None:
        """Give the file its name; a search without a record leaves none."""
        self._file.flush()
        if os.name == "nt":  # which renames no open file, and has no claims either
            self._file.close()
        if written:
            self._part.replace(self._path)
        else:
            self._part.unlink()
        self._state.unlink(missing_ok=True)

    def close(self) -> None:
        self._file.close()


def _state_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.part.json")
