"""What a reader must know of the papers before using them: retractions, concerns, corrections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from clinfo.integrity.notices import RECORD, notices
from clinfo.integrity.retractions import Retractions
from clinfo.records.appraisal import Notice
from clinfo.records.articles import Article
from clinfo.retrieval.documents import Document

FILE = "the paper's file"


def checked(papers: Sequence[Document], retractions: Retractions | None) -> tuple[Notice, ...]:
    """The notices of papers by what their files and titles say and a retraction list holds."""
    found = notices([_article(paper) for paper in papers], retractions)
    return tuple(
        replace(one, reported_by=FILE) if one.reported_by == RECORD else one for one in found
    )


def _article(paper: Document) -> Article:
    ids = dict(id.split(":", 1) for id in (*paper.ids, paper.id) if ":" in id)
    return Article(
        paper.id,
        paper.title,
        pmid=ids.get("pmid"),
        doi=ids.get("doi"),
        publication_types=paper.types,
    )
