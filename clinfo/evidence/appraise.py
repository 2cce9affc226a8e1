"""The appraisal of the studies retrieved: evidence table, groups of reports, balance and doubts,
put together.
"""

from __future__ import annotations

from collections.abc import Sequence

from clinfo.evidence.balance import balance
from clinfo.evidence.studies import groups, overlaps
from clinfo.evidence.table import rows
from clinfo.evidence.uncertainty import why_uncertain
from clinfo.records.appraisal import Appraisal, Notice
from clinfo.records.articles import Study
from clinfo.text.question import is_closed


def appraise(question: str, studies: Sequence[Study], notices: Sequence[Notice]) -> Appraisal:
    """Return what ``studies`` (best rank first) say as a whole; ``notices`` are those of their
    articles.
    """
    articles = [study.article for study in studies]
    table = rows(question, studies, notices)
    weighed = balance(table, is_closed(question))
    doubts = why_uncertain(table, weighed, question, {article.id: article for article in articles})
    return Appraisal(table, groups(articles), overlaps(articles), weighed, doubts)
