"""Direction and negation: whether an article says of a claim's matter the opposite of what the claim says.

Two looks. Where claim and passage share their words in the same order, the words in which they differ tell: an antonym, a
negator put in or left out, both only where their number is odd ("did not increase" is no contradiction of "decreased").
Where they are worded apart, words of effect are compared by what stands around them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from clinfo.text.claim_alignment import Alignment, Edit, Reading, Source
from clinfo.text.claim_effects import Effect, opposite
from clinfo.text.claim_words import NOT, THAN, Token
from clinfo.text.polarity import inside, negated_spans
from clinfo.text.terms import fold

NEAR = 3
"""Equal words around an edit from which it is taken for a change of the sentence, not for another wording."""
SHORT_VERBATIM = 0.65
"""Share of a claim's words in the source's order from which one word fewer will do: the claim is short."""
SHORT = 3
"""Words of a claim up to which one equal word beside an antonym will do."""
LONGEST_EDIT = 5
REACH = 6
"""Telling words on either side of a word of effect that are read as its matter."""
LEAST_SHARED = 2
"""Telling words that two words of effect must have around them in common to be compared."""
LEAST_LIKENESS = 0.7
LEAST_VERBATIM = 0.6
"""Share of a claim's words in the source's order from which an edit is read as a change of the same sentence."""

_BREAK = re.compile(
    r"[;:]|,\s(?:and|but|while|whereas|although|though|which|with)\b|\b(?:but|however|whereas|although|though|while)\b"
)
_NOUNS = frozenset(
    ["effect", "effects", "change", "changes", "association", "associations", "relationship", "relationships", "impact", "related"]
)
"""Words that tell of a link only where they are denied: "the effect on pain" says nothing yet."""
_GOOD = re.compile(
    r"(?:surviv|function|qualit|adheren|complian|respon|remission|success|recover|satisf|cure|heal|sensitiv|accura|specific|"
    r"knowledge|performan|strength|wellb|mobil|capacit|toleran|tolerab|surg? success|efficac|fitness|patency|fertil)"
)
_BAD = re.compile(
    r"(?:mortal|death|died|fatal|pain|risk|infect|complic|advers|symptom|fail|relaps|recurr|bleed|haemorr|hemorr|stroke|infarct|"
    r"hospitali|readmi|depress|anxi|disab|fatigue|nause|vomit|morbid|toxic|burden|injur|fractur|dropout|withdraw|distress|"
    r"inflamm|ulcer|thrombo|sepsis|delirium|falls|error|cost|sever|mortality|disease|headache|seizure|exacerb|attack)"
)


@dataclass(frozen=True)
class Clash:
    """What the claim says and what the source says instead, in their words."""

    claim: str
    source: str
    start: int
    end: int
    """Where the source's words stand in its text; -1 where unknown."""
    likeness: float = 1.0
    """How much of what the claim's word speaks of the source's speaks of, 0 to 1."""


@dataclass(frozen=True)
class Event:
    """A word of effect in its clause: whether it is negated, the weighted words around it, and the arms of its comparison."""

    word: str
    start: int
    effect: Effect
    negated: bool
    matter: tuple[tuple[str, float], ...]
    good: int
    """1 where what it speaks of is wanted (survival), -1 where it is not (mortality), 0 where that is unknown."""
    left: frozenset[str]
    right: frozenset[str]


def changed(claim: str, alignment: Alignment, reading: Reading) -> Clash | None:
    """The change of direction or negation that makes the closest passages into the claim, where they share their wording."""
    if alignment.verbatim < LEAST_VERBATIM and len(alignment.claim) > SHORT:
        return None
    for edit in alignment.edits:
        if len(edit.claim) > LONGEST_EDIT or len(edit.source) > LONGEST_EDIT or not _anchored(edit, alignment):
            continue
        clash = _flip(edit)
        if clash is not None and not _denied_too(edit, reading) and not _turned(claim, clash, alignment):
            return clash
    return None


def _turned(claim: str, clash: Clash, alignment: Alignment) -> bool:
    """Whether the clash is one comparison seen from its other side: "A above B", "B below A"."""
    mine = [event for event in events(claim, alignment.claim) if event.word == clash.claim]
    theirs = [
        event
        for source in alignment.sources
        for event in events_of(source)
        if (event.word, event.start) == (clash.source, clash.start)
    ]
    return any(_arms_turned(event, other) for event in mine for other in theirs)


def turned_round(claim: str, alignment: Alignment) -> bool:
    """Whether the claim tells a comparison of the closest passages from its other side."""
    theirs = [event for source in alignment.sources for event in events_of(source)]
    return any(
        event.effect.axis == other.effect.axis and event.effect.sign == -other.effect.sign and _arms_turned(event, other)
        for event in events(claim, alignment.claim)
        for other in theirs
    )


def _denied_too(edit: Edit, reading: Reading) -> bool:
    """Whether the article denies elsewhere, word by word, what the edit denies: the claim joins that sentence to another."""
    keys = [*(token.key for token in edit.claim), edit.following]
    if NOT not in keys[:-1]:
        return False
    after = keys[keys.index(NOT) + 1]
    return any(
        one.key == NOT and other.key == after
        for source in reading.sources
        for one, other in zip(source.tokens, source.tokens[1:], strict=False)
    )


def _anchored(edit: Edit, alignment: Alignment) -> bool:
    if len(alignment.claim) <= SHORT and len(edit.claim) == len(edit.source) == 1 and edit.before + edit.after:
        return True
    return edit.before + edit.after >= NEAR or (alignment.verbatim >= SHORT_VERBATIM and edit.before + edit.after >= 2)


def _flip(edit: Edit) -> Clash | None:
    denied = sum(token.key == NOT for token in edit.claim)
    denied_there = sum(token.key == NOT for token in edit.source)
    pairs = [
        (said, there)
        for said in edit.claim
        for there in edit.source
        if said.key not in (NOT, THAN) and opposite(fold(said.text), fold(there.text))
    ]
    if (denied + denied_there + min(1, len(pairs))) % 2 == 0:
        return None
    if pairs:
        said, there = pairs[0]
        return Clash(said.text, there.text, there.start, there.end)
    if denied and (edit.after or not edit.source):
        word = next(token for token in edit.claim if token.key == NOT)
        return Clash(f"“{word.text}”", "", -1, -1)
    if denied_there and (edit.after and (edit.before or not edit.claim)):
        word = next(token for token in edit.source if token.key == NOT)
        return Clash("", word.text, word.start, word.end)
    return None


def opposed(claim: str, alignment: Alignment, reading: Reading) -> Clash | None:
    """A word of effect in the claim whose matter the article tells of only with the opposite effect."""
    said = events(claim, alignment.claim)
    for event in said:
        if any(clash(event, other) and other is not event for other in said):
            continue
        best_clash, best_fit, there = 0.0, 0.0, None
        matter = {key for key, _ in event.matter}
        for source in reading.sources:
            if len(matter & source.keys) < LEAST_SHARED:
                continue
            for other in events_of(source):
                alikeness = _likeness(event, other)
                if alikeness <= 0:
                    continue
                verdict = clash(event, other)
                if verdict is True and alikeness > best_clash:
                    best_clash, there = alikeness, other
                elif verdict is False:
                    best_fit = max(best_fit, alikeness)
        if there is not None and best_clash >= LEAST_LIKENESS and best_clash > best_fit + 0.1:
            return Clash(_said(event), _said(there), -1, -1, best_clash)
    return None


def _said(event: Event) -> str:
    return f"not {event.word}" if event.negated else event.word


@lru_cache(maxsize=8192)
def events_of(source: Source) -> tuple[Event, ...]:
    """The words of effect of a passage with what they speak of."""
    return events(source.text, source.tokens)


def events(text: str, words: tuple[Token, ...]) -> tuple[Event, ...]:
    """The words of effect of a text with what they speak of."""
    return tuple(_found_events(text, words)) if any(token.effect is not None for token in words) else ()


def _found_events(text: str, words: tuple[Token, ...]) -> Iterator[Event]:
    spans = negated_spans(text)
    breaks = [match.start() for match in _BREAK.finditer(text)]
    clause = [bisect_right(breaks, token.start) for token in words]
    for place, token in enumerate(words):
        if token.effect is None:
            continue
        negated = inside(token.start, spans)
        if token.effect.axis == "link" and not negated and fold(token.text) in _NOUNS:
            continue
        around = [
            (abs(other - place), words[other])
            for other in range(max(0, place - REACH), min(len(words), place + REACH + 1))
            if other != place and clause[other] == clause[place] and words[other].weight > 0
        ]
        matter: dict[str, float] = {}
        for _, other in around:
            matter[other.key] = other.weight
        than = next(
            (other for other in range(place + 1, len(words)) if words[other].key == THAN and clause[other] == clause[place]), None
        )
        left = frozenset(
            words[i].key
            for i in range(place if than is None else than)
            if i != place and clause[i] == clause[place] and words[i].weight >= 0.4
        )
        right = (
            frozenset(words[i].key for i in range(than, len(words)) if clause[i] == clause[place] and words[i].weight >= 0.4)
            if than is not None
            else frozenset()
        )
        good = 0
        for _, other in sorted(around, key=lambda pair: pair[0]):
            lower = other.text.lower()
            good = 1 if _GOOD.match(lower) else -1 if _BAD.match(lower) else 0
            if good:
                break
        yield Event(token.text, token.start, token.effect, negated, tuple(matter.items()), good, left, right)


def _likeness(event: Event, other: Event) -> float:
    """How much of what the event speaks of the other speaks of, 0 to 1; 0 where the shared words tell too little."""
    wanted, there = dict(event.matter), dict(other.matter)
    shared = [value for key, value in wanted.items() if key in there]
    if sum(value >= 0.4 for value in shared) < LEAST_SHARED:
        return 0.0
    return sum(shared) / sum(wanted.values())


def clash(event: Event, other: Event) -> bool | None:
    """Whether two events of one matter exclude each other; None where they cannot be compared."""
    mine, theirs = event.effect, other.effect
    if mine.axis in ("difference", "link") and theirs.axis in ("difference", "link"):
        return _plain(event) != _plain(other) if mine.axis == theirs.axis or -1 in (_plain(event), _plain(other)) else None
    if mine.axis in ("difference", "link"):
        return True if _plain(event) < 0 and not other.negated else None
    if theirs.axis in ("difference", "link"):
        return True if _plain(other) < 0 and not event.negated else None
    sign = theirs.sign
    if mine.axis == theirs.axis == "amount":
        if event.good * other.good < 0:
            sign = -sign
    elif mine.axis != theirs.axis:
        good = event.good if mine.axis == "amount" else other.good
        if good == 0 or (event.good and other.good and event.good != other.good and mine.axis == "amount"):
            return None
        sign = sign * good
    if _arms_turned(event, other):
        sign = -sign
    if event.negated and other.negated:
        return False
    if event.negated or other.negated:
        return mine.sign == sign
    return mine.sign != sign


def _arms_turned(event: Event, other: Event) -> bool:
    """Whether what stands before the comparison in one event stands after it in the other: "A above B", "B below A"."""
    mine, against = event.left - event.right, event.right - event.left
    theirs, opponent = other.left - other.right, other.right - other.left
    return bool((mine - theirs) & opponent and against & (theirs - mine))


def _plain(event: Event) -> int:
    return -event.effect.sign if event.negated else event.effect.sign
