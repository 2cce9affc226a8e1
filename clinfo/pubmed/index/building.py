"""Citation files into an index: read by several processes, written by this one, and safe to be
killed at any moment.

A build goes on in steps of some files. After each step the search engine's files are put aside
(`clinfo.pubmed.index.records`) and one transaction of the record store says that the step counts; a
build that was stopped goes on from there, with the same files the same way, so that it ends with
the same index. A version is there for readers once the last step's transaction is.
"""

import errno
import os
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from clinfo.errors import ClinfoError, RecordError, UsageError
from clinfo.pubmed.index import schema
from clinfo.pubmed.index.reading import Batch, Readers, checked, stated_checksum
from clinfo.pubmed.index.records import (
    LAST_VERSION,
    Folder,
    LoadedFile,
    RecordWriter,
    Version,
    row_of,
    share,
    trained,
)

if TYPE_CHECKING:
    import tantivy


HEAP = 500_000_000
"""Bytes that the search engine's writer may hold before it writes a segment."""
STEP_CITATIONS = 180_000
"""A step ends with the file in which it reaches so many citations."""
MOST_READERS = 4
SAMPLES, SAMPLE_BYTES = 1_500, 8_000
"""Records that the dictionary is made of, and how much of each."""
_SPARE = 32 << 20
"""Bytes free below which a failure to write is put down to a full disk."""
_SIGNS_OF_FULL = (
    "No space left",
    "disk is full",
    "File too large",
    "Disk quota",
    "os error 28",
    "os error 27",
)


@dataclass(frozen=True)
class Progress:
    """The progress of a build: bytes of the files read and to be read, citations written so far in
    this run, the file's name.
    """

    done: int
    total: int
    citations: int
    file: str


@dataclass(frozen=True)
class Built:
    """The result of a build. ``version`` is the index's last one; ``new`` is false where there was
    nothing to load.
    """

    version: Version
    new: bool
    files: int
    skipped: tuple[str, ...]
    citations: int
    deleted: int
    unreadable: int
    seconds: float


def build(
    files: Sequence[str | Path],
    out: str | Path,
    mesh: str | Path | None = None,
    progress: Callable[[Progress], None] | None = None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
    readers: int | None = None,
    step: int = STEP_CITATIONS,
) -> Built:
    """Load citation files (.xml, .xml.gz), in this order, into the index at ``out``; what is there
    already stays.

    Of several records of a PMID the one with the highest PMID Version counts, and of those the
    last; deletions remove. Files that are loaded (same name, same checksum) are skipped. ``mesh``
    is a table of `clinfo.terms.mesh_files` or one of NLM's descriptor files; it is copied into the
    index (None: the one of the version before). ``readers`` is how many processes parse (default:
    one for each processor), ``step`` how many citations make a step.

    Raises UsageError (a file or folder that cannot be used, another builder at work), RecordError
    (a file that is damaged or no citations, a disk that is full). Then the index is as it was;
    steps that were complete are gone on from next time.
    """
    schema.refuse_missing()
    paths = [Path(file) for file in files]
    _check(paths)
    folder = Folder(Path(out))
    with _sole(folder), _told(folder):
        return _Builder(folder, progress, now, readers, step).run(
            paths, Path(mesh) if mesh is not None else None
        )


def drop(out: str | Path, number: int) -> None:
    """Forget a version that is not the last one, with the records that only it has. Raises
    UsageError, RecordError.
    """
    folder = Folder(Path(out))
    folder.check()
    with _sole(folder), _told(folder), closing(RecordWriter(folder.path)) as store:
        versions = {one.number: one for one in store.versions()}
        if number not in versions:
            raise UsageError(
                f"version {number} does not exist; there are "
                f"{', '.join(map(str, versions)) or 'none'}"
            )
        if number == max(versions):
            raise UsageError(f"version {number} is the only one left: it cannot be dropped")
        store.drop(number)
        store.commit()
        shutil.rmtree(folder.version(number), ignore_errors=True)
        table = versions.pop(number).mesh
        if table and all(one.mesh != table for one in versions.values()):
            (folder.path / table).unlink(missing_ok=True)


def _check(paths: Sequence[Path]) -> None:
    """Raise UsageError or RecordError for what can be told before anything is read."""
    if not paths:
        raise UsageError("name at least one citation file (.xml or .xml.gz)")
    seen = set()
    for path in paths:
        if path.name in seen:
            raise UsageError(f"{path.name} is named twice; files are identified by their names")
        seen.add(path.name)
        if not path.is_file():
            raise UsageError(
                f"{path} is {'a folder' if path.is_dir() else 'not there'}: name citation files "
                "(.xml or .xml.gz)"
            )
        if not os.access(path, os.R_OK):
            raise UsageError(f"{path} cannot be read: permission denied")
        stated_checksum(path)


@contextmanager
def _sole(folder: Folder) -> Iterator[None]:
    """Hold the folder's lock, after the folder is made. The system lets go of it when the process
    ends, however it ends.
    """
    from filelock import FileLock, Timeout

    try:
        folder.path.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder.lock, timeout=0)
        lock.acquire()
    except Timeout:
        raise UsageError(
            f"another process is building the index {folder.path}; wait for it or stop it"
        ) from None
    except OSError as error:
        raise UsageError(f"{folder.path} cannot be written: {error.strerror or error}") from None
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _told(folder: Folder) -> Iterator[None]:
    """Turn what can go wrong with disks into one line."""
    try:
        yield
    except ClinfoError:
        raise
    except (OSError, sqlite3.Error, ValueError, RuntimeError) as error:
        full = isinstance(error, OSError) and error.errno in (
            errno.ENOSPC,
            errno.EDQUOT,
            errno.EFBIG,
        )
        text = " ".join(str(error).split())
        full = full or any(sign in text for sign in _SIGNS_OF_FULL)
        with suppress(OSError):
            full = full or shutil.disk_usage(folder.path).free < _SPARE
        if full:
            raise RecordError(
                (
                    f"the disk of {folder.path} is full; make room and run the same command again "
                    "to resume"
                ),
                retryable=True,
            ) from error
        if isinstance(error, OSError | sqlite3.Error) or _of_engine(error):
            raise RecordError(
                f"the index {folder.path} could not be written: {text[:200]}"
            ) from error
        raise


def _of_engine(error: Exception) -> bool:
    """Return whether the search engine raised it: it uses Python's general errors."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and trace.tb_frame.f_globals.get("__name__") == __name__


class _Builder:
    """One build, under the folder's lock."""

    def __init__(
        self,
        folder: Folder,
        progress: Callable[[Progress], None] | None,
        now: Callable[[], datetime],
        readers: int | None,
        step: int,
    ) -> None:
        self._step_citations = step
        self._folder = folder
        self._progress = progress
        self._now = now
        self._readers = readers or min(os.cpu_count() or 1, MOST_READERS)
        self._index: tantivy.Index
        self._writer: tantivy.IndexWriter | None = None
        self._citations = 0
        self._in_step = 0

    def run(self, paths: list[Path], mesh: Path | None) -> Built:
        began = time.monotonic()
        folder = self._folder
        folder.create()
        self._store = store = RecordWriter(folder.path)
        try:
            version, step = store.progress
            base = folder.step(version, step) if step else folder.version(version)
            self._version, self._step = (version, step) if step else (version + 1, 0)
            if self._version > LAST_VERSION:
                raise UsageError(
                    f"the index has had {LAST_VERSION:,} versions, which is the most it can hold: "
                    "build it again"
                )
            folder.clear_work()
            folder.clear_steps(base if step else None)
            earlier = store.versions()
            last_table = (earlier[-1].mesh, earlier[-1].mesh_year) if earlier else (None, None)
            table = last_table if mesh is None else self._mesh(mesh, last_table)
            self._highest = store.highest()
            if store.dictionary() is None:
                self._dictionary_from(paths)
            self._open(base)
            try:
                loaded, skipped = self._load(paths)
                if not loaded and not self._step and earlier and table == last_table:
                    return self._built(earlier[-1], False, [], skipped, began)
                made = self._finish(*table)
            finally:
                self._close()
            return self._built(made, True, loaded, skipped, began)
        finally:
            store.close()
            folder.clear_work()

    @staticmethod
    def _built(
        version: Version, new: bool, loaded: list[LoadedFile], skipped: list[str], began: float
    ) -> Built:
        return Built(
            version=version,
            new=new,
            files=len(loaded),
            skipped=tuple(skipped),
            citations=sum(one.citations for one in loaded),
            deleted=sum(one.deleted for one in loaded),
            unreadable=sum(one.unreadable for one in loaded),
            seconds=time.monotonic() - began,
        )

    # The search engine's side

    def _open(self, base: Path) -> None:
        import tantivy

        work = self._folder.work
        if base.is_dir():
            share(base, work)
            self._index = tantivy.Index.open(str(work))
        else:
            work.mkdir(parents=True)
            self._index = tantivy.Index(
                schema.schema(),
                str(work),
                reuse=False,
                sort_by_field=schema.PMID,
                sort_order=tantivy.Order.Desc,
            )
        schema.register(self._index)
        # One thread, because two would share out the documents by chance; the readers are what
        # takes the time.
        self._writer = self._index.writer(HEAP, 1)

    def _settle(self) -> None:
        """Write everything down and wait for the merging that follows, so that the files depend on
        the citations alone.
        """
        assert self._writer is not None
        self._writer.commit()
        self._writer.wait_merging_threads()
        self._writer = None

    def _close(self) -> None:
        if self._writer is not None:
            with suppress(
                ValueError, OSError
            ):  # the writer may be done for; its folder is thrown away anyhow
                self._writer.rollback()
        self._writer = None

    # Files

    def _dictionary_from(self, paths: Iterable[Path]) -> None:
        """Make the dictionary that all records are packed with out of the first records; without
        any the build will fail anyhow.
        """
        from clinfo.pubmed.xml import Record, read_records

        samples: list[bytes] = []
        for path in paths:
            try:
                with path.open("rb") as stream:
                    for item in read_records(stream):
                        if isinstance(item, Record):
                            samples.append(item.raw[:SAMPLE_BYTES])
                        if len(samples) >= SAMPLES:
                            break
            except (ClinfoError, OSError):
                return  # it is told when the file's turn comes
            if len(samples) >= SAMPLES:
                break
        if (dictionary := trained(samples)) is not None:
            self._store.add_dictionary(dictionary)

    def _load(self, paths: list[Path]) -> tuple[list[LoadedFile], list[str]]:
        known = self._store.loaded()
        sizes = [path.stat().st_size for path in paths]
        loaded, skipped = [], []
        readers = Readers(self._readers, self._store.dictionary())
        try:
            for number, path in enumerate(paths):
                md5, before = checked(path), sum(sizes[:number])
                self._show(before, sum(sizes), path.name)
                if (path.name, md5) in known:
                    skipped.append(path.name)
                    continue
                loaded.append(self._load_file(readers, path, md5, before, sum(sizes)))
                self._store.add_file(loaded[-1])
                if self._in_step >= self._step_citations and number + 1 < len(paths):
                    self._end_step()
        finally:
            readers.close()
        if loaded:
            self._end_step()
        return loaded, skipped

    def _load_file(
        self, readers: Readers, path: Path, md5: str, before: int, total: int
    ) -> LoadedFile:
        citations, deleted, unreadable, xml_bytes = 0, 0, 0, 0
        for batch in readers.batches(path):
            citations += len(batch.records)
            deleted += self._write(batch)
            unreadable += batch.unreadable
            xml_bytes += batch.xml_bytes
            self._citations += len(batch.records)
            self._show(before + batch.done, total, path.name)
        self._in_step += citations + deleted
        return LoadedFile(
            path.name,
            md5,
            self._version,
            path.stat().st_size,
            xml_bytes,
            citations,
            deleted,
            unreadable,
        )

    def _show(self, done: int, total: int, name: str) -> None:
        if self._progress is not None:
            self._progress(Progress(done, total, self._citations, name))

    def _write(self, batch: Batch) -> int:
        """Write a batch; how many records its deletions removed."""
        writer = self._writer
        assert writer is not None
        removed, deletions = 0, iter([*batch.deletions, (len(batch.records) + 1, 0)])
        at, gone = next(deletions)
        rows: dict[int, tuple[int, int, bytes | None]] = {}
        for place, (packed, edition, data) in enumerate(batch.records):
            while at <= place:
                removed += self._remove(gone, rows)
                at, gone = next(deletions)
            if (held := self._held(packed.pmid, rows)) is not None:
                if held > edition:
                    continue
                self._delete(packed.pmid)
            writer.add_document(schema.tantivy_document(packed))
            rows[packed.pmid] = (row_of(packed.pmid, self._version), edition, data)
        while at <= len(batch.records):
            removed += self._remove(gone, rows)
            at, gone = next(deletions)
        self._store.put(rows.values())
        self._highest = max(self._highest, *rows) if rows else self._highest
        return removed

    def _held(self, pmid: int, rows: Mapping[int, tuple[int, int, bytes | None]]) -> int | None:
        """The PMID Version of what is held of a PMID, in the store or among the rows on their way
        there.
        """
        if (row := rows.get(pmid)) is not None:
            return None if row[2] is None else row[1]
        return None if pmid > self._highest else self._store.held(pmid)

    def _remove(self, pmid: int, rows: dict[int, tuple[int, int, bytes | None]]) -> int:
        held = self._held(pmid, rows)
        if held is None:
            return 0
        self._delete(pmid)
        rows[pmid] = (row_of(pmid, self._version), held, None)
        return 1

    def _delete(self, pmid: int) -> None:
        import tantivy

        assert self._writer is not None
        # By a query: deleting by a term takes a number for a signed one and finds nothing in an
        # unsigned field.
        self._writer.delete_documents_by_query(
            tantivy.Query.term_query(self._index.schema, schema.PMID, pmid)
        )

    # Steps and versions

    def _end_step(self) -> None:
        before = self._folder.step(self._version, self._step)
        self._settle()
        self._step += 1
        target = self._folder.step(self._version, self._step)
        share(self._folder.work, target)
        self._store.note_progress(self._version, self._step)
        self._store.commit()
        shutil.rmtree(before, ignore_errors=True)
        self._in_step = 0
        self._writer = self._index.writer(HEAP, 1)

    def _finish(self, table: str | None, year: int | None) -> Version:
        if self._writer is not None:
            self._settle()
        self._index.reload()
        moment = self._now()
        made = Version(
            number=self._version,
            day=moment.date().isoformat(),
            built_at=moment.astimezone(UTC).isoformat(timespec="seconds"),
            citations=self._index.searcher().num_docs,
            mesh=table,
            mesh_year=year,
        )
        share(self._folder.work, self._folder.version(self._version))
        self._store.add_version(made)
        self._store.note_progress(self._version, 0)
        self._store.commit()
        self._folder.clear_steps()
        return made

    def _mesh(
        self, source: Path, last: tuple[str | None, int | None]
    ) -> tuple[str | None, int | None]:
        """The MeSH table copied or made into the folder, its file's name there and its year;
        ``last`` where it is the same MeSH.
        """
        from clinfo.terms.mesh import Mesh
        from clinfo.terms.mesh_files import load

        target = self._folder.mesh(self._version)
        half = target.with_name(f".{target.name}")
        half.unlink(missing_ok=True)
        try:
            with source.open("rb") as stream:
                is_table = stream.read(16) == b"SQLite format 3\x00"
            if is_table:
                shutil.copyfile(source, half)
            else:
                load(source, half)
            with closing(Mesh(half)) as table:
                edition = table.edition
            if last[0] is not None:
                with closing(Mesh(self._folder.path / last[0])) as table:
                    if table.edition.sha256 == edition.sha256:
                        return last
            half.replace(target)
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                raise
            raise UsageError(
                f"the MeSH file {source.name} cannot be read: {error.strerror or error}"
            ) from None
        finally:
            half.unlink(missing_ok=True)
        return target.name, edition.year
