"""Settle: what the studies read say to a yes-or-no question together, and how sure that is.

Each study that speaks of what is asked is read by itself (`clinfo.evidence.conclusion`): the
probabilities that experts would take its conclusion for a yes, a no or neither. They are put
together as log odds, each weighing by design and size, and less where studies disagree. A flat word
stands only where experts would agree with it nine times in ten.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Literal

from clinfo.evidence.conclusion import ConclusionReading, compares, read, sets_against
from clinfo.evidence.speaking import Asking, asking
from clinfo.lazy_dataclass import dataclass, replace
from clinfo.records.articles import Article, Section, Study
from clinfo.terms.asked_subject import ASKED_OF, subject
from clinfo.text.abstracts import AbstractSentence, abstract_sentences
from clinfo.text.design import SMALL_SAMPLE, design_strength, study_design
from clinfo.text.keysentence import is_outlook, starts_dangling, tells_little
from clinfo.text.lead_in import lead_in
from clinfo.text.lexicon import words_of
from clinfo.text.question import Kind, is_closed, question_kind
from clinfo.text.regex import anycase
from clinfo.text.sample_size import sample_size
from clinfo.text.tallies import once, participants
from clinfo.text.terms import acronyms

Word = Literal["yes", "no", "probably yes", "probably no", "disagree", "not settled"]

FLAT = 0.9
"""Probability from which several studies give a flat yes or no."""
FLAT_OF_ONE = 0.84
"""The same of a single study: sure readings are right more often than they say. From here on 91 %
of 109 were, and 90 % of those below 0.9 (PubMedQA, even PMIDs, each read by weights that had not
seen it); a bar on the study's weight raised neither."""
OWN_QUESTION = 0.6
"""The share of the question, 0 to 1, that the title of a single study must name to be the study's
own question: of sure readings of our own questions 87 % were right with it, 78 % without it and 80
% where the quoted sentence bore them out (even PMIDs, as above).
"""
PROBABLY = 0.75
"""Probability from which "probably" is said; below, nothing is settled."""
DISSENT = 0.1
"""The share of that weight on the lesser side from which no word is flat."""
CONFLICT = 0.3
"""Share of the weight of studies that say yes or no, from which the lesser side makes them
disagree.
"""
_SURE = 0.75
"""Probability from which a single study counts for a side."""
QUOTED = 0.5
"""Probability that the quoted sentence by itself must give a word to bear it out."""
LEAST_TOLD = 0.15
"""The share of what is asked, 0 to 1, that a sentence must name to be quoted."""
LONGEST = 55
"""A sentence with more words than this is passed over for a shorter one that says as much."""
_CONCLUDED = 0.25
"""The advantage of a sentence of the conclusion over one of the results."""
_WORDS_OF_NUMBERS = words_of("numerals", "no_to_ten")


@dataclass(frozen=True)
class Settlement:
    """The joint answer of studies to a question: ``yes`` is P(experts would say yes | the question,
    the studies), None where none tells.

    ``closed`` is false for a question that yes or no cannot answer. ``basis`` says in words what it
    stands on ("three trials, 1,204 participants"; "no study that speaks of it").
    """

    closed: bool
    yes: float | None
    word: Word
    basis: str


@dataclass(frozen=True)
class Quotation:
    """A sentence of study ``n``, word for word: code points [start, end) of its title or canonical
    abstract.
    """

    n: int
    text: str
    field: Literal["title", "abstract"]
    start: int
    end: int


@dataclass(frozen=True)
class Voice:
    """A study that speaks of what is asked: how it reads, and what weight it has (0 to about 2)."""

    study: Study
    reading: ConclusionReading
    weight: float


def settle(question: str, studies: Sequence[Study]) -> Settlement:
    """Return what the studies together say; several reports of one study count once."""
    heard = voices(question, studies)
    basis = described(tuple(voice.study for voice in heard))
    if not is_closed(question):
        return Settlement(False, None, "not settled", basis)
    if not heard:
        return Settlement(True, None, "not settled", basis)
    yes, no = combined(heard)
    word = _word(yes, no, heard) if heard[0].reading.clear else "not settled"
    # Which of two a study favours is often misread: a word needs all of them on one side.
    unsure = subject(question).sides is not None and (
        word == "disagree" or not all(_takes(word, voice.reading) for voice in heard)
    )
    own = (
        len(once(studies)) == 1
        and subject(question).told(heard[0].study.article.title, heard[0].study.article)
        >= OWN_QUESTION
    )
    if unsure or (
        word not in ("not settled", "disagree")
        and not own
        and not _borne_out(question, word, heard)
    ):
        word = "not settled"
    if len(heard) == 1 and (
        not own
        or basis.startswith("one small trial")
        or _ADVICE.search(question)
        or (_observed(heard[0].study) and question_kind(question) in _OF_TREATMENT)
    ):
        word = _PROBABLY.get(word, word)
    return Settlement(True, yes, word, basis)


_ADVICE = anycase(r"\b(?:need|should|worth|recommend|necessary|justif|offer)\w*")
"""Words that ask what to do: an abstract says what was found."""
_PROBABLY: dict[Word, Word] = {"yes": "probably yes", "no": "probably no"}


_OF_TREATMENT: frozenset[Kind] = frozenset(("gain", "evaluative"))
"""Kinds of questions that a study without random allocation cannot answer flatly."""


def _observed(study: Study) -> bool:
    return _OBSERVED.search(_design(study)) is not None


_OBSERVED = anycase(r"cohort|case|cross-sectional|survey|observational|retrospective")


def _takes(word: Word, reading: ConclusionReading) -> bool:
    return reading.clear and (reading.yes > reading.no) == word.endswith("yes")


def _borne_out(question: str, word: Word, heard: Sequence[Voice]) -> bool:
    """Return whether the sentence that is quoted says what the word says, read by itself; of two
    sides it must set one apart.
    """
    quote = _strongest(question, heard)
    if quote is None:
        return False
    article = next(voice.study.article for voice in heard if voice.study.n == quote.n)
    alone = _alone(article, quote.text)
    found = read(question, alone)
    side, other = (found.yes, found.no) if word.endswith("yes") else (found.no, found.yes)
    return (
        found.told
        and side > max(other, QUOTED)
        and (subject(question).sides is None or compares(question, alone))
    )


def voices(question: str, studies: Sequence[Study]) -> tuple[Voice, ...]:
    """The studies that speak of what the question asks, heaviest first, each once however many
    articles report it.

    Where some say which way it goes, as asked, those that only speak of it are left out.
    """
    asked = subject(question)
    found = [
        Voice(study, read(question, study.article), weighs)
        for study in once(studies)
        if not study.unread and (weighs := weight(study)) > 0 and asked.addressed(study.article)
    ]
    telling = [voice for voice in found if voice.reading.told]
    return tuple(sorted(telling or found, key=lambda voice: (-voice.weight, voice.study.n)))


def weight(study: Study) -> float:
    """Return what a study weighs by design and size: 1 for a randomised trial of about 1,000
    people.
    """
    design = (
        study.summary.design
        if study.summary is not None and study.summary.design
        else study_design(study.article)
    )
    size = (
        study.summary.sample_size
        if study.summary is not None and study.summary.sample_size
        else sample_size(study.article)
    )
    return (
        design_strength(design) / 10 * (0.4 + 0.2 * math.log10(max(10, min(size or 50, 100_000))))
    )


def combined(heard: Sequence[Voice]) -> tuple[float, float]:
    """(P(yes), P(no)) of all studies; the rest is the probability that experts would say neither. A
    single study's are its own.

    Whether several settle it, and if so which way, are two logistic regressions over `settling` and
    `pointing`.
    """
    if len(heard) == 1:
        return heard[0].reading.yes, heard[0].reading.no
    fitted = _weights()
    settled = _logistic(settling(heard), fitted["settled"])
    yes = _logistic(pointing(heard), fitted["yes"])
    return settled * yes, settled * (1 - yes)


def settling(heard: Sequence[Voice]) -> dict[str, float]:
    """Return what bears on whether studies settle a question: how sure they are, how they disagree,
    how many they are in effect.
    """
    shares = _shares(heard)
    lean = sum(share * voice.reading.lean for share, voice in zip(shares, heard, strict=True))
    maybe = sum(share * voice.reading.maybe for share, voice in zip(shares, heard, strict=True))
    yes = sum(share for share, voice in zip(shares, heard, strict=True) if voice.reading.lean > 0)
    return {
        "constant": 1.0,
        "not neither": math.log((1 - maybe) / max(maybe, 1e-3)),
        "sureness": min(abs(lean), _MOST),
        "conflict": min(yes, 1 - yes),
        "several": math.log(_effective(shares)),
        "weight": math.log(sum(voice.weight for voice in heard)),
    }


def pointing(heard: Sequence[Voice]) -> dict[str, float]:
    """Return what bears on which way studies point: their mean log odds of yes, the more so the
    more they are, and the first's.
    """
    shares = _shares(heard)
    lean = sum(
        share * max(-_MOST, min(_MOST, voice.reading.lean))
        for share, voice in zip(shares, heard, strict=True)
    )
    first = max(-_MOST, min(_MOST, heard[0].reading.lean))
    return {
        "constant": 1.0,
        "lean": lean,
        "lean of several": lean * math.log(_effective(shares)),
        "lean of the first": first,
    }


_MOST = 4.0
"""Log odds beyond which a study is not taken to be surer."""


def _shares(heard: Sequence[Voice]) -> list[float]:
    total = sum(voice.weight for voice in heard)
    return [voice.weight / total for voice in heard]


def _effective(shares: Sequence[float]) -> float:
    """Return how many studies of the same weight these are worth, at least 1."""
    return 1 / sum(share * share for share in shares)


def _logistic(own: Mapping[str, float], weights: Mapping[str, float]) -> float:
    return 1 / (1 + math.exp(-sum(weights[name] * value for name, value in own.items())))


@lru_cache(maxsize=1)
def _weights() -> dict[str, dict[str, float]]:
    return dict(
        json.loads(
            files("clinfo.evidence").joinpath("settle_weights.json").read_text(encoding="utf-8")
        )
    )


def _word(yes: float, no: float, heard: Sequence[Voice]) -> Word:
    sides = [
        sum(voice.weight for voice in heard if voice.reading.yes >= _SURE),
        sum(voice.weight for voice in heard if voice.reading.no >= _SURE),
    ]
    if min(sides) >= CONFLICT * sum(sides) > 0 and 2 * sum(sides) >= sum(
        voice.weight for voice in heard
    ):
        return "disagree"
    if (yes > no) != (heard[0].reading.yes > heard[0].reading.no):
        return "not settled"
    agreed = min(sides) < DISSENT * sum(sides) or min(sides) == 0
    if agreed and max(yes, no) >= (FLAT if len(heard) > 1 else FLAT_OF_ONE):
        return "yes" if yes > no else "no"
    if max(yes, no) >= PROBABLY:
        return "probably yes" if yes > no else "probably no"
    return "not settled"


def described(studies: Sequence[Study]) -> str:
    """The studies in words: "one small trial", "three trials, 1,204 participants", "no study that
    speaks of it".
    """
    if not studies:
        return "no study that speaks of it"
    count = len(studies)
    number = _WORDS_OF_NUMBERS[count] if count < len(_WORDS_OF_NUMBERS) else str(count)
    nouns = {_noun(study) for study in studies}
    noun = nouns.pop() if len(nouns) == 1 else "study"
    total, sized = participants(tuple(studies))
    people = (
        f", {total:,} participants{'' if len(sized) == count else ' where stated'}" if sized else ""
    )
    if count > 1:
        return f"{number} {noun[:-1] + 'ies' if noun == 'study' else noun + 's'}{people}"
    if _observed(studies[0]):
        noun = _design(studies[0])
    small = bool(sized) and total < SMALL_SAMPLE
    return f"{number} {'small ' if small else ''}{noun}{people}"


def _design(study: Study) -> str:
    return (
        (study.summary.design if study.summary is not None else None)
        or study_design(study.article)
        or ""
    )


def _noun(study: Study) -> str:
    name = _design(study)
    return (
        "trial"
        if "trial" in name
        else "review"
        if "review" in name or "meta-analysis" in name
        else "study"
    )


def _alone(article: Article, text: str) -> Article:
    """The article with nothing but one sentence for its abstract, and the acronyms of that."""
    defined = "; ".join(
        f"{long} ({short})"
        for short, long in acronyms(f"{article.title} {article.abstract}").items()
        if short in text
    )
    sections = (Section(text, "CONCLUSIONS"), *([Section(defined, "BACKGROUND")] * bool(defined)))
    return replace(article, sections=sections)


def strongest(question: str, studies: Sequence[Study]) -> Quotation | None:
    """The sentence in which the strongest study that speaks of the question's subject concludes on
    it; None where none does.

    Without lead-in and full stop, otherwise word for word.
    """
    heard = voices(question, studies)
    if heard:
        return _strongest(question, heard)
    asked = subject(question)
    named = {" or ".join(concept.text for concept in group.concepts) for group in asked.wanted} - {
        name for name, _ in ASKED_OF
    }
    near = [
        each for each in once(studies) if asked.missing(each.article) in named
    ]  # by another name; people and aspect are there
    return _strongest(
        question,
        [Voice(each, read(question, each.article), weight(each)) for each in near],
        least=2,
    )


def _strongest(question: str, heard: Sequence[Voice], least: int = 1) -> Quotation | None:
    wanted = asking(question)
    best: tuple[float, Quotation] | None = None
    for voice in heard:
        found = None if voice.study.unread else concluding(question, voice.study, wanted)
        summary = voice.study.summary
        if summary is not None and summary.design == "study protocol":
            continue
        if found is not None and wanted.speaks(found.text, voice.study.article) >= least:
            article = voice.study.article
            rank = (
                voice.weight
                * (0.3 + subject(question).told(found.text, article))
                * wanted.speaks(found.text, article)
            )
            if subject(question).sides is not None and not sets_against(
                subject(question).question, _alone(article, found.text)
            ):
                rank /= 2
            if best is None or rank > best[0]:
                best = (rank, found)
    return best[1] if best is not None else None


def concluding(question: str, study: Study, wanted: Asking | None = None) -> Quotation | None:
    """The sentence of a study's abstract that concludes on what is asked; a result where no
    conclusion speaks of it as much.

    With ``wanted`` only one that speaks of it.
    """
    article, asked = study.article, subject(question)
    best: tuple[float, AbstractSentence] | None = None
    for sentence in abstract_sentences(article):
        text = sentence.text
        if (
            sentence.role not in ("conclusion", "results")
            or is_outlook(text)
            or tells_little(text)
            or starts_dangling(text)
        ):
            continue
        told = asked.told(text, article)
        if told < LEAST_TOLD:
            continue
        speaks = wanted.speaks(text, article) if wanted is not None else 0
        if wanted is not None and not speaks:
            continue
        if (
            speaks
            and asked.sides is not None
            and sets_against(asked.question, _alone(article, text))
        ):
            speaks += 1
        score = (
            told
            + 0.3 * speaks
            + (_CONCLUDED if sentence.role == "conclusion" else 0.0)
            - (0.3 if len(text.split()) > LONGEST else 0.0)
        )
        if best is None or score > best[0]:
            best = (score, sentence)
    return quoted(study, best[1]) if best is not None else None


def quoted(study: Study, sentence: AbstractSentence) -> Quotation:
    """A sentence of a study's abstract as a quotation, without lead-in and full stop."""
    start = sentence.start + lead_in(study.article.abstract[sentence.start : sentence.end])
    text = study.article.abstract[start : sentence.end].rstrip(" .;")
    return Quotation(study.n, text, "abstract", start, start + len(text))
