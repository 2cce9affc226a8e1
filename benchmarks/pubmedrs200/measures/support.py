"""Citation recall and precision as ALCE defines them (Gao et al., EMNLP 2023, section 3.3), and the
share of supported sentences.

A sentence has recall 1 if it cites something and all it cites, together, supports it; one that
cites a number without an article has recall 0, whatever else it cites, as in ALCE's own program. A
citation of a sentence with recall 1 is precise unless it does not support the sentence alone while
the others do without it; citations of a sentence without recall are not precise (ALCE's program
leaves those with a number without an article out of the mean, its paper does not). An answer's
recall is the mean over its sentences, its precision that over its citations.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.pubmedrs200.measures.claims import Claim
from benchmarks.pubmedrs200.measures.judging import Entailment, Judge
from clinfo.records.articles import Article


@dataclass(frozen=True)
class Support:
    """Shares from 0 to 1; None without any sentence, or without any citation."""

    sentences: float | None
    recall: float | None
    precision: float | None


def support(claims: Sequence[Claim], articles: Mapping[int, Article], judge: Judge) -> Support:
    """Return what a judge makes of an answer's sentences. One that cites a number without an
    article is not supported.
    """
    return supports([(claims, articles)], judge)[0]


def supports(
    answers: Sequence[tuple[Sequence[Claim], Mapping[int, Article]]], judge: Judge
) -> list[Support]:
    """`support` of many answers, their questions put together: a judge that is far away is asked
    three times in all.
    """
    found: dict[int, Support] = {}
    steps = {place: _steps(*answer) for place, answer in enumerate(answers)}
    asked = {place: next(each) for place, each in steps.items()}
    while asked:
        told = iter(judge.judge([one for part in asked.values() for one in part]))
        answered = {place: [next(told) for _ in part] for place, part in asked.items()}
        asked = {}
        for place, verdicts in answered.items():
            try:
                asked[place] = steps[place].send(verdicts)
            except StopIteration as end:
                found[place] = end.value
    return [found[place] for place in range(len(answers))]


def _steps(
    claims: Sequence[Claim], articles: Mapping[int, Article]
) -> Generator[list[Entailment], list[bool], Support]:
    """Asks of each sentence with all it cites, then with each citation alone, then with the others
    where that did not do.
    """
    asked = [_entailment(claim, claim.cites, articles) for claim in claims]
    judged = [bool(claim.cites) and all(n in articles for n in claim.cites) for claim in claims]
    told = iter((yield [one for one, is_judged in zip(asked, judged, strict=True) if is_judged]))
    whole = [next(told) if is_judged else False for is_judged in judged]
    synthesis = [
        (claim, held)
        for claim, held in zip(claims, whole, strict=True)
        if claim.part == "synthesis"
    ]
    several = [claim for claim, held in synthesis if held and len(claim.cites) > 1]
    cited = [(place, claim, n) for place, claim in enumerate(several) for n in claim.cites]
    told = iter((yield [_entailment(claim, (n,), articles) for _, claim, n in cited]))
    alone = {(place, n) for place, _, n in cited if next(told)}
    doubtful = [
        (place, n, _entailment(claim, tuple(m for m in claim.cites if m != n), articles))
        for place, claim, n in cited
        if (place, n) not in alone
    ]
    told = iter((yield [others for _, _, others in doubtful]))
    needless = {(place, n) for place, n, _ in doubtful if next(told)}
    precise = [(place, n) not in needless for place, _, n in cited]
    precise += [
        held for claim, held in synthesis if not held or len(claim.cites) < 2 for _ in claim.cites
    ]
    return Support(_mean(whole), _mean([held for _, held in synthesis]), _mean(precise))


def _entailment(claim: Claim, cites: Sequence[int], articles: Mapping[int, Article]) -> Entailment:
    return Entailment(claim.text, tuple(articles[n] for n in cites if n in articles))


def _mean(held: Sequence[bool]) -> float | None:
    return sum(held) / len(held) if held else None
