"""METEOR and its words against figures that nltk 3.8.1 itself gave."""

import pytest

from benchmarks.pubmedrs200.metrics.meteor import Meteor

# Text and tokens: nltk 3.8.1's NLTKWordTokenizer on the sentences of its Punkt, untrained, with the
# same abbreviations.
# Single words that share a synset with a word: how many nltk 3.8.1 finds in WordNet 3.0.
SYNONYMS = {
    "better": 46,
    "studies": 21,
    "analyses": 11,
    "mice": 2,
    "women": 4,
    "sessions": 4,
    "focuses": 17,
    "lessening": 8,
    "asses": 33,
    "ss": 15,
    "gastroscopyingseds": 0,
}
# Ending after ending taken off, as 3.8.1 did and 3.9 does not.
TWICE = {
    "processings": 9,
    "buildingses": 8,
    "timings": 3,
    "workings": 30,
    "meetings": 23,
    "findings": 25,
    "outcomess": 9,
}
SCORES = [
    (
        "Treatment lowered blood pressures in older women.",
        "Therapy reduces the blood pressure of elderly females.",
        0.28714107365792757,
    ),
    ("the cat sat on the mat", "on the mat sat the cat", 0.5),
    (
        "A randomised trial didn't find any benefit – none.",
        "No advantages were found in the randomized trials.",
        0.10869565217391303,
    ),
]


@pytest.mark.usefixtures("wordnet")
def test_synonyms() -> None:
    from benchmarks.pubmedrs200.metrics.wordnet import Synonyms

    synonyms = Synonyms()
    found = {
        word: sum(len(group.lemmas()) for group in synonyms.synsets(word))
        for word in SYNONYMS | TWICE
    }
    assert found == SYNONYMS | TWICE


@pytest.mark.usefixtures("wordnet")
@pytest.mark.parametrize(("prediction", "reference", "value"), SCORES)
def test_scores(prediction: str, reference: str, value: float) -> None:
    assert Meteor().values([prediction], [reference]) == [pytest.approx(value, abs=1e-12)]
