"""The design that an article states for itself: put wrongly over a sentence, and put rightly before
it.

An article is a randomised trial where it says so and names no other design, and an observational
study where it names such a design and nothing that an experiment or a review has. All others are
left out.
"""

from __future__ import annotations

import random
import re

from benchmarks.own.claim_figures import Edited
from clinfo.records.articles import Article
from clinfo.text.sentences import sentences

_OBSERVATIONAL = re.compile(
    (
        r"\b(?:retrospective(?:ly)?|cross[- ]sectional|case[- ]control|cohorts?|case series|case "
        r"reports?|registry|registries|"
        r"survey(?:ed|s)?|observational|medical records|chart review)\b"
    ),
    re.I,
)
_EXPERIMENT = re.compile(
    (
        r"random|placebo|(?:double|single)[- ]blind|\btrials?\b|allocated|meta-?analy|systematic|"
        r"cross-?over|\breview(?:s|ed)?\b|"
        r"open[- ]label|\bexperiment"
    ),
    re.I,
)
_RANDOMISED = re.compile(
    (
        r"\brandomi[sz]ed\b|\brandomly (?:assigned|allocated|divided)|\brandom (?:allocation|"
        r"assignment)"
    ),
    re.I,
)
_NO_TRIAL = re.compile(
    (
        r"systematic|meta-?analy|\breviews?\b|pooled|\bstudies\b|\btrials\b|post[- ]hoc|secondary "
        r"analys|survey|non-?randomi|"
        r"quasi|not randomi|mendelian|simulat|prospective cohort|protocol"
    ),
    re.I,
)
_OTHER_WORDS = re.compile(
    (
        r"\b((?:retrospective |prospective |population-based |cross[- ]sectional |case[- ]control |"
        r"observational )?"
        r"(?:cohort study|case[- ]control study|cross[- ]sectional study|cross[- ]sectional survey|"
        r"survey|observational study|"
        r"retrospective study|retrospective analysis|retrospective review|case series|case report|"
        r"chart review))\b"
    ),
    re.I,
)
_TRIAL_WORDS = re.compile(
    (
        r"\b((?:double[- ]blind,? |placebo[- ]controlled,? |prospective,? |open[- ]label,? )*"
        r"(?:randomi[sz]ed(?:,? (?:controlled|clinical|double-blind|placebo-controlled))* (?:trial|"
        r"study)|"
        r"(?:controlled |clinical )?trial))\b"
    ),
    re.I,
)
_TRIALS = (
    "randomised trial",
    "randomised controlled trial",
    "double-blind randomised trial",
    "randomized controlled trial",
)
_OTHERS = (
    "retrospective cohort study",
    "case series",
    "cross-sectional survey",
    "case-control study",
    "observational study",
    "retrospective chart review",
)
_OPENINGS = ("A {} concluded that ", "A {} found that ", "In a {}, ", "A {} showed that ")

_KINDS = (
    ("randomised trial", r"\brandomi[sz]ed\b"),
    ("retrospective cohort study", r"\bretrospective cohort\b"),
    ("case-control study", r"\bcase[- ]control\b"),
    ("cross-sectional study", r"\bcross[- ]sectional\b"),
    ("cohort study", r"\bcohort study\b"),
    ("case series", r"\bcase series\b"),
    ("retrospective study", r"\bretrospective(?:ly)?\b"),
    ("observational study", r"\bobservational\b"),
)
_PERSONS = (
    r"(?:patients|participants|subjects|women|men|children|adults|volunteers|infants|individuals|"
    r"people|persons|adolescents|"
    r"boys|girls)"
)
_COUNT = re.compile(
    rf"(?<![\d.,/–-])(\d{{1,3}}(?:,\d{{3}})+|\d{{2,6}})(?= (?:[a-z-]+ ){{0,3}}?{_PERSONS}\b)"
)
_ANY_COUNT = re.compile(r"\bn ?= ?(\d+(?:,\d{3})*)", re.I)
_TAKEN_IN = re.compile(
    (
        r"random|enrol|recruit|included|participat|assigned|allocated|studied|evaluated|\bstudy\b|"
        r"\btrial\b"
    ),
    re.I,
)
_PARTLY = re.compile(
    (
        r"\b(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|screened|eligible|attended|"
        r"positive|answered|invited|approached|"
        r"completed|groups of|out of)\b|\b\d+ (?:received|controls?|placebo|healthy|others?|"
        r"matched)\b"
    ),
    re.I,
)
"""Words of a sentence whose number may not be that of all who took part."""


def trial_over_other(text: str, article: Article, draw: random.Random) -> Edited | None:
    """An observational study told as a randomised trial, in front of the sentence or where the
    sentence names its design.
    """
    return (
        _retold(text, _TRIALS, _OTHER_WORDS, draw)
        if design_of(article) == "observational"
        else None
    )


def other_over_trial(text: str, article: Article, draw: random.Random) -> Edited | None:
    """A randomised trial told as an observational study."""
    return _retold(text, _OTHERS, _TRIAL_WORDS, draw) if design_of(article) == "trial" else None


def design_of(article: Article) -> str:
    """ "trial", "observational", or "" where the article does not tell which without doubt."""
    whole = f"{article.title} {article.abstract}"
    if _OBSERVATIONAL.search(whole):
        return "" if _EXPERIMENT.search(whole) else "observational"
    return "trial" if _RANDOMISED.search(whole) and not _NO_TRIAL.search(whole) else ""


def true_opening(article: Article) -> str:
    """ "A <design> of N participants concluded that ", where the article surely is of that design
    and number; else "".
    """
    design = design_of(article)
    if not design:
        return ""
    title = article.title if design == "trial" else f"{article.title} {article.abstract}"
    name = next((name for name, pattern in _KINDS if re.search(pattern, title, re.I)), "")
    number = _participants(article)
    return (
        f"A{'n' * name.startswith('o')} {name} of {number} participants concluded that "
        if name and number
        else ""
    )


def _participants(article: Article) -> str:
    """The greatest number of people the abstract names, if its sentence says that they were taken
    in; else "".
    """
    counts = []
    for sentence in (article.title, *sentences(article.abstract)):
        found = _COUNT.findall(re.sub(r"\([^()]*\)", "", sentence))
        sure = (
            len(found) == 1
            and _TAKEN_IN.search(sentence) is not None
            and _PARTLY.search(sentence) is None
        )
        sure = (
            sure
            and re.search(rf"(?<!total )\bof (?:the |these )?{found[0]}\b", sentence, re.I) is None
        )
        counts += [(int(raw.replace(",", "")), sure, raw) for raw in found]
        counts += [(int(raw.replace(",", "")), False, raw) for raw in _ANY_COUNT.findall(sentence)]
    most, sure, raw = max(counts, default=(0, False, ""))
    return raw if sure and most >= 10 and not re.search(r"\d \d{3}\b", article.abstract) else ""


def _retold(
    text: str, designs: tuple[str, ...], named: re.Pattern[str], draw: random.Random
) -> Edited | None:
    design = draw.choice(designs)
    match = named.search(text)
    if match is not None:
        return Edited(
            _articled(text[: match.start()], design) + text[match.end() :], match.group(), design
        )
    if (
        _OBSERVATIONAL.search(text)
        or _RANDOMISED.search(text)
        or re.match(r"(?:This|These|Th\w+ (?:study|trial))\b", text)
    ):
        return None
    opening = draw.choice(_OPENINGS).format(design)
    opening = opening.replace("A obs", "An obs").replace("In a obs", "In an obs")
    return Edited(opening + text, "", opening.strip())


def _articled(before: str, design: str) -> str:
    if before.endswith("an ") and not design.startswith("o"):
        before = before[:-2] + " "
    if before.endswith((" a ", "A ")) and design.startswith("o"):
        before = before[:-1] + "n "
    return before + design


DESIGN_EDITS = {
    "trial put over another design": trial_over_other,
    "other design put over a trial": other_over_trial,
}
"""Edits by kind, for a sentence without an opening of its own whose first letter is small where it
may be.
"""
