"""Every hit of a query written down, however many there are: whole, or nothing."""

import os
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Protocol, runtime_checkable

from clinfo.cli.progress import Bar
from clinfo.console import streams
from clinfo.errors import NOTHING_FOUND, RecordError, UsageError
from clinfo.files import file_errors, whole_file
from clinfo.records.articles import Article, SearchRequest
from clinfo.references.parts import Marks
from clinfo.references.registry import ReferenceFormat
from clinfo.sources.export import Part
from clinfo.sources.registry import ArticleSource
from clinfo.text.wording import left_out, number

BATCH = 1_000
"""Articles fetched and written at a time."""


@runtime_checkable
class _ByDay(Protocol):
    """A source that gives out more hits than one search of it can hold."""

    def all_ids(self, request: SearchRequest) -> AsyncIterator[Part]: ...


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

    A file gets its name when it is whole. Raises UsageError where ``out`` is there already,
    SourceError, RecordError where a file cannot be written.
    """
    if out is not None and Path(out).exists():
        raise UsageError(f"--out: the file {out} already exists")
    bar = Bar(quiet=quiet)
    written, excluded = 0, Counter[str]()
    unfinished = f".{os.getpid()}.partial"

    try:
        with ExitStack() as stack:
            file = None
            if out is not None:
                with file_errors(f"--out: the file {out} cannot be written"):
                    file = stack.enter_context(whole_file(Path(out), None, unfinished))

            def put(text: str) -> None:
                if file is None:
                    streams.write(text)
                else:
                    file.write(text.encode(errors="replace"))

            put(form.head)
            async for part in _parts(source, request):
                for warning in part.warnings:
                    streams.say(warning)
                for start in range(0, len(part.ids), BATCH):
                    chunk = part.ids[start : start + BATCH]
                    fetched = await source.fetch(chunk, fresh=request.fresh)
                    held = {article.id: article for article in fetched.articles}
                    reasons = {id: excluding(held[id]) for id in chunk if id in held}
                    excluded.update(reason for reason in reasons.values() if reason is not None)
                    chosen = [held[id] for id, reason in reasons.items() if reason is None]
                    put(form.records(chosen, flags(chosen)))
                    written += len(chosen)
                    lost = [*fetched.missing, *(record.id for record in fetched.unreadable)]
                    if lost:
                        streams.say(
                            f"{len(lost):,} found but not returned or not readable: "
                            f"{', '.join(lost[:20])}"
                        )
                    bar.show("records", written, part.total)
        if out and not written:
            Path(out).unlink()
    except OSError as error:
        raise RecordError(f"the export could not be written: {error.strerror or error}") from None
    finally:
        bar.close()
    if not quiet:
        to = f" to {out}" if out and written else "" if written else ": nothing was found"
        streams.say(f"{number(written, 'record')} written{to}")
    if excluded:
        streams.say(left_out(excluded))
    return 0 if written else NOTHING_FOUND


async def _parts(source: ArticleSource, request: SearchRequest) -> AsyncIterator[Part]:
    """The hits, by day of entry where the source hands out only so many for one search."""
    if isinstance(source, _ByDay):
        async for part in source.all_ids(request):
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
