"""The designs of studies: the closed list that a model chooses from, the level of evidence of each,
and the design that a record states.

Levels are those of the Oxford Centre for Evidence-Based Medicine (2011), "Does this intervention
help?", and of its row on diagnosis for accuracy studies:
https://www.cebm.ox.ac.uk/resources/levels-of-evidence/ocebm-levels-of-evidence
"""

from __future__ import annotations

import re
from typing import Final

from clinfo.records.articles import Article

LEVELS: Final[dict[str, int | None]] = {
    "guideline": None,
    "systematic review of randomised trials": 1,
    "systematic review of other studies": 3,
    "systematic review and meta-analysis": None,
    "meta-analysis": None,
    "systematic review": None,
    "randomised controlled trial": 2,
    "cluster randomised trial": 2,
    "randomised crossover trial": 2,
    "diagnostic accuracy study": 2,
    "non-randomised controlled trial": 3,
    "prospective cohort study": 3,
    "cohort study": 3,
    "retrospective cohort study": 3,
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
    "editorial or letter": None,
    "study protocol": None,
    "other": None,
}
"""The designs, the strongest first, with the level of each; None where the table has none."""
POOLING: Final = frozenset(
    (
        "systematic review of randomised trials",
        "systematic review of other studies",
        "systematic review and meta-analysis",
        "meta-analysis",
        "systematic review",
    )
)
"""Designs that pool other studies and may list them among their references."""
OF_RECORDS: Final = ("systematic review and meta-analysis", "meta-analysis", "systematic review")
"""Designs of records that do not say what was pooled; a model that reads says which."""
DESIGNS: Final = tuple(name for name in LEVELS if name not in OF_RECORDS)
"""The designs that a model chooses from."""

_OF_TYPES: Final = (
    ("Clinical Trial Protocol", "study protocol"),
    ("Practice Guideline", "guideline"),
    ("Guideline", "guideline"),
    ("Meta-Analysis", "meta-analysis"),
    ("Systematic Review", "systematic review"),
    ("Randomized Controlled Trial", "randomised controlled trial"),
    ("Case Reports", "case report"),
    ("Review", "narrative review"),
    ("Editorial", "editorial or letter"),
    ("Letter", "editorial or letter"),
    ("Comment", "editorial or letter"),
)
_OF_TITLES: Final = tuple(
    (name, re.compile(rf"\b(?:{words})\b", re.IGNORECASE))
    for name, words in (
        ("study protocol", "protocol"),
        ("guideline", "guidelines?"),
        ("systematic review and meta-analysis", r"systematic review and meta-?\s?analys[ie]s"),
        ("meta-analysis", r"meta-?\s?analys[ie]s"),
        ("systematic review", "systematic review"),
        ("randomised controlled trial", r"(?<!non-)(?<!non)randomi[sz]ed[\w\s,-]{0,60}?trial"),
        ("case-control study", r"case[- ]control study"),
        ("cross-sectional study", r"cross[- ]sectional (?:study|survey)"),
        ("cohort study", r"cohort study"),
        ("case series", "case series"),
        ("case report", r"case reports?"),
    )
)
"""A dozen words of titles, the first that stands there."""


def stated_design(article: Article) -> str | None:
    """The design as PubMed's publication types or the title word it; None where neither does."""
    both = {"Meta-Analysis", "Systematic Review"} <= set(article.publication_types)
    if both:
        return "systematic review and meta-analysis"
    for kind, name in _OF_TYPES:
        if kind in article.publication_types and name != "narrative review":
            return name
    found = next((name for name, words in _OF_TITLES if words.search(article.title)), None)
    return found or ("narrative review" if "Review" in article.publication_types else None)


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
"""What models write in the place of a name of the list, as `named_design` reads it."""


def named_design(text: str | None) -> str | None:
    """The design of the list, or of `OF_RECORDS`, that a model named in its own spelling; None for
    another.
    """
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


def counted(count: int, design: str) -> str:
    """So many studies of a design, in words: "1 cohort study", "2 systematic reviews"."""
    if not design:
        return f"{count:,} {'study' if count == 1 else 'studies'} of unstated design"
    return f"{count:,} {design if count == 1 else plural(design)}"


def plural(design: str) -> str:
    """The plural of a design's name: "cohort studies", "systematic reviews of other studies"."""
    head, of, rest = design.partition(" of ")
    for ending, many in (("analysis", "analyses"), ("series", "series"), ("study", "studies")):
        if head.endswith(ending):
            return head.replace("review ", "reviews ").removesuffix(ending) + many + of + rest
    return f"{head}s{of}{rest}"
