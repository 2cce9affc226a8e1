"""The owner of a stated effect: of the treatment that the question names, of its opposite, or of
something else.

"Relative risk 0.2 with A against B" answers no question about B. Drugs are told by the endings of
their international names, so that a drug nobody listed is known; other treatments by the question's
own words. In doubt an effect is not the asked one's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from clinfo.lazy_dataclass import dataclass
from clinfo.text.asked_parts import AskedParts
from clinfo.text.lexicon import either
from clinfo.text.regex import anycase, regex
from clinfo.text.terms import GENERIC_WORDS, fold, is_content, stem, vocabulary, words

_WORD = regex(r"[^\W_]+(?:-[^\W_]+)*")
_DRUG = anycase(
    rf"\w{{3,}}(?:{either('drug_endings', 'effect_sides')})\Z|"
    rf"(?:{either('drug_names', 'effect_sides')})\Z"
)
_PLAIN_CONTROL = frozenset({"placebo", "sham", "control", "controls"})
_AGAINST = anycase(
    r"\b(?:than|versus|vs|compared\s(?:with|to)|comparison\s(?:with|to)|relative\sto|rather\sthan|"
    r"as\sagainst|against|over)\b"
    r"(?P<named>[^,;.()]{0,60})"
)
_GROUP = anycase(r"\W{0,2}(?:(?:[\w-]+\s)?(?:group|arm|patients|recipients|users)\b)")


@dataclass(frozen=True)
class Sides:
    """The question's treatment and comparator as stems, with the acronyms of one article read as
    their long forms.
    """

    treatment: frozenset[str]
    comparator: frozenset[str]
    expansions: Mapping[str, str]
    is_drug: bool

    def named(self, text: str) -> bool:
        """Return whether the text names the treatment: all its words where it is a drug or has one
        word, else most of them.
        """
        here = vocabulary(text, self.expansions)
        held = sum(here.has(word) for word in self.treatment)
        return bool(self.treatment) and (
            held == len(self.treatment) or 3 * held >= 2 * len(self.treatment)
        )

    def answers(self, clause: str, lead: str, title: str) -> bool:
        """Return whether the effect of a clause is one of the treatment; True where the question
        names none.

        ``lead`` is what stands before the first effect of the same sentence, ``title`` what the
        whole study is about: both name, with a title that says nothing of the kind, what the clause
        leaves unsaid.
        """
        if not self.treatment:
            return True
        own, others = self._places(clause)
        if own:
            return not self._is_turned(clause, own, others)
        if others and self.is_drug:
            return False
        if not self.is_drug:
            return self.named(f"{lead} {clause}") or self.named(title)
        lead_own, lead_others = self._places(lead)
        if lead_own:
            return not lead_others and not self._is_turned(lead, lead_own, lead_others)
        title_own, title_others = self._places(title)
        return (
            bool(title_own)
            and not lead_others
            and not self._is_turned(title, title_own, title_others)
        )

    def _places(self, text: str) -> tuple[list[int], list[int]]:
        """Return where the treatment is named, and where another one is (another drug, or what the
        question holds against it).
        """
        own: list[int] = []
        others: list[int] = []
        for match in _WORD.finditer(text):
            word = match.group()
            if self._is_own(word):
                own.append(match.start())
            elif self._is_other(word) or (
                word.lower() in _PLAIN_CONTROL and _GROUP.match(text, match.end())
            ):
                others.append(match.start())
        if own and not self.named(text):
            return [], others
        return own, others

    def _is_own(self, word: str) -> bool:
        parts = {stem(part) for part in words(word)}
        if parts & self.treatment:
            return True
        if (
            long := self.expansions.get(word) or self.expansions.get(word.removesuffix("s"))
        ) is not None:
            return bool({stem(part) for part in words(long)} & self.treatment)
        return bool(_DRUG.match(word)) and any(
            vocabulary(word).has(each) for each in self.treatment
        )

    def _is_other(self, word: str) -> bool:
        return _DRUG.match(word) is not None or bool(
            {stem(part) for part in words(word)} & self.comparator
        )

    def _is_turned(self, text: str, own: list[int], others: list[int]) -> bool:
        """Return whether the treatment is what another one is compared with, or stands second
        behind it.
        """
        first = own[0]
        for match in _AGAINST.finditer(text):
            if match.start("named") <= first < match.end("named"):
                return True
        before = [place for place in others if place < first]
        if not before:
            return False
        introduced = re.search(
            r"\b(?:[Cc]ompared\s(?:with|to)|[Vv]ersus|[Rr]elative\sto)\s[^,]{0,60}\Z",
            text[: before[0]],
        )
        return introduced is None or "," not in text[before[-1] : first]


def sides(asked: AskedParts, expansions: Mapping[str, str]) -> Sides:
    """The sides of a question, for the effects of one article with these acronyms."""
    treatment, comparator = _telling(asked.treatment), _telling(asked.comparator)
    is_drug = any(_DRUG.match(word) for word in words(asked.treatment))
    return Sides(treatment, comparator - treatment, expansions, is_drug)


def _telling(phrase: str) -> frozenset[str]:
    return frozenset(
        stem(word) for word in words(phrase) if is_content(fold(word)) and word not in GENERIC_WORDS
    )
