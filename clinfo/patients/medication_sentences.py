"""What sentences say is done to medicines: "started on", "increased to", "stop aspirin"."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clinfo.patients.medication_events import Change, MedicationEvent, doses_in, event_of
from clinfo.patients.mentions import Mention
from clinfo.patients.records import Note
from clinfo.patients.sections import LONGEST, Section, kind_at
from clinfo.text.regex import anycase
from clinfo.text.sentences import sentence_spans

_ACTIONS: tuple[tuple[Change, str], ...] = (
    (
        "started",
        r"(?:re-?)?start(?:ed|ing)?|resum(?:e|ed|ing)|initiat(?:e|ed|ing)|beg[aiu]n|commenced?|"
        r"prescrib(?:e|ed|ing)|add(?:ed|ing)?|placed on|put on|switch(?:ed)? to|changed to|"
        r"given a prescription for|trial of|loaded with",
    ),
    (
        "stopped",
        r"(?:stop(?:ped|ping)?|quit)(?: taking| using)?|discontinu(?:e|ed|ing)|d/?c['’]?e?d|"
        r"(?:held|hold(?:ing)?)(?![^.;\n]{0,60}\bre(?:sum|-?start)\w)|"
        r"withdr[ae]wn?|taken off|came off|wean(?:ed)?(?: \w+self)? off|"
        r"no longer (?:on|tak(?:es|ing))|ceased|completed|"
        r"(?:switched|changed|converted)(?: (?:her|him|them|the patient))? from|"
        r"(?:switched|changed|converted) (?:her|his|their)",
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
_NOT_YET = anycase(
    r"\b(?:(?:has|have|had|was|were|did|is) not|never|(?:has|have|had|was|did|is)n['’]t)"
    r"(?: (?:yet|actually|been))* (?:start|fill|pick|tak|t[oa]ok|begun|begin|tri|us|resum)\w*"
)
"""What a sentence says of a medicine that was ordered and not begun."""
_NOUN = anycase(r"\b(?:an?|the|any|no|further|every|dose)\s\Z")
"""What stands before "an increase", "the start"."""
_ORDERS = frozenset(
    {
        "add", "adjust", "begin", "commence", "decrease", "discontinue", "hold", "increase",
        "initiate", "lower", "prescribe", "raise", "re-start", "reduce", "restart", "resume",
        "start", "stop", "stop taking", "stop using", "switch to", "titrate", "uptitrate",
        "withdraw",
    }
)  # fmt: skip
"""Actions in the form that orders: "Start metformin.", "we will increase it and add Lasix"."""
PLANNED: dict[Change, Change] = {
    "started": "planned",
    "changed": "planned change",
    "stopped": "planned stop",
    "listed": "listed",
}
_PLANNED = anycase(
    r"\b(?:will|shall|should|going to|to be|plan(?:s|ned|ning)?(?: is)?(?: to| for|:)|"
    r"(?:recommend|advis|suggest|propos|intend)\w*)[^.;,]{0,30}\Z"
)
_BEFORE = 80
"""Characters before an action in which words that deny or plan it stand."""
_PASSIVE = anycase(r"[^.;,]{0,60}?\b(?:was|were|is|been|be)\s(?:also\s|then\s)?\Z")
_AFTER = anycase(
    r"(?:\s\(?\d[\d.,/ ]*(?:mg|mcg|µg|g|units?|ml|%)?\)?)?(?:\s(?:daily|po|bid|qd))?\s\Z"
)
_THEN = anycase(
    r"\s*(?:[.;,)\n]|\Z|(?:today|yesterday|on|by|in|due|because|last|this|after|at|since|for|and|"
    r"per|prior|before|given|secondary)\b|\d)"
)
"""What follows the action of "aspirin 81 mg started today", which is of the medicine before it."""
_NEXT = anycase(r"\s+(?:on|with|to|from)\b(?!\s+\d)")
_APART = anycase(r";|\.\s|\b(?:and|but|then) (?:to )?(?:use|take)\b")
_FROM_TO = anycase(r"(?:from|switched|changed|converted)\b.*\bto\b\s*(?:the\s)?\Z")
_DONE = ("ed", "held", "begun", "'d", "’d", "dc", "d/c")
"""Ends of actions that are done, unlike "start" and "starting"."""
_FAR = 60
"""Characters within which an action belongs to a medicine."""


@dataclass(frozen=True, slots=True)
class _Action:
    """What words at [start, end) say is done; ``before`` where it is done to the medicine before
    them, not to one after.
    """

    start: int
    end: int
    change: Change
    before: bool


def said(
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
            if change == "started" and _NOT_YET.search(text, drug.end, end):
                change = PLANNED[change]
            following = drugs[number + 1].start if number + 1 < len(drugs) else end
            dose = doses_in(text, drug.end, min(following, end), 1)
            yield event_of(note, drug.concept, change, dose, start, end, "said")


def change_over_list(text: str, start: int, end: int) -> Change | None:
    """What the line text[start:end] over a list says is done to all of its items."""
    action = _ACTION.search(text, start, end)
    if action is None or _NOT_DONE.search(text, start, action.start()):
        return None
    change = _named(action)
    return PLANNED[change] if _PLANNED.search(text, start, action.start()) else change


def _named(action: object) -> Change:
    return next(name for name, _ in _ACTIONS if action[name])  # type: ignore[index]


def _actions(text: str, drugs: Sequence[Mention]) -> list[_Action]:
    """The actions of a text that are done or planned, in order."""
    found = []
    ends = [drug.end for drug in drugs]
    for match in _ACTION.finditer(text):
        begin, end = match.span()
        low = max(begin - _BEFORE, text.rfind("\n", 0, begin) + 1, 0)
        words = match.group().lower()
        if _NOT_DONE.search(text, low, begin):
            continue
        ordered = words in _ORDERS
        if ordered and _NOUN.search(text, low, begin):
            continue
        change = _named(match)
        finite = not words.endswith(_DONE)
        if ordered or (
            (finite or text[:begin][-8:].rstrip().endswith((" be", " get")))
            and _PLANNED.search(text, low, begin)
        ):
            change = PLANNED[change]
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
