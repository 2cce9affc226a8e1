"""Coded entries (FHIR and the like) as facts, each resting on a line of a text."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from clinfo.patients.coded import (
    affirmed,
    every_name,
    measured,
    named,
    names_of_loinc,
    said_of,
)
from clinfo.patients.coded_texts import coded_texts
from clinfo.patients.entities import find_mentions
from clinfo.patients.lexicon import standard
from clinfo.patients.mentions import Mention
from clinfo.patients.records import CodedEntry, Kind, Note, Record
from clinfo.patients.times import day_span
from clinfo.pipelines.cohort.alterations import resulted_alterations
from clinfo.pipelines.cohort.facts import (
    ACTIVE,
    PAST,
    TESTED,
    UNNAMED,
    Certainty,
    Fact,
    FactKind,
    Source,
    stated_values,
)
from clinfo.pipelines.cohort.reading import ASSERTED, LISTED_ALLERGY, names_of, of_tumour

_KINDS: dict[Kind, FactKind] = {
    "condition": "condition",
    "medication": "drug",
    "procedure": "procedure",
    "allergy": "allergy",
    "immunization": "drug",
}
_ACTIVE = (ACTIVE, "recurrence", "relapse")
"""Clinical statuses of what is so now."""
_SUBSTANCE = "drug or substance"
_STAGED = re.compile(r"(?i)\bstage: (?:stage )?([^,]*)")
_VARIANT = re.compile(r"(?i)\b(?:gene|change|variant|hgvs)[^,:]{,60}: ([^,]*)")
"""What the parts of a genomic result say of the gene and the change that it found."""
_REMARKS = re.compile(r"(?:^|, )(?:note|comments?): ")
"""Where remarks begin, which name what the result is not of ("BRAF was not tested")."""
_BIRTH, _SEX, _DEATH, _SEXES = "21112-8", "46098-0", "81956-5", ("female", "male")
_PRECISE = {4: "years", 7: "months"}
"""What a birth date of so many characters leaves open."""


def coded_facts(record: Record) -> tuple[Sequence[Note], list[Fact], int]:
    """The texts of a record's coded entries, a line an entry, their facts, and how many entries
    state nothing that criteria ask.
    """
    texts, facts, unread = coded_texts(record.entries), list[Fact](), 0
    for note in texts.notes:
        for line in texts.lines[note.id]:
            place = Source(note.id, line.entry.start, line.start, line.end)
            facts += (found := [*_facts(line.entry, place)])
            unread += all(one.certainty == "unclear" for one in found)
    return texts.notes, facts, unread


def _facts(entry: CodedEntry, place: Source) -> Iterator[Fact]:
    if entry.kind == "observation":
        if entry.code == _SEX and entry.value in _SEXES:
            yield Fact("sex", "sex", place, said=entry.value)
        elif entry.code == _BIRTH and (span := day_span(entry.value)) is not None:
            on_it = replace(place, time=span[1].isoformat())
            yield Fact("age", "age", on_it, value=0, unit=_PRECISE.get(len(entry.value), "days"))
        elif entry.code == _DEATH:
            yield Fact("death", "death", place)
        elif (found := _measured(entry)) is not None:
            code, value, unit = found
            yield Fact("observation", code, place, value=value, unit=unit, said=entry.comparator)
            return
        elif (own := measured(entry)) is not None and _is_number(entry.value):
            yield Fact("observation", own.code, place, said=entry.value, certainty="unclear")
            return
        elif ordered := [*_ordered(entry, place)]:
            yield from ordered
            return
        elif not entry.named and not entry.polarity:
            yield Fact("observation", UNNAMED, place, said=entry.code, certainty="unclear")
        test = " ".join((entry.text, *_VARIANT.findall(_REMARKS.split(entry.interpretation)[0])))
        for fact in resulted_alterations(test, entry.value, entry.polarity):
            yield replace(fact, source=place)
        if not entry.polarity:
            return
    elif entry.kind not in _KINDS:
        return

    def read(text: str) -> Sequence[Mention]:
        return find_mentions(text, standard())

    said = said_of(entry, read)
    kind = _KINDS.get(entry.kind, "condition")
    active = not entry.end and entry.value.partition(",")[0].lower() in _ACTIVE
    now = ACTIVE if active and said == "present" else ""
    lasting = PAST if said == "history" and kind != "allergy" else now
    lasting = TESTED if entry.kind == "observation" and said == "negated" else lasting
    names: list[tuple[str, str, Certainty]] = []
    for name, own_mentions in (affirmed(one, read) for one in every_name(entry)):
        names += names_of(name, kind)
        ends = (len(name), len(_leading(name)))
        whole = (one.concept for one in own_mentions if not one.start and one.end in ends)
        names += (told for each in whole for told in names_of(each, kind))
        names += (one for one in names_of(_leading(name), kind) if one[1] and kind == "condition")
        if kind == "allergy":  # of what: "No known latex allergy"
            within = (_leading(name), *(one.text for one in read(name)))
            of = (LISTED_ALLERGY.subn("", one.lower()) for one in within)
            names += (told for each, cut in of if cut for told in names_of(each, kind))
    if entry.kind == "observation":  # the condition that it is a test of
        for one in named(entry, read):
            names += names_of(one.concept, kind) if _SUBSTANCE not in one.types else ()
    if not entry.named:
        yield Fact(kind, UNNAMED, place, said=entry.code, certainty="unclear")
    yield from _ordered(entry, place) if kind == "condition" and said == "present" else ()
    for name, concept, certainty in dict.fromkeys(names):
        told = {"certainty": certainty, "said": lasting, **ASSERTED.get(said, {})}
        yield Fact(kind, name, place, concept, **told)


def _leading(name: str) -> str:
    """The name of a disease before its qualifiers: "Epilepsy" of "Epilepsy, not intractable"."""
    for mark in (",", ";", "(", " with ", " without "):
        name = name.partition(mark)[0]
    return name


def _measured(entry: CodedEntry) -> tuple[str, float, str] | None:
    """The quantity's code, value and unit; None where the code (without one of LOINC the whole
    name), the number or the unit is not known: a value in a guessed unit would be a wrong one.
    """
    own = measured(entry)
    if own is None or not _is_number(entry.value) or entry.standing != "present":
        return None
    value = own.value(entry.value, entry.unit, exactly=True)
    return None if value is None else (own.code, value, own.unit)


def _ordered(entry: CodedEntry, place: Source) -> Iterator[Fact]:
    """The values in an order that an entry's name and answer state: ECOG 1, stage IIB, cT2. Of T, N
    and M only the answer tells: thyroxine is T4 too.
    """
    name = names_of_loinc().get(entry.loinc, entry.text)
    told = _REMARKS.split(entry.interpretation)[0]
    own = [f"{name} stage {one}" for one in _STAGED.findall(told)] or [name]
    own = [f"{name}: {entry.shown}"] if entry.kind == "observation" else own
    for told in own if entry.standing == "present" else ():
        mentions = find_mentions(told, standard()) if entry.kind == "condition" else ()
        for fact in filter(None, (of_tumour(told, one, mentions) for one in stated_values(told))):
            if fact.name not in "tnm" or fact.source.start > len(name):
                yield replace(fact, source=place)


def _is_number(said: str) -> bool:
    """Return whether a value is written in digits, with a point or without."""
    whole, point, part = said.removeprefix("-").partition(".")
    return whole.isdecimal() and len(whole) < 8 and (part.isdecimal() or not point)
