"""The sentences of a text with the studies they cite, before anybody judges them, and their clauses
with the studies cited for each: "A fell [1], while B rose [2]" says A of [1] and B of [2].

A sentence that stands word for word in an article it cites is a quotation. Of every other nobody
has said anything yet.
"""

import re
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from clinfo.patients.quantities import name_spans
from clinfo.records.articles import Part, Sentence, Span, Study
from clinfo.text.citations import (
    Mark,
    brackets,
    citation_marks,
    with_brackets,
    without_own_list,
)
from clinfo.text.identifiers import find_doi, named_records
from clinfo.text.markup import unescaped
from clinfo.text.quotes import is_negative, locate_all, numbers, widened
from clinfo.text.sentences import sentence_spans
from clinfo.text.stated_numbers import composed_numbers, written_numbers
from clinfo.text.terms import weight

UNJUDGED = "nobody judged it"
UNCITED = "no citation"

_IN_NAMES = re.compile(r"(?<=[^\W\d_])-?\d{1,3}(?![\d.,·]*(?:\d|\s?%))")
_PERCENT = ("%", "per cent", "percent")
_MINUS = "-−–‑﹣－"
_DASHES = str.maketrans(dict.fromkeys(_MINUS, "-"))


@dataclass(frozen=True)
class CheckedText:
    """A text's sentences, the citation numbers that no study has, in order of appearance, and the
    list of references that its writer put below it.
    """

    sentences: tuple[Sentence, ...]
    invented: tuple[int, ...]
    listed: str


def cited(text: str, part: Part, studies: Sequence[Study]) -> CheckedText:
    """The sentences of ``text``. A citation number that none of ``studies`` has is taken out of the
    text, listed in ``invented`` and named in the reason of the sentence that had it.
    """
    by_number = {study.n: study for study in studies}
    pmids = {study.article.pmid: study.n for study in studies}
    titles = {study.n: study.article.title for study in studies}
    marked, listed = without_own_list(with_brackets(text, by_number, pmids), titles)
    final, removed = without_invented(marked, by_number.keys())
    waiting = deque(removed)
    found: list[Sentence] = []
    previous = 0
    for start, end in sentence_spans(final):
        gone: list[int] = []
        while waiting and waiting[0][0] <= end:
            gone.append(waiting.popleft()[1])
        one = _sentence(final[start:end], part, by_number, (), tuple(dict.fromkeys(gone)))
        found.append(replace(one, lead=final[previous:start]))
        previous = end
    return CheckedText(tuple(found), tuple(dict.fromkeys(number for _, number in removed)), listed)


def cited_sentence(sentence: str, cites: Sequence[int], studies: Sequence[Study]) -> Sentence:
    """One sentence, taken as a whole, that cites the studies numbered ``cites`` beside those in its
    own brackets. Numbers that no study has are named in the reason; the sentence stays as it is.
    """
    by_number = {study.n: study for study in studies}
    written = [number for mark in citation_marks(sentence) for number in mark.numbers]
    invented = tuple(dict.fromkeys(n for n in (*cites, *written) if n not in by_number))
    apart = tuple(n for n in dict.fromkeys(cites) if n in by_number)
    return _sentence(sentence, "synthesis", by_number, apart, invented)


def without_invented(text: str, known: Collection[int]) -> tuple[str, list[tuple[int, int]]]:
    """(the text without the bracket numbers that are not ``known``, [(place in that text, number
    taken out there)] in order).
    """
    removed: list[tuple[int, int]] = []
    while True:  # more than once only where what was taken out stood inside another bracket
        pieces: list[str] = []
        taken: list[tuple[int, int]] = []
        size = end = 0
        for mark in citation_marks(text):
            kept = [number for number in mark.numbers if number in known]
            if len(kept) == len(mark.numbers):
                continue
            before = text[end : mark.start]
            if not kept and not text[mark.end : mark.end + 1].isalnum():
                before = before.rstrip(" \u00a0\u202f\u2009")
            pieces.append(before + (f"[{', '.join(map(str, kept))}]" if kept else ""))
            size, end = size + len(pieces[-1]), mark.end
            taken += [(size, number) for number in mark.numbers if number not in known]
        if not taken:
            return text, sorted(removed)
        text = "".join([*pieces, text[end:]])
        removed += taken


def _sentence(
    text: str,
    part: Part,
    by_number: Mapping[int, Study],
    apart: tuple[int, ...],
    invented: tuple[int, ...],
) -> Sentence:
    marks = citation_marks(text)
    written = (number for mark in marks for number in mark.numbers if number in by_number)
    cites = tuple(dict.fromkeys((*apart, *written)))
    spans = _quoted(unmarked(text, marks), [by_number[n] for n in cites])
    reason = "quoted word for word" if spans else UNJUDGED if cites else UNCITED
    if invented:
        leads = "leads" if len(invented) == 1 else "lead"
        reason = f"{brackets(invented)} {leads} to no study; {reason}"
    return Sentence(
        part,
        text,
        cites,
        "quoted" if spans else "not_verified" if cites else "uncited",
        reason,
        spans,
        judges=(),
        notes=_notes(text, marks, by_number, apart),
    )


def _quoted(words: str, studies: Sequence[Study]) -> tuple[Span, ...]:
    """Return where the words stand in the first of the articles that has them; nothing of a single
    word.
    """
    if len(words.split()) < 2:
        return ()
    return next((found for study in studies if (found := placed(words, study))), ())


def placed(quotation: str, study: Study) -> tuple[Span, ...]:
    """The places at which the study's article says the quotation, piece by piece, as whole
    sentences: words taken out of one may say less or something else. Nothing where it does not.
    """
    fields: tuple[tuple[Literal["title", "abstract"], str], ...] = (
        ("abstract", study.article.abstract),
        ("title", study.article.title),
    )
    for field, text in fields:
        if found := locate_all(quotation, text):
            wide = dict.fromkeys(widened(start, end, text) for start, end in found)
            return tuple(Span(study.n, field, start, end) for start, end in wide)
    return ()


def resting(sentence: Sentence, on: Sequence[int], studies: Sequence[Study]) -> Sentence:
    """A sentence without citation, as one that rests on the studies numbered ``on``."""
    if sentence.cites or not on:
        return sentence
    one = cited_sentence(sentence.text, on, studies)
    return replace(one, part=sentence.part, lead=sentence.lead)


def _notes(
    text: str, marks: Sequence[Mark], by_number: Mapping[int, Study], apart: Sequence[int]
) -> tuple[str, ...]:
    """Notes of code on a sentence: numbers that stand in none of the articles cited in their
    clause; those of a PMID, DOI or registration written from memory among them.
    """
    notes: dict[str, None] = {}
    marked = {number for mark in marks for number in mark.numbers}
    beside = [n for n in apart if n not in marked]
    for clause in clauses(text, marks, tuple(by_number), beside):
        studies = [by_number[n] for n in clause.cites]
        texts = [unescaped(f"{one.article.title}\n{one.article.abstract}") for one in studies]
        clause = replace(clause, text=unescaped(clause.text))
        there = set[str]().union(*map(written_numbers, texts))
        shares = set[str]().union(*(written_numbers(_IN_NAMES.sub("", one)) for one in texts))
        same = {
            place
            for value, first, last in composed_numbers(clause.text)
            if f"{value.normalize():f}" in there
            for place in range(first, last)
        }
        plain = clause.text.translate(_DASHES)
        named = {place for span in name_spans(plain) for place in range(*span)}
        own = [one.article.pmid for one in studies] + [find_doi(one.article.doi) for one in studies]
        for id, first, last in named_records(clause.text):
            named.update(range(first, last))
            if id not in own and not any(id in one.lower() for one in texts):
                said = clause.text[first:last]
                notes[f"{said} stands in none of {brackets(clause.cites)}"] = None
        for number, start, end in numbers(clause.text):
            plainer = number.rstrip("0").rstrip(".") if "." in number else number
            sign = _sign(clause.text, start)
            name = _name(clause.text[:start])
            if start in same | named or (name and number.isdecimal() and len(number) < 4):
                continue
            held = " " in clause.text[start:end] and there.issuperset(
                clause.text[start:end].split(" ")
            )
            known = shares if clause.text[end:].lstrip().startswith(_PERCENT) else there
            held = held or not known.isdisjoint((number, plainer))
            if held and (not sign or any(_signed(one, sign, plainer) for one in texts)):
                continue
            said = f"{name or sign}{clause.text[start:end]}"
            notes[f"{said} stands in none of {brackets(clause.cites)}"] = None
    return tuple(notes)


def _name(before: str) -> str:
    """The letters that digits behind them belong to, as in B12, IL-6 and COVID-19; of three digits
    at most they are no quantity, more are a registration's. "" where none stand there.
    """
    held = before.rpartition(" ")[2].lstrip("([{\"'“‘")
    return held if held[-1:].isalpha() or (held[-1:] == "-" and held[-2:-1].isupper()) else ""


def _sign(text: str, start: int) -> str:
    """The sign right before a number, where it is one; "" for a dash that joins, and without
    any.
    """
    sign = text[start - 1 : start] if start else ""
    if sign == "+":
        return sign if not text[start - 2 : start - 1].isalnum() else ""
    return sign if sign in _MINUS and is_negative(text, start) else ""


def _signed(text: str, sign: str, number: str) -> bool:
    """Return whether a text has the number with that sign; any dash before it may be a minus but
    one that joins two numbers.
    """
    return any(
        (
            (start > 0 and text[start - 1] in _MINUS and not text[:start][-2:-1].isdecimal())
            or is_negative(text, start)
            or text[max(0, start - 6) : start].lower() == "minus "
        )
        == (sign != "+")
        for written, start, _ in numbers(text)
        if number == (written.rstrip("0").rstrip(".") if "." in written else written)
    )


LEAST_WORDS = 4
"""Telling words from which a clause before a citation is judged by itself; a shorter one ("and
stroke [2]") needs the rest.
"""
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True)
class Clause:
    """The words of a clause, and the numbers of the studies cited for it; ``whole`` is the sentence
    where the clause alone says little.
    """

    text: str
    cites: tuple[int, ...]
    whole: str = ""


def clauses(
    text: str, marks: Sequence[Mark], known: Sequence[int], apart: Sequence[int] = ()
) -> tuple[Clause, ...]:
    """The clauses of ``text``, cut after each run of citations; numbers that are not ``known`` are
    left out.

    ``apart`` are studies cited without a bracket, for the whole of it. What follows the last
    citation goes with the clause before.
    """
    whole = unmarked(text, marks)
    runs: list[tuple[int, int, list[int]]] = []
    for mark in marks:
        if runs and not text[runs[-1][1] : mark.start].strip(" ,;&").removeprefix("and").strip():
            start, _, numbers = runs[-1]
            runs[-1] = (start, mark.end, [*numbers, *mark.numbers])
        else:
            runs.append((mark.start, mark.end, list(mark.numbers)))
    found: list[Clause] = [Clause(whole, tuple(apart))] if apart else []
    begin = 0
    for place, (_, end, numbers) in enumerate(runs):
        stop = len(text) if place + 1 == len(runs) else end
        own = unmarked(text, marks, begin, stop)
        begin = end
        cites = tuple(dict.fromkeys(n for n in numbers if n in known and n not in apart))
        if cites:
            telling = sum(weight(word) >= 1 for word in _WORD.findall(own))
            found.append(Clause(own, cites, "" if telling >= LEAST_WORDS else whole))
    return tuple(found)


def unmarked(text: str, marks: Sequence[Mark], start: int = 0, end: int | None = None) -> str:
    """The stretch of ``text``, or all of it, with its citations taken out."""
    pieces, at, end = [], start, len(text) if end is None else end
    for mark in marks:
        if start <= mark.start and mark.end <= end:
            pieces.append(text[at : mark.start].rstrip())
            at = mark.end
    return "".join([*pieces, text[at:end]]).strip()
