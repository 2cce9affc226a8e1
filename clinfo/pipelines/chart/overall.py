"""Questions about a record as a whole: allergies, medicines, risk scores, measured values, what the
family has, all diagnoses or procedures. Each answer says what it rests on, the newest first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from clinfo.patients import contradictions
from clinfo.pipelines.chart.allergies import allergies
from clinfo.pipelines.chart.evidence import (
    Place,
    coded_places,
    newest_first,
    places_of,
    quoted_span,
)
from clinfo.pipelines.chart.figures import risk_score, values
from clinfo.pipelines.chart.items import kinds_in
from clinfo.pipelines.chart.medicines import medicine, medicines, treating
from clinfo.pipelines.chart.operations import asks_for_operations, operations
from clinfo.pipelines.chart.telling import (
    FAMILY,
    MOST_LISTED,
    Asked,
    Told,
    about,
    capital,
    of_family,
    span,
)
from clinfo.pipelines.chart.things import Thing, telling_words
from clinfo.pipelines.chart.vaccines import vaccine
from clinfo.text.words import key

_NO_THINGS: Final = frozenset(("care",))
_CONDITIONS: Final = frozenset(("disease", "mental disorder", "injury", "finding"))


def overall(asked: Asked, things: Sequence[Thing]) -> Told | None:
    """The answer to a question of one of these kinds; None where it is of none."""
    told = risk_score(asked) or allergies(asked, things)
    if told is None and FAMILY.search(asked.text):
        told = _family(asked, things)
    told = told or medicines(asked)
    if told is not None:
        return told
    if not things or {one.text for one in things} <= _NO_THINGS:
        if kinds_in(asked.text) and not set(telling_words(asked.text)) - _NO_THINGS:
            return _every(asked)
        if not telling_words(asked.text):
            return _notes(asked)
    each = [
        values(thing, asked) or vaccine(thing, asked) or medicine(thing, asked) for thing in things
    ]
    treated = treating(asked, things)
    if not (treated or any(one is not None for one in each)):
        return _other_operations(asked, things)
    own = [one or about(thing, asked) for one, thing in zip(each, things, strict=True)]
    found = [one.status for one in own if one.status != "absent"]
    if not found:
        return None
    return Told(
        (*(line for one in own for line in one.lines), *treated),
        found[0],
        tuple(place for one in own for place in one.places),
        parts_only=all(one.parts_only for one in own if one.status != "absent"),
    )


def _family(asked: Asked, things: Sequence[Thing]) -> Told | None:
    """What notes say of the patient's family, of one thing or of any."""
    if things:
        named = [place for thing in things for place in places_of(thing.main, asked.index)]
    else:
        named = [
            Place(note, at.start, at.end, one.assertion, "", key(at.quote))
            for note in asked.record.notes
            for one in asked.index.mentions.get(note.id, ())
            if (at := contradictions.place_of(note, one.start))
        ]
    places = asked.counts(newest_first(one for one in named if one.assertion == "family"))
    name = f"Family history of {' or '.join(one.text for one in things)}" if things else "Family"
    if places:
        lead = f"{name}: documented in {span(places)}."
        return Told((lead, *asked.lines(places, MOST_LISTED)), "family", tuple(places))
    denied = asked.counts([p for p in named if p.assertion == "negated" and of_family(p)])
    if denied:
        lead = f"{name}: denied in {span(denied)}."
        return Told((lead, *asked.lines(denied)), "negated", tuple(denied))
    own = [told for thing in things if (told := about(thing, asked)).status != "absent"]
    if not own:
        return Told((), "absent") if all(one.known for one in things) else None
    lines = [f"{name}: said in no note. Of the patient:"]
    lines += [line for told in own for line in told.lines]
    return Told(tuple(lines), "partly", tuple(place for told in own for place in told.places))


def _every(asked: Asked) -> Told:
    """Every statement of the kind that is asked for, the newest first."""
    kinds = kinds_in(asked.text)
    name, lead = capital(", ".join(sorted(kinds))), ""
    found = list(operations(asked)) if (surgical := asks_for_operations(asked.text)) else []
    if kinds == {"condition"}:
        found = [*_mentioned(asked, _CONDITIONS), *coded_places(asked.index, "condition")]
    elif found:
        name, lead = "Operations", "Done, planned or only spoken of, as the sentences say. "
    else:
        lead = "No operation is named. " if surgical else ""
        found = [
            Place(note, *at, "present", one.at.section, key(note.text[slice(*at)]))
            for number, one in enumerate(asked.index.occurrences)
            if one.at.kinds & kinds and not one.denied and (note := asked.index.notes[one.note])
            if (at := quoted_span(one, number, asked.index)) is not None
        ]
    places = newest_first(found)
    own = asked.counts(places)
    if not places:
        return Told((), "absent")
    if not own:
        lead = f"{name}: not in the time that is asked for. At other times, {span(places)}:"
        return Told((lead, *asked.lines(places)), "outside")
    lead += f"{name}: named in {span(own)}."
    return Told((lead, *asked.lines(own, MOST_LISTED)), "documented", tuple(own))


def _other_operations(asked: Asked, things: Sequence[Thing]) -> Told | None:
    """All operations where the one that is asked for stands in no note by its name: "appendix taken
    out" may stand as an appendectomy.
    """
    if not asks_for_operations(asked.text):
        return None
    if any(about(thing, asked).status != "absent" for thing in things):
        return None
    places = asked.counts(newest_first(operations(asked)))
    if not places:
        return None
    name = " or ".join(one.text for one in things)
    lead = f"“{name}” stands so in no note. The operations that notes name; read which it is:"
    return Told((lead, *asked.lines(places, MOST_LISTED)), "partly", tuple(places))


def _mentioned(asked: Asked, types: frozenset[str]) -> Iterator[Place]:
    """Where notes say that the patient has or had something of these types."""
    for note in asked.record.notes:
        for one in asked.index.mentions.get(note.id, ()):
            if types.intersection(one.types) and one.assertion in ("present", "history"):
                yield Place(note, one.start, one.end, one.assertion, "", one.concept)


def _notes(asked: Asked) -> Told | None:
    """The notes of the time that is asked for, where nothing else is asked."""
    window = asked.window
    if not (window.start or window.end or window.order or window.notes):
        return None
    notes = [one for one in asked.record.notes if window.holds(one.id, one.time)]
    if window.order != "first":
        notes.reverse()
    if not notes:
        return Told(("There is no note of this time.",), "outside")
    lines = [f"{one.time[:10] or 'undated'}: {one.category or 'note'} [{one.id}]" for one in notes]
    lead = f"{len(notes):,} notes of this time; the question names nothing more to look for:"
    return Told((lead, *lines[:MOST_LISTED]), "documented")
