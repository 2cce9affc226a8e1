"""The design of a study as its record names it: by PubMed's publication types, else by a dozen
words of the title, else not at all.
"""

from __future__ import annotations

import re
from typing import Final

from clinfo.records.articles import Article

PROTOCOL: Final = "study protocol"
REVIEWS: Final = ("meta-analysis", "systematic review")
_TYPES: Final = {
    "meta-analysis": "meta-analysis",
    "network meta-analysis": "meta-analysis",
    "systematic review": "systematic review",
    "clinical trial protocol": PROTOCOL,
    "practice guideline": "guideline",
    "guideline": "guideline",
    "randomized controlled trial": "randomised controlled trial",
    "controlled clinical trial": "controlled trial",
    "clinical trial": "clinical trial",
    "observational study": "observational study",
    "case reports": "case report",
    "review": "review",
}
"""PubMed's publication types, in lower case, the telling ones first."""
_WORDS: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), design)
    for pattern, design in (
        (r"\bprotocol\b|\brationale and design\b|\bstudy design\b", PROTOCOL),
        (r"\bmeta-?\s?analys[ie]s\b", "meta-analysis"),
        (r"\bsystematic\W+(?:\w+\W+)?review\b|\bcochrane\b", "systematic review"),
        (r"\bguidelines?\b|\bconsensus statement\b", "guideline"),
        (r"\bcross-?over\b", "crossover trial"),
        (r"\brandomi[sz]ed\b|\brandomi[sz]ation\b", "randomised trial"),
        (r"\b(?:placebo|double-blind|controlled)\b.*\b(?:trial|study)\b", "controlled trial"),
        (r"\bcase-control\b", "case-control study"),
        (r"\bcohort\b|\bprospective\b.*\bstudy\b|\bfollow-up study\b", "cohort study"),
        (r"\bcross-sectional\b|\bsurvey\b|\bprevalence\b", "cross-sectional study"),
        (r"\bretrospective\b", "retrospective study"),
        (r"\bcase (?:report|series)\b", "case report"),
        (r"\breview\b|\boverview\b", "review"),
    )
)


def design(article: Article) -> str | None:
    """The design in words; None where neither types nor title tell it."""
    types = {one.lower() for one in article.publication_types}
    told = next((name for kind, name in _TYPES.items() if kind in types), None)
    if told not in (None, "clinical trial", "review"):
        return told
    return next((name for pattern, name in _WORDS if pattern.search(article.title)), told)
