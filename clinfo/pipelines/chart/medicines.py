"""Medicines of a record: the newest list, what began, changed or stopped, and one over time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from re import Pattern
from typing import Final

from clinfo.patients.lexicon import Named
from clinfo.patients.medication_events import Change
from clinfo.patients.medication_sentences import PLANNED
from clinfo.patients.medications import MedicationEvent, latest_list, medication_timeline
from clinfo.pipelines.chart.evidence import (
    Place,
    coded_places,
    newest_first,
    place_of,
    places_of,
    shortened,
)
from clinfo.pipelines.chart.telling import MOST_LISTED, Asked, Told, about, capital, reads, span
from clinfo.pipelines.chart.things import Name, Thing, running, telling_words
from clinfo.terms.drug_classes import drug_class
from clinfo.text.regex import anycase

_PLANS: Final = "Planned or ordered; that it was done, these sentences do not say:"
_CACHE: Final = "_medication_timeline"
_MEDICINES: Final = anycase(
    r"\b(?:medic(?:ation|ine)s?|meds|drugs?|pills?|tablets?|prescri\w+|tak(?:e|es|en|ing))\b"
)
_TREATS: Final = anycase(
    r"\b(?:tak(?:e|es|en|ing)|treat\w*|medic\w+|drugs?(?! (?:abuse|misuse|screen\w*|test\w*))|"
    r"therapy|given) ?\b"
)
_DISEASES: Final = frozenset(("disease", "mental disorder", "finding"))
_CHANGES: Final[dict[Change, Pattern[str]]] = {
    "started": anycase(r"\b(?:start\w*|beg[aiu]n|new|added|initiat\w+)\b"),
    "stopped": anycase(r"\b(?:stop\w*|discontinu\w+|held|withdrawn|ceased|no longer)\b"),
    "changed": anycase(
        r"\b(?:chang\w+|adjust\w+|increas\w+|decreas\w+|reduc\w+|timeline|dos\w+)\b"
    ),
}


def medicines(asked: Asked) -> Told | None:
    """All medicines, where a question names nothing else; None for another question, or where no
    note has a list.
    """
    left = asked.text
    for pattern in (*_CHANGES.values(), _MEDICINES):
        left = pattern.sub(" ", left)
    if not _MEDICINES.search(asked.text) or telling_words(left):
        return None
    return _medicines(asked)


def _medicines(asked: Asked) -> Told | None:
    """The newest list of medicines; what was started, changed or stopped where that is asked."""
    kept = tuple(n for n in asked.record.notes if asked.window.holds(n.id, n.time))
    changes = [name for name, pattern in _CHANGES.items() if pattern.search(asked.text)]
    events = _events(asked)
    if changes:
        own = [
            one for one in events if one.change in changes and asked.window.holds(one.note, one.day)
        ]
        plans = [
            one for one in events
            if one.planned
            and one.change in (PLANNED[name] for name in changes)
            and asked.window.holds(one.note, one.day)
        ]  # fmt: skip
        told = " or ".join(changes)
        if not (own or plans):
            return Told((f"No medicine is {told} by any note of this time.",), "negated")
        if asked.window.order != "first":
            own, plans = own[::-1], plans[::-1]
        first = "oldest" if asked.window.order == "first" else "newest"
        lead = f"Medicines {told}: {len(own):,} event{'s' * (len(own) != 1)}, the {first} first."
        lines = [lead, *map(partial(_event, asked), own[:MOST_LISTED])]
        lines += [_PLANS] * bool(plans)
        return _with_events(lines, plans[:MOST_LISTED], asked, own)
    record = replace(asked.record, notes=kept)
    found = latest_list(record, asked.index.mentions)
    coded = [one for one in coded_places(asked.index, "medication") if one.assertion == "present"]
    coded = newest_first(asked.counts(coded))
    active = [f"Coded as prescribed and not ended: {len(coded):,}.", *asked.lines(coded, 20)]
    if found is None:
        return Told(tuple(active), "documented", tuple(coded)) if coded else None
    head, items = found
    since = {
        one.drug: one
        for one in events
        if one.day <= head.day and one.change in ("started", "changed")
    }
    lead = f"Medication list of {head.day or 'an undated note'}, the last note that has one"
    lead += " in the time asked for: " if len(kept) < len(asked.record.notes) else ": "
    events = tuple(one for one in events if one.day <= kept[-1].time[:10])
    if not items:
        return _with_events([lead + "none."], [head], asked)
    lines = [f"{lead}{len(items)} medicine{'s' * (len(items) > 1)} [{head.note}]."]
    for one in items:
        begun = since.get(one.drug)
        when = f"; {begun.change} {begun.day}" if begun and begun.day and begun.note else ""
        lines.append(f'"{shortened(one.quote)}"{when}')
    last = record.notes[-1].time[:10]
    later = [
        one for one in events if one.basis != "list" and head.day <= one.day <= last and one.day
    ]
    if later:
        lines = [
            f"The list alone is not enough: notes of {head.day} or later tell of changes.",
            *map(partial(_event, asked), later[::-1]),
            *lines,
        ]
    gone = [one for one in events if one.change == "stopped"][-3:]
    if gone:
        lines += [
            "Last stopped or no longer listed:",
            *(_event(asked, one) for one in reversed(gone)),
        ]
    lines += active * bool(coded)
    places = [p for one in (*later, *items, *gone) if (p := place_of(asked.index, one)) is not None]
    return Told(tuple(lines), "documented", (*places, *coded))


def medicine(thing: Thing, asked: Asked) -> Told | None:
    """A medicine or class: on the newest list or not, and what happened to it; None where the
    record has no such medicine.
    """
    if _MEDICINES.search(asked.text) and (lowering := drug_class(f"{thing.text} lowering drugs")):
        forms = frozenset(running(one) for one in (*lowering.names, *lowering.members))
        text = f"{thing.text} medicines"
        thing = Thing(text, (Name(text, frozenset(), forms, known=True, medicine=True),))
    every = places_of(thing.main, asked.index)
    allergic = [one for one in every if one.section == "allergies"]
    named = [one for one in every if one.section != "allergies"]
    items = [one for one in named if one.section == "medications"]
    own = [one for one in _events(asked) if thing.main.is_called(one.drug)]
    if not (own or items or (every and any(name.medicine for name in thing.main.names))):
        return None
    lead = f"{capital(thing.main.text)} stands under allergies in {span(allergic)}:"
    warned = [lead, *asked.lines(allergic, 2)] if allergic else []
    if not (own or named):
        return Told(tuple(warned), "partly", tuple(allergic))
    told = about(thing, asked, recorded=False)
    lines = list(told.lines)
    if not asked.wants_oldest or _CHANGES["stopped"].search(asked.text):
        lines = [*_newest(thing, asked, asked.counts(named), items), *lines]
    lines = [*warned, *lines]
    own = [one for one in own if asked.window.holds(one.note, one.day)]
    if own:
        lines += ["Over time:", *(_event(asked, one) for one in own[-MOST_LISTED:][::-1])]
    status = told.status if told.status != "absent" else "documented"
    return Told(tuple(lines), status, told.places)


def treating(asked: Asked, things: Sequence[Thing]) -> tuple[str, ...]:
    """The newest list of medicines below what notes say of a disease whose treatment is asked for:
    what each is for, lists seldom say. Empty for other questions.
    """
    if not _TREATS.search(asked.text) or (found := _medicines(asked)) is None:
        return ()
    if not any(_DISEASES & set(named.types) for thing in things for named in _named(thing, asked)):
        return ()
    return ("All medicines; what each is for, the list does not say:", *found.lines)


def _named(thing: Thing, asked: Asked) -> Iterator[Named]:
    return (n for name in thing.names if (n := asked.lexicon.named(name.text)) is not None)


def _newest(
    thing: Thing, asked: Asked, named: Sequence[Place], items: Sequence[Place]
) -> list[str]:
    """What the newest note that speaks of a medicine says, before what the newest list says: a list
    that is older is no answer of its own.
    """
    found, lines = latest_list(asked.record, asked.index.mentions), list[str]()
    name, head = capital(thing.main.text), found[0] if found else None
    on = [one for one in items if head and one.note.id == head.note]
    now = [one for one in on if one.assertion == "present"]
    later = [one for one in named if one.section != "medications"]
    if head and now:
        later = [one for one in later if one.note.id != head.note]
    if head and named:
        later = [one for one in later if one.day >= head.day]
    if later:
        day = later[0].day
        lines = [f"{name}: the newest that notes say, {day or 'undated'}:"]
        lines += [
            f'{one.day or "undated"}: "{one.quote}" [{one.note.id}]'
            for one in later
            if one.day == day
        ]
    if head is None:
        return lines
    list_ = f"the newest medication list ({head.day or 'undated'}) [{head.note}]"
    if later:
        said = "has it" if now else "has no name of it"
        return [*lines, f"{capital(list_)} is not newer; it {said}."]
    last = max((one.day for one in named), default="")
    quotes = "; ".join(f'"{shortened(one.quote)}"' for one in now)
    gone = f"not on {list_}, by no name known here" + (f"; last named {last}." if last else ".")
    return [f"{name}: on {list_}: {quotes}." if now else f"{name}: {gone}"]


def _events(asked: Asked) -> tuple[MedicationEvent, ...]:
    """The timeline of the record, made once for an index."""
    known: tuple[MedicationEvent, ...] | None = asked.index.__dict__.get(_CACHE)
    if known is None:
        known = medication_timeline(asked.record, asked.index.mentions, reads(asked.lexicon))
        object.__setattr__(asked.index, _CACHE, known)
    return known


def _event(asked: Asked, one: MedicationEvent) -> str:
    how = "no longer listed" if (one.change, one.basis) == ("stopped", "list") else one.change
    dose = f" {one.dose}" if one.dose else ""
    quote = f': "{shortened(one.quote)}"' if how != "no longer listed" else ""
    if not one.note and (place := place_of(asked.index, one)) is not None:
        quote, id = f': coded "{shortened(place.quote)}"', place.note.id
    else:
        id = one.note or "coded"
    return f"{one.day or 'undated'}: {one.drug}{dose} {how}{quote} [{id}]"


def _with_events(
    lines: list[str],
    events: Sequence[MedicationEvent],
    asked: Asked,
    before: Sequence[MedicationEvent] = (),
) -> Told:
    places = [p for one in (*before, *events) if (p := place_of(asked.index, one)) is not None]
    return Told((*lines, *map(partial(_event, asked), events)), "documented", tuple(places))
