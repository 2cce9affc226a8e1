"""Who or what a study is on: people, animals, or things of the laboratory (cells, teeth taken out, phantoms).

A record's MeSH check tags decide where they can: Animals without Humans is no study on people, Humans none on animals. Else a
multinomial logistic regression does (`clinfo.text.subject_weights`), over how often and where words of people, of species and of
the laboratory stand in the title and in what the abstract says of the study itself, background left out.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import Literal

from clinfo.records.articles import Article
from clinfo.text.abstracts import abstract_sentences
from clinfo.text.subject_weights import BIAS, WEIGHTS

Subject = Literal["people", "animals", "laboratory"]
SUBJECTS: tuple[Subject, ...] = ("people", "animals", "laboratory")
"""What the weights tell apart, in their order."""

_SPECIES = (
    r"(?:rats?|mice|mouse|murine|rodents?|rabbits?|guinea[ -]?pigs?|dogs?|beagles?|canines?|cats?|feline|horses?|"
    r"equine|mares?|pony|"
    r"ponies|foals?|sheep|ewes?|lambs?|ovine|goats?|cows?|cattle|bovine|heifers?|calves|steers?|bulls?|pigs?|piglets?|porcine|swine|"
    r"sows?|boars?|broilers?|chickens?|hens?|chicks?|poultry|quails?|fish|zebrafish|trout|salmon|carp|tilapia|monkeys?|macaques?|"
    r"baboons?|primates?|hamsters?|gerbils?|ferrets?|drosophila|larvae|shrimps?|turkeys|ducks|herds?)\b"
    r"(?!(?:['’]s)?[ -](?:riding|milk|oils?|meat|proteins?|serum|insulin|colostrum|dander|bites?|allerg\w+|consumption|intake))"
)
_HUMANS = (
    r"(?:patients?|participants?|women|woman|men|children|volunteers?|adults|students|infants|people|persons|residents|mothers|"
    r"adolescents|nurses|boys|girls|players|athletes|smokers|neonates|newborns|respondents|physicians|workers|parents|individuals|"
    r"families|households|humans?|outpatients|inpatients|subjects)\b"
)
_LABORATORY = (
    r"(?:in vitro|ex vivo|cell lines?|cultured|cell cultures?|cadaver\w*|phantoms?|manikins?|extracted|specimens?|"
    r"premolars?|dentine?|"
    r"incubated|microleakage|bond strengths?|fracture resistance|root canals?|irrigants?|blocks|simulated|micro-?ct|apical|cells)\b"
)
_NUMBER = (
    r"(?:\d+|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|sixteen|eighteen|twenty(?:-\w+)?|"
    r"thirty(?:-\w+)?|forty|sixty)"
)
_BETWEEN = r"\s(?:[\w%/-]+[\s,]){0,5}?"
_PATTERNS = {
    "species": re.compile(rf"\b{_SPECIES}", re.IGNORECASE),
    "animals": re.compile(r"\banimals\b|\banimal (?:models?|stud(?:y|ies)|experiments?)\b", re.IGNORECASE),
    "humans": re.compile(rf"\b{_HUMANS}", re.IGNORECASE),
    "laboratory": re.compile(rf"\b{_LABORATORY}", re.IGNORECASE),
    "counted species": re.compile(rf"\b{_NUMBER}{_BETWEEN}(?:{_SPECIES}|animals\b)", re.IGNORECASE),
    "counted humans": re.compile(rf"\b{_NUMBER}{_BETWEEN}{_HUMANS}", re.IGNORECASE),
    "counted things": re.compile(
        rf"\b{_NUMBER}{_BETWEEN}(?:teeth|molars|premolars|incisors|specimens|samples|blocks|roots|canals|discs|"
        rf"cadavers)\b",
        re.IGNORECASE,
    ),
    "strain": re.compile(
        r"\b(?:wistar|sprague|dawley|balb|c57bl\S*|zucker|holstein|merino|landrace|duroc|" r"thoroughbred)\b", re.IGNORECASE
    ),
    "handled": re.compile(
        rf"\b(?:{_SPECIES}|animals\b)\s(?:were|was)\s(?:[\w-]+\s){{0,2}}(?:randomi\w+|divided|assigned|allocated|fed|killed|sacrificed|"
        r"anaesthetized|anaesthetised|anesthetized|treated|housed|injected|euthani\w+|used|subjected|exposed|given)\b",
        re.IGNORECASE,
    ),
}


@lru_cache(maxsize=512)
def subject(article: Article) -> Subject:
    """What the study that ``article`` reports is on."""
    tags = {heading.lower() for heading in article.mesh}
    chances = probabilities(features(article))
    if "animals" in tags and "humans" not in tags:
        return "animals" if chances[1] >= chances[2] else "laboratory"
    kinds = (0, 2) if "humans" in tags else (0, 1, 2)
    return SUBJECTS[max(kinds, key=lambda kind: chances[kind])]


def features(article: Article) -> dict[str, float]:
    """How often and where an article speaks of people, species and the laboratory, by name; mostly 0 to 3."""
    own = " ".join(each.text for each in abstract_sentences(article) if each.role in ("methods", "results", "conclusion"))
    text = own or article.abstract
    found = {name: math.log1p(len(pattern.findall(text))) for name, pattern in _PATTERNS.items()}
    for name in ("species", "animals", "humans", "laboratory"):
        found[f"{name} in title"] = float(_PATTERNS[name].search(article.title) is not None)
    found["species, no humans"] = found["species"] * (found["humans"] == 0.0)
    found["laboratory, no humans"] = found["laboratory"] * (found["humans"] == 0.0)
    return found


def probabilities(found: dict[str, float]) -> tuple[float, ...]:
    """The probabilities of `SUBJECTS` that features lead to."""
    scores = [
        bias + sum(WEIGHTS[name][kind] * value for name, value in found.items() if name in WEIGHTS)
        for kind, bias in enumerate(BIAS)
    ]
    top = max(scores)
    parts = [math.exp(score - top) for score in scores]
    return tuple(part / sum(parts) for part in parts)
