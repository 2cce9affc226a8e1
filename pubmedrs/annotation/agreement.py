"""Agreement of two annotators: Cohen's kappa on their decisions, edit distances between their
texts.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pubmedrs.annotation.sheets import DECISIONS, Choice
from pubmedrs.records import Review


@dataclass(frozen=True)
class Kappa:
    """Agreement on n items: observed (share), expected by chance, and Cohen's kappa, None where
    chance alone gives certainty.
    """

    n: int
    observed: float
    expected: float
    kappa: float | None


def kappa(pairs: Sequence[tuple[str, str]]) -> Kappa:
    """Cohen's kappa, unweighted: (observed - expected) / (1 - expected).

    J. Cohen, "A coefficient of agreement for nominal scales", Educational and Psychological
    Measurement 20 (1960) 37-46. Raises ValueError for no pairs.
    """
    n = len(pairs)
    if not n:
        raise ValueError("no pairs")
    first, second = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
    agreed = sum(one == other for one, other in pairs)
    by_chance = sum(
        first[name] * second[name] for name in first
    )  # whole numbers, so that certainty is seen as such
    value = None if by_chance == n * n else (agreed * n - by_chance) / (n * n - by_chance)
    return Kappa(n, agreed / n, by_chance / (n * n), value)


@dataclass(frozen=True)
class Distance:
    """Normalised Levenshtein distances of n pairs of texts, 0 (equal) to 1; None where there are no
    pairs.
    """

    n: int
    characters: float | None
    words: float | None
    characters_median: float | None
    words_median: float | None


def distance(pairs: Iterable[tuple[str, str]]) -> Distance:
    """Means and medians of the distances, over characters and over words (what stands between white
    space).

    A distance is the fewest insertions, deletions and substitutions divided by the length of the
    longer text.
    """
    from rapidfuzz.distance import Levenshtein

    by_character: list[float] = []
    by_word: list[float] = []
    for one, other in pairs:
        by_character.append(Levenshtein.normalized_distance(one, other))
        by_word.append(Levenshtein.normalized_distance(one.split(), other.split()))
    if not by_character:
        return Distance(0, None, None, None, None)
    means = statistics.fmean(by_character), statistics.fmean(by_word)
    return Distance(
        len(by_character), *means, statistics.median(by_character), statistics.median(by_word)
    )


@dataclass(frozen=True)
class Agreement:
    """Two annotators on the same candidates.

    ``table`` counts pairs of decisions, ``"accept edit"`` for the first's and the second's.
    ``three`` is kappa on accept, edit, reject, ``two`` on kept (accept or edit) against reject.
    ``answers`` and ``questions`` compare their texts where both kept the candidate; ``edits``
    compares each one's edited answers with the candidates, by name.
    """

    annotators: tuple[str, str]
    table: Mapping[str, int]
    three: Kappa
    two: Kappa
    answers: Distance
    questions: Distance
    edits: Mapping[str, Distance]


def agreement(
    names: tuple[str, str],
    first: Mapping[str, Choice],
    second: Mapping[str, Choice],
    reviews: Mapping[str, Review],
) -> Agreement:
    """The agreement on the candidates that both decided on; at least one is needed."""
    both = [(first[id], second[id]) for id in first if id in second]
    decisions = [(one.decision, other.decision) for one, other in both]
    counted = Counter(decisions)
    kept = [(one, other) for one, other in both if "reject" not in (one.decision, other.decision)]
    keeps = [
        tuple("reject" if decision == "reject" else "keep" for decision in pair)
        for pair in decisions
    ]
    sides = zip(names, ([one for one, _ in both], [other for _, other in both]), strict=True)
    return Agreement(
        annotators=names,
        table={f"{one} {other}": counted[one, other] for one in DECISIONS for other in DECISIONS},
        three=kappa(decisions),
        two=kappa([(one, other) for one, other in keeps]),
        answers=distance((one.answer, other.answer) for one, other in kept),
        questions=distance((one.question, other.question) for one, other in kept),
        edits={
            name: distance(
                (reviews[one.id].answer, one.answer) for one in side if one.decision == "edit"
            )
            for name, side in sides
        },
    )
