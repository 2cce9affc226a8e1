"""The words of a claim and of a passage made comparable: stems, synonyms, negators and words of effect, in order.

A word stands for its Porter stem or, where clinical English has several words for one thing, for the first of them. Acronyms
that the article defines are read as their long forms, phrases of plain English ("heart attack") as the words of articles
(`clinfo.text.everyday_synonyms`). Everyday words and words of effect weigh little, since anyone may put others in their place
(`clinfo.text.everyday_words`). Words that name nothing are left out, except those that turn a statement round.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from clinfo.text import everyday_synonyms
from clinfo.text.claim_effects import Effect, effect_of
from clinfo.text.everyday_words import EVERYDAY
from clinfo.text.terms import acronyms, fold, is_acronym, stem, synonym_stems, weight

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
_CAPITALS = re.compile(r"\b[A-Z]{2,8}s?\b")
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
EVERYDAY_WEIGHT = 0.3
"""Most that a word of everyday English or of effect weighs: it may be said in many other words."""
_ADVERB = re.compile(r"(?!family|assembly|anomaly|monopoly|homily)[a-z]{3,}ly\Z")
MOST_TOKENS = 240
"""Words of a text that are compared; longer texts are no sentences."""
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
    "prp": "platelet rich plasma",
    "cabg": "coronary artery bypass grafting",
    "pci": "percutaneous coronary intervention",
    "tka": "total knee arthroplasty",
    "tha": "total hip arthroplasty",
    "oa": "osteoarthritis",
    "ra": "rheumatoid arthritis",
    "sle": "systemic lupus erythematosus",
    "ms": "multiple sclerosis",
    "als": "amyotrophic lateral sclerosis",
    "tia": "transient ischaemic attack",
    "tbi": "traumatic brain injury",
    "sci": "spinal cord injury",
    "ocd": "obsessive compulsive disorder",
    "mdd": "major depressive disorder",
    "cbt": "cognitive behavioural therapy",
    "ect": "electroconvulsive therapy",
    "rtms": "repetitive transcranial magnetic stimulation",
    "tms": "transcranial magnetic stimulation",
    "tens": "transcutaneous electrical nerve stimulation",
    "ivf": "in vitro fertilisation",
    "icsi": "intracytoplasmic sperm injection",
    "pcos": "polycystic ovary syndrome",
    "hrt": "hormone replacement therapy",
    "bph": "benign prostatic hyperplasia",
    "luts": "lower urinary tract symptoms",
    "esrd": "end stage renal disease",
    "aki": "acute kidney injury",
    "gfr": "glomerular filtration rate",
    "crp": "c reactive protein",
    "esr": "erythrocyte sedimentation rate",
    "gord": "gastro oesophageal reflux disease",
    "gerd": "gastroesophageal reflux disease",
    "ppi": "proton pump inhibitor",
    "nash": "nonalcoholic steatohepatitis",
    "nafld": "nonalcoholic fatty liver disease",
    "hcc": "hepatocellular carcinoma",
    "nsclc": "non small cell lung cancer",
    "sclc": "small cell lung cancer",
    "aml": "acute myeloid leukaemia",
    "cll": "chronic lymphocytic leukaemia",
    "hpv": "human papillomavirus",
    "hsv": "herpes simplex virus",
    "hbv": "hepatitis b virus",
    "hcv": "hepatitis c virus",
    "rsv": "respiratory syncytial virus",
    "cmv": "cytomegalovirus",
    "mrsa": "methicillin resistant staphylococcus aureus",
    "tb": "tuberculosis",
    "sti": "sexually transmitted infection",
    "osa": "obstructive sleep apnoea",
    "cpap": "continuous positive airway pressure",
    "nicu": "neonatal intensive care unit",
    "picu": "paediatric intensive care unit",
    "cpr": "cardiopulmonary resuscitation",
    "aaa": "abdominal aortic aneurysm",
    "vte": "venous thromboembolism",
    "lmwh": "low molecular weight heparin",
    "inr": "international normalised ratio",
    "ace": "angiotensin converting enzyme",
    "arb": "angiotensin receptor blocker",
    "lvef": "left ventricular ejection fraction",
    "stemi": "st elevation myocardial infarction",
    "acs": "acute coronary syndrome",
    "hf": "heart failure",
    "chf": "congestive heart failure",
    "snri": "serotonin norepinephrine reuptake inhibitor",
    "tnf": "tumour necrosis factor",
    "ponv": "postoperative nausea vomiting",
    "pca": "patient controlled analgesia",
    "gi": "gastrointestinal",
    "fmri": "functional magnetic resonance imaging",
    "eeg": "electroencephalography",
    "emg": "electromyography",
    "bmd": "bone mineral density",
    "dxa": "dual energy x ray absorptiometry",
    "vas": "visual analogue scale",
    "adl": "activities daily living",
    "rct": "randomised controlled trial",
    "usa": "united states",
    "uk": "united kingdom",
    "nhs": "national health service",
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
    phrases = _phrases()
    found: list[Token] = []
    upto = 0
    for match in _WORD.finditer(text):
        if len(found) >= MOST_TOKENS:
            break
        written = match.group()
        start, end = match.span()
        if start < upto:
            continue
        if (these := phrases.get(written.lower())) is not None:
            for rest, meant in these:
                upto = _phrase_end(text, end, rest)
                if upto:
                    found += [Token(text[start:upto], key, value, start, upto, None) for key, value in _long_form(meant)]
                    break
            if upto:
                continue
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


def _phrase_end(text: str, end: int, rest: tuple[str, ...]) -> int:
    """Where the phrase that goes on with the words ``rest`` at ``end`` stops; 0 where it does not stand there."""
    for word in rest:
        after = end + 1
        if text[end:after] not in (" ", "-") or text[after : after + len(word)].lower() != word:
            return 0
        end = after + len(word)
    return 0 if text[end : end + 1].isalpha() else end


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
    if value > EVERYDAY_WEIGHT and not is_acronym(written):
        telling = effect is None and not _ADVERB.match(folded) and stem(folded) not in _everyday()
        value = value if telling else EVERYDAY_WEIGHT
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
    others = synonym_stems().get(own)
    return min(others) if others else own


@lru_cache(maxsize=1)
def _groups() -> dict[str, str]:
    found: dict[str, str] = {}
    for line in everyday_synonyms.WORDS.replace("\n  ", " ").split("\n"):
        words = [stem(word) for word in line.split()]
        for word in words:
            found.setdefault(word, found.get(words[0], words[0]))
    return found


@lru_cache(maxsize=1)
def _everyday() -> frozenset[str]:
    return frozenset(stem(fold(word)) for word in EVERYDAY.split())


@lru_cache(maxsize=1)
def _phrases() -> dict[str, tuple[tuple[tuple[str, ...], str], ...]]:
    """Phrases by their first word: (the words after it, what it is read as), longest first."""
    found: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for line in everyday_synonyms.PHRASES.strip().split("\n"):
        phrase, _, meant = line.partition(" = ")
        first, *rest = phrase.split()
        found.setdefault(first, []).append((tuple(rest), meant))
    return {first: tuple(sorted(each, key=lambda entry: -len(entry[0]))) for first, each in found.items()}


def article_acronyms(text: str) -> dict[str, str]:
    """The acronyms of an article's ``text`` with their long forms: those it defines, and common ones that it uses or spells out."""
    found = acronyms(text)
    lower = text.lower()
    known = {short.lower() for short in found}
    used = {match.group().removesuffix("s").lower() for match in _CAPITALS.finditer(text)}
    for short, long in _ACRONYMS.items():
        if short not in known and (short in used or (" " in long and long in lower)):
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
