"""Arms: the two sides of a comparison, and where a sentence names each of them.

An arm is known by its own words (those the other arm does not have), by the acronyms that title and
abstract give it, by the label of its group ("group 2", where the abstract says what group 2
received) and, where it is one, by the words of a control.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Literal

from clinfo.lazy_dataclass import dataclass
from clinfo.text.regex import anycase, regex
from clinfo.text.terms import FUNCTION_WORDS, StemSet, fold, stem, weight

Arm = Literal["intervention", "comparator"]
LEAST_WEIGHT = 0.4
"""Words of an arm that weigh less ("group", "patients", "treatment") name it only where nothing
else does.
"""
_TOKEN = regex(r"\d+(?:[.,:]\d+)*(?![^\W_])|[^\W_]+(?:['’][^\W\d_]+)?")
_DOSE = regex(r"(?<![\w.,])(?P<number>\d+(?:[.,:]\d+)*)(?:[\s-]?(?P<unit>[^\W\d_]+|%))?")
_DENIED = anycase(r"\b(?:without|no|non)[\s-]((?:[\w-]+\s?){1,6})")
_NON = anycase(r"\W*(?:non|no)[\s-](?!inferior)([^\W\d]{5,})")
"""The beginning of a comparator that is known by what it is not: the other arm is that."""
_GROUP_LABEL = regex(
    r"\b(?i:groups?|arms?|cohorts?|regimens?|lunch|diets?)\s?[-–]?\s?(?P<after>[A-Z]\d?|[ab]|"
    r"I{1,3}|IV|\d{1,2})\b(?!\s?%)|"
    r"\b(?P<before>[B-Z])[\s-](?i:groups?|arms?)\b"
)
_OWN_LABEL = regex(r"\((?P<one>[A-Z])\)|(?:^|[,;]\s?)(?P<two>[A-Z])\s?[=:-]\s")
_CONTROL = anycase(
    r"\b(?:controls?|placebo|sham|usual|standard|conventional|routine|untreated|baseline|"
    r"traditional|dummy|wait\w*|"
    r"no(?:n|thing)?\b(?!-inferior)|without|alone|saline|vehicle)\b"
)
_CONTROL_WORDS = StemSet("control controls placebo sham untreated")
_TREATED = anycase(
    r"\b(?:intervention(?:al)?|experiment(?:al)?|treat(?:ed|ment)|study|active|test|case|"
    r"supplement(?:ed|ation)?|training|drug|exercise)"
    r"[\s-](?:groups?|arms?|patients|subjects|participants|animals)\b"
)
_WITHOUT = frozenset(("non", "without", "no"))
_SIDE_WORDS = StemSet("with the and of in a an or to for on by no without")
_BASELINE_WORDS = StemSet("baseline before pretreatment preoperative initial")
_BASELINE = anycase(
    r"\bbaseline\b|^\W*(?:at\s|the\s)?(?:before|pre|pre-?\w{0,12}ment|pre-?intervention|initial)\b"
)
_ALONE = anycase(r"\b(?:alone|monotherapy|only)\b")
_ALONE_WORDS = StemSet("alone monotherapy")
_GROUP_NOUNS = StemSet("group groups arm arms patients subjects participants cohort")
_WINDOW = 90
"""Characters beside the label of a group that may say what the group received."""


@dataclass(frozen=True)
class Tokens:
    """The words of a text in order: where each starts, and its stem."""

    starts: tuple[int, ...]
    stems: tuple[str, ...]

    def at(self, place: int) -> int:
        """The number of the word that starts at or before a code point; 0 before the first."""
        low, high = 0, len(self.starts)
        while low < high:
            middle = (low + high) // 2
            if self.starts[middle] <= place:
                low = middle + 1
            else:
                high = middle
        return max(0, low - 1)


@lru_cache(maxsize=4096)
def tokens(text: str) -> Tokens:
    """The words of ``text``."""
    found = list(_TOKEN.finditer(text))
    return Tokens(
        tuple(match.start() for match in found), tuple(stem(fold(match.group())) for match in found)
    )


@dataclass(frozen=True)
class Arms:
    """The names of the two arms: stems of single words, and group labels such as "2" and "b"."""

    intervention: frozenset[str]
    comparator: frozenset[str]
    intervention_labels: frozenset[str]
    comparator_labels: frozenset[str]
    against_baseline: bool = False
    intervention_doses: frozenset[str] = frozenset()
    comparator_doses: frozenset[str] = frozenset()
    treated: bool = True
    """True where "the treatment group" is the intervention's."""

    def named(self, text: str) -> list[tuple[int, Arm]]:
        """The places of ``text``, as numbers of words, that name an arm, in order."""
        return list(_named(self, text))


@lru_cache(maxsize=4096)
def _named(arms: Arms, text: str) -> tuple[tuple[int, Arm], ...]:
    words = tokens(text)
    found: list[tuple[int, Arm]] = []
    for number, word in enumerate(words.stems):
        if word in arms.intervention:
            absent = number > 0 and words.stems[number - 1] in _WITHOUT
            found.append((number, "comparator" if absent else "intervention"))
        elif word in arms.comparator:
            found.append((number, "comparator"))
    for match in _GROUP_LABEL.finditer(text):
        label = (match["after"] or match["before"]).lower()
        at = words.at(match.start("after" if match["after"] else "before"))
        if label in arms.intervention_labels:
            found.append((at, "intervention"))
        elif label in arms.comparator_labels:
            found.append((at, "comparator"))
    if arms.intervention_doses or arms.comparator_doses:
        for match in _DOSE.finditer(text):
            dose = _dose(match)
            if dose in arms.intervention_doses:
                found.append((words.at(match.start()), "intervention"))
            elif dose in arms.comparator_doses:
                found.append((words.at(match.start()), "comparator"))
    if arms.treated:
        found.extend((words.at(match.start()), "intervention") for match in _TREATED.finditer(text))
    return tuple(sorted(found))


def arms(intervention: str, comparator: str, text: str, expansions: Mapping[str, str]) -> Arms:
    """The arms of a comparison as ``text`` (title and abstract) may name them; ``expansions`` are
    its acronyms.
    """
    given, against = _own_words(intervention, expansions), _own_words(comparator, expansions)
    own, others = given - against, against - given
    denied = (
        {stem(fold(match[1]))} if (match := _NON.match(comparator)) else given & _denied(comparator)
    )
    own |= denied
    others = (others | against & _denied(intervention)) - denied
    if not own and not others:
        own, others = _told_apart(intervention, comparator, given)
    treated = True
    if _CONTROL.search(comparator) or not others:
        others |= _CONTROL_WORDS - own
    elif _CONTROL.search(intervention):
        own |= _CONTROL_WORDS - others
        treated = False
    else:
        others |= {stem("control"), stem("controls")} - own
    if _BASELINE.search(comparator):
        others |= _BASELINE_WORDS - own
    if _ALONE.search(comparator):
        others |= _ALONE_WORDS - own
    labels: dict[Arm, set[str]] = {
        "intervention": _labels(intervention),
        "comparator": _labels(comparator),
    }
    for label, described in described_groups(text):
        if label in labels["intervention"] | labels["comparator"]:
            continue
        words = {word for word in tokens(described).stems if word not in _GROUP_NOUNS}
        for_own, for_others = len(words & own), len(words & others)
        if for_own != for_others:
            labels["intervention" if for_own > for_others else "comparator"].add(label)
    shared = labels["intervention"] & labels["comparator"]
    return Arms(
        frozenset(own),
        frozenset(others),
        frozenset(labels["intervention"] - shared),
        frozenset(labels["comparator"] - shared),
        _BASELINE.search(comparator) is not None,
        *_doses(intervention, comparator),
        treated,
    )


def is_control(arm: str) -> bool:
    """Return whether an arm is a control: placebo, usual care, nothing."""
    return _CONTROL.search(arm) is not None


def _own_words(arm: str, expansions: Mapping[str, str]) -> set[str]:
    written = [match.group() for match in _TOKEN.finditer(arm)]
    kept = [
        word
        for word in written
        if weight(word) >= LEAST_WEIGHT and not word.isdigit() and len(word) > 1
    ]
    if not kept:
        kept = [word for word in written if fold(word) not in FUNCTION_WORDS and not word.isdigit()]
    found = {stem(fold(word)) for word in kept} - _GROUP_NOUNS
    for short, long in expansions.items():
        own = {stem(fold(word)) for word in _TOKEN.findall(long) if weight(word) >= LEAST_WEIGHT}
        brief = {
            stem(fold(word)) for word in _TOKEN.findall(short) if fold(word) not in FUNCTION_WORDS
        }
        if own and (own <= found or (brief <= found and brief)):
            found |= brief | own
    return found


def _denied(arm: str) -> set[str]:
    """The words of what an arm goes without."""
    return {
        stem(fold(word)) for match in _DENIED.finditer(arm) for word in _TOKEN.findall(match[1])
    }


def _doses(intervention: str, comparator: str) -> tuple[frozenset[str], frozenset[str]]:
    """The doses that one arm has and the other has not: "2,000 iu", "9:3"."""
    own, others = (
        {_dose(match) for match in _DOSE.finditer(arm)} for arm in (intervention, comparator)
    )
    return frozenset(own - others - {""}), frozenset(others - own - {""})


def _dose(match: re.Match[str]) -> str:
    """A number with its unit; "" for a bare number that no ratio is."""
    if match["unit"]:
        return f"{match['number']} {match['unit'].lower()}"
    return match["number"] if ":" in match["number"] else ""


def _told_apart(intervention: str, comparator: str, shared: set[str]) -> tuple[set[str], set[str]]:
    """The words of two arms that differ in little words only: "sensor on" and "sensor off", "with
    X" and "without X".
    """
    own, others = (
        {stem(fold(word)) for word in _TOKEN.findall(arm)} for arm in (intervention, comparator)
    )
    if _WITHOUT & (others - own):
        return set(shared), set()
    return own - others - _SIDE_WORDS - _GROUP_NOUNS, others - own - _SIDE_WORDS - _GROUP_NOUNS


def _labels(arm: str) -> set[str]:
    found = {(match["after"] or match["before"]).lower() for match in _GROUP_LABEL.finditer(arm)}
    return found | {(match["one"] or match["two"]).lower() for match in _OWN_LABEL.finditer(arm)}


def described_groups(text: str) -> Iterable[tuple[str, str]]:
    """Labels of groups with the words beside them that may say what the group received, the first
    mention of each.
    """
    matches = list(_GROUP_LABEL.finditer(text))
    seen: set[str] = set()
    for number, match in enumerate(matches):
        label = (match["after"] or match["before"]).lower()
        if label in seen:
            continue
        before, after = text[: match.start()].rstrip(), text[match.end() :][:1]
        if before.endswith("(") and after in "),;:=":
            start = matches[number - 1].end() if number else 0
            described = before[max(start, len(before) - _WINDOW) :]
        else:
            stop = matches[number + 1].start() if number + 1 < len(matches) else len(text)
            described = re.split(r"[;.]\s", text[match.end() : min(stop, match.end() + _WINDOW)])[0]
        seen.add(label)
        yield label, described
