"""The answer without a language model: the best finished studies that name what is asked, each with
its whole conclusion and one result, word for word. Nothing is judged and nothing is composed.

Studies whose title or headings name all that is asked stand first; where no other names the
treatments and the conditions no conclusion stands first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from typing import Final

from clinfo.evidence.design import ANIMALS, POOLING, PROTOCOL, level, stated_design
from clinfo.evidence.studies import NOTICES, groups
from clinfo.extractive.concepts import Concept, concepts, read
from clinfo.extractive.coverage import coverage, named_somewhere
from clinfo.extractive.quotes import Quoted, quoted
from clinfo.records.articles import Article, Part, Sentence, Span, Study
from clinfo.terms.lexicon import EVERYDAY, flags
from clinfo.terms.naming import Part as NamePart
from clinfo.terms.naming import descriptor_of, kind_of, known, named_parts
from clinfo.text.abstracts import AbstractSentence, finished
from clinfo.text.quotes import numbers
from clinfo.text.stated_numbers import worded_numbers
from clinfo.text.terms import Vocabulary, acronyms, fold, stem, vocabulary, words_as_written
from clinfo.text.wording import number
from clinfo.text.words import keys

MOST: Final = 5
"""Studies that are quoted."""
QUOTED: Final = "quoted word for word"
UNJUDGED: Final = "nothing was judged."
_SAYS: Final = 0.5
"""The value from which a study must be about a concept: any word of medicine."""
_WEAK: Final = ("editorial or letter", "case report", "laboratory study", "economic evaluation")
_PEOPLE: Final = ("M01.060", "M01.975.807")
"""Ages of people, and pregnant women, in MeSH's tree."""
_YOUNG_TAGS: Final = frozenset({"Adolescent", "Child", "Child, Preschool", "Infant"})
_ADULT_TAGS: Final = frozenset({"Adult", "Young Adult", "Middle Aged", "Aged"})
_NO_SUBJECT: Final = frozenset(keys(("Placebos", "Infections")))


@dataclass(frozen=True)
class _Asked:
    """A ``question`` with the concepts that a study must name, its amounts, and the people that it
    asks about.
    """

    question: str
    concepts: tuple[Concept, ...]
    amounts: frozenset[tuple[Decimal, str]]
    people: tuple[NamePart, ...]

    @classmethod
    def of(cls, question: str) -> _Asked:
        people = tuple(filter(None, (_people(text, one) for text, one in named_parts(question))))
        return cls(question, concepts(question), _amounts(question), people)

    @cached_property
    def telling(self) -> frozenset[Concept]:
        """The concepts that a study must be about, not only name."""
        found = frozenset(one for one in self.concepts if one.main or one.value >= _SAYS)
        return found or frozenset(self.concepts)

    @property
    def subjects(self) -> tuple[Concept, ...]:
        """What is asked about: the treatments, else all concepts."""
        return tuple(one for one in self.concepts if one.treats) or self.concepts

    def named(self, text: Vocabulary) -> tuple[Concept, ...]:
        return tuple(one for one in self.concepts if one.part.is_in(text))


@dataclass(frozen=True)
class _Subject:
    """A name in a title: whether it is a treatment, else a condition, and whether it is asked
    about.
    """

    text: str
    treats: bool
    asked: bool


@dataclass(frozen=True)
class _Found:
    """A study with what it names of a question: ``named`` anywhere in its record, ``about`` in its
    title, its keywords or its major headings. ``share`` is what it names of it, 0 to 1.
    """

    study: Study
    asked: _Asked
    design: str | None
    named: tuple[Concept, ...]
    about: tuple[Concept, ...]
    share: float

    @classmethod
    def of(cls, study: Study, asked: _Asked, question: str) -> _Found:
        article = study.article
        title = _vocabulary(article, f"{article.title} {' '.join(article.keywords)}")
        titled = asked.named(replace(title, headings=frozenset(keys(article.major))))
        headed = asked.named(Vocabulary(frozenset(), headings=frozenset(keys(article.mesh))))
        if article.major:
            headed = ()  # then those marked tell what it is about
        about = tuple(
            one
            for one in asked.concepts
            if one in titled or (one in headed and one.main and not one.treats)
        )
        named = asked.named(read(article, asked.question))
        share = coverage(question, article).share
        return cls(study, asked, stated_design(article), named, about, share)

    @property
    def finished(self) -> bool:
        """Whether it is a study of people that has come to its results, as far as types tell."""
        return self.design not in (PROTOCOL, ANIMALS) and finished(self.study.article)

    @property
    def names_all(self) -> bool:
        return len(self.named) == len(self.asked.concepts)

    @property
    def on_subject(self) -> bool:
        """Whether its record names the treatments and the conditions that are asked about, and half
        of the other words of medicine.
        """
        telling = {one for one in self.asked.telling if _NO_SUBJECT.isdisjoint(one.part.headings)}
        main = {one for one in telling if one.main} | {*self.asked.subjects[:1]}
        others = telling - main
        plain = len(others.difference(self.named)) * 2 <= len(others)
        plain = plain and bool(main) and main.issubset(self.about)
        return bool(self.first) or (plain and not self._of_others)

    @cached_property
    def quoted(self) -> Quoted:
        return quoted(self.study.article, self.asked.question)

    @cached_property
    def first(self) -> tuple[AbstractSentence, ...]:
        """Its conclusion where that may stand for all studies: it and the title name all that is
        asked, the title above all the treatment and the conditions, the conclusion the treatment
        too unless a label says that it is one and the title names nothing else.
        """
        subjects, telling = self.asked.subjects, self.asked.telling
        main = {one for one in telling if one.main and not one.treats} | {*subjects[:1]}
        if not main or not main.issubset(self.about) or not self.names_all or self._of_others:
            return ()
        conclusion = self.quoted.conclusion
        names = self._named_in(conclusion)
        labelled = any(one.role for one in conclusion)
        plain = subjects[0] in names or (labelled and not self.besides)
        return conclusion if plain and telling <= names.union(self.about) else ()

    def _named_in(self, told: Sequence[AbstractSentence]) -> set[Concept]:
        text = " ".join(one.text for one in told)
        return set(self.asked.named(_vocabulary(self.study.article, text)))

    @property
    def place(self) -> tuple[object, ...]:
        """Its place among those that answer: of the people and amounts that are asked about, with
        what is asked in its title and its words and few other subjects there, then by design, those
        that pool others before trials, then by share.
        """
        article, people = self.study.article, self.asked.people
        tags = set(article.mesh)
        who = replace(_vocabulary(article, article.title), headings=frozenset(keys(article.mesh)))
        young = not people and tags & _YOUNG_TAGS and not tags & _ADULT_TAGS
        others = bool(young) + sum(not one.is_in(who) for one in people)
        said = " ".join([self.study.article.title, *(one.text for one in self.first)])
        lacking = len(self.asked.amounts - _amounts(said))
        main = sum(one.main and one not in self.about for one in self.asked.telling)
        main += len(set(self.asked.subjects) - self._named_in(self.first))
        besides = min(len(self.besides), 2)
        return others, lacking, main, besides, _rank(self.design), -self.share

    @property
    def _of_others(self) -> bool:
        """Whether it has found nothing yet or is plainly on something else: on other people, first
        on another treatment, on other conditions, or a report of few, of costs or of opinions.
        """
        asked, text = self.asked, read(self.study.article, self.asked.question)
        treatments = [one.asked for one in self._subjects if one.treats]
        conditions = sum(not one.asked and not one.treats for one in self._subjects)
        beside = any(one.main and not one.treats for one in asked.concepts)
        return (
            self.design in _WEAK
            or not self.finished
            or not all(one.is_in(text) for one in asked.people)
            or (kind_of(asked.subjects[0].part) == "treatment" and not all(treatments[:1]))
            or (len(asked.telling) == 1 and bool(self.besides))
            or conditions > (1 if beside else 2)
        )

    @cached_property
    def _subjects(self) -> tuple[_Subject, ...]:
        """The treatments and conditions in its title."""
        found = []
        for own, part in named_parts(self.study.article.title):
            treats = part.is_class and not flags(own) & EVERYDAY
            treats = treats or any(map(_is_given, part.places))
            if (treats or kind_of(part) == "condition") and _NO_SUBJECT.isdisjoint(part.headings):
                text = _vocabulary(self.study.article, own)
                kin = (one.part.is_in(text) or _kin(one.part, part) for one in self.asked.concepts)
                found.append(_Subject(own, treats, any(kin)))
        return tuple(found)

    @property
    def besides(self) -> tuple[str, ...]:
        """The treatments and conditions in its title that nobody asked about."""
        return tuple(dict.fromkeys(one.text for one in self._subjects if not one.asked))

    @property
    def nearness(self) -> tuple[bool, int, float, int, float]:
        worth = sum(one.value for one in (*self.about, *self.named))
        return (
            self.on_subject,
            len({*self.asked.subjects} & {*self.named}),
            worth,
            -_rank(self.design),
            self.share,
        )


def _people(text: str, part: NamePart) -> NamePart | None:
    """The part of a question with its headings where it names people by MeSH; None for another."""
    named = descriptor_of(text)
    if named is None or not any(place.startswith(_PEOPLE) for place in named.tree_numbers):
        return None
    return replace(part, headings=known().explode(named.ui))


def _vocabulary(article: Article, text: str) -> Vocabulary:
    return vocabulary(text, acronyms(f"{article.title} {article.abstract}"))


def _amounts(text: str) -> frozenset[tuple[Decimal, str]]:
    """The numbers of a text, in digits or words, each with the word after it; weeks in days."""
    digits = ((Decimal(one), end) for one, _, end in numbers(text) if one.count(".") < 2)
    found = set()
    for value, end in (*digits, *((one, end) for one, _, end in worded_numbers(text))):
        after = [fold(one) for one in words_as_written(text[end : end + 20])][:1]
        unit = stem(after[0]) if after else ""
        found.add((value * 7, "dai") if unit == "week" else (value, unit))
    return frozenset(found)


def _is_given(place: str) -> bool:
    """Whether a place in MeSH's tree is one of chemicals and drugs, but for forms and actions of
    them, or of operations.
    """
    return place.startswith(("D", "E04")) and not place.startswith(("D26", "D27"))


def _kin(one: NamePart, other: NamePart) -> bool:
    """Whether one of two names is the other in MeSH, or a broader or narrower one."""
    return any(a.startswith(b) or b.startswith(a) for a in one.places for b in other.places)


def answer(part: Part, question: str, studies: Sequence[Study]) -> tuple[Sentence, ...]:
    """The quotations of the synthesis, or of the TL;DR the first of them, before which stands how
    many studies there are.

    Where no finished study names the treatments and the conditions, the TL;DR quotes none.
    """
    asked, near = _Asked.of(question), named_somewhere(question, [one.article for one in studies])
    found = [_Found.of(study, asked, near) for study in _one_report_each(studies)]
    answering = sorted((one for one in found if one.first), key=lambda one: one.place)
    told = answering or sorted(
        (one for one in found if one.finished and one.quoted.conclusion),
        key=lambda one: one.nearness,
        reverse=True,
    )
    if part == "tldr":
        return (_opening(asked, found, told),) if told else ()
    sentences: list[Sentence] = []
    for one in told[:MOST]:
        begin = "\n\n" if sentences else ""
        sentences.append(
            _sentence(part, f"{begin}{_lead(one)}: ", one.study, one.quoted.conclusion)
        )
        if one.quoted.result is not None:
            sentences.append(_sentence(part, " ", one.study, (one.quoted.result,)))
    return tuple(sentences)


def _one_report_each(studies: Sequence[Study]) -> list[Study]:
    """The studies, each by its fullest report; a notice of a correction or retraction is none."""
    reports = {
        one.article.id: one
        for one in studies
        if not NOTICES.intersection(one.article.publication_types)
    }
    articles = [one.article for one in reports.values()]
    found = groups(articles, {one.id: stated_design(one) for one in articles})
    return [
        max((reports[id] for id in group.ids), key=lambda one: len(one.article.abstract))
        for group in found
    ]


def _opening(asked: _Asked, found: Sequence[_Found], told: Sequence[_Found]) -> Sentence:
    """How many studies there are, with the conclusion of the first that names the treatments and
    the conditions that are asked about; of others the name alone.
    """
    count, best = number(len(found), "study was found", "studies were found"), told[0]
    lead = f"{count}; {UNJUDGED}"
    if best.on_subject:
        one = "One of them, not a summary: " if len(found) > 1 else ""
        lead = f"{lead} {one}{_lead(best)}: "
        return _sentence("tldr", lead, best.study, best.quoted.conclusion)
    lacking = [one.text for one in asked.concepts if not any(one in each.named for each in found)]
    if lacking:
        lead += f" None of these records has the words “{'”, “'.join(lacking)}”."
    lead = f"{lead} First below: {_who(best)}"
    return replace(_sentence("tldr", lead, best.study, ()), text=f" [{best.study.n}]")


def _lead(found: _Found) -> str:
    """The writer, and the words of the question that its record does not name."""
    lacking = [f"“{one.text}”" for one in found.asked.concepts if one not in found.named]
    told = f" (not in this record in these words: {', '.join(lacking)})" if lacking else ""
    return f"{_who(found)}{told}"


def _rank(design: str | None) -> int:
    if design in POOLING or design == "guideline":
        return 0
    if design is not None and (level(design)[0] == 2 or "trial" in design):
        return 1
    return 3 if design in _WEAK else 2


def _who(found: _Found) -> str:
    """First author, year and design as far as the record tells them."""
    article, design = found.study.article, found.design or ""
    first = ""
    if article.authors:
        first = f"{article.authors[0].last}{' et al.' if len(article.authors) > 1 else ''}"
    else:
        design = (design or "study").capitalize()
    year = str(article.year) if article.year is not None else ""
    return ", ".join(filter(None, [first or design, year, design if first else ""]))


def _sentence(
    part: Part,
    lead: str,
    study: Study,
    quoted: Sequence[AbstractSentence],
) -> Sentence:
    text = " ".join(one.text for one in quoted)
    return Sentence(
        part,
        f"“{text}” [{study.n}]",
        (study.n,),
        "quoted",
        QUOTED,
        tuple(Span(study.n, "abstract", one.start, one.end) for one in quoted),
        lead,
        judges=(),
    )
