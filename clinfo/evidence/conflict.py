"""Disagreement of strong studies: whether there is one, whether a synthesis says so, and the
sentence that says it.

Strong are the studies of levels 1 and 2; where fewer than two of those take a side, those of the
two best levels present. Yes against no is a disagreement; so are two different directions of the
effect, between studies of one outcome. A study that is mixed takes no side, and neither does one
that a review of the other side holds: that review has weighed it already.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise, permutations

from clinfo.evidence.differences import differences
from clinfo.evidence.included_studies import IncludedStudy, Sides, cite, listed, with_article
from clinfo.evidence.stated import named
from clinfo.records.appraisal import Conflict, EvidenceRow
from clinfo.records.articles import Sentence
from clinfo.text.disagreement import (
    clauses,
    opposed,
    says_findings_disagree,
    starts_with_contrast,
    takes_up,
)
from clinfo.text.lexicon import either
from clinfo.text.outcome_valence import valence
from clinfo.text.regex import anycase
from clinfo.text.terms import vocabulary

_STRONG_LEVELS = (1, 2)
_SIDES: dict[Sides, tuple[str, ...]] = {
    "stance": ("supports", "contradicts"),
    "effect_direction": ("increased", "decreased", "no difference"),
}


def find_conflict(studies: Sequence[IncludedStudy], sides: Sides) -> Conflict | None:
    """The disagreement of the strong ones among the studies (`clinfo.evidence.included_studies`),
    or None.
    """
    taking = [study for study in _strong(studies) if study.side in _SIDES[sides]]
    by_number = {n: study.side for study in taking for n in study.numbers}
    taking = [
        study
        for study in taking
        if all(by_number.get(n, study.side) == study.side for n in study.held_by)
    ]
    if sides == "effect_direction":
        taking = [
            study
            for study in taking
            if any(_same_outcome(study, other) for other in taking if other.side != study.side)
        ]
    by_side = {side: [study for study in taking if study.side == side] for side in _SIDES[sides]}
    present = [side for side in _SIDES[sides] if by_side[side]]
    if len(present) < 2:
        return None
    told = differences(by_side[present[0]], by_side[present[1]]) if len(present) == 2 else ()
    return Conflict(
        tuple((side, tuple(sorted(study.n for study in by_side[side]))) for side in present), told
    )


def _strong(studies: Sequence[IncludedStudy]) -> list[IncludedStudy]:
    pointing = [study for study in studies if study.answers and study.row.level is not None]
    strong = [study for study in pointing if study.row.level in _STRONG_LEVELS]
    if len(strong) >= 2:
        return strong
    best = sorted({study.row.level for study in pointing if study.row.level is not None})[:2]
    return [study for study in pointing if study.row.level in best]


def _same_outcome(one: IncludedStudy, other: IncludedStudy) -> bool:
    """Return whether all that names the outcome of one stands in that of the other, and more of it
    means the same in both.

    Bone density that rose and bone loss that fell share a word and agree; so do pain that fell and
    relief of pain that rose.
    """
    mine, yours = one.row.outcome or "", other.row.outcome or ""
    if {valence(mine), valence(yours)} == {"wanted", "unwanted"} or _turns(mine) != _turns(yours):
        return False
    return _within(mine, yours) or _within(yours, mine)


def _within(outcome: str, other: str) -> bool:
    names, said = named(outcome), vocabulary(other)
    return bool(names) and all(said.has(word) for word in names)


_TURNS = anycase(
    rf"\b(?:{either('better', 'turns')}|{either('falling', 'turns')}|loss(?:es)?|los(?:t|ing)|"
    r"control\w*|free|freedom|heal\w*|without|absence|resol\w+|recover\w*|remission|cessation|"
    r"abstinence|surviv\w*|discontinu\w*)\b"
)
"""Words that make more of an outcome mean less of what it names."""


def _turns(outcome: str) -> bool:
    return _TURNS.search(outcome) is not None


_STATED = {
    "supports": ("supports the claim", "support the claim"),
    "contradicts": ("contradicts the claim", "contradict the claim"),
    "increased": ("reports an increase", "report an increase"),
    "decreased": ("reports a decrease", "report a decrease"),
    "no difference": ("finds no difference", "find no difference"),
}


def statement(conflict: Conflict, rows: Sequence[EvidenceRow]) -> str:
    """The sentence that tells of the disagreement, with its citations and what the sides differ in
    as ``rows`` state it.

    The same for the same rows. A study that stands alone on its side is named by its design and
    year. Nothing is said of why they disagree.
    """
    by_number = {row.n: row for row in rows}
    alone = all(len(numbers) == 1 and numbers[0] in by_number for _, numbers in conflict.sides)
    told = []
    for side, numbers in conflict.sides:
        name = f"{_named(by_number[numbers[0]])} {cite(numbers)}" if alone else cite(numbers)
        told.append(f"{name} {_STATED.get(side, (side, side))[len(numbers) > 1]}")
    text = f"The strongest studies retrieved disagree: {', '.join(told[:-1])}, whereas {told[-1]}"
    differing = [
        each
        for each in conflict.differences
        if not (alone and each.startswith(("design (", "year (")))
    ]
    if differing:
        return f"{text}; they differ in {listed(differing)}."
    return (
        f"{text}."
        if conflict.differences
        else f"{text}; their abstracts do not explain the difference."
    )


def _named(row: EvidenceRow) -> str:
    return with_article(row.design or "study") + (f" of {row.year}" if row.year is not None else "")


def says_so(synthesis_sentences: Sequence[Sentence], conflict: Conflict) -> bool:
    """Return whether the synthesis tells a reader that the two sides disagree, citing at least one
    study of each.

    It does in one sentence with wording of disagreement about findings; in one whose clauses put
    studies of two sides in opposed directions on the same outcome; in two sentences of which the
    second is set against the first ("However, …") and opposes it, or says that it was not
    confirmed; and where a sentence without citations that speaks of disagreement stands next to
    those that cite both sides.
    """
    texts = [sentence.text for sentence in synthesis_sentences]
    cites = [frozenset(sentence.cites) for sentence in synthesis_sentences]
    for place, text in enumerate(texts):
        if _both(cites[place], conflict) and (
            says_findings_disagree(text) or _opposed_within(text, conflict)
        ):
            return True
        if not cites[place] and says_findings_disagree(text):
            after, before = cites[place + 1 : place + 3], cites[max(0, place - 2) : place]
            if _both(frozenset[int]().union(*after), conflict) or _both(
                frozenset[int]().union(*before), conflict
            ):
                return True
    for (one, first), (other, second) in pairwise(zip(texts, cites, strict=True)):
        if not _other_sides(first, second, conflict):
            continue
        contrast = starts_with_contrast(other)
        if (contrast or takes_up(other)) and says_findings_disagree(other):
            return True
        if contrast and any(
            opposed(head, other) for head in [clause for clause, _ in clauses(one)] or [one]
        ):
            return True
    return False


def _both(cited: frozenset[int], conflict: Conflict) -> bool:
    """Return whether studies of at least two sides are cited."""
    return sum(not cited.isdisjoint(numbers) for _, numbers in conflict.sides) >= 2


def _opposed_within(text: str, conflict: Conflict) -> bool:
    cited = list(clauses(text))
    return any(
        _other_sides(mine, yours, conflict) and opposed(first, second)
        for (first, mine), (second, yours) in combinations(cited, 2)
    )


def _other_sides(mine: frozenset[int], yours: frozenset[int], conflict: Conflict) -> bool:
    """Return whether the first cites a study of one side and the second one of another."""
    return any(
        not mine.isdisjoint(numbers) and not yours.isdisjoint(others)
        for (side, numbers), (another, others) in permutations(conflict.sides, 2)
        if side != another
    )
