"""Terms of an abstract that may stand for one another in a false claim: drugs, outcomes,
populations.

Drugs are MeSH headings and entry terms that end in a drug's stem or stand in a list; outcomes are
those of a list of what studies measure, and the outcomes of the doctors' prompts of the same
article; populations are names of groups of people, and diseases by which people are named
("patients with asthma"). Two terms are exchanged only if they are not one concept, neither is a
kind of the other or its near neighbour, they share no word, and the abstract never joins them or
puts one in brackets after the other.
"""

from __future__ import annotations

import csv
import gzip
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.own.claim_sources import DATA, listed

MESH = "mesh/mesh_descriptors.jsonl.gz"
PROMPTS = "evidence_inference/trial_prompts.csv.gz"

_STEM = re.compile(
    r"(?:statin|pril|sartan|olol|dipine|azole|prazole|tidine|coxib|profen|azepam|zolam|oxetine|"
    r"pramine|triptyline|apine|"
    r"peridone|azine|setron|mab|nib|vir|cillin|mycin|micin|floxacin|cycline|gliptin|gliflozin|"
    r"glitazone|formin|parin|xaban|"
    r"gatran|caine|curonium|fentanil|orphine|odone|adine|rizine|dronate|terol|asone|olone|onide|"
    r"tropium|lukast|platin|taxel|"
    r"rubicin|bine|stine|poside|tecan|phylline|barbital|toin|gabalin|gabapentin|triptan|idone|"
    r"piprazole|codeine|tramadol|"
    r"propofol|ketamine|thiazide|semide|lactone|darone|grel|trexate|quine|dazole|nafil|osin|eride|"
    r"ifene|trozole)$"
)
_DRUGS = listed(
    "diclofenac ketorolac indomethacin acetaminophen paracetamol clonidine insulin lithium "
    "valproate haloperidol aspirin "
    "warfarin placebo methylphenidate amphetamine baclofen cisapride ketamine naloxone naltrexone "
    "bupropion cetirizine "
    "domperidone metoclopramide heparin buprenorphine pethidine meperidine caffeine nicotine "
    "aripiprazole zolpidem "
    "memantine donepezil galantamine levodopa dexmedetomidine midazolam misoprostol oxytocin "
    "methotrexate leflunomide "
    "infliximab hydrocortisone prednisone melatonin magnesium zinc iron folate topiramate "
    "lamotrigine levetiracetam "
    "sucralfate bismuth loratadine fexofenadine desloratadine celecoxib naproxen ibuprofen "
    "ticagrelor digoxin captopril "
    "sirolimus everolimus tacrolimus cyclosporine ondansetron granisetron mirtazapine venlafaxine "
    "exenatide liraglutide "
    "semaglutide curcumin creatine probiotics testosterone estradiol progesterone raloxifene "
    "teriparatide sevoflurane "
    "desflurane isoflurane carbamazepine"
)
"""Names of drugs that the stems do not reach; all are MeSH headings or entry terms, which say what
is one drug.
"""
_NOT_DRUGS = listed(
    "phenothiazine benzodiazepine benzimidazole imidazole pyridine pyrazine guanidine guanosine "
    "thiazide hydrazine "
    "cortisone aldosterone androstenedione ketone olone quinolone azole triazole lactone aglycone "
    "xylocaine"
)
_GENERAL = listed(
    "disease syndrome disorder patient symptom sign lesion neoplasm infection injury complication "
    "recurrence pain strain "
    "metastase metastasi stone ulcer wound fracture fall gallstone obstruction coma death shock "
    "paralyse paralysi bleeding "
    "emergencie chronic acute relapse adenocarcinoma carcinoma inflammation hematoma malignancy "
    "metaplasia"
)
_UNSPECIFIC = (
    "chronic disease",
    "critical",
    "infectious disease",
    "chronic illness",
    "comorbid",
    "genetic disease",
    "nasal obs",
    "bladder out",
    "airway obs",
    "cognitive d",
)
OUTCOMES = (
    "pain intensity/pain scores/pain score/pain severity/pain relief/postoperative pain",
    "nausea",
    "vomiting",
    "mortality/survival/overall survival/survival rate/death/deaths",
    "bleeding/haemorrhage/hemorrhage/blood loss",
    (
        "systolic blood pressure/diastolic blood pressure/blood "
        "pressure/hypertension/hypotension/arterial pressure"
    ),
    "heart rate/bradycardia/tachycardia",
    (
        "HbA1c/glycemic control/glycaemic control/fasting glucose/blood glucose/plasma "
        "glucose/hyperglycemia/hypoglycemia/"
        "insulin resistance/"
        "insulin sensitivity"
    ),
    (
        "body weight/weight gain/weight loss/BMI/body mass index/waist circumference/fat mass/body "
        "fat/body composition"
    ),
    "depression/depressive symptoms/anxiety/distress/psychological distress/stress/mood",
    "sleep quality/insomnia/sleep duration/sleep efficiency/sleep latency",
    "quality of life/HRQoL/QoL/health-related quality of life",
    "fatigue/vitality",
    "headache/migraine/headaches",
    "constipation/diarrhea/diarrhoea",
    "fever",
    "sedation/somnolence/drowsiness/sleepiness",
    "pruritus/itching",
    "rash/urticaria",
    (
        "total cholesterol/LDL cholesterol/HDL "
        "cholesterol/cholesterol/triglycerides/LDL-C/HDL-C/lipids"
    ),
    "C-reactive protein/CRP/IL-6/inflammation/TNF-alpha",
    "muscle strength/grip strength/handgrip strength/muscle mass/lean mass",
    "balance/falls/gait speed/walking speed/walking distance/mobility",
    "cognition/cognitive function/memory/attention/executive function",
    "bone mineral density/BMD/fractures",
    (
        "length of stay/hospital stay/length of hospital "
        "stay/hospitalization/hospitalisation/readmission"
    ),
    "operative time/operation time/duration of surgery/surgery time",
    "wound infection/surgical site infection/sepsis/pneumonia",
    "stroke/myocardial infarction/heart failure/cardiac events/cardiovascular events",
    "range of motion/disability/physical function/stiffness",
    "adherence/compliance",
    "satisfaction/patient satisfaction",
    "self-efficacy/knowledge/self-esteem",
    "physical activity/exercise capacity/VO2max/aerobic capacity",
    (
        "live birth/pregnancy rate/pregnancy rates/clinical pregnancy rate/miscarriage/birth "
        "weight/preterm birth"
    ),
    "extrapyramidal symptoms/tardive dyskinesia/akathisia",
    "positive symptoms",
    "negative symptoms",
    "prolactin levels/prolactin",
    "heartburn/regurgitation/dyspepsia/reflux",
    "ulcer healing/healing rates/healing rate/healing",
    "eradication/eradication rate/eradication rates",
    "seizures/seizure frequency",
    "visual acuity/intraocular pressure",
    "probing depth/plaque index/gingival index/attachment level",
    "FEV1/lung function/exacerbations/dyspnea/dyspnoea",
    "albumin/proteinuria/albuminuria/creatinine/GFR/eGFR/renal function",
    "hemoglobin/haemoglobin/anemia/anaemia/serum ferritin/ferritin",
    "smoking/smoking cessation/abstinence",
    "alcohol consumption/drinking",
    "dry mouth",
    "dizziness",
    "appetite/energy intake/food intake/satiety",
    "urinary retention/incontinence",
    "progression-free survival/response rate/tumor response/remission/relapse",
    "hyperactivity/impulsivity/inattention",
    "toxicity/neutropenia/thrombocytopenia",
    "cost/costs",
    (
        "opioid consumption/morphine consumption/analgesic consumption/morphine "
        "requirements/rescue analgesia"
    ),
    "respiratory depression/hypoxemia/oxygen saturation",
    "recovery time/time to extubation/emergence time",
    "sensory block/motor block",
    "shivering",
    "testosterone/cortisol/growth hormone",
    "sexual function/sexual dysfunction/erectile function",
)
"""Outcomes that studies measure; names of one row are too near to each other to stand for one
another in a false claim.
"""
_ROW_OF = {name.lower(): place for place, row in enumerate(OUTCOMES) for name in row.split("/")}
_OUTCOME = re.compile(
    rf"(?<![\w-])(?:{'|'.join(sorted(map(re.escape, _ROW_OF), key=len, reverse=True))})(?![\w-])",
    re.I,
)
_PEOPLE_WITH = re.compile(
    r"\b(?:patients|women|men|children|adults|subjects|people|participants|individuals|adolescents|"
    r"those) with (?:[a-z-]+ )?$"
)
_PEOPLE_AFTER = re.compile(r" (?:patients|subjects|group)\b")
PEOPLE = (
    {
        "men": "male",
        "women": "female",
        "males": "male",
        "females": "female",
        "boys": "male",
        "girls": "female",
    },
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
    },
    {
        "nurses": "nurse",
        "physicians": "physician",
        "students": "student",
        "caregivers": "carer",
        "teachers": "teacher",
    },
    {
        "smokers": "smoker",
        "non-smokers": "nonsmoker",
        "nonsmokers": "nonsmoker",
    },
)
"""Names of groups that exclude one another, by what they mean; exchanged within one table only."""
OVERLAPPING = frozenset(map(frozenset, (("infant", "child"), ("child", "teen"), ("adult", "old"))))
"""Ages that one person may be called by both names of."""
_FOLDED_DRUGS = frozenset(name.removesuffix("s") for name in _DRUGS)
_WORD = re.compile(r"[A-Za-z](?:[A-Za-z0-9'-]*[A-Za-z0-9])?")
LONGEST_TERM = 5


@dataclass(frozen=True)
class Term:
    """A term as a text has it: ``concepts`` are MeSH tree numbers (or made up for other terms),
    ``kind`` what it may stand for.
    """

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
    _read: dict[str, list[Term]] = field(default_factory=dict, repr=False)

    def terms(self, text: str, kind: str) -> list[Term]:
        """The terms of one kind in a text, longest first at each place, none inside another."""
        if kind == "population":
            return [
                *_groups(text),
                *(
                    Term(term.text, "population", term.concepts)
                    for term in self._all(text)
                    if term.kind == "disease"
                ),
            ]
        if kind == "outcome":
            return find_outcomes(text)
        return [term for term in self._all(text) if term.kind == kind]

    def _all(self, text: str) -> list[Term]:
        if text not in self._read:
            self._read[text] = list(dict.fromkeys(self._found(text)))
        return self._read[text]

    def _found(self, text: str) -> Iterator[Term]:
        return found_terms(text, self.mesh, kind_of_term)


def find_outcomes(text: str) -> list[Term]:
    """The outcomes of the list that a text names; their concept is "row:" and the number of their
    row in `OUTCOMES`.
    """
    return [
        Term(match.group(), "outcome", frozenset({f"row:{_ROW_OF[match.group().lower()]}."}))
        for match in _OUTCOME.finditer(text)
    ]


def found_terms(
    text: str, names: Mapping[str, frozenset[str]], kind_of: Callable[[str, frozenset[str]], str]
) -> Iterator[Term]:
    """The terms of a text that stand in ``names`` (by folded words), longest first at each place;
    those of kind "" are left out.
    """
    words = list(_WORD.finditer(text))
    place = 0
    while place < len(words):
        for size in range(min(LONGEST_TERM, len(words) - place), 0, -1):
            start, end = words[place].start(), words[place + size - 1].end()
            stretch = text[start:end]
            if re.search(r"[^\w' -]", stretch):
                continue
            numbers = names.get(folded(stretch))
            if numbers and (kind := kind_of(stretch, numbers)):
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
            if not any(letter in "CDF" for letter in row["category"]):
                continue
            for name in (row["heading"], *row["entry_terms"]):
                if "," not in name and len(name) >= 5 and len(name.split()) <= LONGEST_TERM:
                    mesh.setdefault(folded(name), set()).update(row["tree_numbers"])
    prompts: dict[str, list[Mapping[str, str]]] = {}
    with gzip.open(data / PROMPTS, "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            prompts.setdefault(row["pmid"], []).append(row)
    return Vocabulary(
        {name: frozenset(numbers) for name, numbers in mesh.items()},
        {pmid: tuple(rows) for pmid, rows in prompts.items()},
    )


def folded(text: str) -> str:
    """Lower case, hyphens as spaces, without a plural's last letter."""
    return " ".join(
        word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
        for word in text.lower().replace("-", " ").split()
    )


def exchangeable(first: Term, second: Term, text: str) -> bool:
    """Return whether putting ``second`` for ``first`` says something else, as far as MeSH and the
    abstract ``text`` can tell.
    """
    if _words(first.text) & _words(second.text):
        return False
    for one in first.concepts:
        for other in second.concepts:
            if one.startswith(other) or other.startswith(one) or _siblings(one, other):
                return False
    a, b = re.escape(first.text), re.escape(second.text)
    joint = r"(?:\s*[(/,]\s*|\s+(?:and|or|and/or|with|plus)\s+|\s*,?\s+(?:and|or)\s+|\s*\+\s*|-)"
    return not re.search(
        rf"\b{a}(?:s|es)?{joint}(?:the |an? )?{b}|\b{b}(?:s|es)?{joint}(?:the |an? )?{a}",
        text,
        re.I,
    )


def stands_in(term: str, text: str) -> bool:
    """Return whether the term, or its singular or plural, is in the text as words of its own; also
    where its words stand apart.
    """
    return f" {folded(term)} " in f" {folded(re.sub(r'[^A-Za-z0-9 -]', ' ', text))} "


def _siblings(one: str, other: str) -> bool:
    """Of one parent or one branch of the tree: too near for a claim about one never to hold for the
    other.
    """
    if one.startswith("D") or "." not in one or "." not in other:
        return False
    return (
        one.rsplit(".", 1)[0] == other.rsplit(".", 1)[0]
        or one[:11] == other[:11]
        or (one.startswith("F03") and one[:7] == other[:7])
    )


def _words(text: str) -> set[str]:
    return {word for word in folded(text).split() if len(word) > 2}


def names_people(term: Term, text: str) -> bool:
    """Return whether the text names people by the term: a group, or "patients with" a disease, or
    the disease's patients.
    """
    if ":" in next(iter(term.concepts)):
        return True
    place = text.find(term.text)
    return bool(
        _PEOPLE_WITH.search(text[:place]) or _PEOPLE_AFTER.match(text[place + len(term.text) :])
    )


def in_case(new: str, old: str) -> str:
    """``new`` with the first letter as ``old`` has it, unless it has capitals of its own."""
    if new.isupper() or any(letter.isupper() for letter in new[1:]):
        return new
    return (
        new[0].upper() + new[1:]
        if old[0].isupper() and not old.isupper()
        else new[0].lower() + new[1:]
    )


def kind_of_term(stretch: str, numbers: frozenset[str]) -> str:
    """Return whether a MeSH name with these tree numbers is a "drug" or a "disease" that may be
    exchanged, else "".
    """
    lowered = stretch.lower()
    if (
        folded(lowered) in _GENERAL
        or lowered.startswith(_UNSPECIFIC)
        or (stretch.isupper() and len(stretch) < 5)
    ):
        return ""
    if all(number.startswith("D") for number in numbers):
        if lowered in _NOT_DRUGS or " " in stretch:
            return ""
        return "drug" if _STEM.search(lowered) or folded(lowered) in _FOLDED_DRUGS else ""
    if all(number.startswith(("C", "F03")) for number in numbers) and not any(
        number.startswith("C23.888") for number in numbers
    ):
        return "disease"
    return ""


def _groups(text: str) -> Iterator[Term]:
    for place, table in enumerate(PEOPLE):
        for match in _WORD.finditer(text):
            meaning = table.get(match.group().lower())
            if meaning is not None:
                yield Term(match.group(), "population", frozenset({f"{place}:{meaning}"}))
