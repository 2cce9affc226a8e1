"""From the tokens of one term, or of the two ends of a range, to a leaf of the query's tree."""

import re
from dataclasses import dataclass, field

from clinfo.pubmed.dates import read_days
from clinfo.pubmed.fields import Field, field_of
from clinfo.pubmed.lexer import Token, has_operator
from clinfo.pubmed.subheadings import qualifier_of
from clinfo.pubmed.tree import Pmids, Range, Remark, Term, remark
from clinfo.text.words import STOPWORDS, words

LONG_PHRASE = 10
"""Words from which on a phrase is hardly ever in PubMed's phrase index: 29 of 346 published
generated queries have one.
"""
MIN_STEM = 4
"""Letters and digits that a term needs before its star (PubMed user guide); "school age*" has
enough.
"""

_BARE_PMID = re.compile(r"[1-9][0-9]{0,7}[,;.]?")
_MONTH = (
    "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}|spring|summer|autumn|fall|winter"
)
_DATE = re.compile(
    rf"(?:1[5-9]|[23]\d)\d\d(?:/\d{{1,2}}(?:/\d{{1,2}})?| (?:{_MONTH})(?: \d{{1,2}})?)?",
    re.ASCII | re.IGNORECASE,
)
_SLASHES = re.compile(r"\s*(?:/\s*)+")
_BRACKETED = re.compile(r"\[([^\[\]:]*)(?::[^\[\]]*)?\]")


@dataclass
class Operand:
    """A phrase in quotation marks, or a run of bare words and stars, and the tag after it."""

    quoted: Token | None = None
    run: list[Token] = field(default_factory=list)
    tag: Token | None = None

    @property
    def empty(self) -> bool:
        return self.quoted is None and not self.run

    @property
    def field(self) -> Field | None:
        return self.tag.field if self.tag else None

    @property
    def start(self) -> int:
        first = self.quoted or (self.run[0] if self.run else self.tag)
        return first.start if first else 0

    @property
    def end(self) -> int:
        last = self.tag or self.quoted or (self.run[-1] if self.run else None)
        return last.end if last else 0


def term_of(operand: Operand, remarks: list[Remark]) -> Term | Pmids | None:
    """The leaf that an operand is; None where it holds nothing to search for. What was tolerated is
    added to ``remarks``.
    """
    if operand.empty:
        return None
    start, end, tag = operand.start, operand.end, operand.tag
    had_star = operand.quoted is not None and "*" in operand.quoted.text
    text = _phrase(operand.quoted, remarks) if operand.quoted else _run(operand, remarks)
    if not text:
        return None
    found = operand.field
    if operand.quoted is None and "/" in text:
        text = (
            _SLASHES.sub("/", text)
            if found is None or found.code in ("mh", "majr")
            else " ".join(chunk for chunk in text.split() if chunk != "/")
        )
    if operand.quoted is None and (pmids := _pmids(text, found)):
        return Pmids(pmids, start, end)
    subheading = None
    if "/" in text and (found is None or found.code in ("mh", "majr")):
        text, subheading = _slash(text, operand, remarks)
    had_star = had_star or text.endswith("*") or any(token.kind == "star" for token in operand.run)
    within = _within(operand, text, had_star, remarks)
    term = Term(
        text,
        found.code if found else None,
        operand.quoted is not None,
        tag.explode if tag else True,
        within,
        subheading,
        start,
        end,
    )
    _remark_on_words(term, remarks)
    return term


def range_of(
    low: Operand, high: Operand, remarks: list[Remark]
) -> tuple[Operand, Range, Operand] | None:
    """The range that two operands with a colon between them make, and what stands before and after
    its ends.

    None where the colon makes no range: not dates or numbers, or a field that has none.
    """
    found = high.field or low.field
    if any(one is not None and not one.ranges for one in (low.field, high.field)):
        return None
    if found is None and (
        low.empty or high.empty or not (high.quoted or high.run[0]).text[:1].isdigit()
    ):
        return None
    before, first = _end(low, last=True, whole=found is not None)
    after, second = (
        (Operand(), _whole(high)) if high.field else _end(high, last=False, whole=found is not None)
    )
    if not (first or second) or (found is None and not (first and second)):
        return None
    start = low.run[len(before.run)].start if before.run else (high if low.empty else low).start
    end = (
        high.run[-len(after.run) - 1].end
        if after.run
        else (low if high.empty and high.tag is None else high).end
    )
    if low.field and high.field and low.field != high.field:
        remarks.append(remark("two-fields", start, end))
    if not first or not second:
        remarks.append(remark("open-range", start, end))
    elif _runs_back(first, second):
        remarks.append(remark("backward-range", start, end))
    return before, Range(first, second, found.code if found else None, start, end), after


def _runs_back(low: str, high: str) -> bool:
    if low.isdecimal() and high.isdecimal():
        return int(low) > int(high)
    first, last = read_days(low), read_days(high)
    return first is not None and last is not None and first[0] > last[1]


def is_date(text: str) -> bool:
    """Return whether a text reads as a year, month or day: 2020, 2020/1, 2020/01/31, 2020 Jan, 2020
    Jan 31.
    """
    return _DATE.fullmatch(text) is not None


def are_pmids(chunks: list[str]) -> bool:
    """Return whether bare words are PMIDs: numbers of up to eight digits, one of them longer than a
    year.
    """
    return all(map(_BARE_PMID.fullmatch, chunks)) and any(
        len(chunk.rstrip(",;.")) > 4 for chunk in chunks
    )


def slash_in_bare_words(text: str) -> bool:
    """Return whether what follows the last slash of untagged bare words is read as a subheading.

    A name is; a code of two letters too, but not between capitals, or PET/CT would be
    contraindications of pets.
    """
    heading, _, after = text.rpartition("/")
    after = after.strip()
    return len(after) > 2 or not (after.isupper() and heading.strip().isupper())


def _pmids(text: str, found: Field | None) -> tuple[str, ...]:
    """The PMIDs of a run of bare numbers; where they have their own tag, one alone is a term."""
    chunks = text.split()
    numbers = (
        are_pmids(chunks)
        if found is None
        else found.code == "pmid" and len(chunks) > 1 and are_pmids(chunks)
    )
    return tuple(chunk.rstrip(",;.") for chunk in chunks) if numbers else ()


def _run(operand: Operand, remarks: list[Remark]) -> str:
    """The text of a run of bare words: single spaces, chunks without a letter or digit gone, at
    most one star, at the end.
    """
    chunks: list[str] = []
    star: Token | None = None
    before: Token | None = None
    for token in operand.run:
        if star is not None:
            remarks.append(remark("star-inside", star.start, star.end))
            star = None
        if token.kind == "star":
            if before is not None and before.kind == "word" and before.end == token.start:
                star = token
            else:
                remarks.append(remark("star-inside", token.start, token.end))
        else:
            chunks.append(token.text)
        before = token
    searchable = [chunk for chunk in chunks if _has_word(chunk) or chunk == "/"]
    if not any(chunk != "/" for chunk in searchable):
        remarks.append(remark("empty-term", operand.start, operand.end))
        return ""
    text = " ".join(searchable)
    if star is None or not _has_word(chunks[-1]):
        return text
    return text + _kept_star(text, star.start, star.end, remarks)


def _phrase(token: Token, remarks: list[Remark]) -> str:
    """The text of a quoted phrase, with at most one star, at the end."""
    text = token.text
    if not _has_word(text):
        remarks.append(remark("empty-term" if text else "empty-phrase", token.start, token.end))
        return ""
    if "*" not in text:
        return text
    stem = text.rstrip("*")
    last = (
        stem != text and not stem.endswith(" ") and _has_word(stem.split()[-1].rpartition("*")[2])
    )
    plain = " ".join((stem if last else text).replace("*", " ").split())
    if "*" in stem or not last:
        remarks.append(remark("star-inside", token.start, token.end))
    return plain + (_kept_star(plain, token.start, token.end, remarks) if last else "")


def _kept_star(text: str, start: int, end: int, remarks: list[Remark]) -> str:
    if sum(map(str.isalnum, text)) >= MIN_STEM:
        return "*"
    remarks.append(remark("short-star", start, end))
    return ""


def _slash(text: str, operand: Operand, remarks: list[Remark]) -> tuple[str, str | None]:
    """A heading and its subheading, or the text as it is and None."""
    heading, _, after = text.rpartition("/")
    heading, after = heading.strip(), after.strip()
    stands = (
        bool(heading)
        and _has_word(heading)
        and not after.endswith("*")
        and qualifier_of(after) is not None
    )
    if operand.field is None:
        stands = stands and operand.quoted is None and slash_in_bare_words(text)
    elif not stands:
        remarks.append(remark("unknown-subheading", operand.start, operand.end))
    return (heading, after) if stands else (text, None)


def _within(operand: Operand, text: str, had_star: bool, remarks: list[Remark]) -> int | None:
    tag = operand.tag
    if tag is None or tag.field is None or tag.within is None:
        return None
    why = ""
    if not tag.field.proximity:
        remarks.append(remark("proximity-field", tag.start, tag.end))
        return None
    if had_star:
        why = "A star cannot be combined with words near each other"
    elif operand.quoted is None:
        why = "Words near each other must be in quotation marks"
    elif len(words(text)) < 2:
        why = "At least two words are needed"
    if why:
        remarks.append(remark("proximity-cancelled", operand.start, operand.end, why=why))
        return None
    return tag.within


def _remark_on_words(term: Term, remarks: list[Remark]) -> None:
    """Remarks on what is searched as typed but will hardly find what was meant."""
    if term.field == "sh" and not term.truncated and qualifier_of(term.text) is None:
        remarks.append(remark("no-subheading", term.start, term.end, shown=term.text[:60]))
    if term.quoted:
        if has_operator(term.text):
            remarks.append(remark("operator-in-quotes", term.start, term.end))
        if "[" in term.text and any(field_of(inner[1]) for inner in _BRACKETED.finditer(term.text)):
            remarks.append(remark("tag-in-quotes", term.start, term.end))
        if term.within is None and len(term.text.split()) >= LONG_PHRASE:
            remarks.append(remark("long-phrase", term.start, term.end))
    if term.field in (None, "all", "ti", "tiab", "tw") and len(term.text) < 40:
        found = words(term.text)
        if found and STOPWORDS.issuperset(found) and not term.truncated:
            effect = "PubMed does not index this word; with a field tag it finds nothing."
            if term.field is None:
                effect = "PubMed does not index this word and ignores it."
            remarks.append(remark("stopword", term.start, term.end, effect=effect))


def _whole(operand: Operand) -> str:
    """All of an end of a range, without stars; empty where there is no letter or digit."""
    text = (
        operand.quoted.text
        if operand.quoted
        else " ".join(token.text for token in operand.run if token.kind == "word")
    )
    text = " ".join(text.replace("*", " ").split())
    return text if _has_word(text) else ""


def _end(operand: Operand, *, last: bool, whole: bool) -> tuple[Operand, str]:
    """The date (or number, with a tag) at one end of a run, and the rest of the run.

    Where there is none, all of the operand with ``whole``, else nothing.
    """
    run = operand.run
    for length in range(min(3, len(run)), 0, -1):
        part = run[-length:] if last else run[:length]
        if all(token.kind == "word" for token in part):
            text = " ".join(token.text for token in part)
            if is_date(text) or (whole and text.isdecimal() and text.isascii()):
                return Operand(run=run[:-length] if last else run[length:]), text
    text = _whole(operand) if whole or operand.quoted else ""
    return Operand(), text if whole or is_date(text) else ""


def _has_word(chunk: str) -> bool:
    return chunk.isalnum() if chunk.isascii() and chunk.isalnum() else bool(words(chunk))
