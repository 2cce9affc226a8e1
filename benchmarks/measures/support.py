"""Citation recall and precision as ALCE defines them (Gao et al., EMNLP 2023, section 3.3), and the share of supported sentences.

A sentence has recall 1 if it cites something and all it cites, together, supports it. A citation of such a sentence is
precise unless it does not support
the sentence alone while the others do without it; citations of a sentence without recall are not precise. An answer's
recall is the mean over its
sentences, its precision that over its citations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.measures.claims import Claim
from benchmarks.measures.judging import Entailment, Judge
from clinfo.records import Article


@dataclass(frozen=True)
class Support:
    """Shares from 0 to 1; None without any sentence, or without any citation."""

    sentences: float | None
    recall: float | None
    precision: float | None


def support(claims: Sequence[Claim], articles: Mapping[int, Article], judge: Judge) -> Support:
    """What a judge makes of an answer's sentences. Numbers without an article are citations that support nothing."""
    whole = _supported(claims, articles, judge)
    synthesis = [(claim, held) for claim, held in zip(claims, whole, strict=True) if claim.part == "synthesis"]
    precise = [one for claim, held in synthesis for one in _precise(claim, held, articles, judge)]
    return Support(_mean(whole), _mean([held for _, held in synthesis]), _mean(precise))


def entailments(claims: Sequence[Claim], articles: Mapping[int, Article]) -> list[Entailment]:
    """What is asked of a judge first: each sentence that cites an article, with all it cites."""
    return [one for claim in claims if (one := _entailment(claim, claim.cites, articles)).articles]


def _supported(claims: Sequence[Claim], articles: Mapping[int, Article], judge: Judge) -> list[bool]:
    asked = [_entailment(claim, claim.cites, articles) for claim in claims]
    told = iter(judge.judge([one for one in asked if one.articles]))
    return [next(told) if one.articles else False for one in asked]


def _precise(claim: Claim, held: bool, articles: Mapping[int, Article], judge: Judge) -> Iterator[bool]:
    """For each citation of a sentence, whether it is precise."""
    if not held or len(claim.cites) < 2:
        yield from [held] * len(claim.cites)
        return
    alone = judge.judge([_entailment(claim, (n,), articles) for n in claim.cites if n in articles])
    by_number = dict(zip((n for n in claim.cites if n in articles), alone, strict=True))
    doubtful = [n for n in claim.cites if not by_number.get(n, False)]
    others = [_entailment(claim, tuple(m for m in claim.cites if m != n), articles) for n in doubtful]
    told = iter(judge.judge([one for one in others if one.articles]))
    needless = {n: next(told) if one.articles else False for n, one in zip(doubtful, others, strict=True)}
    yield from (not needless.get(n, False) for n in claim.cites)


def _entailment(claim: Claim, cites: Sequence[int], articles: Mapping[int, Article]) -> Entailment:
    return Entailment(claim.text, tuple(articles[n] for n in cites if n in articles))


def _mean(held: Sequence[bool]) -> float | None:
    return sum(held) / len(held) if held else None
