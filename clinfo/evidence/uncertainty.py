"""Reasons for uncertainty: sentences with citations, built from the rows of the evidence table.

No sentence grades the evidence: abstracts do not carry a grade. What a row does not state is never
held against a study, except where a sentence says just that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from clinfo.evidence.conflict import statement
from clinfo.evidence.effect_words import stated
from clinfo.evidence.included_studies import (
    FLAGS,
    OBSERVATIONAL,
    IncludedStudy,
    Sides,
    cite,
    counted,
    listed,
)
from clinfo.evidence.stated import days, others, people
from clinfo.records.appraisal import Balance, EvidenceRow
from clinfo.records.articles import Article, Author

MOST = 6
"""Sentences told at most, the most telling first."""
FEW = 3
"""Up to so many answering studies are few."""
SMALL = 100
"""A primary study with fewer participants is called small, with its number."""
ENOUGH = 400
"""With one answering primary study of so many participants the small ones are not told: they are
not what the answer rests on.
"""
LARGE_BENEFIT, LARGE_HARM = 0.75, 1.25
"""Ratios from which an effect is called large, either way: a quarter less or more (the rule of
thumb for "appreciable" benefit and harm of G. H. Guyatt et al., J Clin Epidemiol 64 (2011)
1283-1293)."""
LARGE_STANDARDISED = 0.5
"""A standardised difference from which an effect is called large here (moderate in J. Cohen's
words, 1988).
"""
SHORT_DAYS = 365.25
"""A longest follow-up below a year is told."""
ABSTRACTS_ONLY = (
    "Only abstracts were read; limitations stated only in the full articles are not known here."
)
_MOST_NAMED = 3


def why_uncertain(
    rows: Sequence[EvidenceRow],
    balance: Balance | None,
    question: str = "",
    articles: Mapping[str, Article] | None = None,
) -> tuple[str, ...]:
    """At most `MOST` sentences on ``rows`` (strongest first), the most telling first; none without
    rows.

    ``question`` tells who is asked about; with ``articles`` (by id) studies of the same authors are
    found. Where nothing else can be said the one sentence is `ABSTRACTS_ONLY`.
    """
    if balance is None:
        return ()
    _, studies = counted(rows, balance.sides == "stance")
    answering = [study for study in studies if study.answers]
    if not answering:
        return (_none_answers(studies, balance.sides),)
    told = (
        _disagreement(rows, balance),
        _other_people(answering, question),
        _few(studies, answering),
        _both_ways(answering),
        _flagged(rows, answering),
        _small(answering),
        _observational(answering),
        _no_effect_within(answering),
        _follow_up(answering),
        _not_independent(studies),
        _same_authors(answering, articles or {}),
    )
    return tuple(sentence for sentence in told if sentence)[:MOST] or (ABSTRACTS_ONLY,)


def _none_answers(studies: Sequence[IncludedStudy], sides: Sides) -> str:
    verb = "answers the question" if sides == "stance" else "says clearly which way its effect went"
    if len(studies) == 1:
        return f"The one study retrieved does not {verb.replace('s ', ' ', 1)} {_cited(studies)}."
    return (
        f"{'Neither' if len(studies) == 2 else 'None'} of the {len(studies)} studies retrieved "
        f"{verb} {_cited(studies)}."
    )


def _disagreement(rows: Sequence[EvidenceRow], balance: Balance) -> str:
    if balance.conflict is not None:
        return statement(balance.conflict, rows)
    if balance.sides == "effect_direction":
        return ""
    sides = {
        side: [n for share in balance.shares if share.side == side for n in share.numbers]
        for side in ("supports", "contradicts")
    }
    if all(sides.values()):
        return (
            f"The studies retrieved disagree: in support {cite(sides['supports'])}, against "
            f"{cite(sides['contradicts'])}."
        )
    return ""


def _few(studies: Sequence[IncludedStudy], answering: Sequence[IncludedStudy]) -> str:
    if len(answering) > FEW:
        return ""
    reports = [n for study in answering for n in study.numbers]
    held = "" if not any(study.pools for study in answering) else ", counting a review as one"
    if len(answering) == 1:
        again = f", in {len(reports)} reports" if len(reports) > 1 else ""
        among = f" of the {len(studies)} retrieved" if len(studies) > 1 else ""
        return f"Only one study{among} answers the question{again}{held} {cite(reports)}."
    among = (
        f"{len(answering)} of the {len(studies)} studies"
        if len(studies) > len(answering)
        else f"{len(answering)} studies"
    )
    return f"Few studies: {among} retrieved answer the question{held} {cite(reports)}."


def _other_people(answering: Sequence[IncludedStudy], question: str) -> str:
    asked = people(question)
    found: dict[str, list[int]] = {}
    for study in answering:
        row = study.row
        studied = people(f"{row.population or ''}. {_people_of(row)}")
        for kind in sorted(others(asked, studied)):
            found.setdefault(kind, []).append(study.n)
    if not found:
        return ""
    told = listed([f"{kind} {cite(numbers)}" for kind, numbers in found.items()])
    every = {n for numbers in found.values() for n in numbers} == {study.n for study in answering}
    if not every:
        return f"Not all studies that answer were in the people asked about: {told}."
    who = (
        "The study that answers was not"
        if len(answering) == 1
        else "None of the studies that answer was"
    )
    return f"{who} in the people asked about: {told}."


def _people_of(row: EvidenceRow) -> str:
    """Return what a design says of who was studied."""
    return {"animal study": "animal study", "laboratory study": "in vitro"}.get(
        row.design or "", ""
    )


def _both_ways(answering: Sequence[IncludedStudy]) -> str:
    """Intervals that hold a large effect one way and none, or the other way round."""
    told = []
    for study in answering:
        effect = study.row.effect
        if (
            effect is None
            or effect.low is None
            or effect.high is None
            or effect.scale not in ("ratio", "standardised difference")
        ):
            continue
        if effect.scale == "ratio":
            none, less, more = 1.0, LARGE_BENEFIT, LARGE_HARM
        else:
            none, less, more = 0.0, -LARGE_STANDARDISED, LARGE_STANDARDISED
        down, up = effect.low <= less, effect.high >= more
        if not (effect.low <= none <= effect.high and (down or up)):
            continue
        span = (
            "a large decrease and a large increase"
            if down and up
            else "a large decrease and none"
            if down
            else "a large increase and none"
        )
        told.append((study.n, f"[{study.n}] {_effect(study.row)} holds {span}"))
    if not told:
        return ""
    words = "The interval of" if len(told) == 1 else "Intervals are wide: that of"
    return f"{words} {_named(told)}."


def _no_effect_within(answering: Sequence[IncludedStudy]) -> str:
    """Intervals that hold "no effect", where they say nothing wider."""
    wide = _both_ways(answering)
    told = []
    for study in answering:
        effect = study.row.effect
        none = 1.0 if effect is not None and effect.scale == "ratio" else 0.0
        if effect is None or effect.low is None or effect.high is None or f"[{study.n}]" in wide:
            continue
        if effect.low <= none <= effect.high:
            told.append((study.n, f"[{study.n}] {_effect(study.row)}"))
    if not told:
        return ""
    words = ("The interval", "includes") if len(told) == 1 else ("The intervals", "include")
    return f"{words[0]} of {_named(told)} {words[1]} no effect."


def _effect(row: EvidenceRow) -> str:
    effect = row.effect
    assert effect is not None
    unit = f" {effect.unit}" if effect.unit and effect.scale == "difference" else ""
    level = f"{effect.level:g} % interval " if effect.level is not None else ""
    estimate, _, interval = stated(effect).partition(" (")
    return f"({effect.measure} {estimate}{unit}, {level}{interval}"


def _named(told: Sequence[tuple[int, str]]) -> str:
    """The first few as they are, the others by citation only."""
    rest = [n for n, _ in told[_MOST_NAMED:]]
    return listed(
        [*(words for _, words in told[:_MOST_NAMED]), *([f"likewise {cite(rest)}"] if rest else [])]
    )


def _flagged(rows: Sequence[EvidenceRow], answering: Sequence[IncludedStudy]) -> str:
    numbers = {n for study in answering for n in study.numbers}
    found = {
        words: sorted(
            {
                row.n
                for row in rows
                if row.n in numbers and any(notice.kind == kind for notice in row.notices)
            }
        )
        for kind, words in FLAGS.items()
    }
    told = [
        (
            f"{cite(those)} "
            f"{'is ' + words if len(those) == 1 else 'are ' + words.replace('a preprint', 'preprints')}"  # noqa: E501
        )
        for words, those in found.items()
        if those
    ]
    return f"Read with care: {listed(told)}." if told else ""


def _small(answering: Sequence[IncludedStudy]) -> str:
    sized = [study for study in answering if study.participants and not study.pools]
    small = sorted(
        (study for study in sized if (study.participants or 0) < SMALL),
        key=lambda study: study.participants or 0,
    )
    if (
        not small
        or 2 * len(small) < len(sized)
        or any((study.participants or 0) >= ENOUGH for study in sized)
    ):
        return ""
    sizes = listed([f"{study.participants} [{study.n}]" for study in small[:_MOST_NAMED]])
    more = (
        f", and {len(small) - _MOST_NAMED} more below {SMALL} {_cited(small[_MOST_NAMED:])}"
        if len(small) > _MOST_NAMED
        else ""
    )
    return f"Small samples: participants numbered {sizes}{more}."


def _observational(answering: Sequence[IncludedStudy]) -> str:
    primary = [study for study in answering if study.sized and not study.pools]
    if (
        not primary
        or len(primary) < len(answering)
        or any(study.row.design not in OBSERVATIONAL for study in primary)
    ):
        return ""
    one = "The study that answers is" if len(primary) == 1 else "All studies that answer are"
    return f"{one} observational, so other causes are not ruled out {_cited(primary)}."


def _follow_up(answering: Sequence[IncludedStudy]) -> str:
    read = [
        (length[1], study)
        for study in answering
        if (length := days(study.row.follow_up or "")) is not None
    ]
    if not read:
        return ""
    longest, study = max(read, key=lambda each: (each[0], -each[1].n))
    if longest >= SHORT_DAYS:
        return ""
    silent = len(answering) - len(read)
    rest = (
        f"; {silent} of {len(answering)} answering studies state{'s' if silent == 1 else ''} none"
        if silent
        else ""
    )
    text = " ".join((study.row.follow_up or "").replace("[", "(").replace("]", ")").split())
    return f"No follow-up is stated beyond {text[:60]} [{study.n}]{rest}."


def _not_independent(studies: Sequence[IncludedStudy]) -> str:
    """Reviews that hold the same retrieved studies, and studies that a retrieved review holds."""
    held = [study for study in studies if study.held_by]
    if not held:
        return ""
    shared = [study for study in held if len(study.held_by) > 1]
    if shared:
        reviews = sorted({n for study in shared for n in study.held_by})
        return (
            f"The reviews {cite(reviews)} are not independent: they include some of the same "
            f"studies {_cited(shared)}."
        )
    reviews = sorted({n for study in held for n in study.held_by})
    many = len(reviews) > 1
    return (
        f"{_cited(held)} {'are' if len(held) > 1 else 'is'} also part of the "
        f"review{'s' if many else ''} {cite(reviews)}, so "
        f"{'they add' if len(held) > 1 else 'it adds'} little new evidence."
    )


def _same_authors(answering: Sequence[IncludedStudy], articles: Mapping[str, Article]) -> str:
    """Two authors that all answering studies share, by last name and initial: one common name alone
    is not proof.
    """
    if len(answering) < 2 or any(study.row.id not in articles for study in answering):
        return ""
    shared = set[tuple[str, str]].intersection(
        *(_names(articles[study.row.id].authors) for study in answering)
    )
    if len(shared) < 2:
        return ""
    return (
        "All studies that answer share authors, so none retrieved is by another group "
        f"{_cited(answering)}."
    )


def _names(authors: Sequence[Author]) -> set[tuple[str, str]]:
    initials = (
        (each.last.lower(), (each.initials or each.fore or "")[:1].lower())
        for each in authors
        if not each.collective
    )
    return {name for name in initials if all(name)}


def _cited(studies: Sequence[IncludedStudy]) -> str:
    return cite(study.n for study in studies)
