"""A noun of a sentence exchanged for one of its class that another abstract speaks of and this
article never names.

Conditions and treatments are MeSH headings and entry terms as abstracts have them; outcomes are
those of `benchmarks.own.claim_terms`. A noun is foreign where neither title nor abstract nor the
record's own headings name its concept: no entry term of it, nothing that MeSH files under it, not
its initials, and not all of its words. No two nouns are exchanged of which one is a kind of the
other.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.own.claim_figures import Edited
from benchmarks.own.claim_sources import Candidate, listed
from benchmarks.own.claim_terms import (
    LONGEST_TERM,
    MESH,
    OUTCOMES,
    Term,
    find_outcomes,
    folded,
    found_terms,
    in_case,
    kind_of_term,
)
from clinfo.records.articles import Article

FOREIGN = ("condition", "treatment", "outcome")
_OF_ONE_BRANCH = 0.6
"""Share of foreign conditions that are of the same branch of MeSH where there are some: cervical
cancer, lung cancer.
"""
_THERAPY_BRANCHES = ("E02", "E04", "F04.754", "I03.350", "I03.450.642.845", "G11.427.410.698.277")
_NOT_THERAPY = ("E02.319", "E02.760", "E04.614", "E04.604")
"""Branches of routes, dosages and schedules of drugs, of kinds of care, and of times around an
operation.
"""
_VAGUE = listed(
    "surgery therapy treatment procedure operation rehabilitation anesthesia anaesthesia analgesia "
    "care diet resuscitation "
    "complementary medicine alternative exercise dissection excision reoperation implantation "
    "drainage ablation retreatment"
)
_MEASURED = listed(
    "cholesterol triglyceride testosterone iron insulin caffeine nicotine placebo estradiol "
    "progesterone"
)
"""Drugs by their name that abstracts mostly measure, or that stand in too many trials to be foreign
to one.
"""
_NO_NOUN = re.compile(
    (
        r"(?:scopy|scopies|biops(?:y|ies)|complications?|adverse .*|associations?|therapeutics?|"
        r"therapies|pain management|t[- ]groups?|"
        r"hypertroph\w+|infarcts?|infarction|trauma|atroph\w+|necrosis|tumou?rs?|rupture|"
        r"deformit\w+|"
        r"stenosis|polyps?|"
        r"disease progression|track|rewarming|cannulation|extubation|(?:movement|mental|mood|"
        r"behaviou?r) disorders?|"
        r"withdrawal symptoms|parasit\w+|impairment|intubation|palpation|occlusion|abnormalit\w+|"
        r"neoplas\w+|suction|fasting)$"
    ),
    re.I,
)
"""Names of no one condition or treatment by itself (of a heading, its end)."""
_SUFFIX = re.compile(r"(?<!heart)(?<!Heart) (?:rates?|scores?|levels)$")
_HEADS = listed(
    "cancer carcinoma neoplasm tumor tumour disease disorder syndrome failure infection injury "
    "fracture ulcer pain therapy "
    "surgery treatment training disability chronic acute severe infarction stenosis replacement "
    "transplantation arthritis"
)
"""Words that two different nouns may share."""
_NAME_AFTER = re.compile(
    r"^['’]?s? (?:effective|benefit|utility|savings?|free|volume|assessment|Scale|Inventory|Index|"
    r"Questionnaire|Scores?|Rating|"
    r"Test|Checklist|specific|[A-Z][a-z]+)\b"
)
_CLASSES = {
    "events": (
        "mortality bleeding headache fever sedation pruritus rash nausea vomiting constipation "
        "stroke fatigue seizures "
        "dizziness shivering heartburn wound|infection urinary|retention respiratory|depression "
        "toxicity extrapyramidal|symptoms "
        "dry|mouth ulcer|healing eradication live|birth smoking progression-free|survival"
    ),
    "amounts": (
        "systolic|blood|pressure heart|rate hba1c body|weight total|cholesterol c-reactive|protein "
        "bone|mineral|density "
        "albumin hemoglobin testosterone prolactin|levels visual|acuity probing|depth fev1 "
        "alcohol|consumption"
    ),
    "times": "length|of|stay operative|time recovery|time opioid|consumption cost sensory|block",
    "scores": (
        "pain|intensity depression sleep|quality quality|of|life cognition balance range|of|motion "
        "satisfaction "
        "self-efficacy physical|activity muscle|strength adherence hyperactivity sexual|function "
        "appetite positive|symptoms "
        "negative|symptoms"
    ),
}
"""First names of the rows of outcomes that may stand in one another's place in a sentence (a bar
joins words).
"""


@dataclass(frozen=True)
class Foreign:
    """The terms of other abstracts: ``pool`` holds, per class, the nouns that candidate sentences
    of two or more have.
    """

    names: Mapping[str, frozenset[str]]
    synonyms: Mapping[str, frozenset[str]]
    """All folded names of a concept by each of its tree numbers."""
    pool: Mapping[str, tuple[Term, ...]]


def read_foreign(found: Iterable[Candidate], data: Path) -> Foreign:
    """MeSH of the folder of data, and the nouns of the sentences given."""
    names: dict[str, set[str]] = {}
    synonyms: dict[str, set[str]] = {}
    with gzip.open(data / MESH, "rt", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            if not any(letter in "CDEFGI" for letter in row["category"]):
                continue
            folds = {
                folded(name)
                for name in (row["heading"], *row["entry_terms"])
                if "," not in name and len(name) >= 3
            }
            for number in row["tree_numbers"]:
                synonyms.setdefault(number, set()).update(folds)
            for name in folds:
                if len(name) >= 4 and len(name.split()) <= LONGEST_TERM:
                    names.setdefault(name, set()).update(row["tree_numbers"])
    frozen = {name: frozenset(numbers) for name, numbers in names.items()}
    seen: dict[tuple[str, str], tuple[Term, set[str]]] = {}
    for candidate in found:
        for term in _nouns(candidate.text, frozen):
            seen.setdefault((term.kind, folded(term.text)), (term, set()))[1].add(
                candidate.article.pmid or ""
            )
    pool = [
        term
        for (_, name), (term, pmids) in seen.items()
        if len(pmids) > 1 and not {*name.split()} & _MEASURED
    ]
    return Foreign(
        frozen,
        {number: frozenset(folds) for number, folds in synonyms.items()},
        {kind: tuple(term for term in pool if term.kind == kind) for kind in FOREIGN},
    )


def foreign_noun(
    kind: str, text: str, article: Article, foreign: Foreign, draw: random.Random
) -> Edited | None:
    """One noun of ``kind`` (condition, treatment, outcome) put for another that the article does
    not name, wherever it stands.
    """
    olds = [
        term for term in _nouns(text, foreign.names) if term.kind == kind and _may_go(term, text)
    ]
    if not olds or not foreign.pool[kind]:
        return None
    old = draw.choice(olds)
    whole = " ".join((article.title, article.abstract, *article.mesh, *article.keywords))
    here = list(found_terms(whole, foreign.names, lambda stretch, numbers: "any"))
    choices = [
        term
        for term in foreign.pool[kind]
        if _alike(old, term) and _is_plural(old.text) == _is_plural(term.text)
    ]
    akin = [
        term
        for term in choices
        if {number[:3] for number in term.concepts} & {number[:3] for number in old.concepts}
    ]
    if kind == "condition" and akin and draw.random() < _OF_ONE_BRANCH:
        choices = akin
    draw.shuffle(choices)
    for new in choices[:40]:
        if _near(old, new) or _is_named(new, whole, here, foreign):
            continue
        put = new.text if "'" in new.text else in_case(new.text, old.text)
        if kind == "outcome" and (suffix := _SUFFIX.search(old.text)) is not None:
            put = _SUFFIX.sub("", put) + suffix.group()
        changed = re.sub(
            rf"(?<![\w-]){re.escape(old.text)}(?![\w-])", lambda match, put=put: put, text
        )  # type: ignore[misc]
        return Edited(_with_articles(changed, put), old.text, put)
    return None


def _nouns(text: str, names: Mapping[str, frozenset[str]]) -> list[Term]:
    return [
        *(term for term in find_outcomes(text) if term.text != "EGFR"),
        *(term for term in found_terms(text, names, _class_of)),
    ]


def _class_of(stretch: str, numbers: frozenset[str]) -> str:
    if _NO_NOUN.search(stretch):
        return ""
    kind = kind_of_term(stretch, numbers)
    if kind == "disease":
        return "condition" if len(stretch) >= 5 else ""
    if kind == "drug":
        return "treatment"
    words = folded(stretch).split()
    therapy = any(
        number.startswith(_THERAPY_BRANCHES) and not number.startswith(_NOT_THERAPY)
        for number in numbers
    )
    return (
        "treatment"
        if therapy and len(stretch) >= 4 and not set(words) <= _VAGUE and not stretch.isupper()
        else ""
    )


def _may_go(term: Term, text: str) -> bool:
    """Return whether the term names something by itself, not a part of a longer name or a
    compound.
    """
    place = text.find(term.text)
    before, after = text[:place], text[place + len(term.text) :]
    return (
        not {*folded(term.text).split()} & _MEASURED - {"placebo"}
        and not before.endswith(("-", "/"))
        and not after.startswith(("-", "/", " ("))
        and _NAME_AFTER.match(after) is None
        and re.search(r"\b(?:and|or|non|working) $", before) is None
    )


def _alike(old: Term, new: Term) -> bool:
    """Return whether both are of one class more narrowly: drugs, therapies, or outcomes that are
    measured alike.
    """
    if old.kind == "outcome":
        return _measured_as(old) == _measured_as(new)
    if old.text.lower() == "placebo":
        return all(number.startswith("D") for number in new.concepts)
    return {number[0] for number in old.concepts} & {number[0] for number in new.concepts} != set()


def _measured_as(term: Term) -> str:
    row = int(next(iter(term.concepts)).removeprefix("row:").rstrip("."))
    first = OUTCOMES[row].split("/")[0].lower().replace(" ", "|")
    return next((name for name, rows in _CLASSES.items() if first in rows.split()), "scores")


def _near(old: Term, new: Term) -> bool:
    """One a kind of the other, or a name inside the other, or a shared word that is more than a
    head.
    """
    one, other = folded(old.text), folded(new.text)
    if one in other or other in one or ({*one.split()} & {*other.split()}) - _HEADS:
        return True
    return any(
        a.startswith(b) or b.startswith(a) or _siblings(a, b)
        for a in old.concepts
        for b in new.concepts
    )


def _siblings(one: str, other: str) -> bool:
    """Of one small branch of diseases, where names are often taken for one another (psychosis,
    schizophrenia).
    """
    return one[0] in "CF" and (
        one.rsplit(".", 1)[0] == other.rsplit(".", 1)[0]
        or (one.startswith("F03") and one[:7] == other[:7])
    )


def _is_named(new: Term, whole: str, here: Iterable[Term], foreign: Foreign) -> bool:
    """Return whether the article names the concept of ``new``, or something that is a kind of
    it.
    """
    if new.kind == "outcome":
        rows = {concept for term in find_outcomes(whole) for concept in term.concepts}
        return bool(rows & new.concepts) or _words_stand(new.text, whole)
    if any(
        number.startswith(mine)
        for term in here
        for number in term.concepts
        for mine in new.concepts
    ):
        return True
    text = f" {folded(re.sub(r'[^A-Za-z0-9 -]', ' ', whole))} "
    if any(
        f" {name} " in text for number in new.concepts for name in foreign.synonyms.get(number, ())
    ):
        return True
    initials = "".join(word[0] for word in folded(new.text).split()).upper()
    return (
        len(initials) > 1 and re.search(rf"\b\w?{initials}\w?\b", whole) is not None
    ) or _words_stand(new.text, whole)


def _words_stand(name: str, whole: str) -> bool:
    """Return whether the beginning of each word of the name, but for heads, stands in the text."""
    words = [word for word in folded(name).split() if word not in _HEADS] or folded(name).split()
    lowered = whole.lower()
    return all(word[:5] in lowered for word in words)


def _is_plural(text: str) -> bool:
    return text.endswith("s") and not text.lower().endswith(("ss", "is", "us", "itis", "betes"))


def _with_articles(text: str, put: str) -> str:
    """ "a" and "an" before the new noun as its first letter asks."""
    vowel = put[:1].lower() in "aeiou"
    name = re.escape(put)
    return re.sub(
        rf"\b(a) (?={name})" if vowel else rf"\b(a)n (?={name})", "an " if vowel else "a ", text
    )
