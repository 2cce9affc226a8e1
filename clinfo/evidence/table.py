"""The evidence table: one row a relevant article, in order of strength.

Guidelines and recent systematic reviews stand first, then the other articles by level of evidence
(`clinfo.evidence.cebm`), newer before older, then by rank. Recent means published within `RECENT`
years before the newest relevant article, so a table made twice from the same articles is the same;
a day can be handed in to count from instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from clinfo.evidence.cebm import level, question_row
from clinfo.evidence.effect_direction import effect_direction
from clinfo.evidence.main_effect import main_effect
from clinfo.evidence.studies import POOLING, groups, overlaps
from clinfo.records.appraisal import EvidenceRow, Notice
from clinfo.records.articles import Article, Direction, Study
from clinfo.text.abstracts import abstract_sentences
from clinfo.text.design import study_design
from clinfo.text.direction import direction
from clinfo.text.follow_up import follow_up
from clinfo.text.sample_size import analysed_size, population, sample_size
from clinfo.text.study_question import StudyQuestion, fitting_outcome, study_question

RECENT = 5
"""Years within which a systematic review is recent."""
_UNKNOWN_LEVEL = 6
_REVIEW_OF_UNNAMED = 3
"""Place of a review that does not say what it pools: that of the observational studies it may
pool.
"""


def rows(
    question: str, studies: Sequence[Study], notices: Sequence[Notice], today: date | None = None
) -> tuple[EvidenceRow, ...]:
    """The table of ``studies`` (best rank first) for ``question``, the strongest first.

    ``notices`` go to the rows of their articles. Recent reviews are those of the last `RECENT`
    years before ``today``, or before the newest of the studies where no day is given. Everything
    else comes from the articles and their summaries.
    """
    articles = [study.article for study in studies]
    group = {id: number for number, found in enumerate(groups(articles), 1) for id in found.ids}
    holders: dict[str, list[str]] = {}
    for overlap in overlaps(articles):
        for id in overlap.studies:
            holders.setdefault(id, []).append(overlap.review)
    made = [
        _row(
            question,
            study,
            group[study.article.id],
            tuple(holders.get(study.article.id, ())),
            notices,
        )
        for study in studies
    ]
    newest = (
        today.year
        if today is not None
        else max((row.year for row in made if row.year is not None), default=None)
    )
    return tuple(sorted(made, key=lambda row: (row.unread, _strength(row, newest))))


def is_recent(year: int | None, newest: int | None) -> bool:
    """Return whether a year lies within `RECENT` years before ``newest``; an article without a year
    is not recent.
    """
    return year is not None and newest is not None and newest - year <= RECENT


def _strength(row: EvidenceRow, newest: int | None) -> tuple[int, int, int]:
    """First guidelines, then recent systematic reviews, then by level; newer first within each."""
    review = row.design in POOLING
    first = 0 if row.design == "guideline" else 1 if review and is_recent(row.year, newest) else 2
    level = row.level if row.level is not None else _REVIEW_OF_UNNAMED if review else _UNKNOWN_LEVEL
    return first, level, -(row.year or 0)


def _row(
    question: str, study: Study, group: int, in_reviews: tuple[str, ...], notices: Sequence[Notice]
) -> EvidenceRow:
    article, summary = study.article, study.summary
    design = study_design(article)
    found = level(question_row(question), article)
    asked = study_question(article)
    protocol = design == "study protocol"
    effect = None if protocol else main_effect(article, study.n, question, asked)
    outcome = (
        effect.outcome
        if effect
        else fitting_outcome(asked.outcomes, question) or next(iter(asked.outcomes), None)
    )
    return EvidenceRow(
        id=article.id,
        n=study.n,
        title=article.title,
        year=article.year,
        design=design,
        level=found.level,
        level_reason=found.reason,
        sample_size=sample_size(article),
        population=population(article),
        intervention=effect.intervention if effect else asked.intervention,
        comparator=effect.comparator if effect else asked.comparator,
        outcome=outcome,
        effect=effect.effect if effect else None,
        effect_direction=(summary.effect_direction if summary else None)
        or _direction(article, asked, outcome),
        stance=summary.stance if summary else None,
        follow_up=follow_up(article, design),
        group=group,
        in_reviews=in_reviews,
        notices=tuple(notice for notice in notices if notice.id == article.id),
        unread=study.unread,
        analysed=analysed_size(article),
    )


def _direction(article: Article, asked: StudyQuestion, outcome: str | None) -> Direction:
    """Return which way the row's outcome went with its intervention; where one of the three is not
    known, or nothing is said of it, which way the conclusion points."""
    if asked.intervention and asked.comparator and outcome:
        told = effect_direction(
            asked.intervention, asked.comparator, outcome, article.title, article.abstract
        ).direction
        if told != "unclear":
            return told
    conclusion = " ".join(
        sentence.text for sentence in abstract_sentences(article) if sentence.role == "conclusion"
    )
    return direction(conclusion or article.title)
