"""A synthesis and its TL;DR made of the studies' own sentences; no language model writes here.

Every figure is copied from the cited abstract, apart from counts of studies and participants, which
stand in sentences of their own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from clinfo.claims.estimates import is_protocol
from clinfo.evidence.main_effect import main_effect
from clinfo.evidence.settle import (
    LEAST_TOLD,
    Quotation,
    Settlement,
    Word,
    concluding,
    described,
    quoted,
    settle,
    strongest,
    voices,
)
from clinfo.evidence.speaking import asking
from clinfo.extractive.closest import MAY_BE_HARM, Closest, closest, lacking, rated
from clinfo.extractive.relevance import judge
from clinfo.extractive.relevance_features import STRONG
from clinfo.lazy_dataclass import dataclass
from clinfo.records.articles import Article, Study
from clinfo.terms.asked_subject import ADULTS, ASKED_OF, PEOPLE, Subject, subject
from clinfo.text.abstracts import abstract_sentences
from clinfo.text.keysentence import finding_sentences, starts_dangling, tells_little
from clinfo.text.lead_in import lead_in
from clinfo.text.question import starts_closed
from clinfo.text.regex import anycase, regex
from clinfo.text.study_question import study_question
from clinfo.text.tallies import once, participants
from clinfo.text.terms import FUNCTION_WORDS, GENERIC_WORDS, fold, stems

WORDS = 240
"""Most words of a synthesis."""
MOST_TOLD = 6
"""Studies told of one by one."""
LONGEST_SENTENCE = 55
"""A result with more words than this is not told."""

_MISSING = "none concludes on all that is asked"
LIKELY = 0.3
"""Relevance from which a study counts as evidence."""
_FAR_MORE = 0.2
"""The advantage in closeness to the question that a sentence needs to be quoted in another one's
place.
"""
_VERDICTS: dict[Word, str] = {
    "yes": "Yes",
    "no": "No",
    "probably yes": "Probably yes",
    "probably no": "Probably no",
    "disagree": "The studies disagree",
    "not settled": "The studies retrieved do not settle this",
}
_SIGNIFICANCE = anycase(r"\bCI\b|\bp ?[<=>≤]|\bconfidence interval|\bsignifican")
"""Words that say whether a difference may be chance: values without it would read as a finding."""
_FIRST_PERSON = (
    (regex(r"\b[Ww]e\b"), "the authors"),
    (regex(r"\b[Oo]ur\b"), "the"),
    (regex(r"\bus\b"), "the authors"),
)


@dataclass(frozen=True)
class Finding:
    """A study as the synthesis tells of it: what it concludes on what is asked, and its key result
    ("" for none).
    """

    study: Study
    conclusion: Quotation
    result: str


def distil(question: str, studies: Sequence[Study]) -> str:
    """Return what the strongest study concludes, quoted; the size of its effect; then the verdict,
    with how many studies and how good.
    """
    about = _on_the_subject(question, studies)
    lead, found = strongest(question, about), settle(question, about)
    if lead is None or _is_beside(question, about, lead, _says_a_word(question, found)):
        return _unsettled(question, once(studies))
    own = next(study for study in about if study.n == lead.n)
    heard = tuple(_bearing(question, about))
    if not heard and starts_closed(question):
        return _unsettled(question, once(studies))  # no sentence, no side
    heard = heard or (own,)
    said = [_quote(lead), *(_quote(effect) for effect in _effect(question, own, lead))]
    if _says_a_word(question, found):
        return " ".join([*said, f"{_VERDICTS[found.word]} ({found.basis}){_cited(heard)}."])
    basis = described(heard)
    comma = "," if "," in basis else ""
    return " ".join(
        [
            *said,
            (
                f"{basis[0].upper()}{basis[1:]}{comma} {_plural(len(heard), 'bears', 'bear')} on "
                f"this{_cited(heard)}."
            ),
        ]
    )


def _bearing(question: str, studies: Sequence[Study]) -> list[Study]:
    """The studies that say how what is asked went; of an open question those that speak of it."""
    closed = starts_closed(question)
    return [each.study for each in voices(question, studies) if each.reading.told or not closed]


def _says_a_word(question: str, found: Settlement) -> bool:
    """Return whether yes or no answers the question, which begins with a verb ("X versus Y for Z?"
    does not), and one of them is said.
    """
    return starts_closed(question) and found.word != "not settled"


def _on_the_subject(question: str, studies: Sequence[Study]) -> list[Study]:
    """The studies that name every treatment and condition that is asked about, and half of its
    words: these count as evidence.
    """
    found = []
    for study in studies:
        reading = judge(question, study.article)
        told = len(reading.present) >= len(reading.absent) and reading.score >= LIKELY
        if told and not any(unit.kind in STRONG for unit in lacking(question, reading)):
            found.append(study)
    return found


def _is_beside(question: str, studies: Sequence[Study], lead: Quotation, settled: bool) -> bool:
    """Return whether its study lacks something that is asked about, or, where nothing is settled,
    another sentence comes far closer.
    """
    own = next(study for study in studies if study.n == lead.n)
    if lacking(question, judge(question, own.article)):
        return True
    if settled:
        return False
    sentence = next(
        (each for each in abstract_sentences(own.article) if each.start <= lead.start < each.end),
        None,
    )
    near = closest(question, [study for study in once(studies) if not is_protocol(study)])
    if near is None or not near.on_the_subject or sentence is None:
        return False
    rating = rated(question, own, sentence)
    return rating is None or near.score > rating.score + _FAR_MORE


def _quote(quotation: Quotation) -> str:
    """A quotation with its citation; one that begins within its sentence shows that."""
    return f"“{'… ' if quotation.text[0].islower() else ''}{quotation.text}” [{quotation.n}]."


def _effect(question: str, study: Study, lead: Quotation) -> list[Quotation]:
    """The sentence with the effect that answers for the study, where the one quoted does not state
    it.
    """
    found = main_effect(study.article, study.n, question, study_question(study.article))
    if found is None or found.effect.span.field != "abstract":
        return []
    place = found.effect.span.start
    if lead.start <= place < lead.end:
        return []
    for sentence in abstract_sentences(study.article):
        text = sentence.text
        if (
            sentence.start <= place < sentence.end
            and _count(text) <= LONGEST_SENTENCE
            and _SIGNIFICANCE.search(text)
        ):
            return [quoted(study, sentence)]
    return []


def _unsettled(question: str, studies: Sequence[Study]) -> str:
    """The TL;DR where no study speaks of what is asked: which word none has, and what the closest
    one concludes.
    """
    verdict = _VERDICTS["not settled"]
    if not studies:
        return f"{verdict}: none is relevant."
    if all(map(is_protocol, studies)):
        gives = _plural(len(studies), "the study protocol gives", "the study protocols give")
        return f"{verdict}: {gives} no results yet{_cited(studies)}."
    studies = [study for study in studies if not is_protocol(study)]
    near = closest(question, studies)
    if (
        near is not None
        and near.on_the_subject
        and near.study in _on_the_subject(question, studies)
        and (
            not starts_closed(question)
            or asking(question).speaks(near.quotation.text, near.study.article)
        )
    ):
        return f"{_quote(near.quotation)} {_standing(near)}"
    lacks = {subject(question).missing(study.article) for study in studies}
    if lacks == {"harm"} and any(MAY_BE_HARM.search(study.article.abstract) for study in studies):
        return f"{verdict}: none concludes on harm in words that could be read{_cited(studies)}."
    if lacks == {"harm"}:
        return (
            f"{verdict}: harm is not reported in "
            f"{_plural(len(studies), 'the abstract', 'the abstracts')}{_cited(studies)}."
        )
    if lacks == {PEOPLE}:
        return f"{verdict}: none is on people{_cited(studies)}."
    aspect = next((each for each in ("dose", "diagnosis", "prognosis") if lacks == {each}), None)
    lacked = asking(question).lacking([study.article for study in studies])
    missing = (
        f"none speaks of {aspect}" if aspect else f"no study names {lacked}" if lacked else _MISSING
    )
    if missing == _MISSING and near is not None:
        named = {unit for study in studies for unit in judge(question, study.article).present}
        unnamed = [unit.text for unit in near.lacks if unit not in named]
        missing = f"no study names {' or '.join(unnamed)}" if unnamed else _MISSING
    if (
        near is not None
        and any(unit.kind in STRONG for unit in near.lacks)
        and _on_the_subject(question, studies)
    ):
        near = None  # another article is nearer, and says nothing that could be quoted
    return (
        f"{verdict}: "
        f"{missing}{_cited(studies)}.{f' Nearest: {_quote(near.quotation)}' if near is not None else ''}"  # noqa: E501
    )


def _standing(near: Closest) -> str:
    """Return what a quoted sentence stands on."""
    basis = described((near.study,))
    comma = "," if "," in basis else ""
    return (
        f"{basis[0].upper()}{basis[1:]}{comma} says so{_cited((near.study,))}; whether it settles "
        "the question is not certain."
    )


def _whole(article: Article) -> str:
    return f"{article.title} {article.abstract}"


def synthesise(question: str, studies: Sequence[Study]) -> str:
    """One paragraph of about `WORDS` words at most: how many studies speak of what is asked, then
    each; empty for no studies.
    """
    if not studies:
        return ""
    every = once(studies)
    heard = _bearing(question, _on_the_subject(question, studies))
    parts = [_opening(heard, every)]
    used = _count(parts[0])
    told = 0
    others = {PEOPLE, ADULTS, *(name for name, _ in ASKED_OF)}
    asked = subject(question)
    like = [each for each in every if asked.missing(each.article) not in others]
    for finding in findings(question, heard or like):
        text = _told(finding, with_result=told == 0)
        if told < MOST_TOLD and used + _count(text) <= WORDS:
            parts.append(text)
            used += _count(text)
            told += 1
    announced = [study for study in every if is_protocol(study)]
    if announced:
        parts.append(
            f"{_plural(len(announced), 'A study protocol gives', 'Study protocols give')} no "
            f"results yet{_cited(announced)}."
        )
    return " ".join(parts)


def findings(question: str, studies: Sequence[Study]) -> list[Finding]:
    """Return what can be told of each study, in the order given; a study without a sentence on what
    is asked is left out.
    """
    asked, closed = subject(question), starts_closed(question)
    found = []
    for study in studies:
        conclusion = concluding(question, study, asking(question) if closed else None)
        if conclusion is not None and not is_protocol(study):
            found.append(Finding(study, conclusion, _result(question, asked, study, conclusion)))
    return found


def _result(question: str, asked: Subject, study: Study, conclusion: Quotation) -> str:
    for sentence in finding_sentences(study.article, question):
        text = sentence.text
        if (
            sentence.role != "results"
            or sentence.start <= conclusion.start < sentence.end
            or _count(text) > LONGEST_SENTENCE
        ):
            continue
        if (
            asked.told(text, study.article) >= LEAST_TOLD
            and not starts_dangling(text)
            and not tells_little(text)
        ):
            return text
    return ""


def _opening(heard: Sequence[Study], every: Sequence[Study]) -> str:
    if not heard:
        side = (
            f"None of the {len(every)} relevant studies retrieved was"
            if len(every) > 1
            else "The one study retrieved was not"
        )
        return f"{side} read as concluding on all that is asked{_cited(every)}."
    if len(heard) == len(every):
        side = f"{_all(every)}{_people(every)} {_plural(len(every), 'bears', 'bear')}"
    else:
        side = (
            f"{len(heard)} of the {len(every)} relevant studies retrieved{_people(heard)} "
            f"{_plural(len(heard), 'bears', 'bear')}"
        )
    return f"{side[0].upper()}{side[1:]} on the question{_cited(heard)}."


def _all(studies: Sequence[Study]) -> str:
    if len(studies) == 1:
        return "the one relevant study retrieved"
    return f"{'both' if len(studies) == 2 else f'all {len(studies)}'} relevant studies retrieved"


def _told(finding: Finding, with_result: bool) -> str:
    """One or two sentences about a study."""
    study = finding.study
    opening = _design(study)
    text = (
        f"{opening[0].upper()}{opening[1:]} concluded that "
        f"{_clause(finding.conclusion.text, study.article)} [{study.n}]."
    )
    if with_result and finding.result:
        text += f" {_plain(finding.result[lead_in(finding.result) :])} [{study.n}]."
    return text


def _design(study: Study) -> str:
    """The study in words, design and size as its record prints them: "a randomised controlled trial
    of 412 participants".
    """
    summary = study.summary
    name = summary.design if summary is not None and summary.design else "study"
    printed = set(stems(f"{_whole(study.article)} {' '.join(study.article.publication_types)}"))
    if not set(stems(name)) <= printed:
        name = (
            "randomised trial"
            if "random" in " ".join(printed) and "randomised" in name
            else "study"
        )
    size = summary.sample_size if summary is not None else None
    forms = (f"{size:,}", str(size)) if size else ()
    stated = next(
        (
            form
            for form in forms
            if re.search(rf"(?<![\d,.]){form}(?!\d|[,.]\d)", study.article.abstract)
        ),
        None,
    )
    return f"{_an(name)} of {stated} participants" if stated else _an(name)


def _an(name: str) -> str:
    return f"an {name}" if name[0] in "aeiou" else f"a {name}"


def _clause(sentence: str, article: Article) -> str:
    """A sentence made fit to follow "concluded that": without its full stop and its capital."""
    text = _plain(sentence)
    first = _FIRST_WORD.match(text)
    if first is not None and not _is_name(first.group(), article):
        text = text[0].lower() + text[1:]
    return text


_FIRST_WORD = regex(r"[A-Za-z]+(?=[\s,-])")
_EPONYMS = regex(
    r"\w+(?:ese|ish|ian|ans)$|(?:I|Dr|Mr|Doppler|Medicare|Medicaid|Helicobacter|Staphylococcus|"
    r"Escherichia|Crohn|"
    r"Parkinson|Alzheimer)$"
)


def _is_name(word: str, article: Article) -> bool:
    """Return whether a capitalised first word is a name: capitals inside it, capitalised elsewhere
    in running text, an eponym.
    """
    if word[:1].islower() or any(char.isupper() for char in word[1:]):
        return True
    if (
        re.search(rf"\b{word.lower()}\b", article.abstract) is not None
        or fold(word) in FUNCTION_WORDS | GENERIC_WORDS
    ):
        return False
    return (
        _EPONYMS.match(word) is not None
        or re.search(rf"[a-z,] {word}\b", article.abstract) is not None
    )


def _plain(sentence: str) -> str:
    """A sentence without its full stop and not in the first person."""
    text = sentence.strip().rstrip(".").rstrip()
    for pattern, other in _FIRST_PERSON:
        text = pattern.sub(other, text)
    return text[0].upper() + text[1:] if text else text


def _people(studies: Sequence[Study]) -> str:
    """Return how many people the studies are about, as far as their abstracts say it; reviews are
    in no sum (`tallies`).
    """
    total, sized = participants(tuple(studies))
    if not sized:
        return ""
    return f" ({total:,} participants{'' if len(sized) == len(studies) else ' where stated'})"


def _cited(members: Sequence[Study]) -> str:
    """Their citations in order, three and more in a row as a range: " [1], [4–6]"."""
    marks: list[list[int]] = []
    for n in sorted(study.n for study in members):
        if marks and n == marks[-1][-1] + 1:
            marks[-1].append(n)
        else:
            marks.append([n])
    written = [
        [f"[{run[0]}–{run[-1]}]"] if len(run) > 2 else [f"[{n}]" for n in run] for run in marks
    ]
    return " " + ", ".join(mark for run in written for mark in run) if members else ""


def _plural(count: int, one: str, more: str) -> str:
    return one if count == 1 else more


def _count(text: str) -> int:
    return len(text.split())
