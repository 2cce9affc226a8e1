"""Sentences of an answer as a page shows them: citations apart, a mark and a reason where a verdict is not "supported"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from clinfo.answer import Answer
from clinfo.events import SentencesRemoved
from clinfo.records import Verdict
from clinfo.render.printable import one_line, printable
from clinfo.render.verdicts import VERDICTS
from clinfo.transcript import Transcript
from webapp.read.passages import Piece, pieces

MARKS: Mapping[Verdict, str] = {
    "supported": "",
    "partial": "◐",
    "not_verified": "?",
    "unsupported": "○",
    "contradicted": "≠",
    "uncited": "–",
}
"""The sign that stands before the word for a verdict."""


@dataclass(frozen=True)
class ShownSentence:
    """A checked sentence: ``id`` is its place on the page, ``label`` how it is called elsewhere on it.

    ``mark`` and ``word`` tell a verdict that is not "supported", and are "" for one that is.
    """

    id: str
    label: str
    pieces: tuple[Piece, ...]
    verdict: Verdict
    mark: str
    word: str
    why: str
    added: bool
    counts_only: bool
    new_paragraph: bool = False


@dataclass(frozen=True)
class RemovedSentence:
    """A sentence that was taken out, and why."""

    where: str
    text: str
    word: str
    why: str


def sentences(answer: Answer, part: str, numbers: set[int]) -> tuple[ShownSentence, ...]:
    """The checked sentences of a part, in order; ``numbers`` are those that references have."""
    of_part = [sentence for sentence in answer.sentences if sentence.part == part]
    shown = []
    for place, sentence in enumerate(of_part, 1):
        supported = sentence.verdict == "supported"
        label = f"Sentence {place}" if part == "synthesis" else "TL;DR" if len(of_part) == 1 else f"TL;DR, sentence {place}"
        bullet = printable(sentence.lead).strip()
        cut = pieces(sentence.text, numbers)
        shown.append(
            ShownSentence(
                id=f"{'s' if part == 'synthesis' else 't'}{place}",
                label=label,
                pieces=(Piece(f"{bullet} "), *cut) if bullet else cut,
                verdict=sentence.verdict,
                mark=MARKS[sentence.verdict],
                word="" if supported else VERDICTS[sentence.verdict],
                why=one_line(sentence.why),
                added=sentence.added,
                counts_only=sentence.counts_only,
                new_paragraph="\n" in sentence.lead,
            )
        )
    return tuple(shown)


def paragraphs(sentences: Sequence[ShownSentence]) -> tuple[tuple[ShownSentence, ...], ...]:
    """The sentences as the text has them in paragraphs."""
    paragraphs: list[list[ShownSentence]] = []
    for sentence in sentences:
        if sentence.new_paragraph or not paragraphs:
            paragraphs.append([])
        paragraphs[-1].append(sentence)
    return tuple(map(tuple, paragraphs))


def removed(transcript: Transcript) -> tuple[RemovedSentence, ...]:
    """The sentences that a strict run took out."""
    return tuple(
        RemovedSentence(
            "TL;DR" if event.part == "tldr" else "literature summary",
            one_line(sentence.text),
            VERDICTS[sentence.verdict],
            one_line(sentence.why),
        )
        for event in transcript.all(SentencesRemoved)
        for sentence in event.sentences
    )


def texts(texts: Sequence[str], numbers: set[int]) -> tuple[tuple[Piece, ...], ...]:
    """Texts that are not empty, with their citations apart."""
    return tuple(pieces(one_line(text), numbers) for text in texts if text)
