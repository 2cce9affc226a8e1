"""One concept of a search strategy as PubMed is asked for it: headings, and words of title and
abstract in all their forms.

    ("Analgesics, Opioid"[mh] OR opioid*[tiab])

A term that MeSH knows, as heading or as entry term, brings its heading (exploded, as PubMed does)
and the entry terms by which articles name it. Of a term that it does not know, the longest part
that it does know is taken ("long-acting opioids": opioids), and the words around it are asked for
beside it. A class of drugs opens to its members, since articles name the drug and not its class.
Words are truncated where that only adds forms of the word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from clinfo.records.articles import MeshDescriptor, MeshMatch
from clinfo.terms.drug_classes import drug_class
from clinfo.terms.mesh import ACTIONS
from clinfo.text.plurals import spellings
from clinfo.text.terms import (
    FUNCTION_WORDS,
    GENERIC_WORDS,
    KIND_WORDS,
    MODIFIER_WORDS,
    PEOPLE_WORDS,
    is_acronym,
    stem,
)
from clinfo.text.words import words

MOST_WORDS = 6
"""Words of a term that are read; a term is a few words, and more than this is a sentence."""
MOST_MEMBERS = 60
"""Members of one class of drugs that are named in a query."""
MOST_ENTRIES = 6
"""Entry terms that are added for one heading, the shortest first."""
SHORTEST_CUT = 5
"""Letters that a word keeps before its star; PubMed allows four, which finds too much else
("pain*": painted).
"""

_KEPT = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_GREEK = {"α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "κ": "kappa", "ω": "omega"}
_ENDING = re.compile(r"(?:ies|y|(?:(?<=[sxz])|(?<=[cs]h))es|(?<![sui])s)\Z")
_NO_PLURAL_LIST = (
    "aids biceps caries diabetes feces faeces herpes measles mumps rabies rickets scabies series "
    "species"
)
_NO_PLURAL = frozenset(_NO_PLURAL_LIST.split())
_TRAILING = GENERIC_WORDS | MODIFIER_WORDS
"""Words that end a term and that its heading does without: "vitamin D supplementation", "statin
therapy".
"""
_CHECK_TAGS = frozenset(("aged", "animals", "human", "humans"))
"""Headings of almost every article, whose words say nothing in a text ("aged 18 to 65")."""


@dataclass(frozen=True)
class Piece:
    """A part of a term: its words as written, the heading that stands for it where MeSH knows it,
    and the drugs of a class.
    """

    words: tuple[str, ...]
    descriptor: MeshDescriptor | None = None
    members: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return " ".join(self.words)


def plain(term: str) -> str:
    """A term without what is not a word of it: marks, operators, small words before it; "" where
    nothing is left to search for.
    """
    spelt = "".join(_GREEK.get(char, char) for char in term.replace("’", "'"))
    found = [
        word
        for word in _KEPT.findall(spelt)
        if word not in ("AND", "OR", "NOT") and _is_latin(word)
    ][:MOST_WORDS]
    while found and found[0].lower() in FUNCTION_WORDS:
        found.pop(0)
    named = any(
        len(word) > 1 and not word.isdecimal() and not _says_nothing(word) for word in found
    )
    return " ".join(found) if named else ""


def lookups(term: str) -> list[tuple[str, ...]]:
    """The texts to look up in MeSH for a `plain` term, in rounds, each for what the rounds before
    did not find.

    The term, also without the modifiers it ends in; then both as MeSH would spell them; then
    endings, longest first.
    """
    parts = term.split()
    end = len(parts)
    while end > 1 and parts[end - 1].lower() in _TRAILING:
        end -= 1
    wholes = [parts, parts[:end]] if _names(parts[:end]) else [parts]
    rounds = [
        tuple(" ".join(run) for run in wholes),
        tuple(text for run in wholes for text in _variants(run)[1:]),
    ]
    rounds += [_variants(parts[start:end]) for start in range(1, end) if _names(parts[start:end])]
    return [tuple(dict.fromkeys(texts)) for texts in rounds if texts]


def _variants(run: Sequence[str]) -> tuple[str, ...]:
    """A run of words, and as MeSH might name it: in the other spelling, the plural for the
    singular, "agents" for "drugs".
    """
    ways = (tuple(run), _respelt(run))
    return tuple(
        dict.fromkeys(text for way in ways for text in (" ".join(way), _in_the_plural(way)) if text)
    )


def _in_the_plural(run: Sequence[str]) -> str:
    *first, last = run
    if first and last.lower() in ("drug", "drugs", "medication", "medications", "medicines"):
        return " ".join((*first, "agents"))
    if not last.isalpha() or is_acronym(last) or last.endswith(("s", "ing", "ed", "al", "ive")):
        return ""
    return " ".join((*first, f"{last[:-1]}ies" if re.search(r"[^aeiou]y\Z", last) else f"{last}s"))


def pieces(term: str, matches: Mapping[str, MeshMatch]) -> tuple[Piece, ...]:
    """A `plain` term cut into what MeSH knows, the longest parts first, and the words between,
    without the generic ones.
    """
    found: list[Piece] = []
    pending = [term.split()]
    while pending:
        parts = pending.pop()
        if known := _longest(parts, matches):
            start, stop, piece = known
            found.append(piece)
            pending += [side for side in (parts[:start], parts[stop:]) if side]
        else:
            found += [Piece(kept)] if (kept := _content(parts)) else []
    order = term.split()
    return tuple(sorted(found, key=lambda piece: order.index(piece.words[0]))) or (
        Piece(tuple(order)),
    )


def _content(parts: Sequence[str]) -> tuple[str, ...]:
    """Words without the generic ones, but for the last word of a name ("behavioural therapy");
    "quality of life" stays whole.
    """
    if "of" in parts[1:-1]:
        return tuple(parts)
    kept = [
        word
        for place, word in enumerate(parts)
        if not _says_nothing(word)
        or (place and word.lower() in KIND_WORDS and not _says_nothing(parts[place - 1]))
    ]
    return tuple(kept)


def _longest(
    parts: Sequence[str], matches: Mapping[str, MeshMatch]
) -> tuple[int, int, Piece] | None:
    """Start and end of the longest run of words that MeSH or the lexicon of classes knows, the last
    of several, and its piece.
    """
    for length in range(len(parts), 0, -1):
        for stop in range(len(parts), length - 1, -1):
            run = parts[stop - length : stop]
            if not _names(run):
                continue
            known = [
                match
                for text in _variants(run)
                if (match := matches.get(text)) is not None and match.descriptor is not None
            ]
            of_class = drug_class(" ".join(run))
            if known or of_class:
                acting = known[0].members if known else ()
                members = tuple(dict.fromkeys([*(of_class.members if of_class else ()), *acting]))[
                    :MOST_MEMBERS
                ]
                return (
                    stop - length,
                    stop,
                    Piece(tuple(run), known[0].descriptor if known else None, members),
                )
    return None


def relaxed(found: Sequence[Piece]) -> tuple[Piece, ...]:
    """A term without what only narrows it: modifiers, and beside a class of drugs what MeSH does
    not know.

    Articles on one drug seldom name its generation or its release: "newer", "atypical",
    "long-acting". An acronym of three letters and more names what the class acts on and stays
    ("JAK2 enzyme inhibitors"); "ER" and "LA" say how it is released.
    """
    places = [
        place for piece in found if piece.descriptor for place in piece.descriptor.tree_numbers
    ]
    of_drugs = any(place.startswith(ACTIONS) for place in places)
    known = [piece for piece in found if piece.descriptor or piece.members]
    of_drugs = of_drugs or any(piece.members for piece in known)
    kept = [
        piece
        if piece in known
        else Piece(tuple(word for word in piece.words if word.lower() not in MODIFIER_WORDS))
        for piece in found
    ]
    kept = [
        piece
        for piece in kept
        if piece in known
        or (
            piece.words
            and (not of_drugs or any(is_acronym(word) and len(word) > 2 for word in piece.words))
        )
    ]
    return tuple(kept or found)


def block(terms: Sequence[Sequence[Piece]]) -> str:
    """Any of some terms, each cut into pieces: headings first, then the terms and their entry terms
    in title or abstract.
    """
    known = [piece for piece, *more in terms if piece.descriptor and not more]
    whole = [piece for piece, *more in terms if not more]
    single = [
        one
        for one in whole
        if one.descriptor or one.members or (len(one.words) == 1 and _names(one.words))
    ]
    descriptors = list(
        {piece.descriptor.heading: piece.descriptor for piece in known if piece.descriptor}.values()
    )
    headings = [f'"{descriptor.heading}"[mh]' for descriptor in descriptors]
    opened = [piece.members for piece in single if piece.members]
    narrower = [
        found
        for found in terms
        if any(one.descriptor in descriptors or one.members in opened for one in found)
    ]
    # What is narrower than a heading or a class is asked for anyway.
    others = [_all_of(found) for found in terms if found not in narrower and found[0] not in single]
    named = phrases([piece.text for piece in single], map(_entries, descriptors))
    return either(
        [
            *headings,
            *named,
            *(member for piece in single for member in members(piece.members)),
            *others,
        ]
    )


def members(named: Sequence[str]) -> list[str]:
    """The members of a class of drugs, each as a word or phrase of title or abstract."""
    return [found for member in named for found in _phrase(words(member), forms=False)]


def _all_of(found: Sequence[Piece]) -> str:
    """The pieces of one term, all of which must be there."""
    known = [bool(piece.descriptor or piece.members) for piece in found]
    last = found[-1]
    return every(
        [
            block([[one]]) if of else _each(one.words, last=one is last)
            for one, of in zip(found, known, strict=True)
        ]
    )


def mapped(found: Sequence[Piece]) -> str:
    """One term without tags, so that PubMed maps it itself: all its words but those that only
    narrow it; or members of a class.

    What MeSH knows of a term is not always what it is about ("inhibition" of "SGLT2 inhibition"),
    so nothing else is left out.
    """
    kept = relaxed(found)
    if any(piece.members for piece in kept):
        return every([either([piece.text, *members(piece.members)]) for piece in kept])
    return " ".join(piece.text for piece in kept)


def _entries(descriptor: MeshDescriptor) -> list[str]:
    """The heading and its entry terms as a text would have them, not turned round, shortest
    first.
    """
    natural = [
        text
        for text in (descriptor.heading, *descriptor.entry_terms)
        if "," not in text and "(" not in text
    ]
    return sorted(natural, key=lambda text: (len(text.split()), len(text), text))


def phrases(given: Iterable[str], entries: Iterable[Iterable[str]] = ()) -> list[str]:
    """The ``given`` texts and the first few of each list of ``entries``, for title and abstract;
    what another finds is left out.
    """
    kept: dict[tuple[str, ...], list[str]] = {}
    for texts, most in (
        (given, MOST_WORDS * MOST_ENTRIES),
        *((one, MOST_ENTRIES) for one in entries),
    ):
        added = 0
        for text in texts:
            parts = _without_generic_end(words(text))
            forms = tuple(stem(part) for part in parts)
            if added == most or not _names(parts) or any(_within(other, forms) for other in kept):
                continue
            kept = {other: written for other, written in kept.items() if not _within(forms, other)}
            kept[forms] = _phrase(_as_written(text, parts))
            added += 1
    found = [written for alternatives in kept.values() for written in alternatives]
    stems = tuple(
        written.removesuffix("*[tiab]")
        for written in found
        if written.endswith("*[tiab]") and written[0] != '"'
    )
    return [
        written
        for written in found
        if not any(written.startswith(one) and written != f"{one}*[tiab]" for one in stems)
    ]


def _within(short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    """Return whether ``short`` stands in ``long`` as a run."""
    return any(
        long[start : start + len(short)] == short for start in range(len(long) - len(short) + 1)
    )


def _as_written(text: str, parts: list[str]) -> list[str]:
    """``parts``, the folded words of ``text``, but an acronym that stands alone in its capitals."""
    return [text] if len(parts) == 1 and is_acronym(text) else parts


def _phrase(parts: Sequence[str], forms: bool = True) -> list[str]:
    """Words beside each other in title or abstract, British and American, the last one in all its
    forms with ``forms``.
    """
    found: list[str] = []
    for *first, last in dict.fromkeys((tuple(parts), _respelt(parts))):
        if first:
            found.append(f'"{" ".join((*first, _cut(last) if forms else last))}"[tiab]')
        else:
            found += [f"{form}[tiab]" for form in (_forms(last) if forms else (last,))]
    return list(dict.fromkeys(found))


def _respelt(parts: Sequence[str]) -> tuple[str, ...]:
    """Words in American spelling where they are British, and the other way round."""
    return tuple(
        part if is_acronym(part) else next(iter(spellings(part.lower())), part) for part in parts
    )


def _forms(word: str) -> tuple[str, ...]:
    """Return how a single word is asked for: truncated where enough of it is left, else in both
    numbers where it is a plural.
    """
    cut = _cut(word)
    if cut != word or word.lower() in _NO_PLURAL:
        return (cut,)
    singular = word[:-1] if re.search(r"[^su]s\Z", word) else word
    return (singular, word) if singular != word and len(singular) > 2 else (word,)


def _cut(word: str) -> str:
    """A word for all its numbers, "opioid*"; a short one, a number and one that only looks like a
    plural as it is.
    """
    kept = _ENDING.sub("", word)
    if word.lower() in _NO_PLURAL or not word.isalpha() or is_acronym(word):
        return word
    return (
        f"{kept}*"
        if len(kept) >= SHORTEST_CUT
        else f"{word}*"
        if len(word) >= SHORTEST_CUT and not word.endswith("s")
        else word
    )


def _each(parts: Sequence[str], last: bool) -> str:
    """All of some words, each wherever it stands; hyphenated ones, a lone letter with the word
    before it, and words joined by "of" as phrases. With ``last`` the last one is asked for in all
    its forms."""
    if "of" in parts[1:-1]:
        return either(_phrase(words(" ".join(parts)), forms=last))
    runs = _runs(parts)
    return every(
        [
            either(_phrase(_as_written(run, words(run)), forms=last and run is runs[-1]))
            for run in runs
        ]
    )


def _runs(parts: Sequence[str]) -> list[str]:
    """The words, a lone letter or number with the one before it ("vitamin D", "type 2")."""
    runs: list[str] = []
    for part in parts:
        if runs and (len(part) == 1 or part.isdigit()):
            runs[-1] += f" {part}"
        else:
            runs.append(part)
    return runs


def every(terms: Sequence[str]) -> str:
    """All of some terms, those with alternatives in parentheses already."""
    return " AND ".join(dict.fromkeys(term for term in terms if term))


def either(terms: Sequence[str]) -> str:
    """Any of some terms; in parentheses where there are several."""
    distinct = list(dict.fromkeys(term for term in terms if term))
    if len(distinct) < 2:
        return "".join(distinct)
    return f"({' OR '.join(f'({term})' if ' AND ' in term else term for term in distinct)})"


def _is_latin(word: str) -> bool:
    """Return whether PubMed reads a word: it leaves out text in other scripts."""
    return word.isascii() or all(
        char.isascii() or char == "’" or "LATIN" in unicodedata.name(char, "") for char in word
    )


def _says_nothing(word: str) -> bool:
    return word.lower() in FUNCTION_WORDS or word.lower() in GENERIC_WORDS


def _names(parts: Sequence[str]) -> bool:
    """Return whether some of the words could be searched for alone: not only generic words,
    modifiers and words for people.
    """
    dull = GENERIC_WORDS | FUNCTION_WORDS | MODIFIER_WORDS | PEOPLE_WORDS | _CHECK_TAGS
    return any(word.lower() not in dull and (len(word) > 1) for word in parts)


def _without_generic_end(parts: list[str]) -> list[str]:
    """Words without the generic ones they end in ("opioid analgesic agents"), but for one that
    stands beside a single word.
    """
    end = len(parts)
    while end > 2 and parts[end - 1].lower() in GENERIC_WORDS:
        end -= 1
    return parts[:end]
