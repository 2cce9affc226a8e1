"""Which of two labels of a table is the intervention's arm and which the comparator's."""

from __future__ import annotations

from collections.abc import Mapping

from clinfo.evidence.arm_numbers.abbreviations import abbreviations
from clinfo.evidence.arm_numbers.labels import COMMON, label_words, same_words
from clinfo.retrieval.asked import Asked
from clinfo.retrieval.documents import Document
from clinfo.text.arms import Arms, arms, described_groups, is_control
from clinfo.text.regex import anycase, regex
from clinfo.text.terms import StemSet, fold, is_acronym

_TREATED = StemSet(
    "intervention experimental experiment treatment treated active study test case exp eg ig"
)
_UNTREATED = StemSet(
    "control placebo sham usual standard conventional routine untreated no non ctrl ctl con cg"
)
_AFTER, _BEFORE = StemSet("after post"), StemSet("before pre baseline")
_LABEL = anycase(r"\b(?:groups?|arms?)\s?[-–]?\s?([A-H]|I{1,3}|IV|\d)\b|^\W*([A-H]|I{1,3}|\d)\W*$")
_NO_ARM = anycase(
    r"^\W*p\b|\bp[\s-]?values?\b|\bdiff|\btotal\b|\boverall\b|^\W*all\b|\bratio\b|^\W*[tfz]\b|"
    r"\bscore\b.*\bz\b|\bz[\s-]score|\bCI\b|\beffect|\bcoefficient|β|χ|\bbetween\b|\bfollow|\bstatist|"
    r"\b(?:OR|RR|HR|MD)\b|\bchange|\b(?:weeks?|months?|days?|years?|hours?)\b|^\W*$"
)
"""What heads a column that is no arm's."""
_WORD = regex(r"[^\W_]+")
CERTAIN = 0.9
"""What a label of a group ("Group 2") counts where the text says that it received all of an arm."""
BY_ABSENCE = 0.5
"""What it counts where the text names an arm for the label by words that both arms share."""
BY_ELIMINATION = 0.35
"""What a pair counts of which one label names an arm and the other, the only other one, nothing."""


class ArmNaming:
    """The names of the two arms that a question asks for, in one document.

    Set ``over_time`` where the arms are the same people after and before an intervention.
    """

    def __init__(self, document: Document, asked: Asked) -> None:
        short = abbreviations(document)
        self.sides: Arms = arms(asked.intervention, asked.comparator, document.text, short)
        self.controlled = is_control(asked.comparator) and not is_control(asked.intervention)
        own, others = (_expanded(one, short) for one in (asked.intervention, asked.comparator))
        self._words = (own, others)
        self.over_time = False
        self._groups: dict[str, list[Mapping[str, float]]] = {}
        for block in document.blocks:
            for label, told in described_groups(document.text[block.start : block.end]):
                self._groups.setdefault(label, []).append(label_words(told))
        self._texts = (fold(asked.intervention), fold(asked.comparator))

    def pair(self, one: str, other: str) -> float:
        """How surely ``one`` names the intervention's arm and ``other`` the comparator's: 0 to 2.

        The words that both labels hold tell nothing, unless one label has no others.
        """
        first, second = dict(label_words(one)), dict(label_words(other))
        own, others = _without(first, second), _without(second, first)
        if not own or not others:
            own, others = (first, others) if others else (own, second)
        for_one, for_other = self._score(0, own, one), self._score(1, others, other)
        against = self._score(1, own, one), self._score(0, others, other)
        if for_one <= 0 and for_other <= 0:
            return 0.0
        if for_one <= 0 or for_other <= 0:
            unnamed = one if for_one <= 0 else other
            if _NO_ARM.search(unnamed) or max(against) > 0:
                return 0.0
            return BY_ELIMINATION * max(for_one, for_other)
        return max(0.0, for_one + for_other - 0.7 * sum(against))

    def names(self, label: str) -> bool:
        """Return whether a label names one of the two arms."""
        words = label_words(label)
        return any(self._score(side, words, label) > 0.3 for side in (0, 1))

    def side(self, label: str) -> int | None:
        """Return which arm a label or phrase names: 0 the intervention's, 1 the comparator's."""
        words = label_words(label)
        one, other = (self._score(side, words, label) for side in (0, 1))
        return None if abs(one - other) < 0.25 else int(other > one)

    def _score(self, side: int, words: Mapping[str, float], label: str) -> float:
        """How well words name an arm, from 0 to 1.3."""
        if self.over_time:
            return 0.5 * any(word in (_AFTER if side == 0 else _BEFORE) for word in words)
        arm, rest = self._words[side], self._words[1 - side]
        distinct = {word: counts for word, counts in arm.items() if word not in rest}
        labelled = _LABEL.search(label)
        told_so = 0.0
        key = (labelled[1] or labelled[2]).lower() if labelled else ""
        others = {word for word in rest if word not in arm}
        for described in self._groups.get(key, ()):
            own = sum(counts for word, counts in distinct.items() if word in described)
            whole = min(2.0, sum(distinct.values()) or 1.0)
            told_so = max(told_so, CERTAIN * min(1.0, own / whole))
            if not others & described.keys() and arm.keys() & described.keys():
                told_so = max(told_so, BY_ABSENCE)
        generic = _TREATED if side == 0 else _UNTREATED
        held = told = 0.0
        if side == 0 and any(word in _UNTREATED for word in words) and "no" not in arm:
            return told_so
        for word, counts in words.items():
            if any(one in arm for one in same_words(word)) or self._abbreviates(side, word, label):
                held += counts * (0.4 if word in rest else 1.0)
                told += counts * (word in arm and word not in rest)
            elif word in generic and (self.controlled or side == 0 or "control" in word):
                held += 0.9 * counts
        whole = sum(words.values())
        if not whole or not held:
            return told_so or self._initial(side, words)
        share = told / (sum(distinct.values()) or 1.0)
        by_words = held / whole * (0.75 + 0.25 * min(1.0, share)) + 0.05 * min(2.0, told)
        return max(told_so, by_words)

    def _abbreviates(self, side: int, word: str, label: str) -> bool:
        """Return whether a word of the label is short for the arm: "TPLU", "Dox"."""
        text = self._texts[side]
        if len(word) >= 3 and any(one.startswith(word) for one in _WORD.findall(text)):
            return True
        written = next((one for one in _WORD.findall(label) if fold(one) == word), "")
        if not is_acronym(written):
            return False
        at = -1
        starts = {match.start() for match in _WORD.finditer(text)}
        begun = 0
        for letter in fold(written):
            places = [place for place in range(at + 1, len(text)) if text[place] == letter]
            here = next((place for place in places if place in starts), None)
            at = here if here is not None else (places[0] if places and at >= 0 else -2)
            if at == -2:
                return False
            begun += here is not None
        return begun >= len(written) - (len(written) > 3)

    def _initial(self, side: int, words: Mapping[str, float]) -> float:
        """A lone letter that begins an arm's name ("I", "C")."""
        letter = next(iter(words), "")
        if len(words) != 1 or len(letter) != 1 or not letter.isalpha():
            return 0.0
        generic = ("intervention", "control")[side] if self.controlled else ""
        return 0.6 if letter in (self._texts[side][:1], generic[:1]) else 0.0


def _expanded(arm: str, short: Mapping[str, str]) -> dict[str, float]:
    """The words of an arm, with those of acronyms that stand for it."""
    found = dict(label_words(arm))
    for brief, long in short.items():
        own = {word for word, counts in label_words(long).items() if counts > COMMON}
        key = set(label_words(brief))
        if own and key and (own <= found.keys() or key <= found.keys()):
            found.update({**dict.fromkeys(own, 1.0), **dict.fromkeys(key, 1.0), **found})
    return found


def _without(words: Mapping[str, float], others: Mapping[str, float]) -> dict[str, float]:
    return {word: counts for word, counts in words.items() if word not in others}
