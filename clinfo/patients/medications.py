"""The medicines of a record over time: started, changed, stopped, planned, each with its words.

Three things are read: what sentences say is done ("started on", "metformin increased to"), lists
under headings of medications or under a line that says what is done, and coded prescriptions. A
medicine that stands in a list for the first time counts as started by then, one that no longer
stands in the next list as stopped; one that is prescribed again unchanged is no event.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from clinfo.patients.coded import holds
from clinfo.patients.mentions import Mention
from clinfo.patients.records import CodedEntry, Note, Record
from clinfo.patients.sections import LONGEST, Section, kind_at, sections
from clinfo.text.regex import anycase
from clinfo.text.sentences import sentence_spans
from clinfo.text.words import key

Change = Literal["started", "changed", "stopped", "listed", "planned"]
Basis = Literal["said", "list", "coded"]
_NO_MEDICINE = frozenset({"Alcohols", "Caffeine", "Ethanol", "Nicotine", "Oxygen", "Sugars"})


@dataclass(frozen=True, slots=True)
class MedicationEvent:
    """What happened to one medicine on one day. ``drug`` is its concept, or its name as written;
    ``dose`` is as written, "" where none is.

    ``note`` is the id of the note whose text[start:end] is ``quote``, "" for a coded entry, whose
    text the quote then is. ``basis`` is "said", "list" or "coded".
    """

    day: str
    drug: str
    change: Change
    dose: str
    note: str
    start: int
    end: int
    quote: str
    basis: Basis


_ACTIONS: tuple[tuple[Change, str], ...] = (
    (
        "started",
        r"(?:re-?)?start(?:ed|ing)?|resum(?:e|ed|ing)|initiat(?:e|ed|ing)|beg[aiu]n|commenced?|prescrib(?:e|ed|ing)|"
        r"add(?:ed|ing)|placed on|put on|switch(?:ed)? to|changed to|given a prescription for|"
        r"trial of|loaded with",
    ),
    (
        "stopped",
        r"stop(?:ped|ping)?|discontinu(?:e|ed|ing)|d/?c['’]?e?d|held|hold(?:ing)?|withdr[ae]wn?|"
        r"taken off|came off|weaned off|no longer (?:on|tak(?:es|ing))|(?:switched|changed) from|"
        r"quit|ceased|completed",
    ),
    (
        "changed",
        r"increas(?:e|ed|ing)|decreas(?:e|ed|ing)|reduc(?:e|ed|ing)|(?:up)?titrat(?:e|ed|ing)|"
        r"adjust(?:ed|ing)?|doubled|halved|lower(?:ed)?|raised?",
    ),
    ("listed", r"continu(?:e|ed|es|ing)|refill(?:ed)?|remains on|takes|taking|avoid(?:ed|ing)?"),
)
_ACTION = anycase(r"\b(?:" + "|".join(f"(?P<{name}>{words})" for name, words in _ACTIONS) + r")\b")
_NOT_DONE = anycase(
    r"\b(?:not?|never|denie[sd]|consider(?:ing)?|could|may|might|if|would|discuss(?:ed)?|declin\w+|"
    r"refus\w+|without)\b[^.;]{0,40}\Z|n['’]t\s[^.;]{0,20}\Z"
)
_PLANNED = anycase(
    r"\b(?:will|shall|should|going to|to be|plan(?:s|ned|ning)?(?: is)?(?: to| for|:)|"
    r"(?:recommend|advis|suggest|propos|intend)\w*)[^.;,]{0,30}\Z"
)
_BEFORE = 80
"""Characters before an action in which words that deny or plan it stand."""
_PASSIVE = anycase(r"[^.;,]{0,60}?\b(?:was|were|is|been|be)\s(?:also\s|then\s)?\Z")
_DOSE = anycase(
    r"(?<![\w.])\d+(?:[.,]\d+)*(?:\s?/\s?\d+(?:\.\d+)?)?\s?"
    r"(?:mg|mcg|µg|ug|g|units?|iu|meq|ml|mmol|%)(?:/(?:ml|actuat|hr|h|day|kg|dose))?\b"
)
_AFTER = anycase(
    r"(?:\s\(?\d[\d.,/ ]*(?:mg|mcg|µg|g|units?|ml|%)?\)?)?(?:\s(?:daily|po|bid|qd))?\s\Z"
)
_THEN = anycase(
    r"\s*(?:[.;,)\n]|\Z|(?:today|yesterday|on|by|in|due|because|last|this|after|at|since|for|and|"
    r"per|prior|before|given|secondary)\b|\d)"
)
"""What follows the action of "aspirin 81 mg started today", which is of the medicine before it."""
_NEXT = anycase(r"\s+(?:on|with|to|from)\b(?!\s+\d)")
_APART = anycase(r";|\.\s")
_FROM_TO = anycase(r"from\b.*\bto\b\s*(?:the\s)?\Z")
_STOP_LINES = anycase(
    r"(?m)^[ \t*•-]*(?:stop|discontinued?|do not|don['’]t|no longer|hold|held)\b"
    r"(?:[^\n:]*:[ \t]*\n(?:[ \t]*[-*•\d][^\n]*(?:\n|\Z))+|[^\n]*)"
)
"""A line of a list that says what not to take, with the items under it."""
_DONE = ("ed", "held", "begun", "'d", "’d", "dc", "d/c")
"""Ends of actions that are done, unlike "start" and "starting"."""
_FAR = 60
"""Characters within which an action or a dose belongs to a medicine."""
_ITEM = anycase(r"[^;\n]+?(?=;|\n|,\s(?=[a-z])|\sand\s(?=[a-z])|\.\s|\.?\Z)")
_FORM = anycase(
    r"\d|\b(?:tablet|capsule|inhaler|spray|pack|patch|injection|cream|drops?|solution|implant|"
    r"\[\w+\])"
)
_NONE = anycase(r"\W*(?:no|none|nil|not? (?:active|current)|denies)\b")
_NAME = anycase(r"(?:nda\d+\s+|\d+(?:\.\d+)?\s?(?:actuat|ml|hr)\s+)*(?P<name>[a-z][a-z -]*[a-z])")
_LEAD_IN = anycase(r"(?m)^[^\n]*:[ \t]*\n(?:[ \t]*[-*•][^\n]*(?:\n|\Z))+")


def medication_timeline(
    record: Record,
    mentions: Mapping[str, Sequence[Mention]],
    read: Callable[[str], Sequence[Mention]],
) -> tuple[MedicationEvent, ...]:
    """What happened to the medicines of a record, by day; those without a day last.

    ``mentions`` are those of the record's notes, by id; ``read`` finds them in a coded entry.
    """
    found: list[MedicationEvent] = []
    listed: dict[str, MedicationEvent] = {}
    for note in record.notes:
        drugs = [each for each in mentions.get(note.id, ()) if is_drug(each)]
        parts = sections(note.text)
        said = [*_said(note, parts, drugs), *_under_lines(note, drugs)]
        now = _listed(note, parts, drugs)
        if now is not None:
            found += _changes(listed, now)
            listed = {each.drug: each for each in now[1]}
        found += said
        listed |= {each.drug: each for each in said if each.change == "started"}
    found += _of_entries(record.entries, read)
    found.sort(key=lambda each: (not each.day, each.day, each.note, each.start, each.drug))
    return tuple(_new(found))


def latest_list(
    record: Record, mentions: Mapping[str, Sequence[Mention]]
) -> tuple[MedicationEvent, list[MedicationEvent]] | None:
    """The first line and the items of the last list of medicines in a record; None where no note
    has a list.
    """
    for note in reversed(record.notes):
        drugs = [each for each in mentions.get(note.id, ()) if is_drug(each)]
        if (found := _listed(note, sections(note.text), drugs)) is not None:
            return found
    return None


def _new(events: Sequence[MedicationEvent]) -> Iterator[MedicationEvent]:
    """The events that change something, given in order."""
    doses: dict[str, str] = {}
    stopped: set[str] = set()
    for event in events:
        last = doses.get(event.drug)
        if event.change == "stopped":
            if event.drug not in stopped:
                yield event
            stopped.add(event.drug)
            doses.pop(event.drug, None)
        elif event.change == "planned":
            if last is None:
                yield event
        elif event.change != "listed":
            other = bool(event.dose and last and event.dose != last)
            if event.change == "started" and last is not None and other:
                yield replace(event, change="changed")
            elif last is None or other or (event.change == "changed" and not event.dose):
                yield event
            doses[event.drug] = event.dose or last or ""
            stopped.discard(event.drug)


def is_drug(mention: Mention) -> bool:
    """Return whether a mention may name a medicine: a type of its begins with "drug"."""
    named = mention.concept not in _NO_MEDICINE
    return named and any(kind.startswith("drug") for kind in mention.types)


def _said(
    note: Note, parts: Sequence[Section], drugs: Sequence[Mention]
) -> Iterator[MedicationEvent]:
    """What the sentences of a note say is done to each medicine."""
    text = note.text
    spans = _sentences(text) if drugs else []
    actions = _actions(text, drugs) if drugs else []
    for number, drug in enumerate(drugs):
        if drug.assertion == "family" or kind_at(parts, drug.start) in ("allergies", "medications"):
            continue
        place = max(bisect_right(spans, drug.start, key=lambda span: span[0]) - 1, 0)
        start = max(spans[place][0], drug.start - LONGEST)
        end = max(min(spans[place][1], drug.end + LONGEST), drug.end)
        change = _change(text, start, end, drug, actions)
        if change is not None:
            following = drugs[number + 1].start if number + 1 < len(drugs) else end
            dose = _dose(text, drug.end, min(following, end), 1)
            yield _event(note, drug.concept, change, dose, start, end, "said")


def _under_lines(note: Note, drugs: Sequence[Mention]) -> Iterator[MedicationEvent]:
    """The items of lists with a line over them that says what is done to all of them."""
    for match in _LEAD_IN.finditer(note.text):
        line = note.text.index("\n", match.start())
        action = _ACTION.search(note.text, match.start(), line)
        if action and not _NOT_DONE.search(note.text, match.start(), action.start()):
            change: Change = next(name for name, _ in _ACTIONS if action[name])
            if _PLANNED.search(note.text, match.start(), action.start()):
                change = "planned" if change == "started" else "listed"
            for item in _items(note, line, match.end(), drugs):
                yield replace(item, change=change, basis="said")


@dataclass(frozen=True, slots=True)
class _Action:
    """What words at [start, end) say is done; ``before`` where it is done to the medicine before
    them, not to one after.
    """

    start: int
    end: int
    change: Change
    before: bool


def _actions(text: str, drugs: Sequence[Mention]) -> list[_Action]:
    """The actions of a text that are done or planned, in order."""
    found = []
    ends = [drug.end for drug in drugs]
    for match in _ACTION.finditer(text):
        begin, end = match.span()
        low = max(begin - _BEFORE, text.rfind("\n", 0, begin) + 1, 0)
        if _NOT_DONE.search(text, low, begin):
            continue
        change: Change = next(name for name, _ in _ACTIONS if match[name])
        finite = not match.group().lower().endswith(_DONE)
        if (finite or text[:begin][-8:].rstrip().endswith((" be", " get"))) and _PLANNED.search(
            text, low, begin
        ):
            change = "planned" if change == "started" else "listed"
        last = bisect_right(ends, begin) - 1
        passive = last >= 0 and _PASSIVE.fullmatch(text, ends[last], begin)
        bare = last >= 0 and _AFTER.fullmatch(text, ends[last], begin) and not finite
        before = bool((passive and not _NEXT.match(text, end)) or (bare and _THEN.match(text, end)))
        found.append(_Action(begin, end, change, before))
    return found


def _change(
    text: str, start: int, end: int, drug: Mention, actions: Sequence[_Action]
) -> Change | None:
    """The action nearest to a medicine in its sentence: before it, or after it in the passive."""
    best: tuple[int, Change] | None = None
    low = bisect_left(actions, max(start, drug.start - 2 * _FAR), key=lambda each: each.start)
    for action in actions[low:]:
        if action.start > min(end, drug.end + 2 * _FAR):
            break
        change = action.change
        if action.end <= drug.start and not action.before:
            if _APART.search(text, action.end, drug.start):
                continue
            distance = drug.start - action.end
            if _FROM_TO.search(text[action.start : drug.start]):
                change = "started"
        elif action.start >= drug.end and action.before:
            if drug.end < action.start and not _of(text, drug, action):
                continue
            distance = action.start - drug.end
        else:
            continue
        if distance <= _FAR:
            best = min(best, (distance, change)) if best else (distance, change)
    return best[1] if best else None


def _of(text: str, drug: Mention, action: _Action) -> bool:
    """Return whether an action behind a medicine is done to it."""
    between = (text, drug.end, action.start)
    return bool(_PASSIVE.fullmatch(*between) or _AFTER.fullmatch(*between))


def _sentences(text: str) -> list[tuple[int, int]]:
    """The sentences [start, end) of a text, none over the end of a line."""
    spans, at = [], 0
    for line in text.split("\n"):
        spans += [(at + start, at + end) for start, end in sentence_spans(line)]
        at += len(line) + 1
    return spans or [(0, len(text))]


def _listed(
    note: Note, parts: Sequence[Section], drugs: Sequence[Mention]
) -> tuple[MedicationEvent, list[MedicationEvent]] | None:
    """The list under a note's headings of medications: its first line, and an event for each item;
    None where the note has no list.
    """
    lists = [part for part in parts if part.kind == "medications"]
    bodies = [(part, note.text[part.start : part.end].strip()) for part in lists]
    if not any(body for _, body in bodies):
        return None
    part, body = next((part, body) for part, body in bodies if body)
    first = body.split("\n")[0][:200]
    at = note.text.index(first, part.start)
    head = _event(note, "", "listed", "", at, at + len(first), "list")
    return head, [item for part in lists for item in _items(note, part.start, part.end, drugs)]


def _items(note: Note, start: int, end: int, drugs: Sequence[Mention]) -> Iterator[MedicationEvent]:
    """The medicines of a list: one an item, named by its concepts, or by its words where it has a
    dose or form.
    """
    stops = [match.span() for match in _STOP_LINES.finditer(note.text, start, end)]
    for match in _ITEM.finditer(note.text, start, end):
        at = match.end() - len(match.group().lstrip())
        if _NONE.match(match.group()) or any(low <= at < high for low, high in stops):
            continue
        low, high = (bisect_left(drugs, at, key=lambda each: each.start) for at in match.span())
        named = drugs[low:high]
        name = " / ".join(dict.fromkeys(each.concept for each in named))
        if not name and _FORM.search(match.group()):
            found = _NAME.search(match.group())
            name = key(found["name"]) if found else ""
        if name:
            begin = match.start() + len(match.group()) - len(match.group().lstrip(" -*•\t\n"))
            dose = _dose(note.text, begin, match.end(), 3)
            yield _event(note, name, "listed", dose, begin, match.end(), "list")


def _event(
    note: Note, drug: str, change: Change, dose: str, start: int, end: int, basis: Basis
) -> MedicationEvent:
    quote = note.text[start:end]
    return MedicationEvent(note.time[:10], drug, change, dose, note.id, start, end, quote, basis)


def _changes(
    before: Mapping[str, MedicationEvent], now: tuple[MedicationEvent, list[MedicationEvent]]
) -> Iterator[MedicationEvent]:
    """What a list says anew after the list before it."""
    head, items = now
    for item in items:
        last = before.get(item.drug)
        if last is None:
            yield replace(item, change="started")
        elif item.dose and item.dose != last.dose:
            yield replace(item, change="changed")
    for name in before.keys() - {item.drug for item in items}:
        yield replace(head, drug=name, change="stopped", dose=before[name].dose)


def _of_entries(
    entries: Sequence[CodedEntry], read: Callable[[str], Sequence[Mention]]
) -> Iterator[MedicationEvent]:
    """The starts and stops of coded prescriptions; the end of one is no stop while another of the
    medicine runs on.
    """
    events = [event for entry in entries for event in _coded(entry, read)]
    running: dict[str, str] = {}
    for begun, ended in events:
        if ended is None:
            running[begun.drug] = min(begun.day, running.get(begun.drug, begun.day))
    for begun, ended in events:
        yield begun
        if ended is not None and not running.get(begun.drug, "~") <= ended.day:
            yield ended


def _coded(
    entry: CodedEntry, read: Callable[[str], Sequence[Mention]]
) -> Iterator[tuple[MedicationEvent, MedicationEvent | None]]:
    """The start of a prescription, and its stop: without a day of its own at its start."""
    if entry.kind != "medication" or not holds(entry):
        return
    name = " / ".join(dict.fromkeys(each.concept for each in read(entry.text) if is_drug(each)))
    text, day = entry.text, entry.start[:10]
    dose = _dose(text, 0, len(text), 3)
    begun = MedicationEvent(day, name or text, "started", dose, "", 0, len(text), text, "coded")
    over = entry.end or entry.value.lower() in ("stopped", "completed", "on-hold")
    yield begun, replace(begun, day=entry.end[:10] or day, change="stopped") if over else None


def _dose(text: str, start: int, end: int, most: int) -> str:
    doses = [re.sub(r"\s+", " ", match.group()) for match in _DOSE.finditer(text, start, end)]
    return " / ".join(doses[:most])
