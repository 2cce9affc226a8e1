"""A synthesis and its TL;DR from summaries, by grouping studies by what they found; no language model writes here.

Every figure is copied from the cited abstract, apart from counts of studies and participants.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from clinfo.llm.extractive_relevance import judge
from clinfo.records import RELATIONS, Article, Relation, Study
from clinfo.text.design import design_strength
from clinfo.text.keysentence import finding_sentences, is_outlook, starts_dangling, tells_little
from clinfo.text.question import affirmed, is_closed
from clinfo.text.sense import asked
from clinfo.text.tallies import once, participants
from clinfo.text.terms import FUNCTION_WORDS, GENERIC_WORDS, acronyms, concepts, coverage, fold, vocabulary

WORDS = 240
"""Most words of a synthesis."""
MOST_TOLD = 6
"""Studies told of one by one, shared out among the groups."""
BRIEF = 35
"""Words of a finding that fits into a TL;DR."""
LONGEST_SENTENCE = 55
"""A finding with more words than this is passed over for a shorter one where there is one."""
AGREEMENT = 0.65
"""Share of the answering studies' weight from which the TL;DR says yes or no."""
LEAST_WEIGHT = 0.12
"""Weight of answering studies below which there is not enough evidence (a good case series on the question has more)."""

THIN = 2
"""Answering studies up to which "found no difference" is said not to be enough to rule one out."""

_LEAD_IN = re.compile(
    r"^(?:in (?:conclusion|summary)|overall|thus|therefore|hence|consequently|taken together|to conclude|conclusions?|"
    r"finally|"
    r"in this (?:\w+ ){0,3}(?:study|trial|cohort|population|series|analysis|review)|in (?:our|the present|"
    r"the current) (?:\w+ )?(?:study|trial|series|cohort|experience))"
    r"\s*[,:]\s*|"
    r"^(?:(?:we|the authors) (?:\w+ )?(?:conclude[sd]?|found|find|showed|demonstrated?)|"
    r"(?:it is|we have) (?:concluded|shown)|(?:these|our|"
    r"the|this|the present|the current) "
    r"(?:(?:\w+ )?(?:results|data|findings|study|trial|analysis|review|meta-analysis)) "
    r"(?:(?:clearly|also|further) )?(?:suggests?|indicates?|shows?|showed|demonstrates?|demonstrated|confirms?|"
    r"confirmed|found|reveals?|revealed)) that\s+,?",
    re.IGNORECASE,
)
_FIRST_PERSON = (
    (re.compile(r"\b[Ww]e\b"), "the authors"),
    (re.compile(r"\b[Oo]ur\b"), "the"),
    (re.compile(r"\bus\b"), "the authors"),
)


@dataclass(frozen=True)
class Finding:
    """A study as the synthesis tells of it: its conclusion, its key result, and what weight it has for the question."""

    study: Study
    relation: Relation
    conclusion: str
    result: str
    weight: float
    rank: float


def synthesise(question: str, studies: Sequence[Study]) -> str:
    """One paragraph over all studies, about `WORDS` words at most, citing [n] in every sentence; empty for no studies."""
    if not studies:
        return ""
    found = findings(question, studies)
    groups = _groups(found)
    closed = is_closed(question)
    leads = _LEADS if closed else _OPEN_LEADS
    parts = [_opening(found, closed)]
    used = _count(parts[0])
    answering = [finding for finding in found if finding.relation != "does not answer"]
    for relation in RELATIONS:
        if relation == "does not answer" and answering:
            continue
        room = max(1, round(MOST_TOLD * len(groups[relation]) / max(1, len(answering))))
        announced = [finding for finding in groups[relation] if _is_protocol(finding)]
        if announced:
            parts.append(
                f"{_plural(len(announced), 'A study protocol gives', 'Study protocols give')} no results yet{_cited(announced)}."
            )
        told = 0
        for finding in groups[relation]:
            if finding in announced:
                continue
            several = len({each.relation for each in answering}) > 1
            text = _told(finding, first=told == 0, lead=leads[finding.relation] if several else "")
            if told < room and text and used + _count(text) <= WORDS:
                parts.append(text)
                used += _count(text)
                told += 1
    return " ".join(parts)


def distil(question: str, studies: Sequence[Study]) -> str:
    """One hedged line: "Yes", "No", "Mixed evidence" or "Not enough evidence", and how many studies stand behind it."""
    found = findings(question, studies)
    groups = _groups(found)
    answering = [finding for finding in found if finding.relation != "does not answer"]
    everything = sum(finding.weight for finding in answering)
    if everything < LEAST_WEIGHT:
        if not answering:
            return f"Not enough evidence: {_none(found)} the question{_cited(found)}."
        weakly = f"{_plural(len(answering), 'bears', 'bear')} on it, and weakly"
        return f"Not enough evidence: {_side(answering, found)} {weakly}{_cited(answering)}."
    if not is_closed(question):
        return _distil_open(answering, found)
    share = {relation: sum(finding.weight for finding in groups[relation]) / everything for relation in RELATIONS[:3]}
    doubted = "supports" if affirmed(question).turned else "contradicts"
    for relation, (opening, *verbs) in _SIDES.items():
        members = groups[relation]
        if share[relation] >= AGREEMENT and relation == doubted and 2 * len(members) < len(found) and _asks_harm(question):
            return f"Not enough evidence: {_tally(groups, found, _ASIDE)}."
        if share[relation] >= AGREEMENT:
            thin = len(answering) <= THIN and relation == doubted and all(map(_found_none, members))
            return (
                f"{opening}: {_side(members, found)} {_plural(len(members), *verbs)}{_cited(members)}"
                f"{_TOO_LITTLE if thin else ''}{_others(groups, relation)}."
            )
    return f"Mixed evidence: {_tally(groups, found, _ASIDE)}."


_SIDES: dict[Relation, tuple[str, str, str]] = {
    "supports": ("Yes", "supports this", "support this"),
    "contradicts": ("No", "does not support this", "do not support this"),
}


def _asks_harm(question: str) -> bool:
    """Whether a yes would be bad news: few studies without it rule out no harm."""
    wanted = asked(affirmed(question).text)
    return wanted is not None and wanted.harm


_TOO_LITTLE = ", which alone is not enough evidence"


def _found_none(finding: Finding) -> bool:
    return finding.study.summary is not None and finding.study.summary.direction == "no difference"


def _tally(groups: dict[Relation, list[Finding]], found: list[Finding], labels: dict[Relation, tuple[str, str]]) -> str:
    """How many of the studies found say what: "of the 5 relevant studies retrieved, 2 support it [1], [2] and …"."""
    present = [relation for relation in RELATIONS if groups[relation]]
    said = [f"{_counted(groups[relation], labels[relation])}{_cited(groups[relation])}" for relation in present]
    if len(found) == 1:
        return f"the one relevant study retrieved {_and(said)[2:]}"
    return f"of the {len(found)} relevant studies retrieved, {_and(said)}"


def _distil_open(answering: list[Finding], found: list[Finding]) -> str:
    """The TL;DR of a question that yes or no cannot answer: whether the studies point one way, what the strongest concluded."""
    telling = [finding for finding in answering if finding.conclusion]
    brief = [finding for finding in telling if _count(finding.conclusion) <= BRIEF] or telling
    strongest = max(brief, key=lambda finding: finding.rank, default=None)
    told = ""
    if strongest is not None:
        among = "among the strongest, " if len(answering) > 1 else ""
        told = f"; {among}{_conclusion(strongest)}"
    if len({finding.relation for finding in answering}) > 1:
        return f"Mixed evidence: {_tally(_groups(found), found, _OPEN_LABELS)}{told}."
    bear = f"{_side(answering, found)} {_plural(len(answering), 'bears', 'bear')} on it{_cited(answering)}"
    return f"Not enough evidence for a short answer to an open question: {bear}{told}."


def findings(question: str, studies: Sequence[Study]) -> list[Finding]:
    """The studies, each once however many articles report it (`tallies.once`), with what is told of each, strongest first.

    Sentences come from the abstract itself, also where another model wrote the summary; the relation is the summary's.
    """
    found = []
    wanted = concepts(affirmed(question).text)
    for study in once(studies):
        summary = study.summary
        relation: Relation = "does not answer" if summary is None or summary.relation is None else summary.relation
        conclusion, result = _sentences(question, study)
        strength = design_strength(summary.design if summary is not None else None)
        score = judge(question, study.article).score
        size = summary.sample_size if summary is not None and summary.sample_size else 1
        told = coverage(wanted, vocabulary(conclusion, acronyms(study.article.abstract)))
        rank = strength * (0.4 + score) * (0.4 + told) + 0.3 * min(math.log10(size), 4.0)
        found.append(Finding(study, relation, conclusion, result, strength / 10 * score**3, rank))
    return sorted(found, key=lambda finding: (-finding.rank, finding.study.n))


def _groups(found: list[Finding]) -> dict[Relation, list[Finding]]:
    return {relation: [finding for finding in found if finding.relation == relation] for relation in RELATIONS}


def _sentences(question: str, study: Study) -> tuple[str, str]:
    """The sentence that concludes and the one that gives the key result; either may be empty."""
    chosen = finding_sentences(study.article, question)
    concluding = [sentence.text for sentence in chosen if sentence.role == "conclusion"] or [
        sentence.text for sentence in chosen[:1]
    ]
    results = [sentence.text for sentence in chosen if sentence.role == "results" and sentence.text not in concluding]
    results = [text for text in results if not starts_dangling(text) and not tells_little(text)]
    short = sorted((text for text in concluding if _count(text) <= LONGEST_SENTENCE), key=_tells_little)
    conclusion = short[0] if short else next((text for text in results if _count(text) <= LONGEST_SENTENCE), "")
    result = next((text for text in results if text != conclusion and _count(text) <= LONGEST_SENTENCE), "")
    return conclusion, result


def _tells_little(sentence: str) -> bool:
    """Whether a sentence cannot stand alone, asks for more research, or only says who was studied."""
    return starts_dangling(sentence) or is_outlook(sentence) or tells_little(sentence)


_LABELS: dict[Relation, tuple[str, str]] = {
    "supports": ("supports this", "support this"),
    "contradicts": ("does not support this", "do not support this"),
    "mixed": ("gives a mixed answer", "give a mixed answer"),
    "does not answer": ("does not answer the question", "do not answer the question"),
}
_OPEN_LABELS: dict[Relation, tuple[str, str]] = {
    "supports": ("reports an effect or a favourable result", "report an effect or a favourable result"),
    "contradicts": ("reports no effect or an unfavourable result", "report no effect or an unfavourable result"),
    "mixed": ("reports mixed results", "report mixed results"),
    "does not answer": ("does not answer the question", "do not answer the question"),
}
_LEADS: dict[Relation, str] = {
    "supports": "In support, ",
    "contradicts": "Against it, ",
    "mixed": "With mixed results, ",
    "does not answer": "",
}


_OPEN_LEADS: dict[Relation, str] = {**_LEADS, "supports": "", "contradicts": ""}


def _opening(found: list[Finding], closed: bool) -> str:
    groups = _groups(found)
    labels = _LABELS if closed else _OPEN_LABELS
    if len(found) == 1:
        return f"The one relevant study retrieved{_people(found)} {labels[found[0].relation][0]}{_cited(found)}."
    present = [relation for relation in RELATIONS if groups[relation]]
    if len(present) == 1:
        side = _side(found, found)
        return f"{side[0].upper()}{side[1:]} {labels[present[0]][1]}{_cited(found)}."
    said = []
    for relation in present:
        members = groups[relation]
        said.append(f"{len(members)}{_people(members)} {_plural(len(members), *labels[relation])}{_cited(members)}")
    return f"Of the {len(found)} relevant studies retrieved, {_and(said)}."


def _is_protocol(finding: Finding) -> bool:
    return finding.study.summary is not None and finding.study.summary.design == "study protocol"


def _told(finding: Finding, first: bool, lead: str) -> str:
    """One or two sentences about a study; empty where its abstract has no sentence that can be told.

    The first of a side begins with ``lead``, which says which side that is.
    """
    if not finding.conclusion:
        return ""
    study = finding.study
    text = f"{lead if first else ''}{_conclusion(finding)}."
    text = text[0].upper() + text[1:]
    if first and finding.result:
        text += f" {_plain(finding.result)} [{study.n}]."
    return text


def _conclusion(finding: Finding) -> str:
    study = finding.study
    return f"{_design(study)} concluded that {_clause(finding.conclusion, study.article)} [{study.n}]"


def _design(study: Study) -> str:
    """The study in words, with its size where the abstract prints it: "a randomised controlled trial of 412 participants"."""
    summary = study.summary
    name = summary.design if summary is not None and summary.design else "study"
    size = summary.sample_size if summary is not None else None
    forms = (f"{size:,}", str(size)) if size else ()
    printed = next((form for form in forms if re.search(rf"(?<![\d,.]){form}(?!\d|[,.]\d)", study.article.abstract)), None)
    return f"{_an(name)} of {printed} participants" if printed else _an(name)


def _an(name: str) -> str:
    return f"an {name}" if name[0] in "aeiou" else f"a {name}"


def _clause(sentence: str, article: Article) -> str:
    """A sentence made fit to follow "concluded that": without its lead-in, its full stop and its capital."""
    text = sentence
    while (match := _LEAD_IN.match(text)) is not None and match.end():
        text = text[match.end() :]
    text = _plain(text)
    first = _FIRST_WORD.match(text)
    if first is not None and not _is_name(first.group(), article):
        text = text[0].lower() + text[1:]
    return text


_FIRST_WORD = re.compile(r"[A-Za-z]+(?=[\s,-])")
_EPONYMS = re.compile(
    r"\w+(?:ese|ish|ian|ans)$|(?:I|Dr|Mr|Doppler|Medicare|Medicaid|Helicobacter|Staphylococcus|Escherichia|Crohn|"
    r"Parkinson|Alzheimer)$"
)


def _is_name(word: str, article: Article) -> bool:
    """Whether a capitalised first word is a name: capitals inside it, capitalised elsewhere in running text, an eponym."""
    if word[:1].islower() or any(char.isupper() for char in word[1:]):
        return True
    if re.search(rf"\b{word.lower()}\b", article.abstract) is not None or fold(word) in FUNCTION_WORDS | GENERIC_WORDS:
        return False
    return _EPONYMS.match(word) is not None or re.search(rf"[a-z,] {word}\b", article.abstract) is not None


def _plain(sentence: str) -> str:
    """A sentence without its full stop and not in the first person."""
    text = sentence.strip().rstrip(".").rstrip()
    for pattern, other in _FIRST_PERSON:
        text = pattern.sub(other, text)
    return text[0].upper() + text[1:] if sentence[:1].isupper() and text else text


def _side(members: Sequence[Finding], found: Sequence[Finding]) -> str:
    """The members among all found: "5 of the 9 relevant studies retrieved (2,310 participants)"."""
    if len(found) == 1:
        return f"the one relevant study retrieved{_people(members)}"
    if len(members) == len(found):
        return f"{'both' if len(found) == 2 else f'all {len(found)}'} relevant studies retrieved{_people(members)}"
    return f"{len(members)} of the {len(found)} relevant studies retrieved{_people(members)}"


def _none(found: Sequence[Finding]) -> str:
    if not found:
        return "no relevant study retrieved answers"
    if len(found) == 1:
        return "the one relevant study retrieved does not answer"
    return f"none of the {len(found)} relevant studies retrieved answers"


_ASIDE: dict[Relation, tuple[str, str]] = {
    "supports": ("supports it", "support it"),
    "contradicts": ("does not support it", "do not support it"),
    "mixed": ("gives a mixed answer", "give a mixed answer"),
    "does not answer": ("does not answer it", "do not answer it"),
}


def _others(groups: dict[Relation, list[Finding]], told: Relation) -> str:
    rest = [
        f"{_counted(groups[relation], _ASIDE[relation])}{_cited(groups[relation])}"
        for relation in RELATIONS
        if relation != told and groups[relation]
    ]
    return f", while {_and(rest)}" if rest else ""


def _counted(members: list[Finding], label: tuple[str, str]) -> str:
    return f"{len(members)}{_people(members)} {_plural(len(members), *label)}"


def _people(members: Sequence[Finding]) -> str:
    """How many people the studies are about, as far as their abstracts say it; reviews are in no sum (`tallies`)."""
    total, sized = participants(tuple(finding.study for finding in members))
    if not sized:
        return ""
    return f" ({total:,} participants{'' if len(sized) == len(members) else ' where stated'})"


def _cited(members: Sequence[Finding]) -> str:
    """Their citations in order, three and more in a row as a range: " [1], [4–6]"."""
    marks: list[list[int]] = []
    for n in sorted(finding.study.n for finding in members):
        if marks and n == marks[-1][-1] + 1:
            marks[-1].append(n)
        else:
            marks.append([n])
    written = [[f"[{run[0]}–{run[-1]}]"] if len(run) > 2 else [f"[{n}]" for n in run] for run in marks]
    return " " + ", ".join(mark for run in written for mark in run) if members else ""


def _plural(count: int, one: str, more: str) -> str:
    return one if count == 1 else more


def _and(parts: Iterable[str]) -> str:
    listed = list(parts)
    if len(listed) < 2:
        return "".join(listed)
    return f"{', '.join(listed[:-1])} and {listed[-1]}"


def _count(text: str) -> int:
    return len(text.split())
