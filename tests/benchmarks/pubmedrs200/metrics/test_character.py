"""CharacTER against computed figures of the package cer 1.2.0 and against the description, followed
step by step.
"""

import json
import random
from pathlib import Path

import pytest

from benchmarks.pubmedrs200.metrics.character import EQUAL_PLACES, character

PAIRS = [
    json.loads(line)
    for line in (Path(__file__).parent / "character_pairs.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]
WORKED = [  # outputs of cer 1.2.0, ten digits
    (
        "this week the saudis denied information published in the new york times",
        "saudi arabia denied this week information published in the american new york times",
        0.3661971831,
    ),
    ("one two three four", "three four one two", 0.1666666667),
    ("today we leave", "we leave today", 0.3571428571),
    ("we leave today", "today we leave", 0.25),
    ("pear fig apple", "fig apple plum pear", 0.6428571429),
    ("dogs Big", "big dog", 0.625),
    ("Paris, in", "in Paris", 0.7777777778),
    ("in Paris,", "Paris in", 0.3333333333),
    ("sat the cat big", "the big cat sat", 0.6),
    ("to be or not", "not to or be", 0.3333333333),
    ("snow rain the sun", "rain sun snow the", 0.6764705882),
    ("the cat the dog", "the dog the cat", 0.2),
    ("rain sun The snow", "snow The fog sun rain", 0.8235294118),
    ("red blue green green", "green red green red red blue", 0.75),
    ("", "a", 1.0),
    ("hello world", "hello world", 0.0),
    ("xx", "abcdef ghij", 1.0),
]


@pytest.mark.parametrize(("prediction", "reference", "value"), WORKED)
def test_worked_examples(prediction: str, reference: str, value: float) -> None:
    assert character(prediction.split(), reference.split()) == (
        pytest.approx(value, abs=5e-11),
        False,
    )


def test_figures_of_the_package_to_the_last_bit() -> None:
    assert len(PAIRS) == 99
    found = [character(pair["prediction"].split(), pair["reference"].split()) for pair in PAIRS]
    assert found == [(pair["value"], False) for pair in PAIRS]


@pytest.mark.slow
def test_long_and_repetitive_texts_end() -> None:
    random_words = random.Random(1)
    pairs = [
        (["the"] * 2_000, ["the"] * 1_999 + ["end"]),
        (
            [random_words.choice("abc") for _ in range(250)],
            [random_words.choice("abc") for _ in range(250)],
        ),
        (["w" * 100_000], ["w" * 99_999 + "v"]),
        (
            [str(number % 9_973) for number in range(20_000)],
            [str(number % 7_919) for number in range(20_000)],
        ),
    ]
    assert EQUAL_PLACES < 2_000 * 1_999
    cut_short = []
    for prediction, reference in pairs:
        value, cut = character(prediction, reference, work=10**11)
        assert 0 < value <= 1
        cut_short.append(cut)
    assert cut_short[0]  # too many places with the same word
    assert not any(cut_short[1:3])
