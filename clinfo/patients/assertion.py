"""The assertion of a mention: present, negated, of another person, past or only thought of.

A learned judge says it: softmax regression over the words around the mention and headings, fitted
on sentences written for this project (`benchmarks.chart.fit_assertion`).
"""

import gzip
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import exp
from pathlib import Path
from typing import get_args

from clinfo.patients.assertion_features import Line, features
from clinfo.patients.mentions import Assertion, Mention
from clinfo.patients.sections import Section
from clinfo.text.sentences import sentence_spans

FILE = Path(__file__).with_name("assertion_weights.tsv.gz")
"""First the known words, in one line; then a line a feature: its name and, after tabs, its weight
for each of `CLASSES` in hundredths.
"""
CLASSES: tuple[Assertion, ...] = get_args(Assertion)
PLANNED = "planned"
_PROCEDURES = frozenset(("procedure", "diagnostic procedure", "surgery"))
"""Types of what is done once, which a plan has ahead."""
_HAD: tuple[Assertion, ...] = ("present", "history")
_LONGEST = 2000
"""Characters of a sentence, and of its line on either side, that are read at a time; those of
normal length are read as a whole.
"""


@dataclass(frozen=True, slots=True)
class Weights:
    """The known words, and the weights of features in hundredths, so that sums are exact."""

    words: frozenset[str]
    of: Mapping[str, tuple[int, ...]]

    def judged(self, features: Collection[str]) -> tuple[Assertion, int]:
        """The class with the highest sum, the first of equals, and how likely it is, in whole
        percent (as `Mention.sure`).
        """
        rows = [self.of[each] for each in features if each in self.of]
        if not rows:
            return "present", 0
        sums = [sum(column) for column in zip(*rows, strict=True)]
        most = max(sums)
        said = CLASSES[sums.index(most)]
        odds = dict(zip(CLASSES, (exp((each - most) / 100) for each in sums), strict=True))
        sure = sum(odds[each] for each in (_HAD if said in _HAD else (said,)))
        return said, int(100 * sure / sum(odds.values()))


@cache
def assertion_weights() -> Weights:
    """The fitted weights."""
    words, *lines = gzip.decompress(FILE.read_bytes()).decode().split("\n")
    rows = (line.split("\t") for line in lines if line)
    return Weights(
        frozenset(words.split(" ")), {name: tuple(map(int, values)) for name, *values in rows}
    )


def asserted(
    text: str, parts: Sequence[Section], mentions: Sequence[Mention]
) -> tuple[Mention, ...]:
    """The mentions, in order, with what the text says of each."""
    if not mentions:
        return ()
    weights = assertion_weights()
    told = described(text, parts, mentions, weights.words)
    judged = zip(mentions, map(weights.judged, told), strict=True)
    plans = [part for part in parts if part.kind == PLANNED]
    starts = [part.start for part in plans]
    return tuple(
        replace(mention, assertion="uncertain", sure=mention.sure)
        if said == "present"
        and (before := bisect_right(starts, mention.start))
        and _is_planned(plans[before - 1], mention)
        else replace(mention, assertion=said, sure=min(sure, mention.sure))
        for mention, (said, sure) in judged
    )


def _is_planned(part: Section, mention: Mention) -> bool:
    """Return whether a section of a plan has a procedure ahead."""
    return part.start <= mention.start < part.end and not _PROCEDURES.isdisjoint(mention.types)


def described(
    text: str, parts: Sequence[Section], mentions: Sequence[Mention], words: frozenset[str]
) -> Iterator[Collection[str]]:
    """The features of each mention, of words known."""
    spans = sentence_spans(text)
    begins = [start for start, _ in spans]
    headings = [part.start for part in parts]
    starts = [mention.start for mention in mentions]

    def line_at(start: int, end: int) -> Line:
        within = mentions[max(bisect_right(starts, start) - 1, 0) : bisect_right(starts, end)]
        return Line(text, start, end, words, within)

    line = head = Line("", 0, 0, words)
    for mention in mentions:
        sentence = spans[max(bisect_right(begins, mention.start) - 1, 0)]
        part = parts[max(bisect_right(headings, mention.start) - 1, 0)]
        start = max(sentence[0], part.start)
        start += (mention.start - start) // _LONGEST * _LONGEST
        end = min(sentence[1], start + _LONGEST)
        low, high = (max(at // _LONGEST + by, 0) * _LONGEST for at, by in ((start, -1), (end, 2)))
        begin = max(text.rfind("\n", low, mention.start) + 1, low)
        stop = text.find("\n", mention.end, high)
        if stop >= 0 and text[stop - 1] == "?":  # the answer stands on the next line
            stop = text.find("\n", stop + 1, high)
        stop = stop if stop >= 0 else min(high, len(text))
        if (line.start, line.end) != (begin, stop):
            line = line_at(begin, stop)
            block = max(text.rfind("\n\n", low, begin), low)
            colon = max(text.rfind(":\n", block, begin), low)
            head = line_at(max(text.rfind("\n", low, colon) + 1, low), colon + 1)
        yield features(line, mention, sentence, part.kind, head)
