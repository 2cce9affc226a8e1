"""Chooses the passages of a paper in which the numbers of an asked result are likely to stand.

Numbers stand in tables, whose rows only say something together, and the sizes of groups often in a
table's header or in a sentence far from the result. So tables are taken whole as far as they go,
and have places of their own.
"""

from __future__ import annotations

from clinfo.retrieval.asked import Asked
from clinfo.retrieval.chunking import by_section
from clinfo.retrieval.documents import Document, Passage
from clinfo.retrieval.rerankers import best
from clinfo.retrieval.rerankers.results import ResultReranker

TEXT, TABLE = 1000, 5000
"""Code points of a passage of text, and of one of a table."""
TABLES = 0.4
"""The share of the places that tables have, as far as there are any."""


def number_passages(document: Document, asked: Asked, count: int = 10) -> tuple[Passage, ...]:
    """The ``count`` passages of a document that likely hold the numbers asked for, tables first."""
    passages = [
        *(one for one in by_section(document, TABLE) if one.kind == "table"),
        *(one for one in by_section(document, TEXT) if one.kind != "table"),
    ]
    scores = ResultReranker().scores(asked, passages)
    order = best(scores, len(passages))
    tables = [place for place in order if passages[place].kind == "table"]
    chosen = tables[: round(TABLES * count)]
    chosen += [place for place in order if place not in chosen][: count - len(chosen)]
    return tuple(passages[place] for place in chosen)
