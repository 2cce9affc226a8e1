"""The answer that needs no language model: what the record says of what is asked, in sentences with
quotations by date, or that it says nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from clinfo.lazy_dataclass import dataclass, replace
from clinfo.patients.asked_time import without_time
from clinfo.patients.entities import find_mentions
from clinfo.patients.lexicon import Lexicon
from clinfo.patients.mentions import Assertion, Mention
from clinfo.patients.records import Record
from clinfo.patients.windows import Window
from clinfo.pipelines.chart.asked import ChartQuestion
from clinfo.pipelines.chart.coded_notes import is_coded
from clinfo.pipelines.chart.evidence import Place, lines_of, places_of, within
from clinfo.pipelines.chart.index import ChartIndex
from clinfo.pipelines.chart.items import kinds_in
from clinfo.pipelines.chart.not_found import (
    cannot_be_looked_for,
    looked_for,
    near_in_record,
    nearest,
)
from clinfo.pipelines.chart.things import Thing, literal, telling_words, things_of
from clinfo.pipelines.chart.timing import asked_window, record_of
from clinfo.records.chart import NOT_DOCUMENTED, Status
from clinfo.text.regex import anycase
from clinfo.text.terms import stem, words

MOST_LISTED: Final = 40
"""Lines of a list that is asked for; the others are counted."""
SHOWN: Final = 6
"""Lines of one kind that are quoted; the others are counted."""
_OF_RECORDS: Final = frozenset(map(stem, (
    "visit", "encounter", "appointment", "note", "notes", "record", "recorded", "chart",
    "documented", "mention", "mentioned",
)))  # fmt: skip
"""Stems by which a question asks for the words of the record themselves."""
_WHEN: Final = anycase(r"\b(?:when (?:was|were|did)|since when|how long)\b")
"""Questions of a beginning: what is oldest is told first."""
FAMILY: Final = anycase(
    r"\b(?:family (?:\w+ )?(?:history|hx)|fhx?|runs? in (?:the|her|his) family)\b"
)
FOR_A_TIME: Final = anycase(
    r"\b(?:recent(?:ly)?|lately|any ?more|any longer|no longer|since|currently|today|now|"
    r"at (?:this|present|the) (?:time|present)|"
    r"(?:in|for|over|within|during) (?:the )?(?:(?:last|past) )?(?:an?|a few|several|many|\d+|two|"
    r"three|four|five|six|couple of|some|few) ?(?:days?|weeks?|months?|years?))\b"
)
"""Words by which a denial is of a time only: "has not had any seizures in a few months"."""
_RANK: Final[tuple[Status, ...]] = (
    "documented", "history", "uncertain", "negated", "family", "partly", "outside",
)  # fmt: skip
_NOT_HAD: Final[tuple[tuple[Assertion, str], ...]] = (
    ("uncertain", "suspected or considered only, not confirmed"),
    ("negated", "denied or negated"),
    ("family", "family history or another person's"),
)


ABSENT: Final = frozenset(("absent", "not as written"))
"""Statuses of which the answer is `NOT_DOCUMENTED`."""


@dataclass(frozen=True)
class Told:
    """An answer: its lines, what was found in one word, the places it rests on, and the words of
    the question that no table knows, which are looked for as written only. With ``parts_only`` what
    is asked stands in no note, words of it do.
    """

    lines: tuple[str, ...]
    status: Status
    places: tuple[Place, ...] = ()
    unrecognised: tuple[str, ...] = ()
    parts_only: bool = False

    @property
    def text(self) -> str:
        """The answer in words; `NOT_DOCUMENTED` where the record holds nothing of it."""
        return NOT_DOCUMENTED if self._nowhere else "\n".join(self.lines)

    @property
    def established(self) -> str:
        """What was really looked for where the answer is `NOT_DOCUMENTED`, else ""."""
        return "\n".join(self.lines) if self._nowhere else ""

    @property
    def _nowhere(self) -> bool:
        return self.parts_only or self.status in ABSENT


@dataclass(frozen=True)
class Asked:
    """A question put to a record: its text without the event that it counts from, its time, and
    what reads further texts.
    """

    text: str
    index: ChartIndex
    record: Record
    window: Window
    lexicon: Lexicon

    def counts(self, places: Sequence[Place]) -> list[Place]:
        """Those of the places that lie in the time that is asked for."""
        return within(places, self.window.holds)

    @property
    def wants_oldest(self) -> bool:
        """Whether the question is after a beginning."""
        since = _WHEN.search(self.text) and self.window.order != "last"
        return bool(since) or self.window.order == "first"

    def lines(self, places: Sequence[Place], most: int = SHOWN) -> list[str]:
        """The lines of places, the newest first unless the first is asked for."""
        found = lines_of(places, self.wants_oldest)
        told = [line.told for line in found[:most]]
        return told + ([f"… and {len(found) - most:,} more."] if len(found) > most else [])


def tell(
    question: ChartQuestion, index: ChartIndex, lexicon: Lexicon, window: Window | None = None
) -> Told:
    """The answer of a record to a question; ``window`` is its time, read from its text if None."""
    from clinfo.pipelines.chart.overall import overall

    text = without_time(question.text)
    if window is None:
        window = asked_window(question.text, index, lexicon)
    asked = Asked(text, index, record_of(index), window, lexicon)
    things = things_of(text, lexicon)
    told = overall(asked, things) or _of_things(asked, things)
    if window.missing and told.lines:
        missing = f"No note says when “{window.missing}” was: notes of all times count."
        told = replace(told, lines=(missing, *told.lines))
    return told


def _of_things(asked: Asked, things: Sequence[Thing]) -> Told:
    said = telling_words(asked.text)
    recorded = not _OF_RECORDS.isdisjoint(map(stem, words(asked.text)))
    recorded = recorded or bool(kinds_in(asked.text))
    unknown = tuple(n.text for thing in things for n in thing.names if not n.known and n.needed)
    if not any(thing.main.names for thing in things):
        things = [literal([name.text for name in thing.names]) for thing in things]
        things, unknown = things or ([literal(said)] if said else []), tuple(said)
    told = [about(thing, asked, recorded) for thing in things if thing.main.names]
    found = [one for one in told if one.status != "absent"]
    if found:
        return Told(
            tuple(line for one in told for line in one.lines),
            min((one.status for one in found), key=_RANK.index),
            tuple(place for one in found for place in one.places),
            unknown,
            all(one.parts_only for one in found),
        )
    settled = recorded and any(_settled(thing, asked) for thing in things)
    strange = [
        word for word in unknown if not settled and (not recorded or nearest(word, asked.index))
    ]
    if things and not strange:
        lines, loose = looked_for(things)
        return Told(lines, "not as written" if loose else "absent", (), unknown)
    strange = strange or list(unknown)
    return Told((cannot_be_looked_for(strange, asked.index),), "not recognised", (), tuple(strange))


def _settled(thing: Thing, asked: Asked) -> bool:
    """Return whether a known name of a thing stands in no note, and no word that no table knows may
    be a misspelling of one that does: then the thing is in no note, however its words are spelt.
    """
    names, first = thing.main.names, True
    for name in names:
        if not name.known:
            first = first and len(name.text) <= 2
        elif name.concepts and not name.organ and not places_of(Thing("", (name,)), asked.index):
            strange = () if first else (one.text for one in names if not one.known)
            return not any(near_in_record(one, asked.index) for one in strange)
    return False


def about(thing: Thing, asked: Asked, recorded: bool = True) -> Told:
    """What a record says of one thing. With ``recorded`` the question asks for the words of the
    record, so that its everyday words count too.
    """
    whole = places_of(thing if recorded else thing.main, asked.index)
    name = thing.text if recorded else thing.main.text
    if not whole and recorded and len(thing.main.names) < len(thing.names):
        near = asked.counts(places_of(thing.main, asked.index))
        if near:
            lead = f"“{name}” stands so in no note; “{thing.main.text}” does:"
            return Told((lead, *asked.lines(near)), "partly", tuple(near), parts_only=True)
    if not whole and len(thing.names if recorded else thing.main.names) > 1:
        each = [
            about(Thing(one.text, (one,)), asked)
            for one in thing.main.names
            if not one.organ and (one.known or not recorded)
        ]
        found = [one for one in each if one.status != "absent"]
        if found:
            lead = f"No note names “{name}” in one sentence. What stands in notes apart:"
            lines = (line for one in each for line in one.lines)
            apart = tuple(place for one in found for place in one.places)
            return Told((lead, *lines), "partly", apart, parts_only=recorded)
    places = asked.counts(whole)
    if not places and whole:
        lead = f"{capital(name)}: not in the time that is asked for. At other times:"
        return Told((lead, *asked.lines(whole)), "outside")
    if not places:
        return Told((f"{capital(name)}: not documented.",), "absent")
    return _of_places(name, places, asked)


def _of_places(name: str, places: Sequence[Place], asked: Asked) -> Told:
    def of(said: Assertion) -> list[Place]:
        own = [one for one in places if one.assertion == said and not denied_of_family(one)]
        return own if said != "family" else own + [p for p in places if denied_of_family(p)]

    now, before = of("present"), of("history")
    lines: list[str] = []
    if now or before:
        status: Status = "documented" if now else "history"
        told = [*([f"documented in {span(now)}"] if now else ())]
        told += [f"named as history in {span(before)}"] if before else []
        lead = f"{capital(name)}: {'; '.join(told)}."
        denied, newest = of("negated"), max(one.day for one in now + before)
        if denied and denied[0].day > newest:
            lead += f" The newest note that speaks of it denies it ({denied[0].day})."
        elif denied and denied[0].day == newest:
            lead += f" Of {newest or 'undated notes'}, there is a denial beside it: read both."
        lines += [lead, *asked.lines(now)]
        lines += ["As history:", *asked.lines(before, 3)] if before else []
        lines += [
            line
            for said, words_ in _NOT_HAD
            if (own := of(said))
            for line in (f"But {words_} in {span(own)}:", *asked.lines(own, 3))
        ]
        return Told(tuple(lines), status, tuple(places))
    found = [(said, words_, own) for said, words_ in _NOT_HAD if (own := of(said))]
    found.sort(key=lambda one: one[2][0].day, reverse=True)
    for said, words_, own in found:
        only = ", affirmed nowhere" if said == "negated" and len(found) == 1 else ""
        if said == "negated" and (of_time := [p for p in own if FOR_A_TIME.search(p.quote)]):
            only += " (for a time only: “never” is not said)" * (len(of_time) == len(own))
        lead = f"{capital(name)}: {words_}{only}, in {span(own)}."
        lines += [lead, *asked.lines(own)]
    first = found[0][0]
    assert first in ("uncertain", "negated", "family")
    return Told(tuple(lines), first, tuple(places))


def denied_of_family(place: Place) -> bool:
    """Return whether a place denies a thing of the family, which says nothing of the patient."""
    return place.assertion == "negated" and bool(FAMILY.search(place.quote))


def span(places: Sequence[Place]) -> str:
    """How many notes and coded entries places are in, and from when to when."""
    days = sorted({one.day for one in places if one.day})
    count = len({one.note.id for one in places if not is_coded(one.note)})
    coded = len({(one.note.id, one.start) for one in places if is_coded(one.note)})
    told = [f"{count:,} note{'s' if count > 1 else ''}"] if count else []
    told += [f"{coded:,} coded {'entries' if coded > 1 else 'entry'}"] if coded else []
    notes = " and ".join(told)
    if not days:
        return f"{notes} without a date"
    return f"{notes}, {days[0]}" + (f" to {days[-1]}" if len(days) > 1 else "")


def of_family(place: Place) -> bool:
    """Return whether a place speaks of the family: "no family history of stroke"."""
    return place.section == "family" or bool(FAMILY.search(place.quote))


def capital(name: str) -> str:
    """A name with a capital letter."""
    return name[:1].upper() + name[1:]


def reads(lexicon: Lexicon) -> Callable[[str], Sequence[Mention]]:
    """The function that finds mentions in further texts."""
    return lambda text: find_mentions(text, lexicon)
