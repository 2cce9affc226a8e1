"""Risk scores with their items, and measured values with the newest first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import partial
from typing import Final

from clinfo.patients import contradictions, risk_scores
from clinfo.patients.measured import Measured, every_value
from clinfo.patients.medication_events import LABORATORY
from clinfo.patients.sections import sections
from clinfo.patients.times import day_span, newest_day
from clinfo.pipelines.chart.evidence import Place, newest_first, place_of, places_of, shortened
from clinfo.pipelines.chart.lookup import lookup
from clinfo.pipelines.chart.telling import MOST_LISTED, Asked, Told, capital, reads
from clinfo.pipelines.chart.things import Thing
from clinfo.text.regex import anycase
from clinfo.text.words import key

_SCORES: Final = {
    "CHA2DS2-VASc": anycase(r"\bcha2?ds2?\W?(?:va(?:sc)?\b)?(?:\W?score)?"),
    "HAS-BLED": anycase(r"\bhas\W?bled\b"),
}
_CACHE: Final = "_values_of_record"
_SCORED: Final = r"[^.\n]{0,25}?\d"
_VALUE: Final = anycase(
    r"\b(?:values?|levels?|results?|latest|last|newest|recent|how (?:high|low|much)|what (?:is|was|"
    r"were|are)|trend|readings?|measured?)\b"
)


def risk_score(asked: Asked) -> Told | None:
    """The risk score that a question names; None where it names none."""
    name = next((name for name, said in _SCORES.items() if said.search(asked.text)), None)
    return None if name is None else _score(name, asked)


def _score(name: str, asked: Asked) -> Told:
    times = [one.time for one in asked.record.notes] + [one.start for one in asked.record.entries]
    newest = newest_day(times, date.today())
    as_of = newest or date.today()
    if asked.window.end:
        as_of = min(as_of, date.fromisoformat(asked.window.end))
    found = risk_scores.score(name, asked.record, asked.index.mentions, reads(asked.lexicon), as_of)
    stated = newest_first(
        Place(note, match.start(), match.end(), "present", "", key(match[0]))
        for note in asked.record.notes
        for match in anycase(_SCORES[name].pattern + _SCORED).finditer(note.text)
    )
    lines = [f"A note states it: {line}" for line in asked.lines(stated, 3)] or [
        f"{name} is stated in no note; its items are, as of {as_of}:"
    ]
    if stated and (since := _since(stated[0].day, found, asked)):
        lines.append(f"The stated score is older than: {'; '.join(since)}. Do not rely on it.")
    least, most = found.least, found.most
    lines.append(
        f"{name}: {least}."
        if least == most
        else f"{name}: at least {least}, at most {most}; not settled: {'; '.join(found.open)}."
    )
    places = [*stated]
    for item in found.items:
        points = str(item.least) if item.least == item.most else f"{item.least} to {item.most}"
        quotes = "; ".join(_quoted(one, asked) for one in item.places[:2])
        lines.append(f"{item.name}: {item.state} ({points})" + (f": {quotes}" if quotes else ""))
        places += [p for one in item.places if (p := place_of(asked.index, one)) is not None]
    lines.append(f"Items and points: {found.source}")
    return Told(tuple(lines), "documented", tuple(places))


def _since(day: str, now: risk_scores.Score, asked: Asked) -> list[str]:
    """The items that give more points now than on the day of a stated score, with their days."""
    if not (span := day_span(day)):
        return []
    record, mentions = asked.record, asked.index.mentions
    then = risk_scores.score(now.name, record, mentions, reads(asked.lexicon), span[1])
    return [
        f"{item.name} ({min((p.day for p in item.places if p.day > day), default='by age')})"
        for item, before in zip(now.items, then.items, strict=True)
        if item.least > before.least
    ]


def _quoted(one: contradictions.Place, asked: Asked) -> str:
    """The words of a note or of a coded entry with their day."""
    place = place_of(asked.index, one) if not one.note else None
    quote, id = (one.quote, one.note) if place is None else (place.quote, place.note.id)
    return f'{one.day or "undated"} "{shortened(quote)}" [{id or "coded"}]'


def values(thing: Thing, asked: Asked) -> Told | None:
    """The measured values of a thing, of its narrower measures only where it has none itself; None
    where the record has none.
    """
    known = {
        key(first.concept): first.concept
        for ((_, first), *_) in lookup(asked.index).concepts.values()
        if any(key(first.concept) in name.concepts for name in thing.names)
        and (
            "diagnostic procedure" in first.types
            or first.concept in LABORATORY
            or _VALUE.search(asked.text)
        )
        and "drug class" not in first.types
    }
    own = {
        key(named.concept)
        for name in thing.names
        if (named := asked.lexicon.named(name.text)) is not None
    }
    found = _measured({name for word, name in known.items() if word in own}, asked)
    found = found or _measured(set(known.values()), asked)
    if not found:
        return None
    last = asked.window.order != "first"
    found.sort(key=lambda one: (one.day, one.note, one.start), reverse=last)
    lead = f"{capital(thing.main.text)}: {len(found)} value{'s' * (len(found) > 1)}, "
    if len({one.concept for one in found}) == 1:
        lead += f"the {'newest' if last else 'first'} {found[0].value} {found[0].unit}".rstrip()
        lead += f" ({found[0].day or 'undated'})."
    else:
        lead += f"of several measures, the {'newest' if last else 'first'} first."
    lines = [lead, *map(partial(_line, asked), found[:MOST_LISTED])]
    lines += [f"… and {len(found) - MOST_LISTED:,} more."] * (len(found) > MOST_LISTED)
    places = [p for one in found if (p := place_of(asked.index, one)) is not None]
    newer = asked.counts(places_of(thing.main, asked.index)) if last else []
    newer = [one for one in newer if one.day > found[0].day]
    if newer:
        lines += ["Newer notes name it without a value that can be read:", *asked.lines(newer, 3)]
    return Told(tuple(lines), "documented", (*places, *newer[:3]))


def _measured(concepts: Iterable[str], asked: Asked) -> list[Measured]:
    """The values of concepts in the time that is asked for; a dose is none."""
    known: Mapping[str, Sequence[Measured]] | None = asked.index.__dict__.get(_CACHE)
    if known is None:
        known = every_value(asked.record, asked.index.mentions, reads(asked.lexicon))
        object.__setattr__(asked.index, _CACHE, known)
    return [
        one
        for concept in sorted(concepts)
        for one in known.get(concept, ())
        if asked.window.holds(one.note, one.day) and not _is_dose(one, asked)
    ]


def _line(asked: Asked, one: Measured) -> str:
    """A value with its day, its words, and the day of its note where it is another."""
    note = asked.index.notes.get(one.note)
    if not one.note and (place := place_of(asked.index, one)) is not None:
        return f'{one.day or "undated"}, coded: "{shortened(place.quote)}" [{place.note.id}]'
    told = f"{one.day or 'undated'}"
    if note is not None and note.time[:10] != one.day:
        told += f" (in the note of {note.time[:10]})" if note.time else " (in an undated note)"
    return f'{told}: "{shortened(one.quote)}" [{one.note}]'


def _is_dose(one: Measured, asked: Asked) -> bool:
    """Return whether a value stands in a list of medicines."""
    note = asked.index.notes.get(one.note)
    return note is not None and any(
        part.kind == "medications" and part.start <= one.start < part.end
        for part in sections(note.text)
    )
