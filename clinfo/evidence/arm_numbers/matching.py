"""How well what a table or sentence reports is what the question asks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from clinfo.evidence.arm_numbers.labels import label_words, same_words
from clinfo.evidence.arm_numbers.roles import without_roles
from clinfo.text.regex import anycase, regex
from clinfo.text.terms import StemSet, acronyms, fold

_BASELINE = anycase(
    r"\bbaseline\b|\bpre-?(?:\s?(?:test|treatment|intervention|operative|training))?\b|\bbefore\b|"
    r"\binitial\b|\b(?:day|week|month|visit|time|T)\s?0\b"
)
_AT_ENTRY = anycase(
    r"(?<!from )(?<!and )(?<!to )(?<!with )(?<!versus )\bbaseline\b"
    r"(?!\s?(?:and|to|,|/|versus|vs|through))|\bdemographic"
)
_CHARACTERISTICS = anycase(r"\bcharacteristics\b")
AT_BASELINE = -1.0
"""How a value at baseline suits an outcome (`OutcomeMatching.time_fits`)."""
_CHANGED = anycase(r"\bchange|[-–−]\s?baseline|\bfrom\sbaseline")
TIME = anycase(
    r"(?P<n>\d+(?:\.\d+)?)(?:st|nd|rd|th)?[\s-]*(?P<unit>h(?:ours?|rs?)?|days?|d|weeks?|wks?|w|"
    r"months?|mo|years?|yrs?|minutes?|min)\b|"
    r"\b(?P<unit2>hour|day|week|month|year)s?\s?(?P<n2>\d+(?:\.\d+)?)"
)
_UNITS = {"m": 1 / 1440, "h": 1 / 24, "d": 1.0, "w": 7.0, "mo": 30.4, "y": 365.0}
_AFTER = anycase(
    r"\b(?:weeks?|months?|days?)\s?[1-9]|[1-9]\d*\s?-?(?:weeks?|months?)|\bpost\b|\bpost-?(?:test|treatment|intervention)\b|\bafter\b|\bfinal\b|\bend\b|\bfollow"
)
_WORD = regex(r"[^\W_]+")
_CAPITALS = regex(r"\b[A-Z]{2,6}\b")
_BRACKETS = regex(r"[(\[][^()\[\]]*[)\]]")
_UNIT_WORDS = StemSet(
    "minutes min hours days weeks months years times sessions kg mg mm cm ml score"
)
_ACRONYM = regex(r"\b(?=[\w-]*[A-Z][\w-]*[A-Z0-9])[A-Za-z0-9]{2,10}\b")
NAMED = 1.5
"""What an acronym counts, which tells one outcome from the next."""
EXTRA, IN_LABELS, IN_PROSE = 0.12, 4.0, 2.0
"""What a word that is not asked for takes away, and how many of them count."""
UNKNOWN = 0.35
"""What a word of the outcome counts that no label of the paper holds."""
ROW, OVER, CAPTION, NOTES = 1.0, 0.8, 0.55, 0.3
"""What a word of the outcome counts where a row or its column names it, where a heading does, where
the table's caption does, where its notes do."""


class OutcomeMatching:
    """An asked outcome, compared with labels of one document."""

    def __init__(
        self,
        outcome: str,
        short: Mapping[str, str],
        arms: Iterable[str],
        labels: Iterable[str],
    ) -> None:
        self.text = outcome
        self._short = {**short, **acronyms(outcome)}
        timeless = label_words(without_roles(TIME.sub(" ", outcome)))
        self.asked = dict(timeless or label_words(outcome))
        own_short = acronyms(outcome)
        for brief in own_short:
            for word in label_words(brief):
                self.asked.pop(word, None)
        named = {fold(one) for one in _ACRONYM.findall(outcome) if one not in own_short}
        self._named = frozenset(word for one in named for word in label_words(one.upper()))
        self.asked.update((word, NAMED) for word in self.asked if word in self._named)
        self._whole = dict(self.asked)
        self._initials = "".join(
            word[0] if label_words(word) else " " for word in _WORD.findall(fold(outcome))
        )
        self.baseline_asked = _BASELINE.search(outcome) is not None
        self.time = told_time(outcome)
        known = {word for label in labels for word in self.words_of(label)}
        for word in self.asked:
            if not same_words(word) & known and not _alike(word, dict.fromkeys(known, 1.0)):
                self.asked[word] *= 1.0 if word in self._named else UNKNOWN
        self._arm_words = frozenset(word for arm in arms for word in label_words(arm))

    def words_of(self, text: str) -> Mapping[str, float]:
        """The words of a label, with those of the acronyms it holds and that stand for it."""
        found = dict(label_words(without_roles(text) or text))
        for brief, long in self._short.items():
            key = label_words(brief).keys()
            if key and key <= found.keys() and re.search(rf"\b{re.escape(brief)}", text):
                found.update({word: 0.5 for word in label_words(long) if word not in found})
            elif (own := label_words(long).keys()) and len(own) > 1 and own <= found.keys():
                found.update({word: 0.5 for word in key if word not in found})
        for brief in _CAPITALS.findall(text):
            if (at := self._initials.find(fold(brief))) >= 0:
                asked = _WORD.findall(fold(self.text))[at : at + len(brief)]
                found.update({word: 0.5 for one in asked for word in label_words(one)})
        return found

    def score(
        self,
        label: str,
        condition: str,
        heading: str,
        caption: str,
        notes: str,
        prose: bool = False,
    ) -> tuple[float, float]:
        """How well labels name the asked outcome: about 1 where they do and name nothing else,
        0 or below where they do not. Then the share of the outcome's words that they hold. In
        ``prose`` other words tell little.
        """
        row = {**self.words_of(condition), **self.words_of(label)}
        places = ((ROW, row), (OVER, self.words_of(heading)), (CAPTION, self.words_of(caption)),
                  (NOTES, label_words(notes)))  # fmt: skip
        held = whole = covered = 0.0
        used: set[str] = set()
        for word, counts in self.asked.items():
            counts *= 0.4 if word in self._arm_words else 1.0
            whole += counts
            for worth, words in places:
                if found := (same_words(word) & words.keys()) or _alike(word, words):
                    held += counts * worth
                    covered += self._whole[word] * worth
                    used |= set(found)
                    break
        plain = label_words(_BRACKETS.sub(" ", f"{condition} {label}")).keys() - _UNIT_WORDS
        extra = sum(
            counts for word, counts in row.items()
            if word not in used and word not in self._arm_words and counts > 0.4
            and not word[0].isdigit() and word in plain
        )  # fmt: skip
        extra += 0.5 * sum(
            counts for word, counts in places[1][1].items()
            if word not in used and counts > 0.5 and not word[0].isdigit()
        )  # fmt: skip
        share = covered / (sum(self._whole.values()) or 1.0)
        extra = min(extra, IN_PROSE if prose else IN_LABELS)
        return (held - EXTRA * extra) / (whole or 1.0), share

    def time_fits(self, told: str, caption: str) -> float:
        """How well a time that labels and a caption tell suits: the asked one best, baseline not
        at all; from -1 to 0.5.
        """
        time = told_time(told)
        if self.time is not None:
            return 0.5 if time == self.time else (0.0 if time is None else -0.4)
        if self.baseline_asked:
            return 0.0
        if _BASELINE.search(told) and not _AFTER.search(told) and not _CHANGED.search(told):
            return AT_BASELINE
        if _AFTER.search(caption) or _CHANGED.search(caption):
            return 0.0
        if _AT_ENTRY.search(caption):
            return AT_BASELINE
        return -0.3 if _CHARACTERISTICS.search(caption) else 0.0


def told_time(text: str) -> float | None:
    """The last time that a text names, in days; None where it names none."""
    times = [
        float(found["n"] or found["n2"]) * _UNITS[_unit((found["unit"] or found["unit2"]).lower())]
        for found in TIME.finditer(text)
    ]
    return times[-1] if times else None


def _unit(written: str) -> str:
    if written.startswith("mo"):
        return "mo"
    return written[0]


def _alike(word: str, words: Mapping[str, float]) -> set[str]:
    """The words that begin as a word of five letters or more does, or it as they do."""
    if len(word) < 5:
        return set()
    return {
        one for one in words if len(one) >= 5 and (one.startswith(word) or word.startswith(one))
    }
