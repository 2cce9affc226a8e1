"""The appraisal of the studies retrieved: evidence table, groups of reports and balance, put
together.
"""

from __future__ import annotations

from collections.abc import Sequence

from clinfo.evidence.balance import balance
from clinfo.evidence.studies import groups, overlaps
from clinfo.evidence.table import rows
from clinfo.records.appraisal import Appraisal, Notice
from clinfo.records.articles import Study


def appraise(studies: Sequence[Study], notices: Sequence[Notice]) -> Appraisal:
    """Return what ``studies`` (best rank first) say as a whole; ``notices`` are those of their
    articles.
    """
    table = rows(studies, notices)
    articles = [study.article for study in studies]
    designs = {row.id: row.design for row in table}
    return Appraisal(table, groups(articles, designs), overlaps(articles, designs), balance(table))
