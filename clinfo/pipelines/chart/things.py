"""The things that a question asks about: runs of its words that MeSH, the classes of drugs or the
dictionary of notes know, each with all names by which a note may call it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import Final

from clinfo.lazy_dataclass import dataclass
from clinfo.patients.lexicon import Lexicon, Named
from clinfo.patients.medication_events import NO_MEDICINE
from clinfo.pipelines.chart.asked import LONGEST, asking_stems, meant_in_notes, said_otherwise
from clinfo.pipelines.chart.items import kinds_in
from clinfo.terms.drug_classes import drug_class
from clinfo.terms.lexicon import EVERYDAY, flags
from clinfo.terms.naming import Part, known, parts
from clinfo.text.lexicon import words_of
from clinfo.text.regex import anycase
from clinfo.text.terms import FUNCTION_WORDS, fold, stem, words, words_as_written
from clinfo.text.words import key

_BREAK: Final = anycase(
    r"\s*[,;?.!:/]\s+|[?]|\b(?:and|or|versus|vs|but|nor|than|which care plans?)\b|"
    r"\b(?:treated|given|taken|taking|prescribed|due|caused|started|stopped|on)\s+"
    r"(?:with|for|to|by|because|on|of)\b"
)
_POSSESSIVE: Final = anycase(r"['’]s\b")
MOST_CHEMICALS: Final = 60
"""Narrower headings up to which those of a substance count as it: metoprolol is one of the 176
alcohols of chemistry.
"""
_APART: Final = {
    "Diabetes Mellitus": frozenset(("prediabetic state",)),
    "Hemoglobins": frozenset(("glycated hemoglobin", "glycated hemoglobin a")),
    "Hypertension": frozenset(("prehypertension", "white coat hypertension")),
}
"""Narrower headings of MeSH that are not what a question for the heading is after."""
_UNLIKE: Final = frozenset(("respiratory sounds", "weights and measures"))
"""Headings of MeSH whose other names are different things: crackles are no wheezing, and a
weight is no reference value. Only what is asked as the heading itself counts as all of them.
"""
_DRUG: Final = "drug or substance"
_SOCIAL: Final = ("F01.829", *"HIJKLMNVZ")
"""Branches of MeSH whose names notes seldom use for what they say of a patient ("insurance")."""


@dataclass(frozen=True)
class Name:
    """One run of words of a thing. ``concepts`` are keys of headings that count as it: its own, the
    narrower ones; ``forms`` its names and those of its members, as runs of stems with spaces
    around; ``known`` whether any table knows it; ``needed`` whether nothing counts without
    it, ``medicine`` whether it is one or a class of them.
    """

    text: str
    concepts: frozenset[str]
    forms: frozenset[str]
    known: bool
    organ: bool = False
    needed: bool = True
    medicine: bool = False


@dataclass(frozen=True)
class Thing:
    """What a question asks about, ``text`` as it says it: all of its names must stand together."""

    text: str
    names: tuple[Name, ...]

    @property
    def known(self) -> bool:
        """Return whether a table knows a name of it."""
        return any(name.known for name in self.names)

    @property
    def main(self) -> Thing:
        """The thing without everyday words that only qualify it."""
        names = tuple(name for name in self.names if name.needed)
        return Thing(" ".join(name.text for name in names), names)

    def is_called(self, name: str) -> bool:
        """Return whether one of its names stands for what is called so."""
        said = running(name)
        return any(
            key(name) in one.concepts or any(form in said for form in one.forms)
            for one in self.names
        )


def things_of(question: str, lexicon: Lexicon) -> tuple[Thing, ...]:
    """The things of a question in its order."""
    found = []
    for phrase in _BREAK.split(question):
        names = tuple(dict.fromkeys(_names(phrase, lexicon)))
        if len(names) == 1 and names[0].organ and "condition" in kinds_in(phrase):
            text = f"{names[0].text} diseases"
            if lexicon.named(text) is not None:
                names = (_known_name(text, None, (), lexicon),)
        if names:
            found.append(Thing(" ".join(name.text for name in names), names))
    return tuple({thing.names: thing for thing in found}.values())


def _names(phrase: str, lexicon: Lexicon) -> Iterator[Name]:
    written, at = words_as_written(phrase), 0
    for start, end in (*_lay_runs(written, lexicon), (len(written), len(written))):
        for part in parts(" ".join(written[at:start])):
            run = written[at : at + len(part.stems)]
            at += len(part.stems)
            if (name := _name(run, part, lexicon)) is not None:
                yield name
        if end > start:
            at, text = end, " ".join(written[start:end])
            yield _known_name(text, None, meant_in_notes(text), lexicon)


def _lay_runs(written: Sequence[str], lexicon: Lexicon) -> Iterator[tuple[int, int]]:
    """The runs of several words that people say otherwise than notes do, or that the dictionary has
    beside MeSH.
    """

    def known_apart(phrase: str) -> bool:
        beside = lexicon.named(phrase) is not None and known().descriptor(phrase) is None
        return beside or bool(meant_in_notes(phrase))

    at = 0
    while at < len(written):
        ends = range(min(len(written), at + LONGEST), at + 1, -1)
        end = next((end for end in ends if known_apart(" ".join(written[at:end]))), at)
        if end > at:
            yield at, end
        at = max(end, at + 1)


def _name(run: Sequence[str], part: Part, lexicon: Lexicon) -> Name | None:
    text = " ".join(run)
    if len(run) == 1:
        word = fold(run[0])
        if word in FUNCTION_WORDS or word.isdigit() or len(word) < 2:
            return None
        if part.stems[0] in asking_stems() | _saying() or kinds_in(word):
            return None
    elif all(one in FUNCTION_WORDS or stem(one) in _saying() for one in map(fold, run)):
        return None
    tree = tuple(place for place in part.places if not place.startswith(_SOCIAL))
    if (lay := meant_in_notes(text)) or tree or part.is_class or _in_dictionary(text, lexicon):
        return _known_name(text, part, lay, lexicon)
    needed = not flags(run[0]) & EVERYDAY
    forms = frozenset(form for _, form in part.forms)
    return Name(text, part.headings, forms, known=False, needed=needed)


def _known_name(text: str, part: Part | None, lay: Sequence[str], lexicon: Lexicon) -> Name:
    forms = {running(one) for one in (text, *lay, *said_otherwise(text.lower()))}
    forms |= {form for _, form in part.forms} if part else set()
    narrower = [part.headings] if part else []
    concepts, medicine = set[str](), False
    for one in (text, *lay):
        members = of_class.members if (of_class := drug_class(one)) else ()
        forms |= {running(name) for name in members}
        for name in (one, *members):
            if (named := _in_dictionary(name, lexicon)) is not None:
                concepts.add(key(named.concept))
                narrower += [known().explode(named.concept)] if name == one else []
                drug = _DRUG in named.types and named.concept not in NO_MEDICINE
                medicine = medicine or drug
        concepts |= {key(name) for name in members}
        medicine = medicine or bool(members)
    apart = frozenset[str]().union(*(_APART.get(one, ()) for one in _headings(text, lay, lexicon)))
    forms -= {running(name) for one in apart for name in _names_of(one)}
    if (unlike := (concepts | (part.headings if part else set())) & _UNLIKE) and not any(
        running(one) == running(text) for one in unlike
    ):
        own = {running(one) for one in (text, *lay, *said_otherwise(text.lower()))}
        return Name(text, frozenset(), frozenset(own), True)
    chemical = part is not None and all(place.startswith("D") for place in part.places)
    for headings in narrower:
        if not chemical or part is None or part.is_class or len(headings) <= MOST_CHEMICALS:
            concepts |= headings
    concepts -= apart
    organ = part is not None and all(place.startswith("A") for place in part.places)
    organ = organ and bool(part and part.places)
    return Name(text, frozenset(concepts), frozenset(forms), True, organ, medicine=medicine)


def _headings(text: str, lay: Sequence[str], lexicon: Lexicon) -> Iterator[str]:
    for one in (text, *lay):
        if (named := _in_dictionary(one, lexicon)) is not None:
            yield named.concept


@cache
def _names_of(heading: str) -> tuple[str, ...]:
    found = known().descriptor(heading)
    return () if found is None else (found.heading, *found.entry_terms)


def _in_dictionary(text: str, lexicon: Lexicon) -> Named | None:
    named = lexicon.named(text)
    if named is None or (named.capitals and len(text) < 4 and not text.isupper()):
        return None
    return named


@cache
def _saying() -> frozenset[str]:
    """The stems of words of questions that name nothing looked for."""
    return frozenset(map(stem, words_of("record_questions", "saying")))


@lru_cache(maxsize=50_000)
def running(text: str) -> str:
    """The stems of a text with a space around each: a name stands in it where its form does."""
    return f" {' '.join(map(stem, words(_POSSESSIVE.sub('', text))))} "


def telling_words(question: str) -> list[str]:
    """The words of a question that may name something, in its order."""
    return [
        word
        for word in dict.fromkeys(words(question))
        if word not in FUNCTION_WORDS
        and len(word) > 1
        and not word[0].isdigit()
        and stem(word) not in asking_stems() | _saying()
        and not kinds_in(word)
    ]


def literal(said: Sequence[str]) -> Thing:
    """A thing that is these words, as written."""
    return Thing(
        " ".join(said),
        tuple(Name(w, frozenset(), frozenset((running(w),)), known=False) for w in said),
    )
