"""What a document's abbreviations stand for: those of its text, and those of its tables' notes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from clinfo.retrieval.documents import Document
from clinfo.text.regex import regex
from clinfo.text.terms import acronyms, fold

_DEFINED = regex(
    r"(?<![\w-])(?P<brief>[A-Z][A-Za-z0-9/-]{1,9})\s?(?:[=:,]|\s)\s?"
    r"(?P<long>[^\W\d_][^;,.=:()|*†‡^]{3,70})"
)
_COMMON = {
    "VAS": "visual analogue scale of pain",
    "NRS": "numeric rating scale of pain",
    "QoL": "quality of life",
    "QOL": "quality of life",
    "HRQoL": "health-related quality of life",
    "HRQOL": "health-related quality of life",
    "BMI": "body mass index",
    "BP": "blood pressure",
    "SBP": "systolic blood pressure",
    "DBP": "diastolic blood pressure",
    "MAP": "mean arterial pressure",
    "LOS": "length of hospital stay",
    "ICU": "intensive care unit",
    "HbA1c": "glycated haemoglobin",
    "Hb": "haemoglobin",
    "Hgb": "haemoglobin",
    "FBG": "fasting blood glucose",
    "FPG": "fasting plasma glucose",
    "TC": "total cholesterol",
    "TG": "triglycerides",
    "LDL": "low-density lipoprotein cholesterol",
    "HDL": "high-density lipoprotein cholesterol",
    "CRP": "C-reactive protein",
    "WBC": "white blood cells",
    "LVEF": "left ventricular ejection fraction",
    "ROM": "range of motion",
    "BCVA": "best corrected visual acuity",
    "IOP": "intraocular pressure",
    "AE": "adverse events",
    "AEs": "adverse events",
    "SAE": "serious adverse events",
    "SAEs": "serious adverse events",
    "MACE": "major adverse cardiovascular events",
    "MI": "myocardial infarction",
    "BDI": "Beck depression inventory",
    "HADS": "hospital anxiety and depression scale",
    "MMSE": "mini-mental state examination",
    "WOMAC": "osteoarthritis index of pain stiffness and function",
    "6MWT": "six-minute walk test distance",
    "6MWD": "six-minute walk distance",
}
"""Names of measures that papers shorten alike, taken where a paper defines none."""
_FIRST = regex(r"[^\W\d_]+")


@lru_cache(maxsize=8)
def abbreviations(document: Document) -> Mapping[str, str]:
    """Short forms with their long ones; those of the text come first."""
    found: dict[str, str] = dict(acronyms(document.text))
    for block in document.blocks:
        if block.table is None:
            continue
        for match in _DEFINED.finditer(document.text[slice(*block.table.notes)]):
            long = _long(match["brief"], match["long"])
            if long:
                found.setdefault(match["brief"], long)
    return {**_COMMON, **found}


def _long(brief: str, text: str) -> str:
    """The words from the beginning of a text whose initials, or letters in order, the short form
    is made of; "" where there are none.
    """
    words = [found.span() for found in _FIRST.finditer(text)]
    letters = [char for char in fold(brief) if char.isalpha()]
    if sum(char.isupper() for char in brief) < 2 or not words:
        return ""
    for count in range(1, min(len(words), len(letters) + 3) + 1):
        long = fold(text[: words[count - 1][1]])
        at = -1
        for letter in letters:
            at = long.find(letter, at + 1)
            if at < 0:
                break
        else:
            last = fold(text[words[count - 1][0] : words[count - 1][1]])
            if long[0] == letters[0] and letters[-1] in last:
                return text[: words[count - 1][1]].strip()
    return ""
