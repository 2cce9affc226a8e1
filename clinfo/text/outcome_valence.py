"""The valence of an outcome: whether more or less of it is desirable, judged by its words."""

from __future__ import annotations

from typing import Literal

from clinfo.text.lexicon import either
from clinfo.text.regex import anycase

Valence = Literal["wanted", "unwanted", "plain"]
_HARM = anycase(
    r"\b(?:adverse|side[\s-]effects?|safety|toxicit\w+|complications?|tolerab\w+|serious)\b"
)
_UNWANTED = anycase(
    r"\b(?:pain|mortality|deaths?|nausea|vomiting|PONV|risks?|delirium|diarrh\w+|constipat\w+|"
    r"symptoms?|dyspn\w+|cough\w*|"
    r"exacerbations?|complications?|infections?|bleed\w*|h(?:a?e)morrhag\w+|hypotension|"
    r"hypertensi\w+|pressure|hypoglyc\w+|anxiety|"
    r"depressi\w+|stress|inflammat\w+|fatigue|falls?|fractures?|relapses?|recurrences?|failure|"
    r"disabilit\w+|injur\w+|admissions?|suicid\w+|sedati\w+|drowsiness|somnolence|"
    r"morbidit\w+|adverse|side|toxicit\w+|fever|headaches?|insomnia|seizures?|strokes?|shivering|"
    r"cholesterol|LDL\w*|HbA1c|glucose|"
    r"triglycerides?|weight|BMI|\w{3,}itis|tumou?rs?|dementia|an(?:a?e)mia|incidence|VAS|WOMAC|"
    r"severity|consumption|requirement|"
    r"length\sof\sstay|duration|errors?|burden|scabbing|plaque|bother\w*|use|time|swelling|edema|"
    r"oedema|cost\w*|CRP)\b"
)
_WANTED = anycase(
    r"\b(?:function\w*|quality|QoL|control|survival|recovery|satisfaction|motility|self[- ]esteem|"
    r"balance|walking|gait|"
    r"mobility|attention|cognit\w+|memory|adherence|compliance|capacity|performance|strength|"
    r"healing|well-?being|fertility|"
    r"remission|density|endurance|efficiency|growth|knowledge|skills?|success\w*|response|FEV1?|"
    r"efficacy|HDL\w*|sensitivity|"
    r"satisf\w+|adher\w+|heal(?:s|ed)|cessation|"
    r"acceptance|confidence|range|score)\b"
)
ALL_ALIKE = anycase(
    rf"\b(?:{either('negators', 'all_alike')})\b[^.;]{{0,60}}\b(?:other|any\sof|all|remaining|"
    rf"secondary|rest)\b|\b(?:other|secondary|remaining|all)\b[^.;]{{0,60}}\b(?:similar\w*|"
    r"comparable|did\snot\sdiffer|no\ssignificant)"
)


def valence(outcome: str) -> Valence:
    """ "unwanted" for pain or mortality, "wanted" for function or survival, "plain" where the words
    do not tell.
    """
    return (
        "unwanted"
        if _UNWANTED.search(outcome)
        else "wanted"
        if _WANTED.search(outcome)
        else "plain"
    )


def is_harm(outcome: str) -> bool:
    """Return whether an outcome is about harms of what is given: adverse events, complications,
    safety.
    """
    return _HARM.search(outcome) is not None
