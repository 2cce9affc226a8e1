"""Whether a paper can answer the question, and how: it names the intervention asked, it is of
people, and people were randomised one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from clinfo.records.articles import Article, Section
from clinfo.retrieval.asked import Asked
from clinfo.retrieval.documents import Block, Document
from clinfo.terms.naming import Part, parts
from clinfo.text.arms import is_control
from clinfo.text.regex import anycase
from clinfo.text.subjects import chances
from clinfo.text.terms import FUNCTION_WORDS, GENERIC_WORDS, StemSet, acronyms, vocabulary

NOT_NAMED: Final = "the paper does not name the intervention asked"
OF_ANIMALS: Final = "The paper seems to report on animals, not on people."
BY_CLUSTER: Final = "Cluster-randomised: numbers not pooled."
_BY_CLUSTER: Final = anycase(
    r"\b(?:cluster[-– ](?:\w+[-– ])?|(?:group|community|village|practice|school)[-–])"
    r"random(?:i[sz]ed|i[sz]ation)|\b(?:clusters|villages|communities) (?:\w+ ){0,2}?(?:were|was) "
    r"(?:\w+ ){0,2}?(?:random(?:i[sz]ed|ly)|allocated)|"
    r"\brandom(?:i[sz]ed|ly (?:assigned|allocated)) (?:\w+ )?"
    r"(?:clusters|villages|communities|practices|schools|clinics)\b|"
    r"\bintra-?cluster correlation"
)
"""Words for whole groups of people that were allotted together."""
_ELSEWHERE: Final = anycase(r"\b(?:introduction|background|discussion|comment|references)\b")
"""Headings of a body's sections that tell of others' treatments, too."""
_OR: Final = anycase(r"\s*(?:[,;/+]|\bor\b|\band\b|\bplus\b|\bwith\b|\bversus\b|\bvs\b)\s*")
SURE: Final = 0.9
"""Probability from which a paper is taken to be of animals (`clinfo.text.subjects`)."""
_GENERIC: Final = StemSet(
    "drug medication early new daily low high dose oral active",
    keys=(*GENERIC_WORDS, *FUNCTION_WORDS),
)
_PEOPLE: Final = anycase(
    r"\b(?:patients|participants|volunteers|men|women|children|adults|healthy subjects)\b"
)


def names_intervention(papers: Sequence[Document], asked: Asked) -> bool:
    """Return whether a paper of a study names an alternative of the intervention asked: at least
    half of its parts, by their words, a name of MeSH, or a short form that the paper defines.

    What has only words that stand for any treatment ("drug treatment") is named by every paper.
    """
    alternatives = [
        [part for part in parts(one) if _tells(part)]
        for one in _OR.split(asked.intervention)
        if one and not is_control(one)
    ]
    return not all(alternatives) or any(_names(paper, alternatives) for paper in papers)


def of_animals(paper: Document) -> bool:
    """Return whether a paper's abstract, or what it begins with, surely reports on animals and
    names no people.
    """
    told = [_text(paper, one) for one in paper.blocks if one.section[:1] == ("Abstract",)]
    text = "\n".join(told)[:20_000] or paper.text[:3_000]
    if _PEOPLE.search(text):
        return False
    return chances(Article(id="", title=paper.title, sections=(Section(text),)))["animals"] > SURE


def by_cluster(paper: Document) -> bool:
    """Return whether title, abstract, methods or results say that groups of people were
    randomised.
    """
    return _BY_CLUSTER.search(_own_text(paper)) is not None


def _tells(part: Part) -> bool:
    """Return whether a part tells one treatment from others."""
    return not all(one in _GENERIC or one[:1].isdigit() for one in part.stems)


def _names(paper: Document, alternatives: Sequence[Sequence[Part]]) -> bool:
    read = vocabulary(_own_text(paper), acronyms(paper.text))
    return any(2 * sum(part.is_in(read) for part in one) >= len(one) for one in alternatives)


def _own_text(paper: Document) -> str:
    """What a paper tells of itself: all but its introduction and discussion."""
    own = [
        one
        for one in paper.blocks
        if one.section[:1] == ("Abstract",) or not any(map(_ELSEWHERE.search, one.section))
    ]
    return "\n".join([paper.title, *(_text(paper, one) for one in own or paper.blocks)])


def _text(paper: Document, block: Block) -> str:
    return paper.text[block.start : block.end]
