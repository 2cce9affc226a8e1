"""NLM's files of MeSH descriptors, read into `MeshDescriptor`, and the writing of a table of them;
what can be asked of one is said at `clinfo.terms.mesh.Mesh`.

Two forms, told apart by their content, each plain or gzip:

    XML     descYYYY.xml: DescriptorRecordSet/DescriptorRecord
    JSONL   an object a line: {"ui": "D001249", "heading": "Asthma", "entry_terms": ["Bronchial Asthma"],
            "tree_numbers": ["C08.127.108"], "actions": []}; other members are ignored

Every term counts as an entry term, also those that NLM permutes ("Asthma, Bronchial"). NLM's
elements: https://www.nlm.nih.gov/mesh/xml_data_elements.html.
"""  # noqa: E501

import contextlib
import gzip
import hashlib
import io
import re
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, cast

from clinfo.errors import RecordError
from clinfo.files import file_errors, whole_file
from clinfo.learned_types import learned
from clinfo.records.articles import MeshDescriptor
from clinfo.terms.mesh import FORM, Edition, number_of
from clinfo.text.markup import line_of
from clinfo.text.words import key

Progress = Callable[[int, int, int], None]
"""Called with (descriptors read, bytes read of the file, bytes of the file) now and then."""

_EVERY = 500
"""Descriptors between two reports of progress."""
_HEAD = 8_192
_NLM_NAME = re.compile(r"desc([0-9]{4})\.xml(?:\.gz)?", re.IGNORECASE)
_NLM_DTD = re.compile(rb"nlmdescriptorrecordset_([0-9]{4})[0-9]{4}\.dtd")
_UI = re.compile(r"D[0-9]{6,9}")
_OTHER_RECORDS = {
    "QualifierRecordSet": "NLM's qualifiers",
    "SupplementalRecordSet": "NLM's supplementary concepts",
    "PubmedArticleSet": "citations",
}
_NAMED = ("DescriptorUI", "DescriptorName/String")
_LISTED = (
    "ConceptList/Concept/TermList/Term/String",
    "TreeNumberList/TreeNumber",
    "PharmacologicalActionList/PharmacologicalAction/DescriptorReferredTo/DescriptorName/String",
)
"""Places of the fields of a descriptor in NLM's records: those with one value, and with several."""
_WANTED = "Expected NLM's descriptors (descYYYY.xml, or .gz of it)"


def load(
    path: str | Path, table: Path, year: int | None = None, progress: Progress | None = None
) -> Edition:
    """Read a file of descriptors into the table at ``table``; one that was there stays as it is
    until this one is whole.

    ``year`` is the edition's; without it the file's name or its DOCTYPE may tell. Raises UsageError
    where the file cannot be opened, RecordError where it is not one of the forms, is cut off, or
    the table cannot be written.
    """
    file = DescriptorFile(path)
    return write_table(
        table, file.read(progress), lambda: (year or file.year, file.path.name, file.sha256)
    )


class DescriptorFile:
    """A file of descriptors. ``year`` (None where the file does not tell) and ``sha256`` are known
    once it is read through.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        named = _NLM_NAME.fullmatch(self.path.name)
        self.year = int(named[1]) if named else None
        self.sha256 = ""

    def read(self, progress: Progress | None = None) -> Iterator[MeshDescriptor]:
        """The descriptors in the file's order. Raises UsageError where it cannot be opened,
        RecordError as `load`.
        """
        with file_errors(f"the file {self.path.name} cannot be opened"):
            raw = self.path.open("rb")
        with raw:
            try:
                self.sha256 = hashlib.file_digest(raw, "sha256").hexdigest()
                size = raw.tell()
                raw.seek(0)
                known: set[str] = set()
                for one in self._records(raw):
                    _check(one, len(known) + 1, known)
                    known.add(one.ui)
                    yield one
                    if progress is not None and len(known) % _EVERY == 0:
                        progress(len(known), raw.tell(), size)
            except _Unfit as error:
                raise RecordError(f"{self.path.name} {error}") from None
            except (EOFError, zlib.error):
                raise RecordError(f"{self.path.name} is cut off or damaged") from None
            except UnicodeDecodeError:
                raise RecordError(
                    f"{self.path.name} is damaged: it contains bytes that are not UTF-8"
                ) from None
            except OSError as error:
                raise RecordError(
                    f"{self.path.name} cannot be read: {error.strerror or error}"
                ) from None
        if not known:
            raise RecordError(f"{self.path.name} contains no descriptors: {_WANTED}")
        if progress is not None:
            progress(len(known), size, size)

    def _records(self, raw: io.BufferedReader) -> Iterator[MeshDescriptor]:
        packed = raw.peek(2)[:2] == b"\x1f\x8b"
        unpacked = io.BufferedReader(cast(Any, gzip.GzipFile(fileobj=raw))) if packed else raw
        head = unpacked.peek(_HEAD)[:_HEAD].removeprefix(b"\xef\xbb\xbf").lstrip()
        if not head:
            raise _Unfit("is empty")
        if head.startswith(b"<"):
            root = re.search(rb"<([A-Za-z][\w:.-]*)", head)
            tag = root[1].decode("ascii") if root else ""
            if tag.lower() == "html":
                raise _Unfit(f"is a web page: {_WANTED}")
            if tag in _OTHER_RECORDS:
                raise _Unfit(f"holds {_OTHER_RECORDS[tag]}: {_WANTED}")
            dtd = _NLM_DTD.search(head)
            self.year = self.year or (int(dtd[1]) if dtd else None)
            return _from_xml(cast(BinaryIO, unpacked))
        if head.startswith(b"{"):
            return _from_jsonl(io.TextIOWrapper(unpacked, encoding="utf-8-sig"))
        raise _Unfit(f"has an unknown format: {_WANTED}")


class _Unfit(Exception):
    """The fault of a file, to follow its name."""


def _from_xml(stream: BinaryIO) -> Iterator[MeshDescriptor]:
    from lxml import etree

    parser = etree.iterparse(
        stream,
        events=("end",),
        tag="DescriptorRecord",
        no_network=True,
        load_dtd=False,
        resolve_entities=False,
        huge_tree=True,
    )
    try:
        for _, record in parser:
            ui, heading = (line_of(record.find(path)) for path in _NAMED)
            yield _made(ui, heading, *([line_of(one) for one in record.iterfind(path)]
                                       for path in _LISTED))  # fmt: skip
            record.clear()
    except etree.XMLSyntaxError as error:
        raise _Unfit(f"is cut off or damaged (line {error.lineno})") from None


def _from_jsonl(lines: Iterable[str]) -> Iterator[MeshDescriptor]:
    import msgspec

    decoder = msgspec.json.Decoder(learned(MeshDescriptor))
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            one = decoder.decode(line)
        except msgspec.MsgspecError as error:
            raise _Unfit(
                f"has something other than a descriptor in line {number:,} ({error})"
            ) from None
        yield _made(one.ui, one.heading, one.entry_terms, one.tree_numbers, one.actions)


def _made(
    ui: str, heading: str, terms: Iterable[str], places: Iterable[str], actions: Iterable[str]
) -> MeshDescriptor:
    """A descriptor with single spaces in its names, each entry term once and other than the
    heading.
    """
    name = " ".join(heading.split())
    entry_terms = dict.fromkeys(" ".join(term.split()) for term in terms)
    tree_numbers = dict.fromkeys(place.strip() for place in places)
    return MeshDescriptor(
        ui.strip(),
        name,
        tuple(term for term in entry_terms if term not in ("", name)),
        tuple(place for place in tree_numbers if place),
        tuple(dict.fromkeys(" ".join(action.split()) for action in actions if action.strip())),
    )


def _check(one: MeshDescriptor, number: int, known: set[str]) -> None:
    if not _UI.fullmatch(one.ui):
        raise _Unfit(
            f"is cut off or damaged: descriptor {number:,} has no unique identifier like D001249"
        )
    if not key(one.heading):
        raise _Unfit(f"is cut off or damaged: {one.ui} has no heading")
    if one.ui in known:
        raise _Unfit(f"is damaged: {one.ui} occurs in it twice")


_SCHEMA = """
    CREATE TABLE facts (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
    CREATE TABLE descriptors (number INTEGER PRIMARY KEY, ui TEXT, heading TEXT, entry_terms TEXT, tree_numbers TEXT);
    CREATE TABLE names (key TEXT, descriptor INTEGER, PRIMARY KEY (key, descriptor)) WITHOUT ROWID;
    CREATE TABLE trees (tree_number TEXT, descriptor INTEGER, PRIMARY KEY (tree_number, descriptor)) WITHOUT ROWID;
    CREATE TABLE actions (action TEXT, descriptor INTEGER, PRIMARY KEY (action, descriptor)) WITHOUT ROWID;
"""  # noqa: E501


def write_table(
    path: Path,
    descriptors: Iterable[MeshDescriptor],
    origin: Callable[[], tuple[int | None, str, str]],
) -> Edition:
    """Make a table of ``descriptors`` and put it at ``path``, in one step: whatever fails, a table
    that was there stays.

    ``origin`` tells the year, the file's name and its SHA-256 once all ``descriptors`` are read.
    Raises RecordError where the table cannot be written, and whatever ``descriptors`` raises.
    """
    in_order = sorted(descriptors, key=lambda one: (number_of(one), one.ui))
    edition, table = _filled(in_order, *origin())
    with file_errors(f"the MeSH table {path} cannot be written", RecordError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path, None) as file:
            file.write(table)
    return edition


def _filled(
    descriptors: Sequence[MeshDescriptor], year: int | None, source: str, sha256: str
) -> tuple[Edition, bytes]:
    """The edition of these descriptors, and the table of them, a file of SQLite."""
    names: set[tuple[str, int]] = set()
    places: set[tuple[str, int]] = set()
    actions: set[tuple[str, int]] = set()
    for number, one in enumerate(descriptors, start=1):
        own = {key(name) for name in (one.heading, *one.entry_terms)} - {""}
        names.update((name, number) for name in own)
        places.update((place, number) for place in one.tree_numbers)
        actions.update((key(action), number) for action in one.actions)
    loaded_at = datetime.now(UTC).isoformat(timespec="seconds")
    entry_terms = sum(len(one.entry_terms) for one in descriptors)
    edition = Edition(year, source, sha256, len(descriptors), entry_terms, loaded_at)
    most_words = max((name.count(" ") + 1 for name, _ in names), default=0)
    facts = {"form": FORM, "most_words": most_words, **asdict(edition)}
    with contextlib.closing(sqlite3.connect(":memory:")) as connection, connection:
        connection.executescript(_SCHEMA)
        connection.executemany("INSERT INTO facts VALUES (?, ?)", facts.items())
        connection.executemany(
            "INSERT INTO descriptors VALUES (?, ?, ?, ?, ?)",
            (
                (at, one.ui, one.heading, "\n".join(one.entry_terms), "\n".join(one.tree_numbers))
                for at, one in enumerate(descriptors, start=1)
            ),
        )
        connection.executemany("INSERT INTO names VALUES (?, ?)", sorted(names))
        connection.executemany("INSERT INTO trees VALUES (?, ?)", sorted(places))
        connection.executemany("INSERT INTO actions VALUES (?, ?)", sorted(actions))
        connection.execute("CREATE UNIQUE INDEX descriptors_by_ui ON descriptors (ui)")
        connection.commit()
        return edition, connection.serialize()
