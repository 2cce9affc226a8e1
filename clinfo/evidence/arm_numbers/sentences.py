"""What sentences report of both arms: "12.3 ± 4.5 in A and 8.1 ± 3.3 in B"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from clinfo.evidence.arm_numbers.cells import NUMBER, read_cell
from clinfo.evidence.arm_numbers.grids import Entry
from clinfo.evidence.arm_numbers.naming import ArmNaming
from clinfo.evidence.arm_numbers.pairing import Part, Reported
from clinfo.retrieval.documents import Document
from clinfo.text.arm_values import ArmValues, arm_values
from clinfo.text.arms import Arm, Arms, tokens
from clinfo.text.regex import anycase, regex
from clinfo.text.sentences import sentence_spans

_VALUE = anycase(
    rf"\b(?:M|mean)\s?=\s?{NUMBER}[,;]\s?SD\s?=\s?{NUMBER}|"
    rf"(?<![\w.^]){NUMBER}(?:\s?%)?(?:\s?±\s?{NUMBER}(?:\s?%)?)?"
    rf"(?:\s?/\s?{NUMBER}|\s(?:out\s)?of\s(?:the\s)?{NUMBER})?(?:\s?[(\[][^()\[\]]{{1,40}}[)\]])?"
)
_OPENED = regex(r"\s?[(\[]?\s?(?:\w+\s?=\s?)?$")
FAR = 120
"""Most characters between two values that are set side by side."""
_START = regex(r"[.;,]\s")
_END = regex(r"[.;,(]|\band\b|\bversus\b|\bvs\b|\bthan\b")
_PLANNED = anycase(
    r"\bassum|\bhypothesi|\bpower\b|\bsample size|\bexpect|\btype I+ error|\bat baseline\b"
)
"""Words of sentences that report no result."""
NEAR = 40
"""Most characters between the second value and the name of its arm."""
_BRACKET = anycase(r"\s?[(\[][^()\[\]]*[)\]]$")


def told_in_sentences(document: Document, naming: ArmNaming) -> Iterator[Reported]:
    """The pairs of values that sentences set side by side, each with its arm."""
    for number, block in enumerate(document.blocks):
        if block.kind != "text":
            continue
        for start, end in sentence_spans(document.text[block.start : block.end]):
            at = block.start + start
            sentence = document.text[at : block.start + end]
            if _PLANNED.search(sentence):
                continue
            values = [one for found in _VALUE.finditer(sentence) for one in _entry(found, at)]
            seen = at
            for begins, own, other in _pairs(document.text, sentence, at, values, naming):
                clause = document.text[max(seen, begins) : max(own.end, other.end)]
                seen = max(own.end, other.end)
                yield Reported(
                    -1, number, clause, "", sentence, " ".join(block.section), "", 1.2,
                    ((Part(frozenset(), own),), (Part(frozenset(), other),)), ("", ""),
                )  # fmt: skip


def _pairs(
    text: str, sentence: str, at: int, values: Sequence[Entry], naming: ArmNaming
) -> Iterator[tuple[int, Entry, Entry]]:
    """The pairs of values, the intervention's first, each with where its clause begins."""
    paired: set[int] = set()
    for pair in arm_values(sentence, naming.sides):
        first, second = (
            next((one for one in values if one.start <= at + figure.start < one.end), None)
            for figure in (pair.first, pair.second)
        )
        if first is None or second is None or first == second:
            continue
        arm = pair.arm or _around(sentence, pair, naming.sides)
        arm = arm or _beside(text, at, first, second, naming)
        if arm is not None:
            paired.update((first.start, second.start))
            yield at + pair.begins, *_ordered(first, second, arm)
    telling = [one for one in values if one.value.shape not in ("plain", "percent")]
    for first, second in pairwise(telling):
        if paired & {first.start, second.start} or first.value.shape != second.value.shape:
            continue
        arm = _beside(text, at, first, second, naming)
        if arm is not None and second.start - first.end < FAR:
            paired.update((first.start, second.start))
            yield at, *_ordered(first, second, arm)


def _ordered(first: Entry, second: Entry, arm: Arm) -> tuple[Entry, Entry]:
    return (second, first) if arm == "comparator" else (first, second)


def _entry(found: re.Match[str], at: int) -> Iterator[Entry]:
    """The value that a match holds, if need be without what stands in brackets behind it."""
    whole = found[0][found[0].index("=") + 1 :] if found[0][0].isalpha() else found[0]
    whole = whole.lstrip()
    start = at + found.end() - len(whole)
    for text in (whole, _BRACKET.sub("", whole)):
        if (value := read_cell(text)) is not None:
            yield Entry(start, start + len(text), text, value)
            return


def _around(sentence: str, pair: ArmValues, sides: Arms) -> Arm | None:
    """The arm of the first value where one arm is named before it and the other one behind the
    second ("in A it was 4.1 against 5.2 in B").
    """
    starts = tokens(sentence).starts
    named = [(starts[place], arm) for place, arm in sides.named(sentence)]
    before = [arm for at, arm in named if pair.begins <= at < pair.start]
    behind = [arm for at, arm in named if pair.end <= at < pair.end + NEAR]
    if not before or not behind or any(pair.start <= at < pair.end for at, _ in named):
        return None
    return before[-1] if len(set(before)) == 1 and behind[0] != before[-1] else None


def _beside(text: str, at: int, first: Entry, second: Entry, naming: ArmNaming) -> Arm | None:
    """The arm of the first value where each value has its arm right behind it ("12 % in A and 15 %
    in B") or right before it ("A 12 %, B 15 %").
    """
    between = text[first.end : second.start]
    behind = (_END.split(between)[0], _END.split(text[second.end : second.end + 60])[0])
    before = (_START.split(text[max(at, first.start - 60) : first.start])[-1], between)
    for phrases in (behind, before):
        sides = [naming.side(_OPENED.sub("", one)) for one in phrases]
        if None not in sides and sides[0] != sides[1]:
            return "comparator" if sides[0] else "intervention"
    return None
