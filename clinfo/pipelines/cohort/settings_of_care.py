"""Treatments in a setting or line ("adjuvant trastuzumab", "first-line chemotherapy"), and
metastases of a place: names that are made of two, in criteria and in notes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from clinfo.text.words import key

_LINES = {"1st": "first", "2nd": "second", "3rd": "third", "4th": "fourth", "front": "first",
          "frontline": "first", "upfront": "first", "1l": "first", "2l": "second", "3l": "third",
          "neo-adjuvant": "neoadjuvant", "perioperative": "perioperative", "post-operative":
          "postoperative", "pre-operative": "preoperative"}  # fmt: skip
_SETTING = (
    r"(?:neo-?adjuvant|adjuvant|maintenance|induction|consolidation|salvage|definitive|concurrent|"
    r"peri-?operative|post-?operative|pre-?operative|palliative|bridging|metronomic|"
    r"(?:first|second|third|fourth|1st|2nd|3rd|4th|front)[- ]?line|[123]L|upfront)"
)
_BEFORE = re.compile(rf"(?i)^(?P<setting>{_SETTING})[- ](?P<rest>\S.*)$")
_BEHIND = re.compile(
    rf"(?i)^(?P<rest>\S.*?) (?:(?:in the )?(?P<setting>{_SETTING}) setting|"
    rf"as (?P<as>{_SETTING})(?: treatment| therapy)?)$"
)
_IN_NOTE = re.compile(rf"(?i)\b(?P<setting>{_SETTING})[- ]+$")
_METASTASES = re.compile(
    r"(?i)^(?:(?P<place>\S.*?) (?:metast[ae]s[ei]s|mets)|"
    r"(?:metast[ae]s[ei]s|mets) (?:to|in|of) (?:the )?(?P<organ>\S.*))$"
)
_IN_PLACE = re.compile(r"(?i)^\W?(?:metast[ae]s[ei]s|mets)\b")
_PLACES = {
    "hepatic": "liver", "pulmonary": "lung", "osseous": "bone", "skeletal": "bone",
    "cerebral": "brain", "nodal": "lymph node", "lymph nodes": "lymph node", "bones": "bone",
    "lungs": "lung", "cutaneous": "skin", "pleura": "pleural", "peritoneum": "peritoneal",
    "adrenals": "adrenal", "adrenal gland": "adrenal", "cns": "central nervous system",
    "cranial": "brain", "intracranial": "brain",
}  # fmt: skip
_ORGANS = frozenset((*_PLACES, *_PLACES.values(), "visceral", "ovarian", "spinal", "spine",
                     "orbital", "renal", "splenic", "leptomeningeal", "distant"))  # fmt: skip


def setting(phrase: str) -> tuple[str, str] | None:
    """The setting, as it is called here, and the treatment of a phrase; None without one."""
    found = _BEFORE.match(phrase) or _BEHIND.match(phrase)
    if found is None:
        return None
    return _said(found["setting"] or found.groupdict()["as"]), found["rest"]


def in_setting(setting: str, names: Sequence[str]) -> tuple[str, ...]:
    """The names of treatments in a setting."""
    return tuple(dict.fromkeys(f"{setting} {name}" for name in names))


def setting_before(text: str, start: int) -> str:
    """The setting that stands in a note before a treatment at ``start``; "" without one."""
    found = _IN_NOTE.search(text, max(0, start - 24), start)
    return _said(found["setting"]) if found is not None else ""


def metastasis(phrase: str) -> str:
    """The place of the metastases that a phrase names; "" of other phrases and unknown places."""
    found = _METASTASES.match(phrase)
    place = key(found["place"] or found["organ"]) if found is not None else ""
    return _PLACES.get(place, place) if place in _ORGANS else ""


def metastases_of(place: str) -> Iterator[str]:
    """The names of metastases of a place, as keys."""
    for one in (place, *(name for name, same in _PLACES.items() if same == place)):
        for word in ("metastases", "metastasis"):
            yield f"{one} {word}"
    yield f"metastatic malignant neoplasm to {place}"
    yield f"secondary malignant neoplasm of {place}"


def _said(setting: str) -> str:
    """A setting by the one name that it has here: "first-line" of "1L"."""
    words = re.split(r"[- ]", setting.lower())
    if len(words) == 2 and words[1] == "line":
        return f"{_LINES.get(words[0], words[0])} line"
    if setting.lower() in ("1l", "2l", "3l", "upfront"):
        return f"{_LINES[setting.lower()]} line"
    return "".join(words)
