"""The sentence of the studies that comes closest to what is asked, where none could be read as
concluding on all of it.

Sentences are compared by the units of the question that they name, those that only their title
names counting half.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from clinfo.evidence.conclusion import sets_against
from clinfo.evidence.settle import Quotation, quoted, weight
from clinfo.evidence.speaking import tells_how_it_went
from clinfo.extractive.relevance import Reading, judge
from clinfo.extractive.relevance_features import STRONG, Unit, units
from clinfo.lazy_dataclass import dataclass, replace
from clinfo.records.articles import Article, Section, Study
from clinfo.terms.asked_subject import HARM, subject
from clinfo.text.abstracts import AbstractSentence, abstract_sentences
from clinfo.text.keysentence import LONGEST, is_outlook, starts_dangling, tells_little
from clinfo.text.regex import anycase
from clinfo.text.subjects import chances
from clinfo.text.terms import acronyms, vocabulary

LEAST = 0.4
"""Share of what is asked that a sentence, with its title, must name to be quoted."""
_BY_TITLE = 0.5
"""The weight of a unit that the title names and the sentence does not."""
_CONCLUDED = 0.2
_WEIGHED = 0.4
_AGAINST = 0.15
"""The advantages of a conclusion, of a study of full weight, and of a sentence that sets two sides
against each other.
"""
_RELEVANT = 0.6
"""The share of a sentence's value that counts only as far as its article is relevant."""
_LIKELY = 0.5
"""Relevance below which sentence or title must name every treatment."""
_ORDINARY = frozenset(("everyday", "plain", "people", "number"))
"""Kinds of units that an article may lack without a word about it."""
_TOLD = 0.6
"""Share of what is asked beside treatments, from which a sentence with its title is on the
subject.
"""
LITTLE = 0.25
_LEAST_LITTLE = 0.15
"""Share of the value of a question's units that an article may lack; the less where its sentence is
only the closest one.
"""
_PLANNED = anycase(r"\b(?:is|are|was|were) (?:[\w-]+ ){0,4}designed to\b")
"""Words for a study's purpose rather than its finding."""
MAY_BE_HARM = anycase(
    r"\b(?:deaths?|died|mortality|fatal\w*|bleed\w*|ha?emorrhag\w*|risks?|events?|worse\w*|"
    r"injur\w*|hospitali[sz]\w*|"
    r"withdr[ae]w\w*|"
    r"discontinu\w*|aware\w*|caution\w*|avoid\w*|warn\w*|syndromes?|reactions?|overdose)\b"
)
"""Words that may tell of a harm under another name: where they stand, nobody can say that none is
reported.
"""


@dataclass(frozen=True)
class Closest:
    """A sentence of ``study``, its ``score``, and the units of the question that the article lacks;
    of one that is not likely to be relevant also the treatments that neither sentence nor title
    names. Ordinary words are left out.

    ``told`` is the share of what is asked, treatments left out, that the sentence or the title
    names, 0 to 1.
    """

    study: Study
    quotation: Quotation
    lacks: tuple[Unit, ...]
    score: float
    told: float
    compares: bool = True

    @property
    def on_the_subject(self) -> bool:
        """Return whether next to nothing of what is asked is lacking, and the sentence names most
        of what is not a treatment, and sets two against each other where that is asked.
        """
        return self.told >= _TOLD and not self.lacks and self.compares


def closest(question: str, studies: Sequence[Study]) -> Closest | None:
    """The sentence that names most of what is asked and says how it went, a treatment named in it
    or its title; None for none.
    """
    asks_harm = subject(question).aspect == "harm"
    best: Closest | None = None
    for study in studies:
        if (
            study.unread
            or max(read := chances(study.article), key=lambda one: read[one]) != "people"
        ):
            continue
        for sentence in abstract_sentences(study.article):
            text = sentence.text
            if (
                sentence.role not in ("conclusion", "results")
                or len(text) > LONGEST
                or not tells_how_it_went(text)
            ):
                continue
            if (
                is_outlook(text)
                or tells_little(text)
                or starts_dangling(text)
                or _PLANNED.search(text)
            ):
                continue
            if asks_harm and not (HARM.search(text) or MAY_BE_HARM.search(text)):
                continue
            found = rated(question, study, sentence)
            if found is not None and (best is None or found.score > best.score):
                best = found
    return best


def rated(question: str, study: Study, sentence: AbstractSentence) -> Closest | None:
    """Return how close a sentence comes; None where it names too little of what is asked, or
    neither it nor its title a treatment.
    """
    found, reading = units(question), judge(question, study.article)
    expansions = {
        **acronyms(f"{study.article.title} {study.article.abstract}"),
        **acronyms(question),
    }
    held, title = vocabulary(sentence.text, expansions), vocabulary(study.article.title, expansions)
    counts = {
        unit: 1.0 if unit.part.is_in(held) else _BY_TITLE if unit.part.is_in(title) else 0.0
        for unit in found
    }
    treatments = [unit for unit in found if unit.kind == "treatment"]
    others = [unit for unit in found if unit.kind not in ("treatment", "everyday")]
    named = _share(found, counts)
    if named < LEAST or (treatments and not any(counts[unit] for unit in treatments)):
        return None
    score = named * (1 - _RELEVANT + _RELEVANT * reading.score) + _WEIGHED * min(weight(study), 1.0)
    score += _CONCLUDED if sentence.role == "conclusion" else 0.0
    asked = subject(question)
    compares = asked.sides is not None and bool(
        sets_against(asked.question, _alone(study, sentence.text))
    )
    score += _AGAINST if compares else 0.0
    lacks = lacking(question, reading, _LEAST_LITTLE)
    told = _share(others, {unit: float(counts[unit] > 0) for unit in others})
    if reading.score < _LIKELY:
        lacks += tuple(
            unit
            for unit in treatments
            if unit.either < 0 and not counts[unit] and unit not in lacks
        )
    return Closest(
        study, quoted(study, sentence), lacks, score, told, compares or asked.sides is None
    )


def _alone(study: Study, text: str) -> Article:
    """The article of a study with nothing but one sentence for its abstract."""
    return replace(study.article, sections=(Section(text, "CONCLUSIONS"),))


def lacking(question: str, reading: Reading, little: float = LITTLE) -> tuple[Unit, ...]:
    """The units that an article lacks, but ordinary words, people and numbers; none where they are
    next to nothing.

    One of several comparators may be lacking, a treatment or condition may not, nor one of two
    treatments that are all there are.
    """
    found = units(question)
    among = {unit.either for unit in found if unit.kind in ("treatment", "unknown")}
    compared = {unit.either for unit in found} if len(among) == 1 else set()
    lacks = [unit for unit in reading.absent if unit.kind not in _ORDINARY]
    lacks = [
        unit
        for unit in lacks
        if unit.either < 0 or unit.either in compared or _none_of(unit.either, reading)
    ]
    next_to_nothing = sum(unit.value for unit in lacks) <= little * sum(
        unit.value for unit in found
    )
    return (
        () if next_to_nothing and not any(unit.kind in STRONG for unit in lacks) else tuple(lacks)
    )


def _none_of(either: int, reading: Reading) -> bool:
    return all(unit.either != either for unit in reading.present)


def _share(found: Sequence[Unit], counts: Mapping[Unit, float]) -> float:
    """Share of the units' value that counts, 0 to 1; 1.0 for no units."""
    total = sum(unit.value for unit in found)
    return sum(counts[unit] * unit.value for unit in found) / total if total else 1.0
