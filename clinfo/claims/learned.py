"""The entailment model as judge: does a passage of a cited article entail a sentence, or refute it?

Any entailment model can be it (`EntailmentJudge`). Each clause of a sentence is compared with the
passages of the articles cited for it that share most words with it. What no passage entails or
refutes with enough certainty the judge cannot tell.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

from clinfo.claims.cited import clauses
from clinfo.claims.joining import Opinion
from clinfo.errors import ModelError
from clinfo.records.articles import Article, Sentence, Span, Study
from clinfo.retrieval.sparse import searched_words
from clinfo.text.citations import brackets, citation_marks
from clinfo.text.sentences import sentence_spans

MOST_PASSAGES: Final = 6
"""Passages that a sentence is compared with, over all its clauses and articles; at least one for
each of these.
"""
LIFT: Final = 0.9
CONDEMN: Final = 0.9
"""Probabilities from which a passage counts as entailing or refuting; high, since models of
entailment are overconfident on texts unlike those they were taught."""


class Entailment(NamedTuple):
    """Probabilities, together 1, that a premise entails a hypothesis, does neither, or refutes
    it.
    """

    supports: float
    neither: float
    refutes: float


class EntailmentJudge(Protocol):
    """A model that tells whether a passage entails a sentence."""

    @property
    def name(self) -> str:
        """Return what the answer calls it."""

    def entailments(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Entailment]:
        """One for each (premise, hypothesis), in order; blocking. Raises ModelError."""


@dataclass(frozen=True)
class _Asked:
    """One passage of study ``n`` held against clause number ``clause``."""

    clause: int
    n: int
    span: Span
    pair: tuple[str, str]


async def opinions(
    sentences: Sequence[Sentence],
    places: Sequence[int],
    studies: Sequence[Study],
    judge: EntailmentJudge,
    lift: float = LIFT,
    condemn: float = CONDEMN,
) -> dict[int, Opinion]:
    """The judge's opinions on the sentences at ``places``. ``studies`` hold every article cited."""
    articles = {study.n: study.article for study in studies}
    asked = {place: found for place in places if (found := _asked(sentences[place], articles))}
    pairs = [one.pair for every in asked.values() for one in every]
    try:
        told = iter(await asyncio.to_thread(judge.entailments, pairs) if pairs else ())
    except ModelError as error:
        why = f"the entailment model gave no verdict ({error})"
        return {place: Opinion(judge.name, None, why, failed=True) for place in asked}
    return {
        place: _opinion(judge.name, [(one, next(told)) for one in every], lift, condemn)
        for place, every in asked.items()
    }


def _asked(sentence: Sentence, articles: dict[int, Article]) -> list[_Asked]:
    known = [n for n in sentence.cites if n in articles]
    marks = citation_marks(sentence.text)
    written = {n for mark in marks for n in mark.numbers}
    parts = clauses(sentence.text, marks, known, [n for n in known if n not in written])
    most = max(1, MOST_PASSAGES // max(1, sum(len(part.cites) for part in parts)))
    return [
        _Asked(place, n, span, (text, " ".join(claim.split()).strip(",; ")))
        for place, part in enumerate(parts)
        if (claim := part.whole or part.text)
        for n in part.cites
        for span, text in _closest(claim, n, articles[n], most)
    ]


def _closest(claim: str, study: int, article: Article, most: int) -> list[tuple[Span, str]]:
    """The title and the sentences of an article that share most words with the claim, the earlier
    of equals first.
    """
    spans = [Span(study, "title", 0, len(article.title))] if article.title else []
    spans += [Span(study, "abstract", *one) for one in sentence_spans(article.abstract)]
    texts = {"title": article.title, "abstract": article.abstract}
    found = [(one, " ".join(texts[one.field][one.start : one.end].split())) for one in spans]
    wanted = set(searched_words(claim))
    return sorted(found, key=lambda one: -len(wanted.intersection(searched_words(one[1]))))[:most]


def _opinion(
    name: str, told: Sequence[tuple[_Asked, Entailment]], lift: float, condemn: float
) -> Opinion:
    """Supported where every article cited for a clause entails it, partial where one of them does,
    for every clause.
    """
    best: dict[tuple[int, int], tuple[Entailment, Span]] = {}
    against: list[tuple[float, _Asked]] = []
    for one, entailment in told:
        key = one.clause, one.n
        if key not in best or entailment.supports > best[key][0].supports:
            best[key] = entailment, one.span
        if entailment.refutes >= condemn:
            against.append((entailment.refutes, one))
    carried = {key: span for key, (entailment, span) in best.items() if entailment.supports >= lift}
    against = [(refutes, one) for refutes, one in against if (one.clause, one.n) not in carried]
    numbers = list(dict.fromkeys(n for _, n in best))
    if against:
        refutes, worst = max(against, key=lambda each: each[0])
        return Opinion(
            name,
            "contradicted",
            f"a passage of {brackets([worst.n])} refutes it ({refutes:.2f})",
            (worst.span,),
        )
    if {clause for clause, _ in carried} != {clause for clause, _ in best}:
        return Opinion(
            name, None, f"{name} could not decide from the passages of {brackets(numbers)}"
        )
    least = min(best[key][0].supports for key in carried)
    bearing = [n for n in numbers if any(n == other for _, other in carried)]
    why = f"passages of {brackets(bearing)} entail it ({least:.2f})"
    spans = tuple(dict.fromkeys(carried.values()))
    if len(carried) == len(best):
        return Opinion(name, "supported", why, spans)
    others = [n for n in numbers if any(key not in carried for key in best if key[1] == n)]
    return Opinion(name, "partial", f"{why}, none of {brackets(others)} does", spans)
