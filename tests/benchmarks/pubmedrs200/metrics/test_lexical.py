"""Each metric against its library, asked directly, and what holds of any two texts."""

import string
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.pubmedrs200.metrics import registry
from benchmarks.pubmedrs200.metrics.base import Scorer
from benchmarks.pubmedrs200.metrics.spec import Pair


def scores(metric: str, predictions: list[str], references: list[str]) -> list[float]:
    pairs = [Pair(*texts) for texts in zip(predictions, references, strict=True)]
    return list(scorer(metric).score(pairs)[metric])


@cache
def scorer(metric: str) -> Scorer:
    (made,) = registry.load([metric])
    return made


TEXTS = st.text(alphabet=string.ascii_letters + " .,()–“”é\n😀1%'", max_size=120)
OURS = "Metformin lowered HbA1c by 1.1% (95% CI 0.9–1.3); it didn't change weight."
THEIRS = "HbA1c fell by 1.1% with metformin, but weight didn't change (95% CI −0.2 to 0.3)."


@given(TEXTS, TEXTS)
def test_rouge_l_is_that_of_rouge_score(prediction: str, reference: str) -> None:
    from rouge_score.rouge_scorer import RougeScorer

    expected = (
        RougeScorer(["rougeL"], use_stemmer=False)
        .score(target=reference, prediction=prediction)["rougeL"]
        .fmeasure
    )
    assert scores("rouge_l", [prediction], [reference]) == [expected]


@given(TEXTS, TEXTS)
def test_chrf_is_that_of_sacrebleu(prediction: str, reference: str) -> None:
    import sacrebleu

    assert scores("chrf", [prediction], [reference]) == [
        sacrebleu.sentence_chrf(prediction, [reference]).score
    ]


def test_google_bleu_by_hand() -> None:
    # "the cat sat" / "the cat ran": 1-grams 2, 2-grams 1, 3-grams 0 are shared, of 6 in either
    assert scores("google_bleu", ["the cat sat"], ["the cat ran"]) == [0.5]
    # "the cat" has 3 n-grams, all of them among the 6 of "the cat sat"
    assert scores("google_bleu", ["the cat"], ["the cat sat"]) == [0.5]
    # 13a parts the point from the word: "cat" is shared, of 3 n-grams
    assert scores("google_bleu", ["cat."], ["cat"]) == [pytest.approx(1 / 3)]


def test_exact_match_and_word_length() -> None:
    assert scores("exact_match", ["a b", "a b", "A b", ""], ["a b", "a  b", "a b", ""]) == [
        1.0,
        0.0,
        0.0,
        1.0,
    ]
    assert scores("word_length", [" one  two\nthree [4] TL;DR:x ", "", "\u00a0"], ["", "", ""]) == [
        5.0,
        0.0,
        0.0,
    ]


@pytest.mark.parametrize("metric", ["chrf", "character"])
def test_roles_matter(metric: str) -> None:
    assert scores(metric, [OURS], [THEIRS]) != scores(metric, [THEIRS], [OURS])
