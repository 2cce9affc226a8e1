"""Cues of what is said of a mention: negated, of another person, past or only thought of.

Cues and the reach of each stand in ``assertion_cues.tsv``; a cue reaches to the end of its sentence
or to words that end it, as in NegEx (Chapman 2001) and ConText (Harkema 2009). Of the cues that
reach a mention another person counts first unless a negation is as near ("mother: no gout"), then
of negation and doubt the nearer, then the past.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal

from clinfo.patients.mentions import Assertion, Mention
from clinfo.patients.sections import sentence_at
from clinfo.text.lexicon import read_rows

CUES = Path(__file__).with_name("assertion_cues.tsv")
_FAR = 1000
NEAREST = 16
"""Cues on either side of a mention that are looked at, ends among them."""
_BEHIND = 8
"""Characters before a sentence that its patterns look back at, at most."""
_KEPT = 3_000
"""Characters of a sentence up to which its cues are kept for the next time."""
_OF_VALUES = frozenset(("aim", "family", "skip"))


@dataclass(frozen=True, slots=True)
class CueKind:
    """A class of cue and its reach in words, forward and backward (0: none)."""

    name: str
    ends: tuple[str, ...]
    forward: int
    backward: int
    to_comma: bool


@dataclass(frozen=True, slots=True)
class Cue:
    """A cue at [start, end) of a text."""

    kind: CueKind
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Bearing:
    """The way a cue lies to a mention: words and commas between, and whether it reaches it."""

    name: str
    words: int
    commas: int
    reaches: bool


class SentenceCues:
    """The cues of [start, end) of a text and what lies between them."""

    def __init__(self, text: str, start: int, end: int, of_values: bool = False) -> None:
        self._text = text
        self.cues = sorted(cues_of(text, start, end, of_values), key=lambda cue: cue.start)
        self._starts = [cue.start for cue in self.cues]
        self._ends: dict[str, list[int]] = {}
        for cue in self.cues:
            for name in cue.kind.ends:
                self._ends.setdefault(name, []).append(cue.start)

    def bearings(self, mention: Mention) -> list[Bearing]:
        """The bearings of the `NEAREST` cues on each side; those within it are left out."""
        found = []
        at, past = (bisect_left(self._starts, place) for place in (mention.start, mention.end))
        for cue in self.cues[max(at - NEAREST, 0) : at] + self.cues[past : past + NEAREST]:
            within = (
                mention.start < cue.end and cue.start < mention.start
            )  # "no ulcers or signs of"
            if within and cue.kind.name != "negated":
                continue
            forward = cue.start < mention.start
            reach = cue.kind.forward if forward else cue.kind.backward
            between = (cue.end, mention.start) if forward else (mention.end, cue.start)
            start, end = between
            ends = self._ends.get(cue.kind.name if forward else "<", ())
            stopped = start < end and bisect_left(ends, start) < bisect_left(ends, end)
            words, commas = len(self._text[start:end].split()), self._text.count(",", start, end)
            reaches = not stopped and words < reach and not (cue.kind.to_comma and commas)
            found.append(Bearing(cue.kind.name, words, commas, reaches))
        return found


def ruled(lying: Sequence[Bearing]) -> Assertion:
    """Return what the cues alone say of a mention."""
    distances: dict[str, int] = {}
    for each in lying:
        if each.reaches:
            distances[each.name] = min(each.words, distances.get(each.name, _FAR))
    if distances.get("family", _FAR) < distances.get("negated", _FAR):
        return "family"
    if "negated" in distances or "uncertain" in distances:
        doubted = distances.get("uncertain", _FAR) < distances.get("negated", _FAR)
        return "uncertain" if doubted else "negated"
    return "history" if "history" in distances else "present"


def said_of_value(text: str, start: int, end: int) -> Literal["", "family", "aim"]:
    """What cues say of a value that a text states at [start, end): that it is another person's, or
    aimed at, a limit or a condition ("target HbA1c 7 %"), not measured.
    """
    cues = SentenceCues(text, *sentence_at(text, start), of_values=True)
    near = [one for one in cues.bearings(Mention(start, end, "", "", ())) if one.reaches]
    said = {one.name for one in near if one.name == "aim" or not one.commas}
    return "aim" if "aim" in said else "family" if "family" in said else ""


def cues_of(text: str, start: int, end: int, of_values: bool = False) -> list[Cue]:
    """The cues of one sentence: of those that overlap the first and longest, and the ends that do
    not begin within a cue; what only looks like a cue is left out.
    """
    first = max(0, start - _BEHIND)
    found = _kept_cues if end - start <= _KEPT else _cues_of
    return [
        Cue(kind, first + begin, first + past)
        for kind, begin, past in found(text[first:end], start - first, of_values)
    ]


def _cues_of(text: str, start: int, of_values: bool) -> tuple[tuple[CueKind, int, int], ...]:
    matches = [
        Cue(kind, *match.span())
        for kind, words in _table(of_values)
        for match in words.finditer(text, start)
    ]
    found: list[Cue] = []
    covered: set[int] = set()
    for cue in sorted(matches, key=lambda cue: (cue.kind.name == "end", cue.start, -cue.end)):
        ends = cue.kind.name == "end"
        if cue.start not in covered if ends else not found or cue.start >= found[-1].end:
            found.append(cue)
            covered.update(() if ends else range(cue.start + 1, cue.end))
    return tuple((cue.kind, cue.start, cue.end) for cue in found if cue.kind.name != "skip")


_kept_cues = lru_cache(4_000)(_cues_of)  # notes copy each other's sentences


@lru_cache(10_000)
def is_kin(word: str) -> bool:
    """Return whether a word names a person other than the patient."""
    return _kin()[1].fullmatch(word) is not None


@cache
def _kin() -> tuple[str, re.Pattern[str]]:
    kin = next(pattern for name, _, pattern in read_rows(CUES, 3) if name == "kin")
    return kin, re.compile(_spaced(kin), re.IGNORECASE)


@cache
def _table(of_values: bool) -> tuple[tuple[CueKind, re.Pattern[str]], ...]:
    """Each kind of cue of values, or of what else is named, with its words, which neither begin nor
    end within a word.
    """
    patterns = []
    for name, reach, pattern in read_rows(CUES, 3):
        ends = tuple(reach.split()) if name == "end" else ()
        of = {*(ends or (name,))}
        if name == "kin" or not (of & _OF_VALUES if of_values else of - {"aim"}):
            continue
        most = int("".join(filter(str.isdigit, reach)) or _FAR)
        forward, backward = (most * (sign in reach and not ends) for sign in "><")
        kind = CueKind(name, ends, forward, backward, "," in reach)
        source = _spaced(pattern.replace("{kin}", f"(?:{_kin()[0]})"))
        edge = r"(?:(?<!\w)|(?!\w))"
        patterns.append((kind, re.compile(f"{edge}(?:{source}){edge}", re.IGNORECASE)))
    return tuple(patterns)


def _spaced(pattern: str) -> str:
    return pattern.replace(" ?", r"\s*").replace(" ", r"\s+")
