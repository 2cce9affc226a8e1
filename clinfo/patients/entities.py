"""The mentions of concepts in a note, longest match first, with what is said of each."""

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from clinfo.patients.assertion import asserted
from clinfo.patients.lexicon import Lexicon, form
from clinfo.patients.mentions import Mention as Mention
from clinfo.patients.quantities import stated_quantities
from clinfo.patients.sections import Section, sections
from clinfo.terms.naming import everyday_words
from clinfo.text.words import key

_Word = tuple[int, int, str]
"""The place of a word, and its form."""
_WORD = re.compile(r"[^\W_]+")
_JOINS = re.compile(
    r"[ \t]*(?:\n(?!\n))?[ \t]*|-\r?\n[ \t]*|[ \t]?[,/'’‘`(–-][ \t]?|(?<=\b[A-Z])\.[ \t]?"
)
"""The signs that may stand between two words of one name."""
_NAME = 120
"""Characters up to which a text is looked up once."""
_BROKEN = re.compile(r"-\r?\n[ \t]*|\xad\s*")
"""What divides a word at the end of a line."""
_DIVIDED = re.compile(r"-(?:\r?\n[ \t]*)?|\xad\s*")
"""What may divide a word, at the end of a line or where others write it as one."""
KIND = re.compile(
    r"[(\[](?:CMS[-/ ]?)?HCC[)\]]|"
    r"\((?:disorder|procedure|finding|situation|regime/therapy|morphologic abnormality|event|"
    r"physical object|record artifact|qualifier value|observable entity|substance|product|"
    r"person)\)?",
    re.IGNORECASE,
)
"""The kind that SNOMED writes after a term, and what Epic does for billing."""
_PERSON = re.compile(
    r"\b(?:Drs?|DR(?=\.)|Prof(?:essor)?|Mrs?|Ms|Miss)\b\.?(?: [A-Z]\.){0,3}"
    r"(?: (?![A-Z\d-]{2,}\b)[A-Z][\w-]{1,40}){1,2}|"
    r"(?<![\w-])[A-Z][\w-]{,40}\.?(?: [A-Z]\.)? [A-Z][\w-]{1,40}, "
    r"(?:MD|M\.D\.|DO|NP|RN|PA-C|PhD|MBBS|FRCP)\b"
)
"""A person named with a title, behind a whole name ("Anna Parkinson, MD", not "Hypotension, MD
notified"); many bear the name of a disease. What is all in capitals (COPD) is no name.
"""


def find_mentions(text: str, lexicon: Lexicon) -> tuple[Mention, ...]:
    """The mentions of a note in order, none overlapping another."""
    return (_kept_mentions if len(text) <= _NAME else _find_mentions)(text, lexicon)


def _find_mentions(text: str, lexicon: Lexicon) -> tuple[Mention, ...]:
    parts = sections(text)
    return asserted(text, parts, named_in(text, parts, lexicon))


_kept_mentions = lru_cache(20_000)(_find_mentions)  # records have the same names again and again


def _singular(word: str) -> str:
    """An abbreviation in capitals without the s of its plural ("UTIs"); other words as they are."""
    return word[:-1] if word[-1] == "s" and word[:-1].isupper() and len(word) > 2 else word


def _loud(text: str, at: int) -> bool:
    """Return whether a line is all in capitals, so that they tell nothing ("HEARING AIDS")."""
    end = text.find("\n", at)
    line = text[text.rfind("\n", 0, at) + 1 : end if end >= 0 else len(text)]
    return line.isupper() and line.count(" ") > 1


def named_in(text: str, parts: Sequence[Section], lexicon: Lexicon) -> list[Mention]:
    """The mentions without a look at what is said of them, short names of what is measured only
    before a value; headings name nothing. Words with a hyphen count as one where a name begins
    with them that is longer than those of the words as written, and cuts none of these.
    """
    headings = [(part.heading, part.start) for part in parts if part.start > part.heading]
    idle = (match.span() for pattern in (KIND, _PERSON) for match in pattern.finditer(text))
    kinds = deque(sorted([*headings, *idle]))
    words = list[_Word]()
    for match in _WORD.finditer(text):
        start, end = match.span()
        while kinds and kinds[0][1] <= start:
            kinds.popleft()
        if kinds and kinds[0][0] <= start:
            continue
        words.append((start, end, form(key(_singular(text[start:end])))))
    written = _joined(text, words, _BROKEN, lexicon)
    joined = _joined(text, written, _DIVIDED, lexicon)
    told = list(_told(text, written, lexicon))
    if len(joined) < len(written):
        within = {place for one in told for place in range(one.start + 1, one.end)}
        told += (one for one in _told(text, joined, lexicon) if one.end not in within)
    found: list[Mention] = []
    for mention in sorted(told, key=lambda one: (one.start, -one.end)):
        if not found or found[-1].end <= mention.start:
            found.append(mention)
    taken = {place for one in found for place in range(one.start, one.end)}
    for one in stated_quantities(text):
        name = text[one.start : one.named]
        apart = taken.isdisjoint(range(one.start, one.named))
        if apart and lexicon.named(name) is None:
            named = lexicon.measured(one.quantity)
            found.append(Mention(one.start, one.named, name, named.concept, named.types))
            taken.update(range(one.start, one.named))
    return sorted(found, key=lambda one: one.start)


def _joined(
    text: str, words: Sequence[_Word], divided: re.Pattern[str], lexicon: Lexicon
) -> list[_Word]:
    """Words with those as one that are divided so, where a name begins with them."""
    joined = list[_Word]()
    for start, end, own in words:
        if joined and not text[start].isupper() and divided.fullmatch(text, joined[-1][1], start):
            whole = form(key(_DIVIDED.sub("", text[joined[-1][0] : end])))
            if lexicon.begins(whole):
                joined[-1] = joined[-1][0], end, whole
                continue
        joined.append((start, end, own))
    return joined


def _told(text: str, words: Sequence[_Word], lexicon: Lexicon) -> Iterator[Mention]:
    """The names in a row of words, longest first."""
    forms = [word for _, _, word in words]
    at, stop = 0, 0
    while at < len(words):
        if stop <= at:
            stop = at + 1
            while stop < len(words) and _JOINS.fullmatch(text, words[stop - 1][1], words[stop][0]):
                stop += 1
        longest = lexicon.longest(forms, at, stop)
        if longest is None:
            at += 1
            continue
        length, named = longest
        start, end = words[at][0], words[at + length - 1][1]
        at += length
        upper = text[start:end].rstrip("s").isupper()
        if not (named.mixed if upper else named.capitals):
            told = Mention(start, end, text[start:end], named.concept, named.types)
            doubted = (
                named.capitals and forms[at - length] in everyday_words() and _loud(text, start)
            )
            yield replace(told, sure=0) if doubted else told
