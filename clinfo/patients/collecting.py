"""Gathers what readers find into one record a patient, and what they could not use."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import astuple, dataclass, field, replace
from itertools import chain
from typing import Any

from clinfo.errors import UsageError
from clinfo.patients.coded import names_of_loinc
from clinfo.patients.records import CodedEntry, Note, Record
from clinfo.patients.sections import unwrapped
from clinfo.patients.times import iso
from clinfo.text.wording import number, one_line, printable

MOST_CHARACTERS = 500_000
"""A note is read so far; the longest discharge summaries have a tenth of it."""
MOST_PROBLEMS = 100
"""So many problems are told one by one, the others counted."""
NAMED = 5
_LOST = {
    "not a resource": "no FHIR resource",
    "of no patient": "of no patient",
    "entries without a name": "without a name",
    "marked as an error": "marked as entered in error",
}
"""What is told of entries that are passed over, by the reason."""
_NO_TIME = "{} times of notes cannot be read for sure"
_UNDATED = "{} of the notes have no date; they are kept, after the others"
_NAMES_ALONE = "tables name codes, and there is no entry that has one: {}"
_SHORT = ("id", "patient", "category", "visit")


@dataclass(frozen=True, slots=True)
class Records:
    """The records read, by patient; how many of what were skipped, by reason; and the problems
    that a reader of an answer has to know, each one line without text of a note.

    ``unnamed`` are those whose files name nobody: they are called after where the files lie.
    """

    records: tuple[Record, ...]
    skipped: Mapping[str, int]
    problems: tuple[str, ...]
    unnamed: tuple[str, ...] = ()

    def one(self, patient: str = "") -> Record:
        """The record of ``patient``, or the only one.

        Raises UsageError where there is none, or several and none was named.
        """
        why = f" ({'; '.join(self.problems[:NAMED])})" if self.problems else ""
        if patient:
            for record in self.records:
                if record.patient == patient:
                    return record
            raise UsageError(f"no notes of patient {patient} in these files{why}")
        if len(self.records) > 1:
            names = [one.patient for one in self.records]
            more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
            raise UsageError(
                f"these files hold {len(names)} patients ({', '.join(names[:NAMED])}{more}); "
                "name one with --patient"
            )
        if not self.records:
            raise UsageError(f"no notes were found in these files{why}")
        return self.records[0]


@dataclass(slots=True)
class Collection:
    """The records that readers write into. With ``only``, texts of other patients are not kept;
    with ``unnamed_as``, texts that name nobody are of this patient.
    """

    only: str = ""
    unnamed_as: str = ""
    unnamed: set[str] = field(default_factory=set)
    skipped: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    unread: Counter[str] = field(default_factory=Counter)
    """How many resources about a patient are of kinds that are not read."""
    names: dict[str, list[tuple[str, str, str]]] = field(default_factory=lambda: defaultdict(list))
    """The names that tables give to each code, with the kind and system as far as they are told."""
    concepts: dict[tuple[str, str], set[str]] = field(default_factory=lambda: defaultdict(set))
    """The concepts of OMOP that rows of a kind have beside the words of their source."""
    counted: Counter[str] = field(default_factory=Counter)
    """What else a reader has to know, with how often it was ("{}")."""
    origin: object = None
    """The resource that the next notes and entries are of, where a later version may replace it."""
    kept: dict[object, list[Note | CodedEntry]] = field(default_factory=lambda: defaultdict(list))
    """What was read, by the resource that it is of."""

    def wants(self, patient: str) -> bool:
        """Return whether what is of this patient is to be kept."""
        return self.only in ("", patient)

    def unnamed_patient(self, place: str) -> str:
        """The patient of what names nobody and lies at ``place``."""
        if self.unnamed_as:
            return self.unnamed_as
        place = one_line(place)
        self.unnamed.add(place)
        return place

    def note(self, note: Note, where: str) -> None:
        """Keep a note; ``where`` names its place in messages. An empty one is skipped.

        One without an id gets one made of its content.
        """
        if not self.wants(note.patient):
            return
        text = printable(note.text[:MOST_CHARACTERS])
        if text.lstrip().startswith("{\\rtf"):
            self.unread["notes as RTF"] += 1
            return
        if not text.strip():
            self.skipped["without text"] += 1
            return
        if len(note.text) > MOST_CHARACTERS:
            self.problem(
                f"{where}: of a longer note the first {MOST_CHARACTERS:,} characters are read"
            )
        time = iso(note.time)
        self.counted[_NO_TIME] += bool(note.time) and not time
        fields = {name: one_line(getattr(note, name)) for name in _SHORT}
        note = replace(note, text=text, time=time, **fields)
        note = replace(note, id=note.id or _content_id(note), text=unwrapped(text))
        self.kept[self.origin].append(note)

    def entry(self, entry: CodedEntry) -> None:
        """Keep a coded entry."""
        if self.wants(entry.patient):
            short: dict[str, Any] = {
                name: one_line(getattr(entry, name)) for name in ("patient", "text", "value")
            }
            self.kept[self.origin].append(replace(entry, **short))

    def forget(self, origin: object) -> None:
        """Take back the notes and entries of a resource."""
        self.kept.pop(origin, None)

    def problem(self, line: str) -> None:
        """Tell of something that a reader of an answer has to know."""
        self.problems.append(line)

    def records(self) -> Records:
        """Return what was collected, in the same order whatever the order of the files."""
        own: dict[str, tuple[list[Any], list[Any]]] = defaultdict(lambda: ([], []))
        for one in chain.from_iterable(self.kept.values()):
            one = self._called(one) if isinstance(one, CodedEntry) else one
            own[one.patient][isinstance(one, CodedEntry)].append(one)
        records = tuple(
            Record(
                patient,
                self._ordered(notes),
                tuple(
                    sorted(
                        {*entries}, key=lambda one: (one.start, one.kind, one.code, astuple(one))
                    )
                ),
            )
            for patient, (notes, entries) in sorted(own.items())
        )
        self.counted[_UNDATED] = sum(not note.time for record in records for note in record.notes)
        coded = any(record.entries for record in records)
        self.counted[_NAMES_ALONE] = 0 if coded else len(self.names)
        problems = self.problems[:MOST_PROBLEMS]
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(self.unread.items()))
        left = len(self.problems) - len(problems)
        told = {f"and {left} more problems": left}
        for why, what in _LOST.items():
            count = self.skipped[why]
            told[f"{number(count, 'entry', 'entries')} passed over: {what}"] = count
        told |= {
            f"of these nothing is read: {kinds}": len(kinds),
        }
        told |= {what.replace("{}", str(count)): count for what, count in self.counted.items()}
        problems += [line for line, count in told.items() if count]
        return Records(records, dict(self.skipped), tuple(problems), tuple(sorted(self.unnamed)))

    def _called(self, one: CodedEntry) -> CodedEntry:
        """An entry by the name of its concept, or of its code where it has no other."""
        of = self.concepts.get((one.kind, one.text))
        if one.named and not of:
            return one
        every = (told for code in of or {one.code} for told in self.names.get(code, ()))
        names = {name for kind, system, name in every if kind in ("", one.kind)
                 and (of or system == one.system or not (system and one.system))}  # fmt: skip
        own = names.pop() if len(names) == 1 else one.text  # of several nobody knows
        also = one.text if one.named and own != one.text else one.also
        return replace(one, text=names_of_loinc().get(one.loinc, own), also=also)

    def _ordered(self, notes: list[Note]) -> tuple[Note, ...]:
        """Notes of one patient by time and id, each with an id of its own.

        Of notes with equal text, time and visit the first counts; of different notes under one id
        the later ones get ``-2``, ``-3``, ….
        """
        kept: dict[tuple[str, str, str], Note] = {}
        taken: Counter[str] = Counter()
        for note in sorted(notes, key=_note_key):
            known = (note.text, note.time, note.visit)
            if known in kept:
                self.skipped["the same note again"] += 1
                continue
            taken[note.id] += 1
            again = f"-{taken[note.id]}" if taken[note.id] > 1 else ""
            kept[known] = replace(note, id=note.id + again)
        return tuple(sorted(kept.values(), key=_note_key))


def _content_id(note: Note) -> str:
    parts = (note.patient, note.time, note.category, note.visit, "", note.text)
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _note_key(note: Note) -> tuple[object, ...]:
    return (not note.time, note.time, note.id, note.visit, note.category, note.text)
