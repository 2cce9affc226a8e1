"""Sentences of an answer as a page shows them: citations apart, a mark and a reason where no
passage supports them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from clinfo.pipelines.literature import LiteratureLog, SentencesRemoved
from clinfo.records import Answer, Verdict
from clinfo.text import one_line
from clinfo.text import printable_text as printable
from clinfo.views import NOT_VERIFIED, VERDICTS, listed, sentence_view
from webapp.pipelines.literature.passages import Piece, pieces

MARKS: Mapping[Verdict | Literal["counted"], str] = {
    "supported": "",
    "counted": "#",
    "partial": "◐",
    "quoted": "",
    "not_verified": "?",
    "unsupported": "○",
    "contradicted": "≠",
    "uncited": "–",
}
"""The sign that stands before the word for a verdict."""


@dataclass(frozen=True)
class ShownSentence:
    """A checked sentence: ``id`` is its place on the page, ``label`` how it is called elsewhere on
    it.

    ``mark`` and ``word`` tell that no passage supports it, and are "" where one does. ``judges``
    are those whose verdict it is.
    """

    id: str
    label: str
    pieces: tuple[Piece, ...]
    verdict: Verdict
    mark: str
    word: str
    reason: str
    judges: str
    added: bool
    counts_only: bool
    new_paragraph: bool = False


@dataclass(frozen=True)
class Reason:
    """The reason for marking sentences: a reason that several share stands once. ``name`` is the
    verdict's, for the page's style.
    """

    name: str
    mark: str
    word: str
    reason: str
    sentences: tuple[ShownSentence, ...]


@dataclass(frozen=True)
class RemovedSentence:
    """A sentence that was taken out, and why."""

    where: str
    text: str
    word: str
    reason: str


def sentences(answer: Answer, part: str, numbers: set[int]) -> tuple[ShownSentence, ...]:
    """The checked sentences of a part, in order; ``numbers`` are those that references have."""
    of_part = [sentence for sentence in answer.sentences if sentence.part == part]
    shown = []
    for place, sentence in enumerate(of_part, 1):
        label = (
            f"Sentence {place}"
            if part == "synthesis"
            else "TL;DR"
            if len(of_part) == 1
            else f"TL;DR, sentence {place}"
        )
        view, bullet = sentence_view(sentence), printable(sentence.lead).strip()
        cut = pieces(sentence.text, numbers)
        shown.append(
            ShownSentence(
                id=f"{'s' if part == 'synthesis' else 't'}{place}",
                label=label,
                pieces=(Piece(f"{bullet} "), *cut) if bullet else cut,
                verdict=sentence.verdict,
                mark=MARKS[view.verdict],
                word=view.word if view.marked else "",
                reason="; ".join((view.reason, *(f"note: {one_line(n)}" for n in sentence.notes))),
                judges=listed([one_line(judge) for judge in sentence.judges])
                if view.verdict != "counted"
                else "",
                added=sentence.added,
                counts_only=sentence.counts_only,
                new_paragraph="\n" in sentence.lead,
            )
        )
    return tuple(shown)


def reasons(sentences: Sequence[ShownSentence]) -> tuple[Reason, ...]:
    """Return why the marked ones of these sentences are marked. What no check could tell and what
    only counts have one reason each.
    """
    shared = {"?": NOT_VERIFIED}
    by_reason: dict[tuple[str, str], list[ShownSentence]] = {}
    for sentence in sentences:
        if sentence.mark:
            by_reason.setdefault(
                (sentence.word, shared.get(sentence.mark, sentence.reason)), []
            ).append(sentence)
    return tuple(
        Reason(
            "counted" if one[0].counts_only else one[0].verdict, one[0].mark, word, why, tuple(one)
        )
        for (word, why), one in by_reason.items()
    )


def paragraphs(sentences: Sequence[ShownSentence]) -> tuple[tuple[ShownSentence, ...], ...]:
    """The sentences as the text has them in paragraphs."""
    paragraphs: list[list[ShownSentence]] = []
    for sentence in sentences:
        if sentence.new_paragraph or not paragraphs:
            paragraphs.append([])
        paragraphs[-1].append(sentence)
    return tuple(map(tuple, paragraphs))


def removed(run_log: LiteratureLog) -> tuple[RemovedSentence, ...]:
    """The sentences that a strict run took out."""
    return tuple(
        RemovedSentence(
            "TL;DR" if event.part == "tldr" else "literature summary",
            one_line(sentence.text),
            VERDICTS[sentence.verdict],
            one_line(sentence.reason),
        )
        for event in run_log.all(SentencesRemoved)
        for sentence in event.sentences
    )


def texts(texts: Sequence[str], numbers: set[int]) -> tuple[tuple[Piece, ...], ...]:
    """Texts that are not empty, with their citations apart."""
    return tuple(pieces(one_line(text), numbers) for text in texts if text)
