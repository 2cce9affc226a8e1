"""Citation files read in processes of their own: parsed, sorted into stores and packed, so that one
process need only write.

A reader is a process that runs `main`. It takes jobs on stdin and answers on stdout, both as
pickles after their length; it ends when either end is gone, so that a builder that is killed leaves
nobody behind. Whoever talks to it is its parent.
"""

from __future__ import annotations

import gc
import hashlib
import os
import pickle
import re
import signal
import struct
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count, cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clinfo.errors import ClinfoError, RecordError
from clinfo.files import file_errors
from clinfo.pubmed.index.schema import LARGEST_PMID, Packed, number, pack

if TYPE_CHECKING:
    from clinfo.pubmed.citation import Citation
    from clinfo.pubmed.record_splitter import Piece

BATCH = 256
"""Records of one answer."""
AHEAD = 32
"""Answers to a part of the file that is being written that may wait."""
MOST_WAITING = 200_000_000
"""Bytes of answers of later files that may wait, about one file of NLM's size."""
_LENGTH = struct.Struct("<Q")
_LAST, _MORE = b"E", b"-"


@dataclass(frozen=True)
class Job:
    """A file to read, or part ``part`` of it: every ``parts``-th block of its records.

    ``known`` are checksums under which a file of this name is loaded: such a one is skipped.
    """

    path: str
    known: frozenset[str]
    dictionary: bytes | None
    part: int = 0
    parts: int = 1


@dataclass(frozen=True)
class Begun:
    """The first answer to a job: the file's checksum, and whether it is loaded already (then no
    more comes but `Ended`).
    """

    md5: str
    skipped: bool


@dataclass
class Batch:
    """A block of the file's contents in its order.

    ``records`` are (document, PMID Version, packed XML); ``deletions`` are PMIDs, each after so
    many of the records. ``done`` is how many bytes of the file have been read, ``xml_bytes`` how
    much XML the records were.
    """

    records: list[tuple[Packed, int, bytes]]
    deletions: list[tuple[int, int]]
    unreadable: int
    done: int
    xml_bytes: int


@dataclass(frozen=True)
class Ended:
    """The last answer; ``problem`` is one line where the file is not to be used."""

    problem: str | None = None


Answer = Begun | Batch | Ended


_Waiting = deque[bytes]
"""Answers to a part of a job that nobody has taken yet."""


class Readers:
    """The answers to jobs, in the order of the jobs, read by several processes ahead of the one who
    takes them.

    The last files are read in parts by all processes, lest one be busy with them while the others
    have nothing to do.
    """

    def __init__(self, jobs: Sequence[Job], processes: int) -> None:
        processes = max(processes, 1)
        self._parts: list[list[_Waiting]] = []
        shares: list[tuple[int, _Waiting, Job]] = []
        for place, job in enumerate(jobs):
            parts = processes if place >= len(jobs) - processes else 1
            waiting = [_Waiting() for _ in range(parts)]
            self._parts.append(waiting)
            shares += [
                (place, one, replace(job, part=part, parts=parts))
                for part, one in enumerate(waiting)
            ]
        self._bytes = 0
        self._current = 0
        self._stopped = False
        self._changed = threading.Condition()
        self._jobs = iter(shares)
        self._taking = threading.Lock()
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        command = [sys.executable, "-c", f"from {__name__} import main; main()"]
        self._processes = [
            subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
            )
            for _ in range(min(processes, len(shares)))
        ]
        self._threads = [
            threading.Thread(target=self._forward, args=(one,), daemon=True)
            for one in self._processes
        ]
        for thread in self._threads:
            thread.start()

    def answers(self, number: int) -> Iterator[Answer]:
        """All answers to the job of this number, its blocks in order; jobs must be taken in their
        order.
        """
        parts = self._parts[number]
        with self._changed:
            self._current = number
            self._changed.notify_all()
        begun = [self._next(part) for part in parts]
        yield next((one for one in begun if isinstance(one, Ended)), begun[0])
        if any(isinstance(one, Ended) for one in begun):
            return
        for part in cycle(parts):
            answer = self._next(part)
            yield answer
            if isinstance(answer, Ended):
                return

    def _next(self, part: _Waiting) -> Answer:
        with self._changed:
            while not part:
                self._changed.wait()
            data = part.popleft()
            self._bytes -= len(data)
            self._changed.notify_all()
        answer: Answer = pickle.loads(data)
        return answer

    def close(self) -> None:
        """End the processes."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        for process in self._processes:
            process.kill()
            process.wait()
        for process, thread in zip(self._processes, self._threads, strict=True):
            thread.join()
            for pipe in (process.stdin, process.stdout):
                with suppress(OSError):
                    assert pipe is not None
                    pipe.close()

    def _forward(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        while True:
            with self._taking:
                share = next(self._jobs, None)
            if share is None:
                return
            number, waiting, job = share
            try:
                _send(process.stdin, job)
                while True:
                    answer = _receive(process.stdout)
                    if not self._put(number, waiting, answer[1:]):
                        return
                    if answer[:1] == _LAST:
                        break
            except (OSError, EOFError):
                failed = Ended(
                    f"{Path(job.path).name}: the process that read it ended unexpectedly"
                )
                self._put(number, waiting, pickle.dumps(failed))
                return

    def _put(self, number: int, waiting: _Waiting, data: bytes) -> bool:
        """Hand an answer over once there is room for it; false where nobody wants it any more."""
        with self._changed:
            while not self._stopped and (
                self._bytes >= MOST_WAITING if number > self._current else len(waiting) >= AHEAD
            ):
                self._changed.wait()
            waiting.append(data)
            self._bytes += len(data)
            self._changed.notify_all()
            return not self._stopped


def _send(stream: Any, value: object, mark: bytes = b"") -> None:
    data = mark + pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    stream.write(_LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()


def _receive(stream: Any) -> bytes:
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    data: bytes = stream.read(length)
    if len(data) < length:
        raise EOFError
    return data


# What a reader does


def checked(path: Path) -> str:
    """The file's MD5 in hex. Raises RecordError where it cannot be read or its ``.md5`` file says
    otherwise.
    """
    with file_errors(path.name, RecordError), path.open("rb") as stream:
        digest = hashlib.file_digest(stream, lambda: hashlib.md5(usedforsecurity=False))
    found = digest.hexdigest()
    expected = stated_checksum(path)
    if expected is not None and expected != found:
        raise RecordError(
            f"{path.name}: its checksum is {found}, {path.name}.md5 says {expected}; fetch the "
            "file again"
        )
    return found


def stated_checksum(path: Path) -> str | None:
    """Return what the ``.md5`` file beside a file says, None where there is none. Raises
    RecordError where it says nothing.
    """
    beside = path.with_name(f"{path.name}.md5")
    if not beside.exists():
        return None
    with file_errors(beside.name, RecordError):
        text = beside.read_bytes()[:4096].decode("ascii", "replace")
    # NLM writes "MD5(name)= hex"; md5sum "hex  name".
    found = re.search(r"(?<![0-9a-fA-F])[0-9a-fA-F]{32}(?![0-9a-fA-F])", text)
    if found is None:
        raise RecordError(f"{beside.name}: contains no MD5 checksum")
    return found[0].lower()


def answers(job: Job) -> Iterator[Answer]:
    """Read the file of a job, or its part of it."""
    path = Path(job.path)
    try:
        md5 = checked(path)
        yield Begun(md5, md5 in job.known)
        if md5 not in job.known:
            yield from _batches(path, job)
    except (ClinfoError, OSError) as error:
        yield Ended(
            str(error)
            if isinstance(error, ClinfoError)
            else f"{path.name}: {error.strerror or error}"
        )
    else:
        yield Ended()


def _batches(path: Path, job: Job) -> Iterator[Batch]:
    from clinfo.pubmed.record_splitter import cut

    ready, found = _Ready(job.dictionary), False
    with path.open("rb") as stream:
        pieces = cut(stream)
        try:
            for block in count():
                several = list(islice(pieces, BATCH))
                found = found or bool(several)
                if not several:
                    break
                if block % job.parts == job.part:
                    yield ready.batch(several, stream.tell())
        except ClinfoError as error:
            raise RecordError(f"{path.name}: {error}") from error
    if not found:
        raise RecordError(f"{path.name}: contains no citations")


class _Ready:
    """Makes pieces of a file ready for the writer."""

    def __init__(self, dictionary: bytes | None) -> None:
        from clinfo.pubmed.document import document
        from clinfo.pubmed.fast_reader import read_citation
        from clinfo.pubmed.index.records import packer

        self._document, self._in_usual_form = document, read_citation
        self._packed = packer(dictionary)

    def batch(self, pieces: Sequence[Piece], done: int) -> Batch:
        made = Batch([], [], 0, done, 0)
        for piece in pieces:
            citation = None if piece.name == "DeleteCitation" else self._in_usual_form(piece.raw)
            if citation is None:
                self._add_with_care(made, piece)
            else:
                self._add(made, piece.raw, citation)
        return made

    def _add(self, made: Batch, raw: bytes, citation: Citation) -> None:
        packed = pack(self._document(citation))
        if packed.pmid > LARGEST_PMID:
            made.unreadable += 1
            return
        made.records.append((packed, citation.version, self._packed(raw)))
        made.xml_bytes += len(raw)

    def _add_with_care(self, made: Batch, piece: Piece) -> None:
        from clinfo.pubmed.xml import DeletedIds, Record, read_records

        alone = b"<PubmedArticleSet" + piece.namespaces + b">" + piece.raw + b"</PubmedArticleSet>"
        try:
            for item in read_records(alone):
                if isinstance(item, Record):
                    self._add(made, item.raw, item.citation)
                elif isinstance(item, DeletedIds):
                    made.deletions += [
                        (len(made.records), pmid)
                        for id in item.ids
                        if (pmid := number(id)) <= LARGEST_PMID
                    ]
                else:
                    made.unreadable += 1
        except ClinfoError:
            made.unreadable += 1


def main() -> None:
    """Answer jobs until there are no more."""
    gc.disable()  # nothing here holds itself; looking for what does takes a fifth of the time
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the builder is told, and tells the readers
    source, target = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # a stray print must not get between the answers
    with suppress(EOFError, BrokenPipeError):
        while True:
            for answer in answers(pickle.loads(_receive(source))):
                _send(target, answer, _LAST if isinstance(answer, Ended) else _MORE)
