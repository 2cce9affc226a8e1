"""Selects the passages of an article that may support a claim: not questions, aims or
background.
"""

from __future__ import annotations

from typing import Literal

from clinfo.records.articles import Article
from clinfo.text.abstracts import abstract_sentences
from clinfo.text.passages import Passage
from clinfo.text.regex import anycase

Silence = Literal["asks", "background", ""]

_ASKS = anycase(
    r"\b(?:aim(?:s|ed)?|objectives?|purposes?)\b|\bhypothes[ei]|\bwhether\b|\bsought to\b|"
    r"\bto (?:investigate|examine|evaluate|assess|determine|compare|explore|test|find out)\b"
)
_CONCLUDED = anycase(r"\b(?:conclude[sd]?|found) (?:\[\d+\] )?that\b")
_FINITE = anycase(
    r"\b(?:is|are|was|were|has|have|had|does|do|did|can|cannot|may|might|could|should|will|must|"
    r"not)\b|"
    r"\b(?:affect|alter|ameliorat|attenuat|caus|decreas|delay|enhanc|fail|improv|increas|induc|"
    r"influenc|inhibit|lead|limit|lower|"
    r"offer|outperform|predict|prevent|promot|protect|provid|rais|reduc|remain|reveal|shorten|show|"
    r"slow|suggest|support|suppress|"
    r"worsen)e?s\b"
)
"""Verbs by which a title asserts something."""


def silence(passage: Passage, text: str, claim: str, article: Article) -> Silence:
    """Return why a passage, worded ``text``, says nothing for or against ``claim``; "" where it
    may.

    "asks": a question, an aim or hypothesis that the claim states as a fact, a title without a
    verb. "background": a part of a labelled abstract that tells nothing found, or only the methods
    where the claim says what was found or concluded.
    """
    if passage.field == "title":
        return "asks" if "?" in text or not _FINITE.search(text) else ""
    if text.rstrip().endswith("?") or (_ASKS.search(text) and not _ASKS.search(claim)):
        return "asks"
    sentences = abstract_sentences(article)
    if _ASKS.search(claim) or not any(
        each.labelled and each.role in ("results", "conclusion") for each in sentences
    ):
        return ""
    roles = {
        each.role
        for each in sentences
        if each.labelled and each.start < passage.end and passage.start < each.end
    }
    told = {"background", "methods"} if _CONCLUDED.search(claim) else {"background"}
    return "background" if roles and roles <= told else ""
