"""Chooses what a document reports for an asked outcome: the entry of this folder."""

from __future__ import annotations

from collections.abc import Sequence

from clinfo.evidence.arm_numbers.abbreviations import abbreviations
from clinfo.evidence.arm_numbers.labels import label_words
from clinfo.evidence.arm_numbers.matching import AT_BASELINE, TIME, OutcomeMatching, told_time
from clinfo.evidence.arm_numbers.pairing import Reported
from clinfo.evidence.arm_numbers.paper import Paper
from clinfo.evidence.arm_numbers.reading import NEAR_PERCENT, Read, read_arm
from clinfo.evidence.arm_numbers.roles import roles
from clinfo.evidence.arm_numbers.values import both_arms
from clinfo.lazy_dataclass import dataclass
from clinfo.records.trials import ArmNumbers, NumbersKind, StudyNumbers
from clinfo.retrieval.asked import Asked
from clinfo.retrieval.documents import Document
from clinfo.text.outcome_valence import valence
from clinfo.text.regex import anycase, regex

LEAST = 0.45
"""The least that a label must fit the outcome (`OutcomeMatching.score`) to be taken."""
LEAST_TOLD = 0.6
"""The same for a sentence."""
_WHOLE = anycase(r"\btotal\b|\boverall\b|\bany\b|\ball\b")
_VISIT = anycase(r"\b(?:visit|time|(?-i:[TDWM]))\s?(\d{1,2})\b")
_POST = anycase(r"\bpost\b|\bafter\b|\bfinal\b")
_TIMES = anycase(
    r"\b(?:visit|time|(?-i:[TDWM]))\s?\d{1,2}\b|\b(?:weeks?|months?|days?|years?|hours?|hrs?|post\w*|follow\w*|up|after|"
    r"final|end|at|treatment|intervention|test|baseline|pre)\b"
)
MARGIN = 0.06
"""What the best result must be ahead of others to be given: from 0.04 to 0.1 the share of right
numbers is the same on the papers that the rules were made on, below it falls by a tenth.
"""
LEAST_SHARE = 0.35
"""The least share of the outcome's words that labels must hold."""
_CHANGE = anycase(
    r"\bchang\w+\b|\bdiff\b|\bdifferences?\s(?:from|to)\b|\breduc\w+|\bdrop\b|\bfall\sin\b|\bdecline\b|\bimprovements?\b|[Δδ]"
)
_BETTER = anycase(
    r"\b0 \(?(?:=|is|being|for)? ?(?:the )?worst\b|\b100 \(?(?:=|is|being|for)? ?(?:the )?best\b|"
    r"\b(?:high(?:er)?|larger|greater) (?:\w+ ){0,2}?(?:scores?|values?) (?:\w+ ){0,2}?"
    r"(?:indicat|reflect|represent|mean|denot|correspond|signif|show)\w* (?:\w+ ){0,2}?"
    r"(?:better|best|less|lower|fewer|improve|no )"
)
"""What a paper says of a scale on which more is better."""
_SCALE = regex(r"\b[A-Z][A-Za-z]*[A-Z]\w*(?:-\d+)?(?!\w)")
"""The abbreviation of a scale: "SF-36", "KOOS"."""
_GOOD = anycase(
    r"\brelie(?:f|ved)\b|\brespon(?:se|ders?|ded)\b|\bimprove(?:d|ments?)\b|\bremission\b|"
    r"\babsence\b|\bwithout\b|\bfree (?:of|from)\b|(?<=-)free\b|\bno (?=\w)|\bresol(?:ved|ution)\b|"
    r"\bcured?\b|\bprevent(?:ed|ion)\b"
)
"""Words of a label that counts people who lost, or never had, what it names."""


@dataclass(frozen=True)
class _Candidate:
    told: Reported
    reads: tuple[Read, Read]
    kind: NumbersKind
    fits: float
    share: float
    score: float


def arm_numbers(
    document: Document, asked: Asked, kind: NumbersKind | None = None
) -> StudyNumbers | None:
    """The numbers of the asked intervention and comparator for the asked outcome; None where the
    document does not surely report any.

    ``kind`` says whether events or means are wanted, where that is known.
    """
    paper = Paper(document, asked)
    matching = OutcomeMatching(
        asked.outcome or asked.text,
        abbreviations(document),
        (asked.intervention, asked.comparator),
        {label for one in paper.told for label in (one.label, one.condition, one.heading)},
    )
    found = [one for told in paper.told if (one := _candidate(paper, matching, told, kind))]
    best = _best(found, matching)
    if best is None:
        return None
    chosen, rivalled = best
    told = chosen.told
    flags = []
    if rivalled:
        flags.append("Several results fit the outcome equally well.")
    if chosen.kind == "continuous" and chosen.reads[0].kind == "median":
        flags.append("The paper reports medians, which are no means.")
    if _CHANGE.search(f"{told.label} {told.condition} {told.heading}"):
        flags.append("The numbers are changes.")
    arms = (ArmNumbers(), ArmNumbers())
    turned = chosen.kind == "continuous" and _is_turned(document, told, matching.text)
    if turned:
        flags.append("More is better on this scale: its numbers are not the outcome's.")
    if not rivalled and not turned:
        arms = both_arms(paper, told, chosen.reads, chosen.kind)
    at = next((one for one in _timed(told) if _time_of(one) is not None), "")
    return StudyNumbers(chosen.kind, *arms, at, tuple(flags))


def _is_turned(document: Document, told: Reported, outcome: str) -> bool:
    """Return whether more of what is told is better, as the paper says of a scale that a label
    names by its abbreviation, while more of the outcome is worse.
    """
    if valence(outcome) != "unwanted":
        return False
    labels = f"{told.label} {told.condition} {told.heading} {told.caption} {told.notes}"
    scales = {one[0] for one in _SCALE.finditer(labels)}
    texts = (document.text[one.start : one.end] for one in document.blocks)
    return any(
        _BETTER.search(text) and not scales.isdisjoint(one[0] for one in _SCALE.finditer(text))
        for text in texts
    )


def _candidate(
    paper: Paper, matching: OutcomeMatching, told: Reported, kind: NumbersKind | None
) -> _Candidate | None:
    fits, share = matching.score(
        told.label, told.condition, told.heading, told.caption, told.notes, prose=told.grid < 0
    )
    if fits < (LEAST if told.grid >= 0 else LEAST_TOLD) or share < LEAST_SHARE:
        return None
    sizes = [paper.size(told, side) for side in (0, 1)]
    reads = [
        read_arm(told.parts[side], told, size.value if size is not None else None)
        for side, size in enumerate(sizes)
    ]
    own = _kind(reads, told, kind)
    if own is None or (kind is not None and own != kind):
        return None
    counted = f"{told.label} {told.condition}"
    if own == "binary" and _GOOD.search(counted) and not _GOOD.search(matching.text):
        return None
    time = f"{told.label} {told.condition} {told.heading}"
    caption = told.caption if told.grid >= 0 else ""
    at_time = matching.time_fits(time, caption)
    if at_time <= AT_BASELINE:
        return None
    score = fits + 0.2 * min(told.naming, 1.5) + 0.5 * at_time
    score += 0.15 * (own == "binary" or all(one.spread or one.limits for one in reads))
    if told.grid < 0:
        rounded = own == "binary" and any(one.events is None for one in reads)
        score -= 0.25 if rounded else 0.1
    score += 0.03 * (_WHOLE.search(f"{told.label} {told.condition}") is not None)
    changes = any(_CHANGE.search(one) for one in (told.label, told.condition, told.heading))
    score += 0.1 * (1 if _CHANGE.search(matching.text) else -1) * changes
    return _Candidate(told, (reads[0], reads[1]), own, fits, share, score)


def _kind(reads: Sequence[Read], told: Reported, wanted: NumbersKind | None) -> NumbersKind | None:
    """Return whether two arms' values are counts or means; None where nothing says either."""
    if all(one.counted for one in reads):
        return "binary"
    if any(one.value is None for one in reads):
        return None
    if _shares(reads) and wanted != "continuous":
        return "binary"
    if all(one.spread or one.limits for one in reads):
        return "continuous"
    said = {role for part in told.parts[0] for role in part.roles}.union(
        *(roles(label) for label in (told.label, told.condition, told.heading, told.caption))
    )
    return "continuous" if told.grid >= 0 and said & {"mean", "median"} else None


def _shares(reads: Sequence[Read]) -> bool:
    """Return whether the values are shares of the groups, from 0 to 1, beside the groups' sizes."""
    return all(
        one.value is not None
        and one.total is not None
        and one.spread is None
        and one.limits is None
        and 0 <= one.value[0] <= 1
        for one in reads
    )


def _best(found: Sequence[_Candidate], matching: OutcomeMatching) -> tuple[_Candidate, bool] | None:
    """The candidate that fits best, of those alike but for the time the latest, and whether another
    one with other values fits as well.
    """
    if not found:
        return None
    first = max(found, key=lambda one: one.score)
    alike = [
        one
        for one in found
        if one.kind == first.kind
        and one.score > first.score - 0.12
        and (one.told.grid >= 0) == (first.told.grid >= 0)
        and _timeless(one.told) == _timeless(first.told)
    ]
    timed = [one for one in alike if _time(one.told) is not None]
    if matching.time is None and len(timed) > 1:
        first = max(timed, key=lambda one: (_time(one.told) or 0.0, one.score))
    rivals = (
        one
        for one in found
        if one not in alike and one.kind == first.kind and not _same(one, first)
    )
    return first, any(one.score > first.score - MARGIN for one in rivals)


def _same(one: _Candidate, other: _Candidate) -> bool:
    """Return whether two candidates tell the same values, be it as counts or as percentages."""
    pairs = [(_share(a), _share(b), a, b) for a, b in zip(one.reads, other.reads, strict=True)]
    if all(a is not None and b is not None for a, b, *_ in pairs):
        return all(abs((a or 0.0) - (b or 0.0)) < NEAR_PERCENT for a, b, *_ in pairs)
    return all((a.value or (0,))[0] == (b.value or (1,))[0] for *_, a, b in pairs)


def _share(read: Read) -> float | None:
    """The percentage with the event."""
    if read.events is not None and read.total is not None:
        return 100 * read.events[0] / read.total[0]
    return read.percent[0] if read.percent is not None else None


def _timed(told: Reported) -> tuple[str, ...]:
    """The labels that may tell a time, the nearest first."""
    if told.grid < 0:
        return (told.label,)
    return told.condition, told.label, told.heading, told.caption


def _time(told: Reported) -> float | None:
    return next((time for one in _timed(told) if (time := _time_of(one)) is not None), None)


def _time_of(label: str) -> float | None:
    """The time that a label tells, in days; visits by their number."""
    time = told_time(label)
    if time is None and (visit := _VISIT.search(label)):
        return float(visit[1])
    return 0.5 if time is None and _POST.search(label) else time


def _timeless(told: Reported) -> tuple[frozenset[str], ...]:
    """The words of the labels that tell no time."""
    labels = (f"{told.label} {told.condition}", told.heading)
    return tuple(frozenset(label_words(_TIMES.sub(" ", TIME.sub(" ", label)))) for label in labels)
