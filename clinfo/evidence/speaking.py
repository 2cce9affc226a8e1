"""Checks that a sentence addresses the question: it names the treatments, doses and outcome, and
states the result.

Names are those of MeSH and of the classes of drugs (`clinfo.terms.naming`), so that a class is
named by a member, and the verb that hangs on to a treatment in a question ("diphenhydramine dull
alertness") is not part of its name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from clinfo.lazy_dataclass import dataclass
from clinfo.records.articles import Article
from clinfo.terms.asked_subject import subject
from clinfo.terms.naming import Part, parts, share
from clinfo.terms.sense import asked, names, outcomes
from clinfo.text.coordination import Group
from clinfo.text.keysentence import says_effect
from clinfo.text.pico import parts_of
from clinfo.text.polarity import polar_words
from clinfo.text.regex import anycase, regex
from clinfo.text.terms import (
    PEOPLE_WORDS,
    StemSet,
    Vocabulary,
    acronyms,
    fold,
    stem,
    vocabulary,
    words_as_written,
)

_TREATMENTS = ("D", "E02", "E04", "F04", "E07")
"""Branches of MeSH: chemicals and drugs, therapeutics, operations, psychotherapy, devices."""
NAMED = 0.55
"""Least share of a concept, by the weight of its parts, that a sentence must name to name the
concept.
"""
_DOSE = anycase(r"\b\d+(?:\.\d+)?(?=\s?(?:mg|mcg|g|IU|U|units?|ml|micrograms?|%)\b)")
_NOT_FOUND = anycase(
    r"\bhypothesi[sz]\w*|\b(?:is|are) outlined\b|\bshould be (?:raised|considered|suspected)\b|"
    r"\b(?:is|are|was|were) intended to\b|"
    r"\bfurther (?:stud|trial|research|investigation)\w*"
)
"""Words for suppositions and advice rather than findings."""
_DRUG = regex(
    r"[a-z]{4,}(?:[pdzmtxlrc]ine?|(?:l|r|z)ide?|done?|(?:[^tr])ole?|cox ?ib|nib|mab|icam|pril|ast|"
    r"xetin)"
)
"""Stems of names that MeSH's headings lack and that end as those of drugs do (WHO, use of stems in
international names).
"""
LITTLE = 0.4
"""Weight of a part up to which it is not a topic of its own."""
_NOT_TREATMENTS = frozenset(
    map(stem, ("placebo", "injection", "antipyretic", "antiplatelet", "analgesic"))
)
"""Words that are no treatment that a sentence must name, or are an outcome as often."""
_KINDS = StemSet("supplementation supplement therapy treatment")
_PEOPLE = frozenset(
    stem(word) for word in PEOPLE_WORDS | {"older", "elderly", "aged", "young", "healthy"}
)
_DONE = anycase(
    r"\b(?:was|were|is|are|been)\s(?:\w+ly\s)?(?:compared|given|administered|randomi[sz]ed|"
    r"assigned|treated|evaluated|assessed|"
    r"studied|investigated|reviewed|measured|infused|injected)\b|\bconsisted of\b|\breceived\b|"
    r"\b(?:article|paper|review) (?:will|briefly|discusses|reviews|describes)\b|\b(?:aim|purpose|"
    r"objective)s? (?:of|was|were|is)\b"
)
"""Words for what was done rather than found."""


Names = tuple[Part, ...]
"""Parts of concepts of which one is enough."""


@dataclass(frozen=True)
class Asking:
    """The terms that a sentence must name: one of each of the ``treatments``, all ``doses``, the
    ``outcome`` or one of the ``topics``.

    Where no treatment is ``known`` to be one, it must name all topics that the title does not.
    """

    question: str
    treatments: tuple[Names, ...]
    doses: tuple[str, ...]
    outcome: Group | None
    topics: tuple[Names, ...]
    known: bool

    def speaks(self, text: str, article: Article, title_will_do: bool = False) -> int:
        """2 where a sentence names all of it, 1 where the title names the only treatment and it the
        rest, else 0.

        One that names another treatment in its stead does not, nor one that only says what was
        done. With ``title_will_do`` it need not name topics that the title does.
        """
        if not tells_how_it_went(text):
            return 0
        expansions = acronyms(f"{article.title} {article.abstract}") | acronyms(self.question)
        title = vocabulary(article.title, expansions)
        if not self._names_outcome(text, title, expansions, title_will_do) or not all(
            re.search(rf"\b{dose}\b", text) for dose in self.doses
        ):
            return 0
        told = subject(self.question).given(text)
        given = vocabulary(told, expansions)
        named = [
            _named(either, given) or self._named_short(either, told, given)
            for either in self.treatments
        ]
        if all(named):
            return 2
        titled = len(named) == 1 and _named(self.treatments[0], title)
        return 1 if titled and not any(map(_is_treatment, parts(text))) else 0

    def _names_outcome(
        self, text: str, title: Vocabulary, expansions: dict[str, str], title_will_do: bool
    ) -> bool:
        """Return whether a sentence names the asked outcome; where none is set apart, a topic, one
        that the title lacks first.
        """
        if self.outcome is not None:
            text = outcomes(self.outcome, text)
            held = vocabulary(text, expansions)
            own = parts(self.outcome.concepts[0].text)
            if len(own) > 1 and not all(part.is_in(held) for part in own if _is_treatment(part)):
                return False  # "oxygen consumption" is no consumption of opioids
            if title_will_do and self.outcome.named(held):
                return True
            named_so = any(share(each.text, held) >= NAMED for each in self.outcome.concepts)
            return named_so or names(self.outcome, text, expansions)
        held = vocabulary(text, expansions)
        wanted = [topic for topic in self.topics if not _named(topic, title)]
        if title_will_do:
            return all(_named(topic, held) for topic in wanted)
        named = [_named(topic, held) for topic in wanted or self.topics]
        return not named or (any(named) if self.known else all(named))

    def lacking(self, studies: Sequence[Article]) -> str:
        """The first treatment, else the first topic, that no article names, in the question's
        words; "" where each is named.
        """
        texts = [
            vocabulary(f"{each.title} {each.abstract}", acronyms(f"{each.title} {each.abstract}"))
            for each in studies
        ]
        for either in (
            *self.treatments,
            *(topic for topic in self.topics if any(part.places for part in topic)),
        ):
            if not any(_named(either, text) for text in texts):
                return self._written({one for part in either for one in part.stems})
        return ""

    def _written(self, wanted: set[str]) -> str:
        return " ".join(
            word for word in words_as_written(self.question) if stem(fold(word)) in wanted
        )

    def _named_short(self, either: Names, told: str, given: Vocabulary) -> bool:
        """Return whether a text names a substance without "supplementation" or "therapy", and no
        other treatment, which could be what was given.
        """
        wanted = {one for part in either for one in part.stems}
        short = parts(self._written(wanted - _KINDS)) if wanted & _KINDS else ()
        return (
            any(place.startswith("D") for part in short for place in part.places)
            and all(part.is_in(given) for part in short)
            and all(wanted & set(part.stems) for part in parts(told) if _is_treatment(part))
        )


def _named(either: Names, text: Vocabulary) -> bool:
    return any(part.is_in(text) for part in either)


def tells_how_it_went(text: str) -> bool:
    """Return whether a sentence says how something went, and not only what was done."""
    if says_effect(text):
        return _NOT_FOUND.search(text) is None
    return (
        any(kind != "needed" for kind, _ in polar_words(text))
        and not _DONE.search(text)
        and not _NOT_FOUND.search(text)
    )


@lru_cache(maxsize=256)
def asking(question: str) -> Asking:
    """Return what a sentence must name to answer a question."""
    about, aim, population = (
        subject(question),
        asked(question),
        parts_of(question).get("population"),
    )
    outcome = aim.outcome if aim is not None else None
    treated: list[Names] = []
    topics: list[Names] = []
    for group in about.wanted:
        if group == outcome or _only_people(group):
            continue
        found = [_split(concept.text) for concept in group.concepts]
        compared = about.sides is not None and any(
            concept in side for concept in group.concepts for side in about.sides
        )
        if any(own for own, _ in found) and (group != population or compared or not treated):
            alone = (
                found[0][0][:-1] if len(found) > 1 else found[0][0]
            )  # "lornoxicam match tramadol or morphine"
            treated.extend((part,) for part in alone)
            if len(found) > 1:
                treated.append(tuple(part for own, _ in found for part in own if part not in alone))
            rest = tuple(part for _, after in found for part in after)
        else:
            rest = tuple(
                part
                for concept in group.concepts
                for part in parts(concept.text)
                if part.weight > LITTLE
            )
        if rest:
            topics.append(rest)
    known = bool(treated)
    if not treated and topics:
        treated, topics = topics[:1], topics[1:]
    doses: tuple[str, ...] = ()
    if about.sides is not None and any(
        _DOSE.search(side[0].text) and not _split(side[0].text)[0] for side in about.sides
    ):
        doses = tuple(match.group() for match in _DOSE.finditer(question))
    return Asking(about.question, tuple(treated), doses, outcome, tuple(topics), known)


def _split(concept: str) -> tuple[Names, Names]:
    """The treatments that a concept names, and what stands after the last of them ("olanzapine
    clear hallucinations").
    """
    every = parts(concept)
    places = [place for place, part in enumerate(every) if _is_treatment(part)]
    if not places:
        return (), ()
    after = tuple(part for part in every[places[-1] + 1 :] if part.weight > LITTLE)
    return tuple(every[place] for place in places), after[-1:]


def _is_treatment(part: Part) -> bool:
    if set(part.stems) & _NOT_TREATMENTS:
        return False
    if part.is_class or any(
        place.startswith(branch) for place in part.places for branch in _TREATMENTS
    ):
        return True
    return (
        not part.places
        and part.weight > LITTLE
        and any(_DRUG.fullmatch(each) for each in part.stems)
    )


def _only_people(group: Group) -> bool:
    """Return whether a group only says who was studied."""
    return all(each in _PEOPLE for concept in group.concepts for each in concept.stems)
