"""What the words beside a name in a note say that its assertion does not: that the patient is
allergic to it, or that it has ended.
"""

from __future__ import annotations

import re

_ALLERGIC = re.compile(
    r"(?i)\b(?:allerg(?:ic|y|ies) (?:to|:)|allergies:|intoleran(?:t|ce) (?:to|of)|"
    r"hypersensitiv\w+ to|(?:rash|hives|anaphyla\w+|reaction)\s+(?:with|to|from|after))\s*"
    r"(?:[\w-]+(?:,\s*|\s*/\s*|\s+(?:and|or)\s+)){0,4}$"
)
_ALLERGY = re.compile(r"(?i)^[\s-]*(?:allerg(?:y|ies|ic)|hypersensitivity|intoleran(?:ce|t))\b")
_ENDED_BEFORE = re.compile(
    r"(?i)\b(?:stopped|discontinued|ceased|came off|come off|weaned off|taken off|"
    r"no longer (?:on|taking|takes|using|uses|has)|previously (?:on|took|taking|had|treated with)|"
    r"used to (?:take|be on|have)|formerly (?:on|had)|was (?:previously )?on|previous|prior|"
    r"childhood|remote|resolved|past)\s+(?:the |his |her |their |an? )?$"
)
_ENDED_AFTER = re.compile(
    r"(?i)^\s*(?:\w+\s+)?(?:(?:was|were|has been|had been|now|since|fully|-|,)\s+){0,2}"
    r"\(?(?:stopped|discontinued|ceased|d/c'?d|resolved|in remission|withdrawn|cured|"
    r"until\s+(?:19|20)\d\d)\b"
)
_YEAR_AFTER = re.compile(r"(?i)^\s*(?:,\s*)?(?:\(|(?:back )?in )(?P<year>(?:19|20)\d\d)\b")
_NEAR = 60
"""Characters on either side that are looked at."""


def is_allergy(text: str, start: int, end: int) -> bool:
    """Return whether text[start:end] names what the patient reacts to."""
    before, after = text[max(0, start - _NEAR) : start], text[end : end + _NEAR]
    return _ALLERGIC.search(before) is not None or _ALLERGY.match(after) is not None


def has_ended(text: str, start: int, end: int) -> bool:
    """Return whether text[start:end] names what the note tells to be over."""
    before, after = text[max(0, start - _NEAR) : start], text[end : end + _NEAR]
    return _ENDED_BEFORE.search(before) is not None or _ENDED_AFTER.match(after) is not None


def year_of(text: str, end: int) -> str:
    """The year that a note gives behind a name that ends there, "" without one."""
    match = _YEAR_AFTER.match(text[end : end + _NEAR])
    return match["year"] if match is not None else ""
