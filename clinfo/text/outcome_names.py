"""Naming an outcome: how much of an outcome's wording stands in a sentence of an article, and at
which words.

Each word weighs what it tells (`clinfo.text.terms.weight`), more where few sentences of the article
hold it, less where it also names an arm or does not appear in the article: the outcome is then
written otherwise there. Acronyms stand for their long forms, a word for others with the same
beginning, and some measures for what they measure.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from clinfo.text.arms import Arms, tokens
from clinfo.text.lexicon import either
from clinfo.text.regex import anycase, regex
from clinfo.text.terms import FUNCTION_WORDS, StemSet, acronyms, fold, stem, weight

ABSENT = 0.4
"""Factor for the weight of a word that does not appear in the article."""
_BEGINNING = 6
"""Letters by which two words are taken for forms of one."""
_WORD = regex(r"[^\W_]+(?:['’][^\W\d_]+)?")
_BRACKETS = regex(r"[(\[][^()\[\]]{0,80}[)\]]")
_FALL = anycase(rf"\b(?:{either('falling', 'outcome')}|loss(?!\sof\sblood))\b")
_SAME_OUTCOMES = tuple(
    StemSet(group)
    for group in (
        "pain vas analgesia analgesic",
        "adverse side safety tolerability tolerated tolerance harms",
        "mortality death deaths died survival",
        "qol quality",
        "hba1c glycated glycosylated haemoglobin",
        "glucose glycaemic glycemia",
        "bleeding haemorrhage hemorrhage",
        "nausea vomiting ponv emesis emetic",
        "duration time length period",
        "stay hospitalisation hospitalization hospital",
        "cholesterol lipid lipids ldl hdl",
        "depression depressive",
        "satisfaction satisfied",
        "adherence compliance",
        "remission response responders",
        "weight bmi",
        "cognition cognitive",
        "walking walked gait",
        "knowledge",
        "score scale index",
        "complication complications",
        "infection infections infected",
    )
)

_SAME_THINGS = tuple(
    StemSet(group)
    for group in (
        "mortality death deaths died",
        "hba1c glycated glycosylated haemoglobin",
        "bleeding haemorrhage hemorrhage",
        "stay hospitalisation hospitalization",
        "depression depressive",
        "infection infections infected",
        "complication complications",
    )
)
"""Those of them that are one thing."""
_SAYS_LITTLE = StemSet(
    "mean median average total overall rate rates incidence frequency level levels score scores "
    "value values number "
    "proportion percentage estimated change changes amount"
)
"""Words of outcomes that a result may leave out."""


class OutcomeName:
    """An outcome's words with their weights in one article, and where sentences name them."""

    def __init__(
        self,
        outcome: str,
        sentences: Sequence[str],
        expansions: Mapping[str, str],
        sides: Arms,
        loosely: bool = True,
    ) -> None:
        """``loosely`` takes what is measured alike for the outcome too, such as remission for
        response.
        """
        self.is_fall = _FALL.search(outcome) is not None
        written = {
            stem(fold(word)): weight(word) for word in _WORD.findall(outcome) if _counts(word)
        }
        if not loosely and set(written) - _SAYS_LITTLE:
            written = {word: value for word, value in written.items() if word not in _SAYS_LITTLE}
        written.update(
            (word, 0.4) for word in _WORD.findall(outcome) if word.isdigit() and len(word) < 4
        )
        known = {**acronyms(outcome), **expansions}
        self._other_forms = _other_forms(
            set(written), known, _SAME_OUTCOMES if loosely else _SAME_THINGS
        )
        held = [self._forms(sentence)[0] for sentence in sentences]
        self._weights: dict[str, float] = {}
        absent = present = 0.0
        for word, value in written.items():
            frequency = sum(word in own for own in held)
            rarity = math.log((len(held) + 2) / (max(frequency, 1) + 1)) + 0.3
            shared = 0.5 if word in sides.intervention | sides.comparator else 1.0
            own = max(value, 0.15) * rarity * shared
            self._weights[word] = own if frequency else ABSENT * own
            absent, present = (absent, present + own) if frequency else (absent + own, present)
        total = absent + present
        self.absent = absent / total if total else 1.0
        """Share of the outcome's wording that does not appear in the article, 0 to 1."""
        names = [_BRACKETS.sub(" ", outcome), *re.split(r"[,;/]| and | or ", outcome)]
        self._parts = [
            {stem(fold(word)) for word in _WORD.findall(part)} & set(self._weights)
            for part in names
        ]

    def named(self, text: str) -> tuple[float, list[tuple[int, float]]]:
        """Return how much of the outcome a text names, 0 to 1, and the numbers of the words that
        do, each with its import, 0 to 1.
        """
        found, places = self._forms(text)
        whole = self._share(found, set(self._weights))
        main = self._share(found, self._parts[0])
        best = max((self._share(found, part) for part in self._parts[1:] if part), default=0.0)
        most = max((self._weights[word] for word in found), default=1.0)
        told = [
            (place, math.sqrt(max(self._weights[word] for word in stands_for) / most))
            for place, stands_for in places
        ]
        return max(whole, 0.97 * main, 0.85 * best), told

    def _forms(self, text: str) -> tuple[set[str], list[tuple[int, set[str]]]]:
        """The outcome's words that stand in a text in one form or another, and by which of the
        text's words.
        """
        places: list[tuple[int, set[str]]] = []
        found: set[str] = set()
        for number, word in enumerate(tokens(text).stems):
            stands_for = self._other_forms.get(word) or self._other_forms.get(
                word[:_BEGINNING] + "…"
            )
            if stands_for:
                found |= stands_for
                if not word.isdigit():
                    places.append((number, stands_for))
        return found, places

    def _share(self, found: set[str], wanted: set[str]) -> float:
        total = sum(self._weights[word] for word in wanted)
        return sum(self._weights[word] for word in found & wanted) / total if total else 0.0


def _counts(word: str) -> bool:
    return fold(word) not in FUNCTION_WORDS and not word.isdigit() and len(word) > 1


def _other_forms(
    written: set[str], expansions: Mapping[str, str], groups: Sequence[AbstractSet[str]]
) -> dict[str, set[str]]:
    """Words that name the outcome, each with the outcome's words that it stands for; beginnings end
    in "…".
    """
    found: dict[str, set[str]] = defaultdict(set)
    for word in written:
        found[word].add(word)
        if len(word) >= _BEGINNING:
            found[word[:_BEGINNING] + "…"].add(word)
    for short, long in expansions.items():
        brief = {stem(fold(word)) for word in _WORD.findall(short)}
        full = {stem(fold(word)) for word in _WORD.findall(long) if _counts(word)}
        if full and len(full & written) >= max(1, len(full) - 1):
            for word in brief:
                found[word] |= (full | brief) & written
        if brief & written:
            for word in full:
                found[word] |= (
                    {word} & written if len(full) > 1 and full <= written else brief & written
                )
    for group in groups:
        held = group & written
        for word in group - written if held else ():
            found[word] |= held
    return dict(found)
