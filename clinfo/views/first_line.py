"""The lines under a TL;DR, counted from the typed fields of the readings: how many studies found
what, the size of the effect on each outcome, and what the counts are worth.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from clinfo.evidence.design import POOLING, RETELLING, level, plural
from clinfo.evidence.effect_words import effect_text
from clinfo.evidence.table import CONCERN, WORDS, answering, counted_as, counting, led, measuring
from clinfo.extractive.model import NOTICE as EXTRACTIVE_NOTICE
from clinfo.records.answer import Answer
from clinfo.records.appraisal import EvidenceRow
from clinfo.records.articles import RESULTS, Control, Effect
from clinfo.sources.demo import NOTICE as DEMO_NOTICE
from clinfo.text.wording import number, one_line
from clinfo.text.words import key
from clinfo.views.counts import NONE_VERIFIED

MOST_KINDS: Final = 3
"""Kinds of studies that are counted apart."""
OTHER: Final = "other study"
AGAINST: Final[Mapping[Control, str]] = {
    "placebo or none": "against placebo or no treatment",
    "other treatment": "against another treatment",
    "other dose": "against another dose or way",
}
"""The kinds of comparators, in the order in which they are told."""
NONE_CLEAR: Final = "no clear difference"
MOST_OUTCOMES: Final = 3
COUNTED: Final = "Counted by software from abstracts"
UNRATED: Final = "Certainty not rated: abstracts only"
RATED: Final = "Certainty and best source: the model's word, from abstracts"
UNCHECKED: Final = "Retractions could not be checked"
BRIEF: Final[Mapping[str, str]] = {
    DEMO_NOTICE: "Demo corpus: do not base decisions on this answer",
    EXTRACTIVE_NOTICE: "No language model: studies are quoted, nothing is judged",
}
"""Notices in the few words that stand under the answer."""


@dataclass(frozen=True)
class Tally:
    """A part of the line of counts, with what stands ``before`` it and the studies (citation
    numbers) that it counts.
    """

    text: str
    numbers: tuple[int, ...]
    before: str = ""


@dataclass(frozen=True)
class BestSource:
    """The study ``n`` that answers best, in few words: design and people."""

    text: str
    n: int


@dataclass(frozen=True)
class OutcomeLine:
    """The effect on an ``outcome`` as the strongest study ``n`` that measured it states it, and in
    ``words`` where its figures have any.
    """

    outcome: str
    words: str
    stated: str
    n: int


def tally(answer: Answer) -> tuple[Tally, ...]:
    """The line of counts: "12 trials, 2 meta-analyses · newest 2003 · of 14 that measured it 11
    found benefit, 3 no clear difference". A study whose result is not known, or that did not
    measure what is asked, is in no denominator; nor is an article that only tells of others'.
    """
    rows = answering(answer.appraisal.rows)
    every = [
        row
        for row, _ in led(answer.appraisal.rows)
        if all(one.kind != "retracted" for one in row.notices)
    ]
    parts = [*_kinds(every)]
    years = [row.year for row in every if row.year is not None]
    if years:
        newest = [row for row in every if row.year == max(years)]
        parts.append(Tally(f"newest {max(years)}", _numbers(newest), " · "))
    if measured := measuring(answer.appraisal.rows):
        parts += _results(measured)
        told = [row for row in every if row.result and row.result != "not measured"]
        if left := [row for row in told if row not in measured and row.design not in RETELLING]:
            told_of = "of little use or of a part of a trial not counted"
            parts.append(Tally(f"{len(left):,} {told_of}", _numbers(left), " · "))
    elif rows:
        parts.append(Tally("none has a result on this", _numbers(rows), " · "))
    return tuple(parts)


def tally_text(answer: Answer) -> str:
    """The line of counts as running text."""
    return "".join(f"{part.before}{part.text}" for part in tally(answer))


def _kinds(rows: Sequence[EvidenceRow]) -> list[Tally]:
    """The studies by kind, in the order of the table."""
    kinds: dict[str, list[EvidenceRow]] = {}
    for row in rows:
        kinds.setdefault(_kind(row.design), []).append(row)
    shown: list[tuple[str, Sequence[EvidenceRow]]] = list(kinds.items())
    if len(shown) > MOST_KINDS:
        rest = [row for _, members in shown[MOST_KINDS - 1 :] for row in members]
        shown = [*shown[: MOST_KINDS - 1], (OTHER, rest)]
    elif list(kinds) == [OTHER]:
        shown = [("study", rows)]
    return [
        Tally(
            f"{len(members):,} {kind if len(members) == 1 else plural(kind)}",
            _numbers(members),
            ", " if place else "",
        )
        for place, (kind, members) in enumerate(shown)
    ]


def _kind(design: str | None) -> str:
    if design in POOLING:
        return "meta-analysis" if "meta" in design else "systematic review"
    if design and "trial" in design and (place := level(design)[0]) in (2, None):
        return "randomised trial" if place == 2 else "trial of unstated allocation"
    return design if design and design != "other" else OTHER


def _results(measured: Sequence[EvidenceRow]) -> list[Tally]:
    """The results of those that measured it, by kind of comparator where a model read them all; of
    comparators that may differ only that they do.
    """
    articles = " articles" if counted_as(measured) == "article" else ""
    results = {row.result for row in measured}
    if len(results) == 1:
        every = {1: "the one", 2: f"both{articles}"}.get(
            len(measured), f"all {len(measured):,}{articles}"
        )
        return [Tally(f"{every} that measured it {_said(measured[0])}", _numbers(measured), " · ")]
    of = Tally(f"of {len(measured):,}{articles} that measured it", _numbers(measured), " · ")
    kinds = {row.control for row in measured}
    if None in kinds and len({key(row.comparator) for row in measured if row.comparator}) > 1:
        of = replace(of, text=f"{of.text}, against different comparators,")
    if None in kinds or len(kinds) == 1:
        return [of, *_by_result(measured, " ")]
    parts = [of]
    for kind, words in AGAINST.items():
        if members := [row for row in measured if row.control == kind]:
            parts += _by_result(members, f"{':' if len(parts) == 1 else ';'} {words} ")
    return parts


def _by_result(rows: Sequence[EvidenceRow], before: str) -> list[Tally]:
    """The studies of each result: "9 found benefit, 3 no clear difference"."""
    parts: list[Tally] = []
    for result in RESULTS:
        if members := [row for row in rows if row.result == result]:
            words = _said(members[0]).removeprefix("found " if parts else "")
            text = f"{len(members):,} {words}"
            parts.append(Tally(text, _numbers(members), ", " if parts else before))
    return parts


def _said(row: EvidenceRow) -> str:
    return WORDS[row.result] if row.result else ""


def best_source(answer: Answer) -> BestSource | None:
    """The study that a model says answers best; None without one."""
    row = next((one for one in answer.appraisal.rows if one.n == answer.best_source), None)
    if row is None:
        return None
    size = row.sample_size if row.sample_size is not None else row.analysed
    people = number(size, "person", "people") if size is not None else ""
    return BestSource(", ".join(filter(None, (row.design, people))), row.n)


def outcomes(answer: Answer) -> tuple[OutcomeLine, ...]:
    """A line for each outcome and result of which a study states the effect, by the best source,
    else by its strongest study; nothing is pooled.
    """
    found: dict[tuple[str, str | None], OutcomeLine] = {}
    rows = counting(answer.appraisal.rows)
    for row in sorted(rows, key=lambda one: one.n != answer.best_source):
        concern = any(notice.kind in CONCERN for notice in row.notices)
        if row.effect is None or not row.outcome or concern or row.result == "not measured":
            continue
        outcome = one_line(row.outcome)
        against = one_line(row.comparator or "")
        given = one_line(row.intervention or "")
        stated = effect_text(replace(row.effect, subset=""), given, against)
        words = in_words(row.effect)
        differs = row.result == NONE_CLEAR and words not in ("", NONE_CLEAR)
        if differs:
            words = ""  # "2 % lower risk" without an interval says more than the study found
        differs = differs and row.effect.low is not None  # the figures say otherwise: no word
        if not words and not differs and row.result is not None and row.result != "mixed":
            words = WORDS[row.result].removeprefix("found ")
        if given and not row.effect.turned:
            stated = f"{given} {stated}" if row.effect.arms else f"{stated} with {given}"
        if row.effect.subset:
            stated = f"{stated} in {one_line(row.effect.subset)}"
        line = OutcomeLine(outcome[:1].upper() + outcome[1:], words, stated, row.n)
        found.setdefault((key(outcome), row.result), line)
    return tuple(found.values())[:MOST_OUTCOMES]


_OF: Final = {"RR": "risk", "OR": "odds", "HR": "hazard", "IRR": "rate"}
"""The thing that a ratio compares, by its measure."""


def in_words(effect: Effect) -> str:
    """A ratio as a clinician says it; of an interval that reaches no effect only that it does."""
    none = 1.0 if effect.scale == "ratio" else 0.0
    if effect.scale == "values":
        return ""
    if effect.low is not None and effect.high is not None and effect.low <= none <= effect.high:
        return NONE_CLEAR
    percent = abs(effect.estimate - 1) * 100
    if effect.measure not in _OF or effect.turned or not 0.5 <= percent < 100:
        return ""
    return f"{percent:.0f} % {'lower' if effect.estimate < 1 else 'higher'} {_OF[effect.measure]}"


def caveat(answer: Answer) -> tuple[str, ...]:
    """The worth of the lines above, and what a reader must know of the run, in few words."""
    judged, unread = answer.counts.judged, answer.counts.not_assessed
    counted = any(row.result for row in answer.appraisal.rows)
    told = (
        (answer.unverified, NONE_VERIFIED.rstrip(".")),
        (unread, f"{judged:,} of {judged + unread:,} articles found were read"),
        (counted, COUNTED),
        (counted, RATED if answer.certainty else UNRATED),
        *((True, brief(notice)) for notice in answer.notices),
        (any(UNCHECKED in warning for warning in answer.warnings), UNCHECKED),
    )
    return tuple(said for holds, said in told if holds)


def brief(notice: str) -> str:
    """A notice in few words."""
    return BRIEF.get(notice, one_line(notice).rstrip("."))


def _numbers(rows: Iterable[EvidenceRow]) -> tuple[int, ...]:
    return tuple(sorted(row.n for row in rows))
