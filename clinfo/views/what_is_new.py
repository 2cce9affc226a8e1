"""News since an earlier answer to the same question: studies, stances, verdicts, TL;DR."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TypeVar

from clinfo.evidence.table import WORDS
from clinfo.records.answer import Answer, ReadArticle, Reference
from clinfo.records.appraisal import EvidenceRow
from clinfo.records.articles import Part
from clinfo.text.citations import citation_marks
from clinfo.text.wording import listed, number, one_line
from clinfo.views.counts import sentence_view
from clinfo.views.evidence import article_view

_One = TypeVar("_One", Reference, ReadArticle)


@dataclass(frozen=True)
class StudyChange:
    """A study that one answer rests on and the other does not, or that they read differently.

    ``n`` is its citation number in the newer answer, None where it has none; ``text`` says why it
    is new or gone, or what is read differently.
    """

    n: int | None
    title: str
    url: str
    text: str


@dataclass(frozen=True)
class VerdictChange:
    """A sentence that stands in both answers, with the words for its two verdicts."""

    text: str
    was: str
    now: str


@dataclass(frozen=True)
class WhatIsNew:
    """The difference between two answers to one question.

    ``tldr`` are the pieces of both TL;DRs in order, each with " " (in both), "-" (only in the
    earlier one) or "+" (only in the newer one) before it; empty where they say the same.
    ``reworded`` says that the literature summary differs. Citation numbers are not compared: each
    answer has its own.
    """

    new: tuple[StudyChange, ...]
    gone: tuple[StudyChange, ...]
    changed: tuple[StudyChange, ...]
    verdicts: tuple[VerdictChange, ...]
    tldr: tuple[tuple[str, str], ...]
    reworded: bool
    studies: int

    @property
    def said(self) -> str:
        """The difference in one or two sentences."""
        parts = [
            number(len(self.new), "new study", "new studies") if self.new else "",
            number(len(self.gone), "study is gone", "studies are gone") if self.gone else "",
            f"{number(len(self.changed), 'study is', 'studies are')} read differently"
            if self.changed
            else "",
            number(len(self.verdicts), "verdict on a sentence", "verdicts on sentences")
            + " changed"
            if self.verdicts
            else "",
        ]
        found = listed([part for part in parts if part])
        if not found and not self.tldr:
            same = (
                f"the same {number(self.studies, 'study', 'studies')}"
                if self.studies
                else ("no relevant study, as before")
            )
            first = f"Nothing has changed: {same}, the same stances and verdicts, the same TL;DR."
        else:
            tldr = "The TL;DR changed." if self.tldr else "The TL;DR is the same."
            studies = f"{found[:1].upper()}{found[1:]}." if found else "The studies are the same."
            first = f"{studies} {tldr}"
        return first + (" The literature summary is worded differently." if self.reworded else "")


def what_is_new(before: Answer, now: Answer) -> WhatIsNew:
    """The difference between two whole answers to one question, the earlier one first."""
    then, today = _by_key(before.references), _by_key(now.references)
    read_then, read_now = _by_key(before.articles), _by_key(now.articles)
    found_now = {id for query in now.queries for id in query.ids}
    rows_then, rows_now = (
        {row.id: row for row in answer.appraisal.rows} for answer in (before, now)
    )
    return WhatIsNew(
        new=tuple(
            _change(one, one.n, _why(read_then.get(key), "then", "not found then"))
            for key, one in today.items()
            if key not in then
        ),
        gone=tuple(
            _change(one, None, _why(read_now.get(key), "now", _LOST[one.id in found_now]))
            for key, one in then.items()
            if key not in today
        ),
        changed=tuple(
            _change(one, one.n, said)
            for key, one in today.items()
            if key in then
            and (
                said := "; ".join(
                    (
                        *_read_differently(rows_then.get(then[key].id), rows_now.get(one.id)),
                        *_new_flags(then[key], one),
                    )
                )
            )
        ),
        verdicts=tuple(_verdicts(before, now)),
        tldr=_differences(_plain(before.tldr), _plain(now.tldr)),
        reworded=_plain(before.synthesis) != _plain(now.synthesis),
        studies=len(today),
    )


def _by_key(given: Sequence[_One]) -> dict[str, _One]:
    """By PMID where there is one: sources call one article by different ids."""
    return {f"pmid:{one.pmid}" if one.pmid else one.id: one for one in given}


_LOST = {True: "found, but its record could not be read", False: "no longer found"}


def _change(reference: Reference, n: int | None, text: str) -> StudyChange:
    return StudyChange(n, one_line(reference.title), reference.url, text)


def _why(read: ReadArticle | None, when: str, lost: str) -> str:
    """The fate of an article in the other answer; ``lost`` where that has no record of it."""
    if read is None:
        return lost
    view = article_view(read)
    return f"{view.word} {when}{': ' + view.reason if view.reason else ''}"


def _read_differently(then: EvidenceRow | None, now: EvidenceRow | None) -> Iterator[str]:
    if then is None or now is None:
        return
    if then.result != now.result and then.result and now.result:
        yield f"{WORDS[now.result]}; then: {WORDS[then.result]}"


def _new_flags(then: Reference, now: Reference) -> Iterator[str]:
    yield from (f"new: {one_line(flag)}" for flag in now.flags if flag not in then.flags)


def _verdicts(before: Answer, now: Answer) -> Iterator[VerdictChange]:
    """Of the sentences that stand in both, by their words."""
    words: dict[tuple[Part, str], str] = {
        (one.part, _plain(one.text)): sentence_view(one).word for one in before.sentences
    }
    for one in now.sentences:
        text, word = _plain(one.text), sentence_view(one).word
        if (was := words.get((one.part, text), word)) != word:
            yield VerdictChange(text, was, word)


def _plain(text: str) -> str:
    """A text on one line without its citations, whose numbers are each answer's own."""
    kept, end = "", 0
    for mark in citation_marks(text):
        kept, end = kept + text[end : mark.start].rstrip(), mark.end
    return one_line(kept + text[end:])


def _differences(before: str, now: str) -> tuple[tuple[str, str], ...]:
    """The pieces of two texts, word by word; none where they are the same."""
    then, today = before.split(), now.split()
    if then == today:
        return ()
    pieces = []
    matcher = SequenceMatcher(None, then, today, autojunk=False)
    for kind, i, j, k, m in matcher.get_opcodes():
        if kind == "equal":
            pieces.append((" ", " ".join(then[i:j])))
            continue
        pieces += [(sign, " ".join(words)) for sign, words in (("-", then[i:j]), ("+", today[k:m]))]
    return tuple((sign, words) for sign, words in pieces if words)
