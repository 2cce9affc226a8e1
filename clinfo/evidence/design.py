"""The designs of studies: the closed list that a model chooses from, the level of evidence of each,
and the design that a record states.

Levels are those of the Oxford Centre for Evidence-Based Medicine (2011), "Does this intervention
help?", and of its row on diagnosis for accuracy studies:
https://www.cebm.ox.ac.uk/resources/levels-of-evidence/ocebm-levels-of-evidence
"""

import re
from typing import Final

from clinfo.records.articles import Article

LEVELS: Final[dict[str, int | None]] = {
    "guideline": None,
    "systematic review of randomised trials": 1,
    "systematic review of other studies": 3,
    "pooled analysis of individual patients": None,
    "systematic review and meta-analysis": None,
    "meta-analysis": None,
    "systematic review": None,
    "randomised controlled trial": 2,
    "randomised trial": 2,
    "cluster randomised trial": 2,
    "randomised crossover trial": 2,
    "diagnostic accuracy study": 2,
    "non-randomised controlled trial": 3,
    "prospective cohort study": 3,
    "cohort study": 3,
    "retrospective cohort study": 3,
    "crossover trial": None,
    "trial of unstated allocation": None,
    "controlled trial": None,
    "clinical trial": None,
    "observational study": None,
    "retrospective study": None,
    "single-arm trial": 4,
    "before-and-after study": 4,
    "case-control study": 4,
    "cross-sectional study": 4,
    "case series": 4,
    "case report": 4,
    "economic evaluation": None,
    "qualitative study": None,
    "animal study": None,
    "laboratory study": None,
    "narrative review": None,
    "review": None,
    "editorial or letter": None,
    "study protocol": None,
    "other": None,
}
"""The designs, the strongest first, with the level of each; None where the table has none."""
POOLING: Final = frozenset(
    (
        "systematic review of randomised trials",
        "systematic review of other studies",
        "pooled analysis of individual patients",
        "systematic review and meta-analysis",
        "meta-analysis",
        "systematic review",
    )
)
"""Designs that pool other studies and may list them among their references."""
RETELLING: Final = frozenset(("narrative review", "review", "guideline", "editorial or letter"))
"""Designs of articles that tell of studies and have measured nothing themselves."""

PROTOCOL: Final = "study protocol"
ANIMALS: Final = "animal study"
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
    "editorial": "editorial or letter",
    "letter": "editorial or letter",
    "comment": "editorial or letter",
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
        (r"(?<!non-)(?<!non)\brandomi[sz](?:ed|ation)\b", "randomised trial"),
        (r"\b(?:placebo|double-blind|controlled)\b.*\b(?:trial|study)\b", "controlled trial"),
        (r"\bcase-control\b", "case-control study"),
        (r"\bcohort\b|\bprospective\b.*\bstudy\b|\bfollow-up study\b", "cohort study"),
        (r"\bcross-sectional\b|\bsurvey\b|\bprevalence\b", "cross-sectional study"),
        (r"\bretrospective\b", "retrospective study"),
        (r"\bcase (?:report|series)\b", "case report"),
        (r"\breview\b|\boverview\b", "review"),
    )
)
"""A dozen words of titles, the first that stands there."""


_HEADINGS: Final = {
    "Cost-Benefit Analysis": "economic evaluation",
    "Costs and Cost Analysis": "economic evaluation",
    "Drug Costs": "economic evaluation",
    "Health Care Costs": "economic evaluation",
    "Cross-Over Studies": "crossover trial",
    "Double-Blind Method": "controlled trial",
    "Single-Blind Method": "controlled trial",
    "Random Allocation": "controlled trial",
    "Case-Control Studies": "case-control study",
    "Cross-Sectional Studies": "cross-sectional study",
    "Cohort Studies": "cohort study",
    "Retrospective Studies": "retrospective study",
}
"""MeSH headings that tell how a study was made, the telling ones first."""


def stated_design(article: Article) -> str | None:
    """The design as the record tells it: by its check tags that of animals, else by PubMed's
    publication types, the title's words, or MeSH's headings; None where none does.
    """
    if "Animals" in article.mesh and "Humans" not in article.mesh:
        return ANIMALS
    types = {one.lower() for one in article.publication_types}
    told = next((name for kind, name in _TYPES.items() if kind in types), None)
    if told not in (None, "clinical trial", "review"):
        return told
    worded = next((name for pattern, name in _WORDS if pattern.search(article.title)), None)
    headed = next((name for heading, name in _HEADINGS.items() if heading in article.mesh), None)
    return worded or told or headed


_ALSO_CALLED: Final = {
    "rct": "randomised controlled trial",
    "randomised trial": "randomised controlled trial",
    "crossover trial": "randomised crossover trial",
    "randomised cross over trial": "randomised crossover trial",
    "cluster randomised controlled trial": "cluster randomised trial",
    "case control": "case-control study",
    "cross sectional": "cross-sectional study",
    "cohort": "cohort study",
    "protocol": "study protocol",
    "review": "narrative review",
    "clinical practice guideline": "guideline",
}
"""Words that models write in the place of a name of the list, as `named_design` reads it."""


def named_design(text: str | None) -> str | None:
    """The design of the list that a model named in its own spelling; None for another."""
    told = _as_read(text or "")
    known = {_as_read(name): name for name in LEVELS} | {
        _as_read(name): design for name, design in _ALSO_CALLED.items()
    }
    return known.get(told)


def _as_read(name: str) -> str:
    return " ".join(name.lower().replace("z", "s").replace("-", " ").strip(" .").split())


def level(design: str | None) -> tuple[int | None, str]:
    """(level of evidence, 1 the strongest, or None; the reason in words)."""
    if design is None:
        return None, "the design is not stated: no level"
    found = LEVELS.get(design)
    if found is None:
        return None, f"{design}: no level in the table without more that it states"
    return found, f"{design}: level {found}"


def strength(design: str | None) -> int:
    """The place of a design in the list, the strongest 0; that of "other" where it is unknown."""
    names = tuple(LEVELS)
    return names.index(design) if design in LEVELS else names.index("other")


def plural(design: str) -> str:
    """The plural of a design's name: "cohort studies", "systematic reviews of other studies"."""
    head, of, rest = design.partition(" of ")
    for ending, many in (("analysis", "analyses"), ("series", "series"), ("study", "studies")):
        if head.endswith(ending):
            return head.replace("review ", "reviews ").removesuffix(ending) + many + of + rest
    return f"{head}s{of}{rest}"
