"""Loads files into a silo: each is read whole or not at all, and only what changed is indexed."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from clinfo.errors import ClinfoError, RecordError, UsageError
from clinfo.patients.times import day_span
from clinfo.retrieval.readers import MOST_BYTES
from clinfo.retrieval.silos import SiloDocument
from clinfo.retrieval.silos.readers import read
from clinfo.retrieval.silos.staged import About
from clinfo.retrieval.silos.store import StoredSilos
from clinfo.text.wording import number, one_line, printable

if TYPE_CHECKING:
    from clinfo.records.answer import Usage
    from clinfo.retrieval.silos.model_abstracting import Abstracter

NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")


@dataclass(frozen=True)
class Loaded:
    """The outcome of a load: documents now in the silo, new or changed ones, those taken out; files
    read and those that were as before; what could not be read, a line each.

    Of abstractions by a model: how many are wanted and ``lacking``, what the calls took, and what
    ended them before all were made.
    """

    documents: int
    new: int
    removed: int
    files_read: int
    files_kept: int
    problems: tuple[str, ...]
    lacking: int = 0
    usage: Usage | None = None
    stopped: ClinfoError | None = None


def load_files(
    silos: StoredSilos,
    silo: str,
    files: Sequence[Path],
    about: About = About(),  # noqa: B008
    told: Callable[[str], None] = lambda _: None,
    abstracter: Abstracter | None = None,
) -> Loaded:
    """Load files, and the files in folders, into a silo; ``about`` goes before what they say. With
    an ``abstracter`` a model makes abstractions of texts; those that lack are made by the next load
    with it.

    A file that cannot be read changes nothing and is told among the problems. May be killed at any
    moment and run again. Raises UsageError for a name that no silo can have; RecordError,
    SourceError.
    """
    if not NAME.fullmatch(silo):
        raise UsageError(
            f"{silo[:40]!r} cannot be the name of a silo: small letters, digits, - and _ only"
        )
    problems: list[str] = []
    new = removed = read_files = kept = 0
    for path in _files(files, problems):
        try:
            raw = _bytes(path)
            name = str(path.resolve())
            how = f"{about!r}{abstracter.signature if abstracter else ''}"
            digest = sha256(how.encode() + raw).hexdigest()
            if silos.staged.file_hash(silo, name) == digest:
                kept += 1
                continue
            content = read(raw, path.name, silo)
            said = about.over(content.about)
            said = replace(said, date=_date(said.date, path, problems))
            documents = [
                _said(replace(one, date=_date(one.date, path, problems)), said)
                for one in _once(content.documents, path, problems)
            ]
            if not documents:
                raise RecordError(f"{path.name}: no document in it")
            problems += content.problems
            if abstracter is not None:
                before = abstracter.lacking
                documents = abstracter.abstracted(documents)
                if abstracter.lacking > before:
                    digest = ""  # so that the next load reads it again
            changed, lost = silos.staged.stage(silo, said, name, digest, documents)
        except (ClinfoError, OSError) as error:
            reason = error.strerror if isinstance(error, OSError) else ""
            problems.append(f"{path}: {reason}" if reason else str(error))
            continue
        told(f"{path.name}: {number(len(documents), 'document')}")
        new, removed, read_files = new + changed, removed + lost, read_files + 1
    silos.index_pending(silo)
    count = silos.staged.count(silo)
    made = (abstracter.lacking, abstracter.usage, abstracter.stopped) if abstracter else ()
    return Loaded(count, new, removed, read_files, kept, tuple(problems), *made)


def _files(given: Sequence[Path], problems: list[str]) -> list[Path]:
    """The files, those of folders in the order of their names."""
    found: list[Path] = []
    for one in given:
        if one.is_dir():
            inside = [path for path in one.rglob("*") if path.is_file()]
            found += sorted(path for path in inside if not path.name.startswith("."))
        elif one.exists():
            found.append(one)
        else:
            problems.append(f"{one}: there is no such file")
    return list(dict.fromkeys(found))


def _bytes(path: Path) -> bytes:
    """Return what stands in a file, unpacked. Raises RecordError, OSError."""
    most = 4 * MOST_BYTES
    with path.open("rb") as file:
        raw = file.read(most + 1)
    if raw[:2] == b"\x1f\x8b":
        try:
            with gzip.open(path) as packed:
                raw = packed.read(most + 1)
        except (EOFError, zlib.error, gzip.BadGzipFile):
            raise RecordError(f"{path.name}: the gzip file is damaged") from None
    if len(raw) > most:
        raise RecordError(f"{path.name}: larger than {most // 1_000_000} MB, not read")
    return raw


def _once(documents: Sequence[SiloDocument], path: Path, problems: list[str]) -> list[SiloDocument]:
    """The documents under ids of their own: a second one with another text is called ``ID~2``."""
    by_id: dict[str, SiloDocument] = {}
    renamed = 0
    for one in documents:
        id, count = one.id, 1
        while id in by_id and by_id[id].text != one.text:
            count += 1
            id = f"{one.id}~{count}"
        renamed += count > 1
        by_id.setdefault(id, replace(one, id=id))
    if renamed:
        several = number(renamed, "document")
        problems.append(f"{path.name}: {several} of an id that another has got ~2 behind it")
    return list(by_id.values())


def _date(written: str, path: Path, problems: list[str]) -> str:
    """A date as it is written; "" for a day that no calendar has, which is told."""
    if day_span(written) or not (written[:4] + written[5:7]).isdecimal():
        return written
    told = f"{path.name}: {written[:20]} is no date and was left out"
    problems += [told] if told not in problems else []
    return ""


def _said(document: SiloDocument, about: About) -> SiloDocument:
    """A document with what is said of its source where it says nothing itself."""
    return replace(
        document,
        title=one_line(document.title),
        text=printable(document.text),
        licence=document.licence or about.licence,
        date=document.date or about.date,
        version=document.version or about.version,
    )
