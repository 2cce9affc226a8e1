"""Sentences of an answer and the passages they rest on, as a page shows them: cut into pieces,
citations apart, a mark and a reason where no passage supports them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from clinfo.pipelines.literature import LiteratureLog, SentencesRemoved
from clinfo.records import Answer, Article, Span, Verdict
from clinfo.text import citation_marks, one_line
from clinfo.text import printable_text as printable
from clinfo.views import NOT_VERIFIED, VERDICTS, listed, sentence_view

AROUND = 110
"""Characters of an abstract shown on either side of a passage."""
NEAR = 160
"""Passages of one abstract that lie no further apart are shown in one excerpt."""


@dataclass(frozen=True)
class Piece:
    """A stretch of a sentence; with ``n`` it is a citation of that number."""

    text: str
    n: int | None = None


@dataclass(frozen=True)
class Excerpt:
    """A stretch of a title or an abstract: its parts in order, each with whether it is the passage
    meant.

    ``cut_before`` and ``cut_after`` say that the text goes on there.
    """

    field: Literal["title", "abstract"]
    parts: tuple[tuple[str, bool], ...]
    cut_before: bool = False
    cut_after: bool = False


def pieces(text: str, known: Collection[int]) -> tuple[Piece, ...]:
    """A sentence with each of its citations apart; numbers that no article has stay text."""
    clean = printable(text)
    made: list[Piece] = []
    end = 0
    for mark in citation_marks(clean):
        if not all(n in known for n in mark.numbers):
            continue
        if before := clean[end : mark.start]:
            made.append(Piece(before))
        made += [Piece(f"[{n}]", n) for n in mark.numbers]
        end = mark.end
    if rest := clean[end:]:
        made.append(Piece(rest))
    return tuple(made)


def excerpts(article: Article, spans: Sequence[Span]) -> tuple[Excerpt, ...]:
    """The passages of an article with what stands around them: of its title first, then of its
    abstract, in order.
    """
    made = []
    for field in ("title", "abstract"):
        text = _text(article, field)
        places = _merged(
            [(span.start, span.end) for span in spans if span.field == field], len(text)
        )
        made += [_excerpt(text, field, group) for group in _grouped(places)]
    return tuple(made)


def marked(
    article: Article, spans: Sequence[Span], field: Literal["title", "abstract"] = "abstract"
) -> tuple[tuple[str, bool], ...]:
    """The whole abstract, or title, in parts, each with whether it is one of the passages."""
    text = _text(article, field)
    places = _merged([(span.start, span.end) for span in spans if span.field == field], len(text))
    return _parts(text, 0, len(text), places)


def _text(article: Article, field: str) -> str:
    return article.title if field == "title" else article.abstract


def _merged(places: Sequence[tuple[int, int]], length: int) -> list[tuple[int, int]]:
    """Places within the text, in order, those that touch made one."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(places):
        start, end = max(start, 0), min(end, length)
        if start >= end:
            continue
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def _grouped(places: Sequence[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    groups: list[list[tuple[int, int]]] = []
    for place in places:
        if groups and place[0] - groups[-1][-1][1] <= NEAR:
            groups[-1].append(place)
        else:
            groups.append([place])
    return groups


def _excerpt(
    text: str, field: Literal["title", "abstract"], places: Sequence[tuple[int, int]]
) -> Excerpt:
    start = 0 if field == "title" else _word_start(text, places[0][0])
    end = len(text) if field == "title" else _word_end(text, places[-1][1])
    return Excerpt(
        field, _parts(text, start, end, places), cut_before=start > 0, cut_after=end < len(text)
    )


def _word_start(text: str, start: int) -> int:
    """Return where an excerpt begins: before the passage, at a word's start."""
    at = start - AROUND
    if at <= 0:
        return 0
    blank = next((place for place in range(at, start) if text[place].isspace()), start - 1)
    return blank + 1


def _word_end(text: str, end: int) -> int:
    at = end + AROUND
    if at >= len(text):
        return len(text)
    return next((place for place in range(at, end, -1) if text[place].isspace()), end)


def _parts(
    text: str, start: int, end: int, places: Sequence[tuple[int, int]]
) -> tuple[tuple[str, bool], ...]:
    parts: list[tuple[str, bool]] = []
    at = start
    for first, last in places:
        parts += [(text[at:first], False), (text[first:last], True)]
        at = last
    parts.append((text[at:end], False))
    return tuple((clean, quoted) for part, quoted in parts if (clean := printable(part)))


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
