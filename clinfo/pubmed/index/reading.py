"""Citation files made ready for the index by processes of their own: parsed, sorted into stores and
packed, so that this one need only cut the files and write.

A worker is a process that runs `main`. It takes blocks of records on stdin and answers each on
stdout, both as pickles; it ends when either end is gone, so that a builder that is killed leaves
nobody behind.
"""

from __future__ import annotations

import gc
import hashlib
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from clinfo.errors import RecordError, file_errors
from clinfo.pubmed.index.schema import LARGEST_PMID, Packed, number, pack

if TYPE_CHECKING:
    from clinfo.pubmed.record_splitter import Piece

BATCH = 256
"""Records of one block."""
AHEAD = 4
"""Blocks for each process that may wait for the one who writes."""


@dataclass
class Batch:
    """A block of a file's contents in its order.

    ``records`` are (document, PMID Version, packed XML); ``deletions`` are PMIDs, each after so
    many of the records. ``done`` is how many bytes of the file have been read, ``xml_bytes`` how
    much XML the records were.
    """

    records: list[tuple[Packed, int, bytes]]
    deletions: list[tuple[int, int]]
    unreadable: int = 0
    done: int = 0
    xml_bytes: int = 0


class Readers:
    """Worker processes, each behind a thread that hands it one block after the other."""

    def __init__(self, processes: int, dictionary: bytes | None) -> None:
        self._ahead = AHEAD * processes
        self._dictionary = dictionary
        self._threads = ThreadPoolExecutor(processes)
        self._own = threading.local()
        self._started = [_worker() for _ in range(processes)]
        self._unused = list(self._started)

    def batches(self, path: Path) -> Iterator[Batch]:
        """The blocks of a file in their order, made ready ahead of whoever takes them. Raises
        RecordError where it is damaged.
        """
        waiting: deque[Future[Batch]] = deque()
        for pieces, done in _blocks(path):
            waiting.append(self._threads.submit(self._made, path.name, pieces, done))
            if len(waiting) > self._ahead:
                yield waiting.popleft().result()
        yield from (one.result() for one in waiting)

    def close(self) -> None:
        """End the processes."""
        for process in self._started:
            process.kill()
        self._threads.shutdown(cancel_futures=True)
        for process in self._started:
            with suppress(OSError):  # what was still to be sent
                process.communicate()

    def _made(self, name: str, pieces: Sequence[Piece], done: int) -> Batch:
        try:
            if not hasattr(self._own, "process"):
                self._own.process = self._unused.pop(0)
                _send(self._own.process.stdin, self._dictionary)
            _send(self._own.process.stdin, pieces)
            batch: Batch = pickle.load(self._own.process.stdout)
        except (OSError, EOFError, pickle.UnpicklingError):
            raise RecordError(f"{name}: the process that read it ended unexpectedly") from None
        batch.done = done
        return batch


def _worker() -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", f"from {__name__} import main; main()"]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)


def _send(stream: Any, value: object) -> None:
    pickle.dump(value, stream, pickle.HIGHEST_PROTOCOL)
    stream.flush()


def _blocks(path: Path) -> Iterator[tuple[list[Piece], int]]:
    """The records of a file, `BATCH` at a time, each time with the bytes read so far."""
    from clinfo.pubmed.record_splitter import cut
    from clinfo.pubmed.xml import of_file

    def blocks(stream: BinaryIO) -> Iterator[tuple[list[Piece], int]]:
        pieces = cut(stream)
        while block := list(islice(pieces, BATCH)):
            yield block, stream.tell()

    yield from of_file(path, blocks)


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


# What a worker does


def main() -> None:
    """Make blocks ready until there are no more."""
    from clinfo.pubmed.index.records import packer

    gc.disable()  # nothing here holds itself; looking for what does takes a fifth of the time
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the builder is told, and ends the workers
    source, target = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # a stray print must not get between the answers
    with suppress(EOFError, BrokenPipeError):
        packed = packer(pickle.load(source))
        while True:
            _send(target, _ready(pickle.load(source), packed))


def _ready(pieces: Sequence[Piece], packed: Callable[[bytes], bytes]) -> Batch:
    from clinfo.pubmed.document import document
    from clinfo.pubmed.xml import DeletedIds, Record, entry

    made = Batch([], [])
    for item in map(entry, pieces):
        if isinstance(item, Record):
            ready = pack(document(item.citation))
            if ready.pmid > LARGEST_PMID:
                made.unreadable += 1
                continue
            made.records.append((ready, item.citation.version, packed(item.raw)))
            made.xml_bytes += len(item.raw)
        elif isinstance(item, DeletedIds):
            pmids = [pmid for id in item.ids if (pmid := number(id)) <= LARGEST_PMID]
            made.deletions += [(len(made.records), pmid) for pmid in pmids]
        else:
            made.unreadable += 1
    return made
