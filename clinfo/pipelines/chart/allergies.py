"""Allergies of a record: what is named, what may be a reaction, who denies any, and where notes
contradict each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from clinfo.patients import contradictions
from clinfo.patients.medications import is_drug
from clinfo.patients.mentions import Mention
from clinfo.patients.records import Note
from clinfo.patients.sections import sections
from clinfo.pipelines.chart.evidence import Place, coded_places, newest_first, place_of, to_line_end
from clinfo.pipelines.chart.telling import Asked, Told, about, capital, span
from clinfo.pipelines.chart.things import Thing, literal
from clinfo.text.regex import anycase
from clinfo.text.words import key

_ALLERGY: Final = anycase(r"\ballerg\w*|\bNKD?A\b|\badverse (?:drug )?reactions?\b")
_SAYS_ALLERGY: Final = anycase(r"\ballerg\w+|\bhypersensitiv\w+|\banaphyla\w+|\bADRs?\b")
_REACTION: Final = anycase(
    r"\b(?:hives|urticaria\w*|anaphyla\w+|angio-?o?edema|bronchospasm|rash(?:es)?|itch\w*|"
    r"prurit\w+|swelling|swollen|wheez\w+|delirium|flushing|stevens.johnson|SJS|DRESS|"
    r"intoleran\w+|(?:adverse|allergic|drug|infusion|transfusion) reactions?|reacted|"
    r"reactions? (?:to|after|with)|rechallenge\w*)\b"
)
_BY: Final = anycase(
    r"\b(?:after|on|to|with|from|following|given|due|caused|attributed|induced|since|developed|"
    r"if it['’]?s|secondary|reaction)\b|-induced|\s[-–:]\s"
)
_FOR: Final = anycase(
    r"\b(?:treated|managed|start\w*|given|prescrib\w+|continue\w*|use|trial|improv\w+|"
    r"resolv\w+|settled|controlled|for)\b"
)
_NOT: Final = anycase(r"\b(?:not?|without|denie[sd]|never|nil|negative for)\b[^.;:]{0,40}\Z")
_TEST: Final = anycase(r"\b(?:allerg\w+|skin|patch|prick) (?:\w+ )?(?:tests?|testing|screening)\b")
"""What is done about allergies, and is none."""
_BESIDE: Final = 40
"""Characters within which a substance belongs to the word allergy."""


def allergies(asked: Asked, things: Sequence[Thing]) -> Told | None:
    """The allergies that notes name or deny, any or to ``things``; None for other questions."""
    other = any(_ALLERGY.search(one.text) and not _is_allergy(one) for one in things)
    if not _ALLERGY.search(asked.text) or other:
        return None
    if test := _TEST.search(asked.text):
        return about(literal(test[0].split()), asked)
    return _allergies(asked, [one for one in things if not _ALLERGY.search(one.text)])


def _is_allergy(thing: Thing) -> bool:
    """Return whether a thing is allergy as such, not a disease like allergic rhinitis."""
    concepts = [concept for name in thing.names for concept in name.concepts]
    return not concepts or any(one.endswith("hypersensitivity") for one in concepts)


def _allergies(asked: Asked, things: Sequence[Thing]) -> Told:
    mentions = asked.index.mentions
    to = asked.counts(
        newest_first(
            place
            for name, one in contradictions.allergic_to(asked.record, mentions)
            if not things or any(thing.is_called(name) for thing in things)
            if (place := place_of(asked.index, one)) is not None
        )
    )
    none = asked.counts(
        newest_first(
            place
            for one in contradictions.without_allergy(asked.record)
            if (place := to_line_end(place_of(asked.index, one))) is not None
        )
    )
    entries, possible = _told(asked, things)
    coded = [
        one for one in asked.counts(newest_first(coded_places(asked.index, "allergy")))
        if not things or any(thing.main.is_called(one.quote) for thing in things)
    ]  # fmt: skip
    denying = [one for one in coded if contradictions.NO_ALLERGY.search(one.quote)]
    to += [one for one in coded if one not in denying]
    none += denying
    listed = asked.counts(newest_first(_allergy_sections(asked.record.notes)))
    to += _apart(entries, [*none, *to])
    other = [] if things else _apart(listed, [*none, *to])
    name = f"Allergy to {' or '.join(one.text for one in things)}" if things else "Allergies"
    said = newest_first([*to, *other])
    possible = _apart(possible, [*said, *none])
    if not (said or possible) and things:
        entries, possible = _told(asked, [])
        elsewhere = newest_first([*_apart(listed, none), *entries, *possible])
        if elsewhere:
            lead = f"{name}: not found by this name. What notes say of allergies and reactions:"
            lines = [lead, *asked.lines(_apart(elsewhere, []))]
            lines += ["No allergies by:", *asked.lines(none, 3)] if none else []
            return Told(tuple(lines), "partly", (*elsewhere, *none))
    lines, places = [], (*said, *possible, *none)
    if said:
        against = f"; no allergies by {span(none)}" if none else ""
        how = "the notes contradict each other. Documented" if none else "documented"
        lines += [f"{name}: {how} in {span(said)}{against}.", *asked.lines(said)]
    if possible:
        lead = f"{'' if said else f'{name}: '}possible reaction, in {span(possible)}: read it."
        lines += [capital(lead), *asked.lines(possible)]
    if none and (said or possible):
        lines += ["Against it:", *asked.lines(none, 3)]
    if said or possible:
        return Told(tuple(lines), "documented" if said else "partly", places)
    if none:
        return Told(
            (f"{name}: none known, by {span(none)}.", *asked.lines(none, 3)), "negated", places
        )
    return Told((), "absent")


def _told(asked: Asked, things: Sequence[Thing]) -> tuple[list[Place], list[Place]]:
    """Sentences of the time asked for that name a substance beside the word allergy, and those that
    may tell a reaction; only of ``things``, where there are any.
    """
    entries, possible, seen = list[Place](), list[Place](), set[tuple[str, int]]()
    for one in asked.index.occurrences:
        note, (start, end) = asked.index.notes[one.note], one.at.whole
        if (note.id, start) in seen:
            continue
        seen.add((note.id, start))
        text = note.text[start:end]
        said = [m for m in _SAYS_ALLERGY.finditer(text) if not _NOT.search(text[: m.start()])]
        reactions = [m for m in _REACTION.finditer(text) if not _NOT.search(text[: m.start()])]
        if not (said or reactions) or contradictions.NO_ALLERGY.search(text):
            continue
        held = [m for m in asked.index.mentions.get(note.id, ()) if start <= m.start < end]
        if any(m.assertion == "family" for m in held):
            continue
        substances = [m for m in held if is_drug(m) or "organism" in m.types or "diet" in m.types]
        if things:
            own = [m for m in substances if any(thing.is_called(m.concept) for thing in things)]
            if not own and not any(thing.main.is_called(text) for thing in things):
                continue
            substances = own
        place = Place(note, start, end, "present", one.at.section, key(text))
        if any(_beside(text, m, each, start) for m in said for each in substances):
            entries.append(place)
        elif (said and substances) or any(_by_drug(text, m, substances, start) for m in reactions):
            possible.append(place)
    return asked.counts(newest_first(entries)), asked.counts(newest_first(possible))


def _beside(text: str, said: re.Match[str], substance: Mention, base: int) -> bool:
    """Return whether a substance stands right after the word allergy, or right before it."""
    after = text[said.end() : max(said.end(), substance.start - base)]
    before = text[substance.end - base : said.start()]
    if substance.start - base >= said.end():
        return len(after) <= _BESIDE
    return len(before) <= 3 and substance.end - base <= said.start()


def _by_drug(text: str, said: re.Match[str], held: Sequence[Mention], base: int) -> bool:
    """Return whether a reaction may be one to what is named beside it, rather than treated by it.

    Anaphylaxis needs nothing beside it.
    """
    if said[0].lower().startswith("anaphyla"):
        return True
    for one in held:
        start, end = one.start - base, one.end - base
        between = text[said.end() : start] if start >= said.end() else text[end : said.start()]
        if start >= said.end() and _FOR.search(between) and "given" not in between:
            continue
        if _BY.search(text[min(start, said.start()) : max(end, said.end())]):
            return True
        if end <= said.start() and len(between) <= _BESIDE:
            return True
    return False


def _apart(places: Sequence[Place], held: Sequence[Place]) -> list[Place]:
    """The places that lie over none of those held, nor over each other."""
    own = list[Place]()
    for one in places:
        over = (o for o in (*held, *own) if o.note.id == one.note.id)
        if not any(o.start < one.end and one.start < o.end for o in over):
            own.append(one)
    return own


def _allergy_sections(notes: Sequence[Note]) -> Iterator[Place]:
    for note in notes:
        for part in sections(note.text):
            body = note.text[part.start : part.end]
            if part.kind == "allergies" and body.strip():
                start = part.start + len(body) - len(body.lstrip())
                end = part.start + len(body.rstrip())
                yield Place(note, start, end, "present", part.kind, key(body))
