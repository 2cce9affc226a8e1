"""The words of a claim and of a passage made comparable: stems, synonyms, negators and words of effect, in order.

A word stands for its Porter stem or, where clinical English has several words for one thing, for the first of them. Acronyms
that the article defines are read as their long forms. Words that name nothing are left out, except those that turn a
statement round.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from clinfo.text.claim_effects import Effect, effect_of
from clinfo.text.terms import _synonym_stems, acronyms, fold, stem, weight

_NEEDED = {"absence": " of ", "fail": " to ", "fails": " to ", "failed": " to ", "failing": " to "}
"""What must follow a word for it to deny something."""
NOT = "¬"
"""The key of every negator."""
THAN = "≷"
"""The key of the words before the second arm of a comparison."""

_LOWER_PART = re.compile(
    r"(?:lower|upper|higher|better|less|more|stable)[\s-](?:limbs?|extremit\w+|back|urinary|respiratory|legs?|third|tract|gastrointestinal|"
    r"abdom\w+|body|bound|education|or\s(?:less|more)|known|understand\w*|disease|angina|esophag\w+|oesophag\w+|eyelids?|lip|jaw)\b",
    re.IGNORECASE,
)
"""Where a word of effect is part of a name: "lower limb", "stable angina"."""
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?\d*(?:\.\d+)?|\d+(?:[.,·]\d+)*(?=-?[^\W\d_])")


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_NEGATORS = _set(
    """
    not no none nor neither without never cannot can't didn't doesn't don't isn't aren't wasn't weren't hasn't
    haven't couldn't lack lacked lacks lacking fail failed fails failing unable absence
    """
)
_THAN = _set(
    """
    than versus vs compared against relative
    """
)
_SAYING = _set(
    """
    two three four five six seven eight nine ten eleven twelve half halves third thirds quarter quarters fifth fifths twice
    fold nearly about
    according author authors investigator investigators researcher researchers observed reported noted found
    findings showed conclude concluded conclusion conclusions summary objective objectives background methods
    method results result purpose aim aims setting design report reports recent recently overall however
    moreover furthermore finally confidence interval intervals cent per ci respectively statistically seen study
    studies trial trials mg ml kg dl mmhg mmol mcg ng iu mm cm hr min vs first second third baseline
    """
)
"""Words that say who found something and not what; and those of statistics, which go with figures."""
MOST_TOKENS = 240
"""Words of a text that are compared; longer texts are no sentences."""
_MORE_SYNONYMS = (
    "child children youngster youngsters kid kids paediatric pediatric childhood",
    "woman women female females girl girls",
    "man men male males boy boys",
    "elderly older aged geriatric seniors",
    "death deaths mortality survival fatal fatality fatalities died dying die dead survive survived survivors lethal",
    "operation surgery surgical operative operated operations operate surgically",
    "postoperative postoperatively postsurgical",
    "medicine drug medication medications medicines drugs",
    "hospital hospitalisation hospitalization hospitalised hospitalized inpatient inpatients admission admissions admitted",
    "doctor physician physicians doctors clinician clinicians",
    "walking gait walk walked ambulation",
    "stop stopped discontinue discontinued discontinuation withdrawal withdrew cessation quit quitting",
    "begin began start started initiation initiated onset starting commenced",
    "recurrence recurrent recur recurred relapse relapsed relapses relapsing recurrences",
    "hypertension hypertensive antihypertensive",
    "infection infected infections infectious sepsis",
    "complication complications",
    "adverse side unwanted untoward harms harm harmful",
    "bleeding bleed bleeds haemorrhage hemorrhage haemorrhagic hemorrhagic bled",
    "teeth tooth dental",
    "eye eyes ocular ophthalmic vision visual sight",
    "school pupils pupil schoolchildren",
    "weight bodyweight",
    "blood serum plasma",
    "swelling oedema edema",
    "itch itching pruritus",
    "clot clots thrombosis thrombotic thromboembolism thrombus",
    "fracture fractures broken",
    "cough coughing",
    "tired tiredness fatigue",
    "nutrition nutritional",
    "diagnose diagnosis diagnosed diagnostic diagnoses detection detect detected detecting identify identified identification",
    "screen screening screened",
    "pregnant pregnancy gestation gestational pregnancies",
    "birth births delivery delivered deliveries born",
    "caesarean cesarean section",
    "baby infant infants babies newborn newborns neonate neonates neonatal",
    "teenager adolescent adolescents teenagers youth teens",
    "old age ages",
    "often frequency frequent frequently common commonly",
    "rare rarely infrequent uncommon",
    "before prior previous previously preceding",
    "training exercise exercises",
    "worry anxiety anxious",
    "depression depressive depressed",
    "obesity obese overweight",
    "smoker smokers smoking smoked smoke tobacco cigarette cigarettes",
    "alcohol drinking drinkers drink drinker",
    "money cost costs economic costly expensive cheaper cheap",
    "length duration lasting",
    "guide guided guidance",
    "nurse nurses nursing",
    "cancer tumour tumor carcinoma neoplasm malignancy malignant cancers tumours tumors malignancies",
    "spread metastasis metastases metastatic disseminated",
    "heart cardiac cardiovascular",
    "kidney renal kidneys",
    "liver hepatic",
    "lung pulmonary lungs",
    "stomach gastric",
    "bowel intestinal gut colonic colon intestine",
    "brain cerebral",
    "skin cutaneous",
    "bone bony osseous skeletal",
    "muscle muscular",
    "nerve neural",
    "throat pharyngeal",
    "vein venous veins",
    "artery arterial arteries",
    "knee knees",
    "imaging scan scans radiological radiology radiographic radiograph radiographs",
    "x-ray xray",
    "memory memories",
    "thinking cognition cognitive",
    "satisfied satisfaction",
    "questionnaire survey surveys questionnaires surveyed",
    "placebo dummy sham",
    "region area areas regions",
    "work job employment occupational",
    "sex gender",
    "ethnic ethnicity race racial",
    "injury injuries injured trauma traumatic",
    "predict predictor predictors predicted predictive predicts predicting foretell forecast",
    "recover recovery recovered recuperation rehabilitation",
    "prevent prevention prophylaxis prophylactic preventive prevented prevents",
    "vaccine vaccination vaccinated vaccines immunisation immunization jab",
    "antibiotic antibiotics antimicrobial antimicrobials antibacterial",
    "vomiting emesis vomit",
    "fever febrile",
    "sleep insomnia",
    "kinship relative relatives family families familial",
    "emergency urgent emergent",
    "remove removal removed resection resected excision excised",
    "minimal minimally keyhole laparoscopic laparoscopy",
    "tooth-brushing brushing",
    "inflammation inflammatory",
    "mind mental psychological psychiatric",
    "suicide suicidal",
    "ulcer ulcers ulceration",
    "suffer suffering",
    "walkers ambulatory",
    "glucose sugar glycaemic glycemic glycaemia glycemia",
    "lipid cholesterol lipids",
    "aged older",
)
_ACRONYMS = {
    "mi": "myocardial infarction",
    "copd": "chronic obstructive pulmonary disease",
    "mri": "magnetic resonance imaging",
    "ct": "computed tomography",
    "icu": "intensive care unit",
    "bmi": "body mass index",
    "bp": "blood pressure",
    "ckd": "chronic kidney disease",
    "chd": "coronary heart disease",
    "cvd": "cardiovascular disease",
    "hrqol": "quality life",
    "qol": "quality life",
    "ssri": "selective serotonin reuptake inhibitor",
    "nsaid": "nonsteroidal anti inflammatory",
    "ldl": "low density lipoprotein",
    "hdl": "high density lipoprotein",
    "uti": "urinary tract infection",
    "ed": "emergency department",
    "gp": "general practitioner",
    "ards": "acute respiratory distress syndrome",
    "dvt": "deep vein thrombosis",
    "pe": "pulmonary embolism",
    "af": "atrial fibrillation",
    "hiv": "human immunodeficiency virus",
    "adhd": "attention deficit hyperactivity disorder",
    "ptsd": "post traumatic stress disorder",
    "ibs": "irritable bowel syndrome",
    "ibd": "inflammatory bowel disease",
    "psa": "prostate specific antigen",
    "ecg": "electrocardiogram",
}
"""Acronyms of clinical English that abstracts often leave undefined. Read so only where the long form stands in the article."""


class Token(NamedTuple):
    """A word at [start, end) of its text: as written, the key it is compared by, its weight, and what effect it tells of."""

    text: str
    key: str
    weight: float
    start: int
    end: int
    effect: Effect | None


def tokens(text: str, expansions: Mapping[str, str]) -> tuple[Token, ...]:
    """The telling words of ``text`` in order; ``expansions`` are the acronyms of the article it is compared with."""
    return _tokens(text, tuple(sorted(expansions.items())))


@lru_cache(maxsize=4096)
def _tokens(text: str, expansions: tuple[tuple[str, str], ...]) -> tuple[Token, ...]:
    longer = {short.lower(): long for short, long in expansions}
    found: list[Token] = []
    for match in _WORD.finditer(text):
        if len(found) >= MOST_TOKENS:
            break
        written = match.group()
        start, end = match.span()
        long = longer and (longer.get(written.lower()) or longer.get(written.lower().removesuffix("s")))
        if long and (written[-1].isupper() or written.isupper() or written[:-1].isupper()):
            found += [Token(written, key, value, start, end, None) for key, value in _long_form(long)]
            continue
        key, value, effect = _word(written)
        if key == NOT:
            needed = _NEEDED.get(written.lower())
            if needed is None or text.startswith(needed, end):
                found.append(Token(written, NOT, 0.0, start, end, None))
                continue
            if needed == " to ":
                continue
            key, value = key_of(fold(written)), weight(written)
        elif effect is not None and _LOWER_PART.match(text, start):
            effect = None
        if key == THAN or value > 0 or effect is not None:
            found.append(Token(written, key, value, start, end, effect))
    return tuple(found)


@lru_cache(maxsize=50_000)
def _word(written: str) -> tuple[str, float, Effect | None]:
    """The key of a word as written, its weight and its effect, whatever stands around it."""
    folded = fold(written)
    if folded in _NEGATORS or folded.endswith("n't"):
        return NOT, 0.0, None
    if folded in _THAN:
        return THAN, 0.0, None
    effect = effect_of(folded)
    value = 0.0 if folded in _SAYING else weight(written)
    return (key_of(folded) if value > 0 or effect is not None else folded), value, effect


@lru_cache(maxsize=2048)
def _long_form(long: str) -> tuple[tuple[str, float], ...]:
    words = _WORD.findall(long)
    return tuple((key_of(fold(word)), weight(word)) for word in words if weight(word) > 0)


@lru_cache(maxsize=50_000)
def key_of(folded: str) -> str:
    """The key of a folded word: that of its group of synonyms, else its stem."""
    own = stem(folded)
    groups = _groups()
    if own in groups:
        return groups[own]
    others = _synonym_stems().get(own)
    return min(others) if others else own


@lru_cache(maxsize=1)
def _groups() -> dict[str, str]:
    found: dict[str, str] = {}
    for line in _MORE_SYNONYMS:
        words = [stem(word) for word in line.split()]
        for word in words:
            found.setdefault(word, words[0])
    return found


def article_acronyms(text: str) -> dict[str, str]:
    """The acronyms of an article's ``text`` with their long forms: those it defines, and common ones that it uses or spells out."""
    found = acronyms(text)
    lower = text.lower()
    known = {short.lower() for short in found}
    for short, long in _ACRONYMS.items():
        if short not in known and (re.search(rf"\b{short.upper()}s?\b", text) or (" " in long and long in lower)):
            found[short.upper()] = long
    return found


def alike(one: str, other: str) -> bool:
    """Whether two keys are forms of one word, as far as a common beginning tells: at least five letters and two thirds."""
    shorter, longer = sorted((one, other), key=len)
    common = 0
    for a, b in zip(shorter, longer, strict=False):
        if a != b:
            break
        common += 1
    return common >= 5 and 3 * common >= 2 * len(longer)
