"""What a study concludes about an outcome, read by rule from the sentences that report it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from clinfo.evidence.effect_direction import effect_direction
from clinfo.pipelines.trials.asked_sentences import can_answer, plainly
from clinfo.records.trials import Better, Conclusion, Direction, Quote, Side
from clinfo.retrieval.asked import Asked
from clinfo.retrieval.chunking import sentences_of
from clinfo.retrieval.documents import Passage
from clinfo.retrieval.rerankers import best
from clinfo.retrieval.rerankers.results import ResultReranker
from clinfo.text.terms import stems

READ: Final = 4
"""Sentences of a paper that are read together: from three on, more change nothing."""
CANDIDATES: Final = 2
"""Sentences of a paper that are shown where none states the result."""
UNCLEAR: Final = "what names the outcome was not read as a result of the arms asked"
_DIRECTIONS: Final[dict[str, Direction]] = {
    "increased": "increase",
    "decreased": "decrease",
    "no difference": "no_difference",
}


def concluded(asked: Asked, sentences: Sequence[Passage]) -> Conclusion:
    """What single sentences of a study's papers conclude; "not_stated" where none of those that
    most likely report the result takes a side or says that there is none.
    """
    able = [one for one in sentences if can_answer(asked, one.text)]
    chosen = leading(asked, able, READ)
    text = "\n".join(plainly(one.text) for one in chosen)
    found = effect_direction(asked.intervention, asked.comparator, asked.outcome, "", text)
    direction = _DIRECTIONS.get(found.direction)
    at = 0
    for one in chosen:
        if direction is not None and at <= found.start < at + len(one.text):
            quote = Quote(one.document, one.start, one.end)
            return Conclusion(direction, (quote,), found.reason)
        at += len(one.text) + 1
    named = set(stems(asked.outcome))
    if named and any(named <= set(stems(one.text)) for one in sentences):
        return Conclusion("not_stated", (), UNCLEAR)
    return Conclusion("not_stated", (), found.reason)


def leading(asked: Asked, sentences: Sequence[Passage], count: int) -> list[Passage]:
    """The sentences of each paper most likely to report the result, ``count`` of a paper, from the
    likeliest.
    """
    by_paper: dict[str, list[Passage]] = {}
    for one in sentences:
        by_paper.setdefault(one.document, []).append(one)
    chosen: list[Passage] = []
    for own in by_paper.values():
        scores = ResultReranker("sentence").scores(asked, own)
        chosen += [own[place] for place in best(scores, count)]
    return chosen


def candidates_in(asked: Asked, passages: Sequence[Passage]) -> tuple[Quote, ...]:
    """The sentences of passages that most likely report the result, whether or not they state it,
    from the likeliest.
    """
    sentences = [one for passage in passages for one in sentences_of(passage)]
    likely = leading(asked, sentences, CANDIDATES)
    return tuple(Quote(one.document, one.start, one.end) for one in likely)


def favoured(direction: Direction, better: Better | None) -> Side | None:
    """The side that a direction speaks for; None where nothing is stated, or where an effect was
    found and nobody says whether more or less of the outcome is better.
    """
    if direction == "no_difference":
        return "neither"
    if direction == "not_stated" or better is None:
        return None
    return "intervention" if (direction == "decrease") == (better == "lower") else "comparator"
