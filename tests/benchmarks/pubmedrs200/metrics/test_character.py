"""CharacTER against computed figures of the package cer 1.2.0 and against the description, followed
step by step.
"""

import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

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


WORDS = st.lists(st.sampled_from(["a", "b", "c", "the", "Zoë", "tea"]), max_size=14)


@given(WORDS, WORDS)
def test_equals_the_search_by_the_letter(prediction: list[str], reference: list[str]) -> None:
    assert character(prediction, reference) == (_by_the_letter(prediction, reference), False)


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


def _distance(ours: str | list[str], theirs: str | list[str]) -> int:
    row = list(range(len(theirs) + 1))
    for number, one in enumerate(ours, 1):
        above, row = row, [number]
        for place, other in enumerate(theirs, 1):
            row.append(min(above[place] + 1, row[-1] + 1, above[place - 1] + (one != other)))
    return row[-1]


def _by_the_letter(prediction: list[str], reference: list[str]) -> float:
    """The description's steps without any short cut."""
    if prediction == reference:
        return 0.0
    if not prediction or not reference:
        return 1.0
    now, running = prediction, _distance(prediction, reference) / len(reference)
    while made := _every_shift(now, reference):
        least = min(_distance(each, reference) for each in made)
        gain = running - least / len(reference)
        if gain <= 0:
            break
        running -= gain
        now = max(each for each in made if _distance(each, reference) == least)
    cost, at = 0.0, 0
    while at < len(prediction):
        later = [place for place in range(at + 1, len(now)) if now[place] == prediction[at]]
        if prediction[at] == now[at] or not later:
            at += 1
            continue
        run = 0
        while (
            at + run < len(prediction)
            and later[0] + run < len(now)
            and prediction[at + run] == now[later[0] + run]
        ):
            run += 1
        cost += sum(map(len, prediction[at : at + run])) / run
        at += run
    return min(
        1.0, (_distance(" ".join(now), " ".join(reference)) + cost) / len(" ".join(prediction))
    )


def _every_shift(now: list[str], reference: list[str]) -> list[list[str]]:
    made = []
    for start in range(len(now)):
        for place in range(len(reference)):
            if start == place or now[start] != reference[place]:
                continue
            length = 1
            while (
                now[start + length : start + length + 1]
                == reference[place + length : place + length + 1]
                != []
            ):
                length += 1
            rest = now[:start] + now[start + length :]
            made.append(rest[:place] + now[start : start + length] + rest[place:])
    return made
