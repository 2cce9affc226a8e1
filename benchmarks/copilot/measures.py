"""Measures of retrieval in silos: evidence, sets of drugs, answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from clinfo.retrieval.silos import SiloDocument
from clinfo.retrieval.silos.passages import TEXT, pieces
from clinfo.retrieval.sparse import SparseIndex, searched_words

K = 10
Row = Mapping[str, Any]
Search = Callable[[str], Sequence[str]]
"""Ids of documents for a question, best first."""


def recall(rows: Sequence[Row], gold: str, search: Search, k: int = K) -> float:
    """The mean share of a question's gold documents, of which at most ``k`` count, among the first
    ``k``; a question without gold has no share. An id with ``~`` is another text of the id before
    it, and counts as that.
    """
    shares = []
    for row in rows:
        wanted = {str(one) for one in row.get(gold) or ()}
        if not wanted:
            continue
        found = {id.partition("~")[0] for id in search(row["question"])[:k]}
        shares.append(min(1.0, len(wanted & found) / min(k, len(wanted))))
    return fmean(shares or [0.0])


def f1(gold: Iterable[str], got: Iterable[str]) -> float:
    """F1 of a set of names; 1 where there is none and none was to be."""
    wanted, found = set(gold), set(got)
    both = len(wanted) + len(found)
    return 2 * len(wanted & found) / both if both else 1.0


def bm25(documents: Sequence[SiloDocument], texts: Sequence[str]) -> Search:
    """A search by BM25 of one text a document: a baseline."""
    index = SparseIndex([searched_words(text) for text in texts])
    ids = [f"{one.silo}/{one.id}" for one in documents]
    return lambda question: [ids[place] for place in index.best(searched_words(question), K)]


def of_silo(search: Search) -> Search:
    """A search whose ids are without the name of the silo."""
    return lambda question: [one.partition("/")[2] for one in search(question)]


def foreign(rows: Sequence[Row], silo: str, search: Search) -> float:
    """The share of what is among the first ten and of another silo."""
    found = [one for row in rows for one in search(row["question"])[:K]]
    return sum(not one.startswith(f"{silo}/") for one in found) / max(1, len(found))


def tokens(documents: Sequence[SiloDocument]) -> dict[str, int]:
    """Documents, chunks, abstractions and words of texts and of abstractions (Figure 2b)."""
    passages = [one for document in documents for one in pieces(document)]
    made = [one for one in passages if one.found_by != TEXT]
    return {
        "documents": len(documents),
        "chunks": len(passages) - len(made),
        "abstractions": len(made),
        "words": sum(len(one.text.split()) for one in documents),
        "words of abstractions": sum(len(one.text.split()) for one in made),
    }
