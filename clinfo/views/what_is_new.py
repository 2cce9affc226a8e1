"""News since an earlier answer to the same question: studies, stances, verdicts, TL;DR."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from types import SimpleNamespace
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


def what_is_new(before: Answer, now: Answer) -> SimpleNamespace:
    """The difference between two whole answers to one question, the earlier one first, ``said`` in
    one or two sentences.

    ``new``, ``gone`` and ``changed`` are studies that one answer rests on and the other does not,
    or that they read differently: ``n`` is the citation number in the newer answer, None where it
    has none; ``text`` says why it is new or gone, or what is read differently. ``verdicts`` are
    sentences that stand in both, with the words for their two verdicts. ``tldr`` are the pieces of
    both TL;DRs in order, each with " " (in both), "-" (only in the earlier one) or "+" (only in the
    newer one) before it; empty where they say the same. Citation numbers are not compared: each
    answer has its own.
    """
    then, today = _by_key(before.references), _by_key(now.references)
    read_then, read_now = _by_key(before.articles), _by_key(now.articles)
    found_now = {id for query in now.queries for id in query.ids}
    rows_then, rows_now = (
        {row.id: row for row in answer.appraisal.rows} for answer in (before, now)
    )
    found = SimpleNamespace(
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
            _change(one, one.n, "; ".join(said))
            for key, one in today.items()
            if (was := then.get(key))
            and (said := [*_read_anew(was, one, rows_then.get(was.id), rows_now.get(one.id))])
        ),
        verdicts=tuple(_verdicts(before, now)),
        tldr=_differences(_plain(before.tldr), _plain(now.tldr)),
    )
    reworded = _plain(before.synthesis) != _plain(now.synthesis)
    more = " The literature summary is worded differently." if reworded else ""
    found.said = _said(found, len(today)) + more
    return found


def _said(found: SimpleNamespace, studies: int) -> str:
    """The difference of two answers, the newer one of so many ``studies``."""
    parts = (
        (found.new, "new study", "new studies", ""),
        (found.gone, "study is gone", "studies are gone", ""),
        (found.changed, "study is", "studies are", " read differently"),
        (found.verdicts, "verdict on a sentence", "verdicts on sentences", " changed"),
    )
    told = listed([f"{number(len(own), one, many)}{end}" for own, one, many, end in parts if own])
    if not told and not found.tldr:
        same = f"the same {number(studies, 'study', 'studies')}"
        same = same if studies else "no relevant study, as before"
        return f"Nothing has changed: {same}, the same stances and verdicts, the same TL;DR."
    first = f"{told[:1].upper()}{told[1:]}." if told else "The studies are the same."
    return f"{first} {'The TL;DR changed.' if found.tldr else 'The TL;DR is the same.'}"


def _by_key(given: Sequence[_One]) -> dict[str, _One]:
    """By PMID where there is one: sources call one article by different ids."""
    return {f"pmid:{one.pmid}" if one.pmid else one.id: one for one in given}


_LOST = {True: "found, but its record could not be read", False: "no longer found"}


def _change(reference: Reference, n: int | None, text: str) -> SimpleNamespace:
    return SimpleNamespace(n=n, title=one_line(reference.title), url=reference.url, text=text)


def _why(read: ReadArticle | None, when: str, lost: str) -> str:
    """The fate of an article in the other answer; ``lost`` where that has no record of it."""
    if read is None:
        return lost
    view = article_view(read)
    return f"{view.word} {when}{': ' + view.reason if view.reason else ''}"


def _read_anew(
    was: Reference, now: Reference, row_then: EvidenceRow | None, row_now: EvidenceRow | None
) -> Iterator[str]:
    """Return what is read of a study otherwise than it was: its result, new flags."""
    before, after = (row.result if row is not None else None for row in (row_then, row_now))
    if before and after and before != after:
        yield f"{WORDS[after]}; then: {WORDS[before]}"
    yield from (f"new: {one_line(flag)}" for flag in now.flags if flag not in was.flags)


def _verdicts(before: Answer, now: Answer) -> Iterator[SimpleNamespace]:
    """Of the sentences that stand in both, by their words."""
    words: dict[tuple[Part, str], str] = {
        (one.part, _plain(one.text)): sentence_view(one).word for one in before.sentences
    }
    for one in now.sentences:
        text, word = _plain(one.text), sentence_view(one).word
        if (was := words.get((one.part, text), word)) != word:
            yield SimpleNamespace(text=text, was=was, now=word)


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
