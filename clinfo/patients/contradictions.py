"""What a record says and elsewhere denies: both notes, with their words.

A disease or an operation that one note asserts and a later one denies, and an allergy beside "no
known allergies". A symptom that is gone is no contradiction and is left out. Nothing is decided:
the reader sees both places.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from clinfo.patients.medications import is_drug
from clinfo.patients.mentions import Mention
from clinfo.patients.records import Note, Record
from clinfo.patients.sections import kind_at, sections, sentence_at
from clinfo.text.regex import anycase

LASTING = frozenset({"disease", "mental disorder", "surgery"})
"""Types of what does not pass like a symptom: of a finding alone no contradiction is told."""
EVER = anycase(r"\b(?:history|hx|h/o|ever|never|known|diagnos\w+|underwent)\b")
NO_ALLERGY = anycase(
    r"\bNKD?A\b|\bno (?:known |drug |food |medication |other |history of )*allerg\w+|"
    r"\ballergies:\s*(?:none|no|nil|denies)\b|\bdenies (?:any )?(?:known |drug )*allerg\w+|"
    r"\bnot allergic to any"
)
_ALLERGIC = anycase(
    r"\b(?:allerg(?:y|ic|ies) (?:to|includes?|:)|anaphyla\w+ (?:to|after|with)|"
    r"(?<!\bno )(?:rash|hives|angioedema|itching|swelling) (?:with|from|after|on|to)|reaction to)"
    r"\W*(?:\w+\W+){0,6}?\Z"
)
_ALLERGY_TYPE = ("Hypersensitivity", "Anaphylaxis")


@dataclass(frozen=True, slots=True)
class Place:
    """Words of a note: its id, day, and text[start:end], the sentence ``quote``."""

    note: str
    day: str
    start: int
    end: int
    quote: str


@dataclass(frozen=True, slots=True)
class Contradiction:
    """What is said in one place and denied in another. ``kind`` is "allergy", "ever" where the
    denial reaches back in time ("no history of"), and "now" where it may be of its day only.
    """

    concept: str
    kind: Literal["allergy", "ever", "now"]
    said: Place
    denied: Place


def contradictions(
    record: Record, mentions: Mapping[str, Sequence[Mention]]
) -> tuple[Contradiction, ...]:
    """The contradictions of a record by concept: the last place that says it before the first that
    denies it. ``mentions`` are those of the notes, by id.
    """
    said: dict[str, Place] = {}
    found: dict[str, Contradiction] = {}
    for note in record.notes:
        if not note.time:
            continue
        own = [each for each in mentions.get(note.id, ()) if LASTING.intersection(each.types)]
        denied = {each.concept: each for each in own if each.assertion == "negated"}
        for mention in denied.values():
            if mention.concept in said and said[mention.concept].note != note.id:
                place = place_of(note, mention.start)
                kind: Literal["ever", "now"] = "ever" if EVER.search(place.quote) else "now"
                known = found.get(mention.concept)
                if known is None or (known.kind == "now" and kind == "ever"):
                    found[mention.concept] = Contradiction(
                        mention.concept, kind, said[mention.concept], place
                    )
        for mention in own:
            if mention.assertion in ("present", "history") and mention.concept not in denied:
                said[mention.concept] = place_of(note, mention.start)
    allergic = [*allergic_to(record, mentions)]
    none = next(iter(without_allergy(record)), None)
    if none is not None:
        for name, place in dict(reversed(allergic)).items():
            found[f"Allergy: {name}"] = Contradiction(name, "allergy", place, none)
    return tuple(found[name] for name in sorted(found))


def allergic_to(
    record: Record, mentions: Mapping[str, Sequence[Mention]]
) -> Iterator[tuple[str, Place]]:
    """The substances that a note says the patient is allergic to, and allergies by name."""
    for note in record.notes:
        parts = sections(note.text)
        for each in mentions.get(note.id, ()):
            if each.assertion not in ("present", "history"):
                continue
            listed = kind_at(parts, each.start) == "allergies"
            place = place_of(note, each.start)
            named = each.concept.endswith(_ALLERGY_TYPE) and each.concept not in _ALLERGY_TYPE
            told = _ALLERGIC.search(note.text, place.start, each.start)
            if named or ((is_drug(each) or "organism" in each.types) and (listed or told)):
                yield each.concept, place


def without_allergy(record: Record) -> Iterator[Place]:
    """Where notes say that the patient has no allergy, in the order of the notes."""
    for note in record.notes:
        for match in NO_ALLERGY.finditer(note.text):
            yield Place(note.id, note.time[:10], *match.span(), match.group())


def place_of(note: Note, at: int) -> Place:
    start, end = sentence_at(note.text, at)
    return Place(note.id, note.time[:10], start, end, note.text[start:end])
