"""The evidence table: one row a relevant article, in order of strength.

Guidelines and recent systematic reviews stand first, then the other articles by the level of their
design, newer before older, then by rank. Recent means published within `RECENT` years before the
newest relevant article, so a table made twice from the same articles is the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from clinfo.evidence.balance import balance
from clinfo.evidence.design import POOLING, level, stated_design, strength
from clinfo.evidence.studies import groups, overlaps
from clinfo.records.appraisal import Appraisal, EvidenceRow, Notice
from clinfo.records.articles import Study, Summary

RECENT = 5
"""Years within which a systematic review is recent."""


def appraise(studies: Sequence[Study], notices: Sequence[Notice]) -> Appraisal:
    """The word of ``studies`` (best rank first) as a whole: the table, the strongest first, the
    groups of reports, what reviews list, the balance.

    A design comes from the summary's typed field, else from the record; ``notices`` go to the rows
    of their articles.
    """
    designs = {study.article.id: _design(study) for study in studies}
    articles = [study.article for study in studies]
    read = {study.article.id: study.summary for study in studies if study.summary}
    reports, listed = groups(articles, designs, read), overlaps(articles, designs)
    group = {id: number for number, found in enumerate(reports, 1) for id in found.ids}
    holders: dict[str, list[str]] = {}
    for overlap in listed:
        for id in overlap.studies:
            holders.setdefault(id, []).append(overlap.review)
    made = [
        _row(study, designs, group[study.article.id], holders.get(study.article.id, ()), notices)
        for study in studies
    ]
    newest = max((row.year for row in made if row.year is not None), default=None)
    table = tuple(sorted(made, key=lambda row: (row.unread, *_place(row, newest))))
    return Appraisal(table, reports, listed, balance(table))


def _design(study: Study) -> str | None:
    """The design that a model read, else what the record states."""
    read = study.summary.design if study.summary else None
    return read if read and read != "other" else stated_design(study.article)


def _place(row: EvidenceRow, newest: int | None) -> tuple[int, int, int]:
    """First guidelines, then recent systematic reviews, then by design; newer first within each."""
    recent = row.year is not None and newest is not None and newest - row.year <= RECENT
    first = 0 if row.design == "guideline" else 1 if row.design in POOLING and recent else 2
    return first, strength(row.design), -(row.year or 0)


def _row(
    study: Study,
    designs: Mapping[str, str | None],
    group: int,
    in_reviews: Sequence[str],
    notices: Sequence[Notice],
) -> EvidenceRow:
    article, read = study.article, study.summary or Summary("")
    design = designs[article.id]
    found, reason = level(design)
    return EvidenceRow(
        id=article.id,
        n=study.n,
        title=article.title,
        year=article.year,
        design=design,
        level=found,
        level_reason=reason,
        sample_size=read.sample_size,
        population=read.population,
        intervention=read.intervention,
        comparator=read.comparator,
        control=read.control,
        outcome=read.outcome,
        effect=read.effect,
        effect_direction=read.effect_direction,
        stance=read.stance,
        follow_up=read.follow_up,
        group=group,
        in_reviews=tuple(in_reviews),
        notices=tuple(notice for notice in notices if notice.id == article.id),
        unread=study.unread,
        analysed=read.analysed,
        result=read.result,
        usefulness=read.usefulness,
        answer=read.answer,
    )
