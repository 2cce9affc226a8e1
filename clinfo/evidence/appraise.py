"""The appraisal of the studies retrieved: evidence table, groups of reports, balance and doubts, put together."""

from __future__ import annotations

from collections.abc import Sequence

from clinfo.appraisal import Appraisal, Notice
from clinfo.balance import balance
from clinfo.evidence import rows
from clinfo.records import Study
from clinfo.studies import groups, overlaps
from clinfo.text.question import is_closed
from clinfo.uncertainty import why_uncertain


def appraise(question: str, studies: Sequence[Study], notices: Sequence[Notice]) -> Appraisal:
    """What ``studies`` (best rank first) say as a whole; ``notices`` are those of their articles."""
    articles = [study.article for study in studies]
    table = rows(question, studies, notices)
    weighed = balance(table, is_closed(question))
    doubts = why_uncertain(table, weighed, question, {article.id: article for article in articles})
    return Appraisal(table, groups(articles), overlaps(articles), weighed, doubts)
