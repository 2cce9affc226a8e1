"""CharacTER: edits of characters after whole phrases have been shifted, relative to the length of
the prediction.

Written from a description of the measure's behaviour; the shifts of phrases steer by a word-level
edit distance, and the edits that remain are counted in characters. Wang, Peter, Rosendahl and Ney
(2016), "CharacTer: Translation Edit Rate on Character Level", WMT,
https://aclanthology.org/W16-2342; agrees with the behaviour of the package `cer` 1.2.0 (no code
shared).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any, Final

from benchmarks.pubmedrs200.metrics import base
from benchmarks.pubmedrs200.metrics.spec import MetricSpec

WORK: Final = 500_000_000_000
"""Cells of word-level edit tables that the search for shifts may fill for one pair: enough for
answers of 1,000 words; 2,000 words end after some twenty seconds with the shifts found by then."""
EQUAL_PLACES: Final = 1_000_000
"""Pairs of a place in the prediction and a place in the reference with the same word, beyond which
no shift is looked for: a bound on memory, which only long and repetitive texts reach."""


class Character(base.TextMetric):
    """Edits of characters that turn the prediction into the reference once whole phrases have been
    shifted, with a cost for the shifts, over the characters of the prediction; at most 1. 0 to
    1. Not symmetric.

    Words are what whitespace parts.
    """

    SPECS = (
        MetricSpec(
            name="character", title="CharacTER", low=0.0, high=1.0, better="lower", floor=1.0,
            source="Wang et al. 2016, https://aclanthology.org/W16-2342; own implementation, "
            "distances by rapidfuzz",
            truncation="texts so long or repetitive that the search for shifts of phrases was cut "
            "short, and may be too high",
        ),
    )  # fmt: skip

    def signature(self, name: str) -> str:
        return (
            f"character:own|tok:whitespace|case:mixed|cap:1|work:{WORK:.0e}|"
            f"rapidfuzz:{version('rapidfuzz')}"
        )

    def _compute(
        self, predictions: Sequence[str], references: Sequence[str], sources: Sequence[str] = ()
    ) -> dict[str, Any]:
        found = [
            character(prediction.split(), reference.split())
            for prediction, reference in zip(predictions, references, strict=True)
        ]
        values, cuts = ([one[at] for one in found] for at in (0, 1))
        return base.results({"character": values}, {"character": cuts})  # type: ignore[dict-item]


def character(
    prediction: Sequence[str], reference: Sequence[str], work: int = WORK
) -> tuple[float, bool]:
    """CharacTER of one list of words against another, 0 (equal) to 1, and whether the search for
    shifts was cut short.

    Two empty lists are equal; one empty list against another that is not scores 1. The search for
    shifts ends early once it has filled ``work`` cells, so that very long or repetitive texts end
    in bounded time; the value is then that of the shifts found so far, which more shifts might
    lower.
    """
    if list(prediction) == list(reference):
        return 0.0, False
    joined = " ".join(prediction)
    if not joined or not reference:
        return 1.0, False
    from rapidfuzz.distance import Levenshtein

    words = sorted({*prediction, *reference})
    code = {word: chr(number) for number, word in enumerate(words)}
    original = "".join(code[word] for word in prediction)
    shifted, cut_short = _shifted(original, "".join(code[word] for word in reference), work)
    lengths = [len(word) for word in words]
    edits = Levenshtein.distance(
        " ".join(words[ord(letter)] for letter in shifted), " ".join(reference)
    )
    return min(1.0, (edits + _cost(original, shifted, lengths)) / len(joined)), cut_short


# Below, a text is a string with one character a word, numbered in the order of the words, so that
# strings compare as the lists of words do and slices are quick.


def _shifted(prediction: str, reference: str, work: int) -> tuple[str, bool]:
    """The prediction after the shifts that bring it nearer to the reference, one best shift at a
    time, and whether there was no time to look for all of them."""
    by_word, here = Counter(reference), Counter(prediction)
    if sum(number * by_word[word] for word, number in here.items()) > EQUAL_PLACES:
        return prediction, True
    tally = _Tally(reference, work)
    distance = tally.distance(prediction, len(prediction) + len(reference))
    # A gain is the difference of two quotients in floating point, and rounding may let one shift
    # through that gains nothing; published values were made that way.
    running = distance / len(reference)
    while True:
        most = distance if running > distance / len(reference) else distance - 1
        best, found = _best_shift(prediction, reference, distance, most, tally)
        if not found or tally.left < 0:
            return prediction, tally.left < 0
        running -= running - best / len(reference)
        prediction, distance = found, best


class _Tally:
    """Word-level edit distances to one reference, and how many cells of edit tables may still be
    filled.
    """

    def __init__(self, reference: str, work: int) -> None:
        from rapidfuzz.distance import Levenshtein

        self._levenshtein, self._reference, self.left = Levenshtein.distance, reference, work

    def distance(self, text: str, limit: int) -> int:
        """The distance, or ``limit`` + 1 where it is greater than ``limit``."""
        self.left -= len(text) * len(self._reference)
        return self._levenshtein(text, self._reference, score_cutoff=limit)


def _best_shift(
    prediction: str, reference: str, distance: int, most: int, tally: _Tally
) -> tuple[int, str]:
    """The least distance that one shift can bring about, and the greatest text that has it; ""
    where all are above ``most``.

    Taking a phrase of n words out of a text, or putting one in, changes its distance by n at most.
    So two distances that many shifts share, that of the text without the phrase and that of the
    text with the phrase twice, rule out most shifts.
    """
    best, found = most, ""
    doubled: dict[tuple[str, int], int] = {}
    for length, start, places in _phrases(prediction, reference):
        if distance - best > 2 * length:
            break
        phrase = prediction[start : start + length]
        rest = prediction[:start] + prediction[start + length :]
        if tally.distance(rest, best + length) > best + length:
            continue
        for place in places:
            at = place if place <= start else place + length
            least = doubled.get((phrase, at))
            if least is None:
                least = (
                    tally.distance(prediction[:at] + phrase + prediction[at:], distance + length)
                    - length
                )
                doubled[phrase, at] = least
            if least > best:
                continue
            shifted = rest[:place] + phrase + rest[place:]
            now = tally.distance(shifted, best)
            if now < best or (now == best and shifted > found):
                best, found = now, shifted
        if tally.left < 0:
            break
    return best, found


def _phrases(prediction: str, reference: str) -> list[tuple[int, int, list[int]]]:
    """Length and start of each phrase of the prediction that may be moved, and the places in the
    reference where it stands.

    From each pair of a start and another place with the same word, the phrase goes on as long as
    the two texts agree. Long phrases first.
    """
    by_word: dict[str, list[int]] = {}
    for place, word in enumerate(reference):
        by_word.setdefault(word, []).append(place)
    phrases: list[tuple[int, int, list[int]]] = []
    below: dict[int, int] = {}
    for start in range(len(prediction) - 1, -1, -1):
        common = {
            place: below.get(place + 1, 0) + 1 for place in by_word.get(prediction[start], ())
        }
        by_length: dict[int, list[int]] = {}
        for place, length in common.items():
            if place != start:
                by_length.setdefault(length, []).append(place)
        phrases.extend((length, start, places) for length, places in by_length.items())
        below = common
    phrases.sort(key=lambda phrase: -phrase[0])
    return phrases


def _cost(original: str, shifted: str, lengths: Sequence[int]) -> float:
    """Return what the shifts cost: for each run of words that ended up further right, the mean
    length of its words.
    """
    cost, at = 0.0, 0
    while at < len(original):
        if original[at] == shifted[at]:
            at += 1
            continue
        found = shifted.find(original[at], at + 1)
        if found < 0:
            at += 1
            continue
        end = 0
        while (
            at + end < len(original)
            and found + end < len(shifted)
            and original[at + end] == shifted[found + end]
        ):
            end += 1
        cost += sum(lengths[ord(word)] for word in original[at : at + end]) / end
        at += end
    return cost
