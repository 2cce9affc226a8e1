"""What an article says to one claim: found, found in part, not found, or the opposite; judged by rules, word by word.

The figures of a claim are judged elsewhere (`clinfo.text.figure_evidence`); here its words are. How much of them must be found
was set on claims from abstracts of even PMIDs (`benchmarks.claims`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from clinfo.records import Article
from clinfo.text.claim_alignment import Alignment, align, read
from clinfo.text.claim_direction import Clash, changed, opposed, turned_round
from clinfo.text.claim_terms import Swap, swapped, unnamed
from clinfo.text.passages import Passage

Found = Literal["found", "in part", "not found", "opposite", "of another"]

ENOUGH = 0.55
"""Share of a claim's weight in one to three sentences of the article from which it counts as found there."""
ENOUGH_OF_ARTICLE = 0.65
"""The same where its words are scattered over the article."""
SHORT = 4
ENOUGH_OF_SHORT = 0.7
"""The share that is needed of a claim of so few telling words where the article lacks one of them: of a few each counts."""
LITTLE = 0.53
"""Share of a claim in the whole article, by all its words and by its names, below which the article has nothing to do with it."""
BESIDE_FIGURES = (1.0, 0.75, 0.6)
"""The part of these shares that will do where the article states none, one, or more of the claim's figures."""
CLOSE = 0.6
"""Share of a claim's words that its passages must hold in the same order for it to be close to them. In a claim worded freely, a
word of the opposite effect or a figure of something else may be a misreading of this judge's: it is doubted, not condemned."""
CLOSE_OF_BRIEF, BRIEF = 0.5, 8
"""The same for a claim of so few words."""
PLAIN = 0.9
"""Likeness of what two opposite words speak of, and share of the claim in the passages, from which they contradict each other
where a brief claim is not close to its source."""
FEW = 2
"""Words that the article lacks below which they are too few to say so."""

_FRAME = re.compile(
    r"^.{0,200}?\b(?:conclude[sd]?|found|finds?|report(?:s|ed)?|show(?:s|ed|n)?|suggest(?:s|ed)?|indicat(?:es?|ed)|observed|stat(?:es?|ed)|"
    r"not(?:es?|ed)|demonstrat(?:es?|ed)|confirm(?:s|ed)?)\s(?:\[\d+\]\s)?that\b",
    re.IGNORECASE,
)
_FRAMING = re.compile(
    r"\b(?:in|an?|the|this|these|one|two|three|support|against|it|with|mixed|results?|by|among|strongest|yes|no|not|enough|evidence|"
    r"overall|however|also|and|but|while|of|retrieved|relevant|"
    r"stud(?:y|ies)|trials?|reviews?|meta-?analys[ei]s|cohorts?|surveys?|analys[ei]s|series|reports?|articles?|papers?|editorials?|letters?|"
    r"guidelines?|protocols?|experiments?|randomi[sz]ed|controlled|prospective|retrospective|observational|cross-sectional|"
    r"case-control|case|systematic|narrative|pilot|open-label|double-blind|single|cross-?over|longitudinal|population-based|"
    r"multicent(?:re|er)|large|small|recent|diagnostic|accuracy|qualitative|economic|evaluation|before-after|non-?randomi[sz]ed|"
    r"quasi-experimental|modelling|animal|laboratory|"
    r"participants?|patients?|people|authors?|investigators?|researchers?|data|findings?|\w+ly|or|to|non|study|clinical|comparative)\b"
)


@dataclass(frozen=True)
class Meaning:
    """What an article says to a claim, in which passages, and where it says something else, in which words.

    ``missing`` are the claim's telling words that the article lacks, ``unnamed`` the drugs and acronyms among them.
    A ``clash`` with another finding than "opposite" is one that is in doubt, since the claim is worded freely; ``close`` says that
    it is not. ``share`` is the part of the claim's telling words found in the passages, ``anywhere`` in the whole article, 0 to 1.
    """

    found: Found
    passages: tuple[Passage, ...]
    share: float
    anywhere: float
    missing: tuple[str, ...] = ()
    unnamed: tuple[str, ...] = ()
    clash: Clash | None = None
    swap: Swap | None = None
    close: bool = False


def meaning(claim: str, article: Article, proved: int = 0) -> Meaning:
    """What ``article`` says to ``claim``; ``proved`` of its figures are stated there: with each, fewer words will do."""
    reading = read(article)
    said = without_frame(claim)
    alignment = align(said, reading)
    passages = tuple(source.passage for source in alignment.sources)
    kept = passages[: 1 if alignment.share < LITTLE else 2]
    share, anywhere = alignment.share, alignment.share_of_article
    missing = tuple(dict.fromkeys(token.text for token in alignment.missing if token.weight >= 1))
    found = _found(alignment, proved)
    strange = unnamed(alignment, reading)
    if found == "not found" or strange:
        return Meaning("not found", kept if found != "not found" else (), share, anywhere, missing, strange)
    brief = len(alignment.claim) <= BRIEF
    close = alignment.verbatim >= (CLOSE_OF_BRIEF if brief else CLOSE)
    clash = changed(said, alignment, reading) or opposed(said, alignment, reading)
    if clash is not None:
        sure = close or (brief and min(clash.likeness, share) >= PLAIN)
        return Meaning("opposite" if sure else "in part", kept, share, anywhere, missing, clash=clash, close=close)
    swap = None if turned_round(said, alignment) else swapped(alignment, reading)
    if swap is not None:
        return Meaning("of another", kept, share, anywhere, missing, swap=swap, close=close)
    return Meaning(found, kept, share, anywhere, missing, close=close)


def without_frame(claim: str) -> str:
    """A claim without what only says who found it: "a randomised trial of 40 patients concluded that …"."""
    frame = _FRAME.match(claim)
    if frame is None:
        return claim
    rest = re.sub(r"[\d,.]+", " ", _FRAMING.sub(" ", claim[: frame.end()].lower()))
    verbs = 1
    return claim[frame.end() :] if len(re.findall(r"[a-z]{3,}", rest)) <= verbs + 1 else claim


def _found(alignment: Alignment, proved: int) -> Found:
    share, anywhere = alignment.share, alignment.share_of_article
    if not any(token.weight > 0 for token in alignment.claim):
        return "found" if proved else "in part"
    few = len({token.key for token in alignment.missing}) < FEW
    lenient = BESIDE_FIGURES[min(proved, len(BESIDE_FIGURES) - 1)]
    if anywhere + alignment.named < 2 * LITTLE * lenient and (not few or anywhere == 0):
        return "not found"
    lacking = any(token.weight >= 1 for token in alignment.missing)
    short = lacking and len({token.key for token in alignment.claim if token.weight >= 1}) <= SHORT
    enough, scattered = (ENOUGH_OF_SHORT, ENOUGH_OF_SHORT) if short else (ENOUGH, ENOUGH_OF_ARTICLE)
    if share >= enough * lenient or anywhere >= scattered * lenient:
        return "found"
    return "in part"
