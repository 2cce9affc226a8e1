"""The answer without a language model: the best finished studies that name what is asked, each with
its whole conclusion and one result, word for word. Nothing is judged and nothing is composed.

Studies whose title or headings name the treatments and the conditions stand first; where none does,
no conclusion stands first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from clinfo.evidence.design import ANIMALS, POOLING, PROTOCOL, level, stated_design
from clinfo.evidence.studies import NOTICES, groups
from clinfo.extractive.concepts import Concept, concepts, read
from clinfo.extractive.coverage import coverage, named_somewhere
from clinfo.extractive.quotes import Quoted, quoted
from clinfo.records.articles import Article, Part, Sentence, Span, Study
from clinfo.terms.naming import Part as NamePart
from clinfo.terms.naming import descriptor_of, kind_of, known, named_parts
from clinfo.text.abstracts import AbstractSentence, finished
from clinfo.text.terms import Vocabulary, acronyms, vocabulary
from clinfo.text.wording import number
from clinfo.text.words import keys

MOST: Final = 5
"""Studies that are quoted."""
QUOTED: Final = "quoted word for word"
UNJUDGED: Final = "nothing was judged."
_WEAK: Final = ("editorial or letter", "case report", "laboratory study", "economic evaluation")
_NOTHING_YET: Final = (PROTOCOL, ANIMALS)
_SAYS: Final = 0.5
"""The value of a word of medicine."""


@dataclass(frozen=True)
class _Found:
    """A study with what its record names of the ``asked`` concepts; ``share`` is how much of the
    question that is, 0 to 1.
    """

    study: Study
    question: str
    asked: tuple[Concept, ...]
    design: str | None
    share: float

    @property
    def subject(self) -> tuple[Concept, ...]:
        """What is asked about first: a treatment, else any concept."""
        return (tuple(one for one in self.asked if one.treats) or self.asked)[:1]

    @property
    def subjects(self) -> frozenset[Concept]:
        """The treatments and conditions, and what is asked about first."""
        return frozenset((*(one for one in self.asked if one.main), *self.subject))

    @cached_property
    def named(self) -> tuple[Concept, ...]:
        text = read(self.study.article, self.question)
        return tuple(one for one in self.asked if one.part.is_in(text))

    @cached_property
    def about(self) -> tuple[Concept, ...]:
        """The concepts that its title, its keywords or its marked headings name; where none is
        marked the conditions among all its headings too.
        """
        article = self.study.article
        marked, headed = frozenset(keys(article.major)), frozenset(keys(article.mesh))
        text = replace(_words(article, article.title, *article.keywords), headings=marked)
        beside = replace(text, headings=headed) if not marked else text
        found = (beside if one.main and not one.treats else text for one in self.asked)
        return tuple(
            one for one, there in zip(self.asked, found, strict=True) if one.part.is_in(there)
        )

    @cached_property
    def others(self) -> int:
        """How many of the people asked about it does not name (two each), and whether its
        conclusion leaves out what is asked about first.
        """
        article, text = self.study.article, read(self.study.article, self.question)
        told = _words(article, *(one.text for one in self.quoted.conclusion))
        people = sum(not one.is_in(text) for one in _people(self.question))
        return 2 * people + sum(not one.part.is_in(told) for one in self.subject)

    @cached_property
    def besides(self) -> int:
        """How many treatments and conditions its title names that nobody asked about."""
        article = self.study.article
        others = (own for own, part in named_parts(article.title) if kind_of(part) in _KINDS)
        texts = [_words(article, own) for own in others]
        return sum(not any(one.part.is_in(text) for one in self.asked) for text in texts)

    @property
    def finished(self) -> bool:
        """Whether it is a study of people that has come to its results, as far as types tell."""
        return self.design not in _NOTHING_YET and finished(self.study.article)

    @property
    def on_subject(self) -> bool:
        """Whether its conclusion may stand first: it is a finished study of the treatments and
        conditions asked about, and names half of what else of medicine is asked.
        """
        others = {one for one in self.asked if one.value >= _SAYS} - self.subjects
        return (
            self.finished
            and self.design not in _WEAK
            and bool(self.quoted.conclusion)
            and self.subjects.issubset(self.about)
            and 2 * len(others.difference(self.named)) <= len(others)
        )

    @cached_property
    def quoted(self) -> Quoted:
        return quoted(self.study.article, self.question)

    @property
    def place(self) -> tuple[object, ...]:
        """Its place: those on the subject first, of the people asked about and concluding on it,
        then by what it is about and names, by other subjects, by design, those that pool others
        before trials, then by share.
        """
        about = len(self.subjects.intersection(self.about))
        return (
            not self.on_subject,
            self.others,
            -about,
            -len(self.named),
            self.besides,
            _rank(self.design),
            -self.share,
        )


_KINDS: Final = ("treatment", "condition")
_PEOPLE: Final = ("M01.060", "M01.975.807")
"""Ages of people, and pregnant women, in MeSH's tree."""


def _people(question: str) -> list[NamePart]:
    """The names of people in a question, each with the headings below it."""
    named = ((descriptor_of(text), part) for text, part in named_parts(question))
    return [
        replace(part, headings=known().explode(found.ui))
        for found, part in named
        if found is not None and any(place.startswith(_PEOPLE) for place in found.tree_numbers)
    ]


def _words(article: Article, *texts: str) -> Vocabulary:
    return vocabulary(" ".join(texts), acronyms(f"{article.title} {article.abstract}"))


def answer(part: Part, question: str, studies: Sequence[Study]) -> tuple[Sentence, ...]:
    """The quotations of the synthesis, or of the TL;DR the first of them, before which stands how
    many studies there are.

    Where no finished study names the treatments and the conditions, the TL;DR quotes none.
    """
    asked, near = concepts(question), named_somewhere(question, [one.article for one in studies])
    found = [
        _Found(
            *(one, question, asked, stated_design(one.article)), coverage(near, one.article).share
        )
        for one in _one_report_each(studies)
    ]
    told = sorted(
        (one for one in found if one.finished and one.quoted.conclusion), key=lambda one: one.place
    )
    if part == "tldr":
        return (_opening(found, told),) if told else ()
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


def _opening(found: Sequence[_Found], told: Sequence[_Found]) -> Sentence:
    """How many studies there are, with the conclusion of the first that names the treatments and
    the conditions that are asked about; of others the name alone.
    """
    count, best = number(len(found), "study was found", "studies were found"), told[0]
    lead = f"{count}; {UNJUDGED}"
    if best.on_subject:
        one = "One of them, not a summary: " if len(found) > 1 else ""
        lead = f"{lead} {one}{_lead(best)}: "
        return _sentence("tldr", lead, best.study, best.quoted.conclusion)
    lacking = [one.text for one in best.asked if not any(one in each.named for each in found)]
    if lacking:
        lead += f" None of these records has the words “{'”, “'.join(lacking)}”."
    lead = f"{lead} First below: {_who(best)}"
    return replace(_sentence("tldr", lead, best.study, ()), text=f" [{best.study.n}]")


def _lead(found: _Found) -> str:
    """The writer, and the words of the question that its record does not name."""
    lacking = [f"“{one.text}”" for one in found.asked if one not in found.named]
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
