"""Terms of an abstract that may stand for one another in a false claim: drugs, outcomes, populations.

Terms are MeSH headings and entry terms found in the text (trees D with a drug's stem or a drug's place for drugs, C, F and
some of E and G for outcomes, and the names of groups of people), and the interventions, comparators and outcomes of the
doctors' prompts of the same article. Two terms are exchanged only if they are not one concept, one is not a kind of the
other, they share no word, neither is written as the other's abbreviation, and the abstract never joins them.
"""

from __future__ import annotations

import csv
import gzip
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.claim_sources import DATA

MESH = "mesh/mesh_descriptors.jsonl.gz"
PROMPTS = "evidence_inference/trial_prompts.csv.gz"

_STEM = re.compile(
    r"(?:statin|pril|sartan|olol|dipine|azole|prazole|tidine|coxib|profen|azepam|zolam|oxetine|pramine|triptyline|apine|"
    r"peridone|azine|setron|mab|nib|vir|cillin|mycin|micin|floxacin|cycline|gliptin|gliflozin|glitazone|formin|parin|xaban|"
    r"gatran|caine|curonium|fentanil|orphine|odone|adine|rizine|dronate|terol|asone|olone|onide|tropium|lukast|platin|taxel|"
    r"rubicin|bine|stine|poside|tecan|phylline|barbital|toin|gabalin|gabapentin|triptan|idone|piprazole|codeine|tramadol|"
    r"propofol|ketamine|thiazide|semide|lactone|darone|grel|trexate|quine|dazole|nafil|osin|eride|mone|ifene|trozole)s?$"
)
_DRUG_TREES = ("D02", "D03", "D04.210", "D06.472.699.631", "D26.660")
_NOT_DRUGS = re.compile(
    r"^(?:alcohols?|water|acids?|oxygen|carbon|nitrogen|steroids?|esters?|ethers?|ketones?|amines?|amides?|urea|creatinine|"
    r"cholesterol|triglycerides?|glucose|lactate|serotonin|dopamine|histamine|norepinephrine|epinephrine|adrenaline|base|"
    r"formaldehyde|ammonia|bilirubin|uric acid|amino acids?|catecholamines?|cortisol|homocysteine|acid)$"
)
_OUTCOME_TREES = ("C", "F01.145", "F01.470", "F02", "F03", "G07", "G09", "G11", "E01.370.600", "N01.224.935", "N06.850.505")
_GENERAL = frozenset(
    ["disease", "diseases", "syndrome", "patient", "patients", "pain", "disorders", "disorder", "symptoms", "symptom", "signs", "person", "people", "risk", "role", "time", "persons", "human", "humans", "adult", "adults", "control", "work", "infection", "infections", "event", "events", "treatment", "therapy", "association", "weight", "fit", "growth", "attention", "emotions", "perception", "recurrence", "chronic", "acute", "fatal", "outcome", "memory", "mood", "reaction", "play", "set", "goals", "attitude", "complication", "complications", "injury", "injuries", "wounds", "lesion", "lesions", "neoplasm", "neoplasms", "ad", "ms", "as", "aids", "all", "pe", "ra", "hr", "bp", "pressure", "ulcer", "discontinuation", "response", "loss", "life", "personality", "thinking", "awareness", "will", "self", "strength", "force", "rest"]
)
PEOPLE = (
    {"men": "male", "women": "female", "males": "male", "females": "female", "boys": "male", "girls": "female"},
    {
        "infants": "infant",
        "neonates": "infant",
        "newborns": "infant",
        "children": "child",
        "adolescents": "teen",
        "teenagers": "teen",
        "adults": "adult",
        "elderly": "old",
    },
    {
        "mothers": "mother",
        "fathers": "father",
        "nurses": "nurse",
        "physicians": "physician",
        "students": "student",
        "parents": "parent",
        "caregivers": "carer",
        "teachers": "teacher",
        "smokers": "smoker",
        "non-smokers": "nonsmoker",
        "nonsmokers": "nonsmoker",
    },
)
"""Names of groups that exclude one another, by what they mean; exchanged within one table only."""
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9'-]*")
_LONGEST_TERM = 5


@dataclass(frozen=True)
class Term:
    """A term as a text has it: ``concepts`` are MeSH tree numbers (or made up for other terms), ``kind`` what it may stand for."""

    text: str
    kind: str
    concepts: frozenset[str]
    label: str = ""
    """For the outcome of a prompt: what was found of it."""


@dataclass(frozen=True)
class Vocabulary:
    """MeSH by folded words, and the doctors' prompts by PMID."""

    mesh: Mapping[str, frozenset[str]]
    prompts: Mapping[str, tuple[Mapping[str, str], ...]] = field(default_factory=dict)

    def terms(self, text: str, kind: str) -> list[Term]:
        """The terms of one kind in a text, longest first at each place, none inside another."""
        if kind == "population":
            return [*_groups(text), *self._diseases_of_people(text)]
        return [term for term in self._found(text) if term.kind == kind]

    def _diseases_of_people(self, text: str) -> Iterator[Term]:
        for term in self._found(text):
            if term.kind == "outcome" and all(number.startswith(("C", "F03")) for number in term.concepts):
                before = text[: text.find(term.text)].rstrip()
                if re.search(r"\b(?:patients|women|men|children|adults|subjects|people|participants|individuals) with$", before):
                    yield Term(term.text, "population", term.concepts)

    def _found(self, text: str) -> Iterator[Term]:
        words = list(_WORD.finditer(text))
        place = 0
        while place < len(words):
            for size in range(min(_LONGEST_TERM, len(words) - place), 0, -1):
                start, end = words[place].start(), words[place + size - 1].end()
                stretch = text[start:end]
                if re.search(r"[^\w' -]", stretch):
                    continue
                numbers = self.mesh.get(folded(stretch))
                if numbers and (kind := _kind(stretch, numbers)):
                    yield Term(stretch, kind, numbers)
                    place += size - 1
                    break
                if numbers:
                    break
            place += 1


def read_vocabulary(data: Path = DATA) -> Vocabulary:
    mesh: dict[str, set[str]] = {}
    with gzip.open(data / MESH, "rt", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            if not any(letter in "CDEFGN" for letter in row["category"]):
                continue
            for name in (row["heading"], *row["entry_terms"]):
                if "," not in name and len(name) >= 5 and len(name.split()) <= _LONGEST_TERM:
                    mesh.setdefault(folded(name), set()).update(row["tree_numbers"])
    prompts: dict[str, list[Mapping[str, str]]] = {}
    with gzip.open(data / PROMPTS, "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            prompts.setdefault(row["pmid"], []).append(row)
    return Vocabulary(
        {name: frozenset(numbers) for name, numbers in mesh.items()}, {pmid: tuple(rows) for pmid, rows in prompts.items()}
    )


def folded(text: str) -> str:
    """Lower case, hyphens as spaces, without a plural's last letter."""
    return " ".join(word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
                    for word in text.lower().replace("-", " ").split())  # fmt: skip


def exchangeable(first: Term, second: Term, text: str) -> bool:
    """Whether putting ``second`` for ``first`` says something else, as far as MeSH and the abstract ``text`` can tell."""
    if _words(first.text) & _words(second.text):
        return False
    for one in first.concepts:
        for other in second.concepts:
            if one.startswith(other) or other.startswith(one) or _siblings(one, other):
                return False
    a, b = re.escape(first.text), re.escape(second.text)
    joint = r"(?:\s*[(/,]\s*|\s+(?:and|or|and/or|with|plus)\s+|\s*,?\s+(?:and|or)\s+|\s*\+\s*|-)"
    return not re.search(rf"\b{a}(?:s|es)?{joint}(?:the |an? )?{b}|\b{b}(?:s|es)?{joint}(?:the |an? )?{a}", text, re.I)


def stands_in(term: str, text: str) -> bool:
    """Whether the term, or its singular or plural, is in the text as words of its own; also where its words stand apart."""
    return f" {folded(term)} " in f" {folded(re.sub(r'[^A-Za-z0-9 -]', ' ', text))} "


def _siblings(one: str, other: str) -> bool:
    """Next to each other deep down in a tree: too near for a claim about one never to hold for the other."""
    return one.count(".") >= 5 and one.rsplit(".", 1)[0] == other.rsplit(".", 1)[0] and not one.startswith("D")


def _words(text: str) -> set[str]:
    return {word for word in folded(text).split() if len(word) > 2}


def _kind(stretch: str, numbers: frozenset[str]) -> str:
    lowered = stretch.lower()
    if lowered in _GENERAL or folded(lowered) in _GENERAL or (stretch.isupper() and len(stretch) < 5):
        return ""
    if all(number.startswith("D") for number in numbers):
        if _NOT_DRUGS.match(lowered) or (" " in stretch and not lowered.endswith("acid")):
            return ""
        return "drug" if _STEM.search(lowered) or any(number.startswith(_DRUG_TREES) for number in numbers) else ""
    if any(number.startswith(_OUTCOME_TREES) for number in numbers) and not any(number.startswith("D") for number in numbers):
        return "outcome"
    return ""


def _groups(text: str) -> Iterator[Term]:
    for place, table in enumerate(PEOPLE):
        for match in _WORD.finditer(text):
            meaning = table.get(match.group().lower())
            if meaning is not None:
                yield Term(match.group(), "population", frozenset({f"{place}:{meaning}"}))
