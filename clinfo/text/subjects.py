"""The subject of a record: a study on people, on animals, on things of the laboratory (cells, teeth
taken out, phantoms), or only the plan of a study.

MeSH check tags decide where they can: Animals without Humans is not a study on people, Humans none
on animals. Else a multinomial logistic regression does (`clinfo.text.subject_weights`), over how
often and where words of people, of species, of the laboratory, of plans and of results stand in the
title and in what the abstract says of the study itself, background left out.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Literal

from clinfo.records.articles import Article
from clinfo.text.abstracts import AbstractSentence, abstract_sentences
from clinfo.text.lexicon import either
from clinfo.text.regex import anycase, regex
from clinfo.text.subject_weights import BIAS, WEIGHTS

Subject = Literal["people", "animals", "laboratory", "plan"]
SUBJECTS: tuple[Subject, ...] = ("people", "animals", "laboratory", "plan")
"""The classes that the weights tell apart, in their order."""

_SPECIES = (
    r"(?:rats?|mice|mouse|murine|rodents?|rabbits?|guinea[ -]?pigs?|dogs?|beagles?|canines?|cats?|"
    r"felines?|horses?|equine|mares?|"
    r"stallions?|geldings?|pony|ponies|foals?|sheep|ewes?|rams?|lambs?|ovine|goats?|cows?|cattle|"
    r"bovine|heifers?|calves|steers?|"
    r"bulls?|pigs?|piglets?|porcine|swine|minipigs?|gilts?|sows?|boars?|broilers?|chickens?|hens?|"
    r"chicks?|poultry|quails?|fish|"
    r"zebrafish|trout|salmon|carp|tilapia|monkeys?|macaques?|baboons?|marmosets?|primates?|"
    r"hamsters?|gerbils?|ferrets?|"
    r"drosophila|elegans|larvae|shrimps?|turkeys|ducks|geese|herds?|flocks?|litters?|pups|puppies|"
    r"kittens?|"
    r"frogs?|xenopus|alpacas?|llamas?|camels?|buffalo(?:e?s)?|deer|mink|livestock|bitches)\b"
    r"(?!(?:['’]s)?[ -](?:riding|milk|oils?|meat|proteins?|serum|insulin|colostrum|dander|bites?|"
    r"allerg\w+|consumption|intake|"
    r"assisted|therapy|walking|owners?|epithel\w+|avoidance|anti-?(?:thymo|lympho)cyt\w+|atg))"
)
_HUMANS = rf"(?:{either('people', 'humans')})\b"
_LABORATORY = (
    r"(?:in vitro|ex vivo|in silico|cell lines?|cultured|cell cultures?|cadaver\w*|phantoms?|"
    r"manikins?|mannequins?|extracted|"
    r"specimens?|premolars?|dentine?|incubated|microleakage|bond strengths?|fracture resistance|"
    r"root canals?|irrigants?|blocks|"
    r"simulated|simulations?|micro-?ct|apical|cells|typodont\w*|agar|isolates|fibroblasts?|"
    r"osteoblasts?|cytotoxicity|"
    r"finite element|algorithms?|scanning electron|western blot\w*)\b"
)
_MOLECULES = (
    r"(?:mrna|knock-?out|transgenic|receptors?|analogues|substrates?|enzymes?|binding|mutants?|"
    r"mutations?|mitochondria\w*|"
    r"apoptosis|apoptotic|subunits?|residues|domains?|signal?ling|transcription\w*|kinases?|"
    r"phosphorylat\w+|synthesi[sz]ed|"
    r"affinity|potency|inhibitory|ic50)\b"
)
_CLINICAL = (
    r"(?:enrol\w*|recruit\w*|consent\w*|follow-?up|consecutive|diagnosed|hospital\w*|clinics?|aged|"
    r"years? old|years of age|"
    r"randomi[sz]ed (?:clinical |controlled )*trial|intention[- ]to[- ]treat|quality of life|"
    r"questionnaires?|symptoms?|"
    r"survival|mortality|side effects?|tolerated)\b"
)
_ANIMAL_WORK = (
    r"(?:intraperitoneal(?:ly)?|gavage|weaned|weaning|carcass|slaughter\w*|dry matter|body weight "
    r"gain|euthan\w+|sacrific\w+|"
    r"veterinar\w+|rumen\w*|lactating|pasture|farms?|wistar|sprague|dawley|balb|c57bl\S*|zucker|"
    r"holstein|merino|landrace|duroc|"
    r"thoroughbreds?|jersey|angus|labrador\w*|crossbred|bred)\b"
)
_NUMBER = rf"(?:{either('numerals', 'subjects')}|\d+)"
_BETWEEN = r"\s(?:[\w%/-]+[\s,]){0,5}?"
_SPOKEN_OF = {
    "species": regex(rf"\b{_SPECIES}"),
    "animals": regex(r"\banimals\b|\banimal (?:models?|stud(?:y|ies)|experiments?)\b"),
    "animal work": regex(rf"\b{_ANIMAL_WORK}"),
    "humans": regex(rf"\b{_HUMANS}"),
    "laboratory": regex(rf"\b{_LABORATORY}"),
    "molecules": regex(rf"\b{_MOLECULES}"),
    "clinical": regex(rf"\b{_CLINICAL}"),
    "setting": regex(
        r"\b(?:(?:in vitro|ex vivo|in silico)\b|cadaver|phantom|mann?e?quin|manikin|animal|"
        r"experimental)"
    ),
}
_COUNTED = {
    "counted species": regex(rf"\b{_NUMBER}{_BETWEEN}(?:{_SPECIES}|animals\b)"),
    "counted humans": regex(rf"\b{_NUMBER}{_BETWEEN}{_HUMANS}"),
    "counted things": regex(
        rf"\b{_NUMBER}{_BETWEEN}(?:teeth|molars|premolars|incisors|specimens|samples|blocks|roots|"
        r"canals|discs|cadavers)\b",
    ),
}
_TITLE_OF_PLAN = anycase(
    r"\b(?:study|trial|research|review)[ -](?:protocol|design|plan)\b|\bprotocol (?:for|of) (?:an?|"
    r"the)\b|: (?:an? )?protocol\b|"
    r":[^:]{0,40}\bprotocol\W*\Z|\brationale\b.{0,20}\b(?:design|methods)\b|"
    r"\bdesign\b.{0,20}\b(?:rationale|methods|protocol)\b|"
    r"\bdesign (?:of|for) (?:an?|the)\b|\bdesign\W*\Z|\bresearch in progress\b"
)
_TITLE_HINTS = anycase(r"\bprotocol\b|\brationale\b|\bdesign\b|\bmethods\b|\baims\b|\bplan\b")
_WILL = anycase(r"\bwill\b|\b(?:is|are) (?:being|to be|planned|currently|under ?way|ongoing)\b")
_AIMS = anycase(
    r"\b(?:aims?|objectives?|purpose|goals?) (?:of [^.;]{0,60}? )?(?:is|are) to\b|\baims to\b"
)
_FIGURES = anycase(
    r"\bp\s?[<>=≤]\s?0?[.·]\d|\bCI\b|±|\d\s?%|\b(?:was|were) (?:\w+ )?(?:significantly|higher|"
    r"lower|associated|similar)\b"
)
_REGISTERED = anycase(r"\b(?:NCT|ISRCTN|ACTRN|NTR|DRKS|ChiCTR)\W?\d{3}|\btrial registration\b")
_DONE = anycase(
    r"\b(?:was|were|we) (?:[\w-]+ ){0,2}?(?:randomi[sz]ed|randomly|assigned|allocated|enrolled|"
    r"included|recruited|divided|"
    r"studied)\b|\bcompleted\b|\bdropped out\b"
)
_PAST = anycase(
    r"\b(?:was|were|had|did|showed|found|received|improved|reduced|increased|decreased)\b"
)


@lru_cache(maxsize=512)
def chances(article: Article) -> dict[Subject, float]:
    """Return how probably the record reports each of `SUBJECTS`, 0 to 1."""
    tags = {heading.lower() for heading in article.mesh}
    found = dict(zip(SUBJECTS, probabilities(features(article)), strict=True))
    barred: tuple[Subject, ...] = ()
    if "animals" in tags and "humans" not in tags:
        barred = ("people", "plan")
    elif "humans" in tags:
        barred = ("animals",)
    total = sum(chance for kind, chance in found.items() if kind not in barred)
    return {kind: 0.0 if kind in barred else chance / total for kind, chance in found.items()}


def features(article: Article) -> dict[str, float]:
    """Return how often and where an article speaks of people, species, the laboratory, plans and
    results, by name; mostly 0 to 3.
    """
    sentences = [each for each in abstract_sentences(article) if each.role != "notice"]
    text = _joined(sentences, "methods", "results", "conclusion") or article.abstract
    ends = _joined(sentences, "results", "conclusion")
    told, title = _read(text), _read(article.title)
    found = {
        name: math.log1p(len(pattern.findall(told)))
        for name, pattern in (_SPOKEN_OF | _COUNTED).items()
    }
    found |= {
        f"{name} in title": float(pattern.search(title) is not None)
        for name, pattern in _SPOKEN_OF.items()
    }
    if found["humans"] + found["humans in title"] == 0.0:
        found |= {
            f"{name}, no humans": found[name] for name in ("species", "laboratory", "animal work")
        }
        found["no humans"] = 1.0
    found["plan in title"] = float(_TITLE_OF_PLAN.search(article.title) is not None)
    found["hint of a plan in title"] = float(_TITLE_HINTS.search(article.title) is not None)
    found["will"] = math.log1p(len(_WILL.findall(article.abstract)))
    found["will, at the end"] = math.log1p(len(_WILL.findall(ends)))
    found["aims"] = float(_AIMS.search(article.abstract) is not None)
    found["figures"] = math.log1p(len(_FIGURES.findall(article.abstract)))
    found["figures, at the end"] = math.log1p(len(_FIGURES.findall(ends)))
    found["past"] = math.log1p(len(_PAST.findall(article.abstract)))
    found["results labelled"] = float(
        any(each.role == "results" and each.labelled for each in sentences)
    )
    labelled = any(each.labelled for each in sentences)
    found["labelled, no results"] = float(labelled and not found["results labelled"])
    found["discussion, no results"] = float(
        not found["results labelled"]
        and any("discussion" in (section.label or "").lower() for section in article.sections)
    )
    found["no figures"] = float(found["figures"] == 0.0)
    found["registered, no figures"] = float(
        found["figures"] == 0.0 and _REGISTERED.search(article.abstract) is not None
    )
    found["done"] = math.log1p(len(_DONE.findall(article.abstract)))
    return found


def _read(text: str) -> str:
    """A text in small letters, without acronyms (CAT, PIG) where it is not in capitals as a
    whole.
    """
    return (text if text.isupper() else _ACRONYM.sub(" ", text)).lower()


_ACRONYM = regex(r"\b[A-Z]{2,}\b")


def _joined(sentences: list[AbstractSentence], *roles: str) -> str:
    return " ".join(each.text for each in sentences if each.role in roles)


def probabilities(found: dict[str, float]) -> tuple[float, ...]:
    """The probabilities of `SUBJECTS` that features lead to."""
    scores = [
        bias + sum(WEIGHTS[name][kind] * value for name, value in found.items() if name in WEIGHTS)
        for kind, bias in enumerate(BIAS)
    ]
    top = max(scores)
    parts = [math.exp(score - top) for score in scores]
    return tuple(part / sum(parts) for part in parts)
