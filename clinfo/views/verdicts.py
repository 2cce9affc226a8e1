"""Verdicts in words: what each is called, who gave it, how many sentences have which, and a text
with marks and reasons.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal

from clinfo.records.answer import Answer
from clinfo.records.articles import PROGRAM, Part, Sentence, Verdict
from clinfo.text.printable import one_line, printable
from clinfo.text.wording import listed, number

VERDICTS: Mapping[Verdict, str] = {
    "supported": "supported",
    "partial": "supported in part",
    "quoted": "quoted word for word",
    "not_verified": "not verified",
    "unsupported": "not supported",
    "contradicted": "contradicted by its source",
    "uncited": "without a citation",
}
ESTIMATED = "estimated from"
"""The beginning of the reason of an estimate, in runs of versions that made some."""
NOT_VERIFIED = "no check could confirm this wording; read the passage"
"""The meaning of "not verified", for whoever reads such a sentence."""
OWN_READING = "this program's own, from its reading of each study; nobody checked that reading"
"""The worth of a sentence that counts the studies by how they answer, or estimates a yes or no."""
NONE_VERIFIED = (
    "No check could confirm any of these sentences: read the passages they cite before you rely on "
    "one."
)


def support(sentences: Sequence[Sentence]) -> str:
    """``5 of 20 supported, 12 not verified, 3 counts``: of all sentences that claim something; ""
    where none does.
    """
    written = [sentence for sentence in sentences if not sentence.added]
    verdicts = Counter(sentence.verdict for sentence in written if not sentence.counts_only)
    counts = sum(sentence.counts_only for sentence in written)
    others = [
        f"{count:,} {name}"
        for verdict, name in VERDICTS.items()
        if verdict != "supported" and (count := verdicts[verdict])
    ]
    others += [number(counts, "count")] if counts else []
    return (
        ", ".join([f"{verdicts['supported']:,} of {len(written):,} supported", *others])
        if written
        else ""
    )


def checking(sentences: Sequence[Sentence]) -> str:
    """The checks made of the sentences of a text: "checked against their sources: …", or that they
    are quotations, or that nobody judged them.
    """
    if any(one.judges for one in sentences):
        return f"checked against their sources: {support(sentences)}"
    quoted = sum(one.verdict == "quoted" for one in sentences)
    told = number(len(sentences), "sentence")
    if quoted == len(sentences):
        return f"{told} quoted, judged by nobody"
    return f"{told}, {quoted:,} of them quoted, judged by nobody"


def checked(answer: Answer, brief: bool = False) -> str:
    """Return what the checks found and who checked; where not ``brief``, also what that is worth
    and what became of other sentences.
    """
    written = [sentence for sentence in answer.sentences if not sentence.added]
    added = len(answer.sentences) - len(written)
    judges = list(
        dict.fromkeys(one_line(judge) for sentence in written for judge in sentence.judges)
    )
    if not judges:
        if answer.quoted:
            return "Quoted word for word; nobody judged the quotations."
        return f"Judged by nobody: {support(written)}." if written else ""
    if brief:
        removed = f", {answer.support.removed:,} removed" if answer.support.removed else ""
        return f"Checked by {listed(judges)}: {support(written)}{removed}." if written else ""
    said = [
        (
            f"Sentences checked against the titles and abstracts cited, by {listed(judges)}: "
            f"{support(written)}."
        )
        if written
        else "",
        f"{number(answer.support.removed, 'more was', 'more were')} removed."
        if answer.support.removed
        else "",
        f"{number(added, 'more was', 'more were')} added by {PROGRAM}, from the evidence table."
        if added
        else "",
        "A check can be wrong: the passages are shown, and the citations link to the articles.",
    ]
    return " ".join(part for part in said if part)


class Marks:
    """Letters for sentences that no passage supports or that have notes: one for each reason, so
    that a reason is told once.
    """

    def __init__(self) -> None:
        self._letters = letters()
        self._by_reason: dict[str, str] = {}

    def of(self, sentence: Sentence) -> str:
        """`` (!b)``; "" for a supported sentence."""
        if not (reason := reason_of(sentence)):
            return ""
        if reason not in self._by_reason:
            self._by_reason[reason] = next(self._letters)
        return f" ({self._by_reason[reason]})"

    @property
    def told(self) -> Iterator[tuple[str, str]]:
        """(letter, reason), in the order in which they were given."""
        return ((letter, reason) for reason, letter in self._by_reason.items())


def reason_of(sentence: Sentence) -> str:
    """``not supported: the trial found no difference.`` with the notes on it; "" for a supported
    sentence without notes.

    Counts have one reason, and so has what is not verified, whatever was looked at.
    """
    view = sentence_view(sentence)
    why = NOT_VERIFIED if view.verdict == "not_verified" else view.reason.rstrip(".")
    said = f"{view.word}{': ' + why if why else ''}" if view.marked else ""
    notes = f"note: {'; '.join(map(one_line, sentence.notes))}" if sentence.notes else ""
    return f"{'; '.join(filter(None, (said, notes)))}." if said or notes else ""


@dataclass(frozen=True)
class SentenceView:
    """The result of the checks of a sentence. ``verdict`` is "counted" for one that only counts or
    estimates; ``word`` says it.

    ``marked``: no passage supports it, which a reader is told.
    """

    verdict: Verdict | Literal["counted"]
    word: str
    reason: str
    marked: bool


def sentence_view(sentence: Sentence) -> SentenceView:
    """The verdict on a sentence and the reason for it."""
    if sentence.counts_only and not sentence.added:
        return SentenceView("counted", *counted(sentence), marked=True)
    return SentenceView(
        sentence.verdict,
        VERDICTS[sentence.verdict],
        one_line(sentence.reason),
        sentence.verdict not in ("supported", "quoted") and not sentence.added,
    )


def counted(sentence: Sentence) -> tuple[str, str]:
    """Return what a sentence is that rests on nothing but this run's record, and what that is
    worth.
    """
    word = "an estimate" if sentence.reason.startswith(ESTIMATED) else "a count"
    return word, OWN_READING


def marked(sentences: Sequence[Sentence], marks: Marks) -> str:
    """The text of these sentences, with a mark after each that is not supported."""
    return "".join(
        printable(sentence.lead + sentence.text) + marks.of(sentence) for sentence in sentences
    ).strip()


def of_part(answer: Answer, part: Part) -> list[Sentence]:
    """The checked sentences of a part, in order."""
    return [sentence for sentence in answer.sentences if sentence.part == part]


def letters() -> Iterator[str]:
    """``!a``, ``!b`` … ``!z``, ``!aa`` …: marks that no citation number can be taken for."""
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    for length in (1, 2, 3):
        yield from (f"!{''.join(letter)}" for letter in product(alphabet, repeat=length))
