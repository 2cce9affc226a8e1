"""Finds where a paper reports the result that is asked for: a small learned reranker.

A linear model over BM25 of the asked words and of each part, the share of their words that a
passage holds, words that results are told with (significance, comparison, change), its section and
kind. Fitted on passages in which physicians marked the evidence for a question about a trial
(`benchmarks.trials.fit_results`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from clinfo.retrieval.documents import Asked, Passage
from clinfo.retrieval.rerankers.result_weights import WEIGHTS
from clinfo.retrieval.sparse import SparseIndex, searched_words
from clinfo.text.terms import fold

_CUES = {
    "significant": r"\bsignifican|\bnon-?significan",
    "p value": r"\bp\s?[<=>≤≥]",
    "than": r"\bthan\b|\bversus\b|\bvs\b",
    "compared": r"\bcompar",
    "difference": r"\bdifferen|\bsimilar",
    "more": r"\bincreas|\bhigher|\bgreater|\bmore\b|\bimprov|\blonger",
    "less": r"\bdecreas|\blower|\breduc|\bless\b|\bfewer|\bshorter",
    "number": r"\d",
    "percent": r"\d\s?%",
    "spread": r"±|\bSD\b|\bSEM?\b",
    "interval": r"\bCI\b|confidence interval",
    "groups": r"\bgroups?\b|\barms?\b",
    "table": r"\btables?\b|\bfig",
    "past": r"\bwas\b|\bwere\b",
    "methods": r"\bwill\b|\bmeasured|\bassess|\brandomi[sz]ed\b",
    "cited": r"\[\d",
    "no": r"\bno\b|\bnot\b",
    "effect": r"\beffect",
}
_FOUND = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in _CUES.items()}
_SECTIONS = {
    "abstract result": "result finding",
    "abstract conclusion": "conclu interpret",
    "abstract": "abstract",
    "results": "result finding outcome efficacy",
    "discussion": "discuss conclu comment",
    "methods": "method patient statistic design participant procedure",
    "introduction": "introduc background",
}
"""Kinds of section by what their headings hold; those of an abstract stand under "Abstract"."""


_WITH_OUTCOME = (
    *("in abstract result", "in results", "in discussion", "is table", "significant", "p value"),
    *("than", "compared", "difference", "number"),
)


class ResultReranker:
    """Ranks passages of papers by how likely they report the result asked for."""

    name = "results"

    def scores(self, asked: Asked, passages: Sequence[Passage]) -> list[float]:
        """A score for each passage; those of one paper or study belong in one call, since the
        words' weights come from it.
        """
        return [
            sum(WEIGHTS.get(name, 0.0) * value for name, value in one.items())
            for one in features(asked, passages)
        ]


def prepare(passages: Sequence[Passage]) -> None:
    """Make ready what no question changes, so that the scores of these passages come sooner."""
    _held(tuple(one.text for one in passages))
    for one in passages:
        _of_passage(one)


def features(asked: Asked, passages: Sequence[Passage]) -> list[dict[str, float]]:
    """The features of each passage, from 0 to about 5, without those that are 0."""
    held, index = _held(tuple(one.text for one in passages))
    parts = {
        "all": asked.words,
        "outcome": asked.outcome or asked.text,
        "intervention": asked.intervention,
        "comparator": asked.comparator,
    }
    columns: list[dict[str, float]] = [dict(_of_passage(one)) for one in passages]
    for part, text in parts.items():
        wanted = frozenset(searched_words(text))
        if not wanted:
            continue
        found = index.scores(wanted)
        top = max(found, default=0.0) or 1.0
        for column, score, own in zip(columns, found, held, strict=True):
            share = len(wanted & own.words) / len(wanted)
            column[f"bm25 {part}"] = score / top
            column[f"log bm25 {part}"] = math.log1p(score)
            column[f"share {part}"] = share
            column[f"whole {part}"] = float(share == 1.0)
            column[f"verbatim {part}"] = float(fold(text).strip() in own.folded)
    for column in columns:  # the outcome's BM25 times where it stands and what it stands with
        outcome = column.get("bm25 outcome", 0.0)
        column |= {f"outcome × {name}": outcome * column.get(name, 0.0) for name in _WITH_OUTCOME}
    return [{name: value for name, value in one.items() if value} for one in columns]


@dataclass(frozen=True)
class _Held:
    """A passage's text: its words as they are compared, and the text without case."""

    words: frozenset[str]
    folded: str


@lru_cache(maxsize=64)
def _held(texts: tuple[str, ...]) -> tuple[tuple[_Held, ...], SparseIndex]:
    words = [searched_words(text) for text in texts]
    held = (_Held(frozenset(own), fold(text)) for own, text in zip(words, texts, strict=True))
    return tuple(held), SparseIndex(words)


@lru_cache(maxsize=4096)
def _of_passage(passage: Passage) -> Mapping[str, float]:
    """The features of a passage that no question changes."""
    found = {name: math.log1p(len(cue.findall(passage.text))) for name, cue in _FOUND.items()}
    found[f"in {_section(passage)}"] = 1.0
    found[f"is {passage.kind}"] = 1.0
    found["log length"] = math.log(max(20, len(passage.text)))
    return found


def _section(passage: Passage) -> str:
    where = ". ".join(passage.section).lower()
    for name, held in _SECTIONS.items():
        if any(word in where for word in held.split()) and (
            where.startswith("abstract") or not name.startswith("abstract")
        ):
            return name
    return "other section"
