"""What a label says that numbers are: a mean, its spread, a count, a size."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from clinfo.evidence.arm_numbers.labels import label_words
from clinfo.text.regex import anycase, regex

Role = Literal["n", "percent", "mean", "sd", "se", "interval", "median", "p"]
_ROLES: tuple[tuple[Role, str], ...] = (
    ("p", r"\bp\b(?:[\s-]?values?)?|\bsignificance\b|\bsig\b"),
    ("interval", r"\b(?:9[059]\s?%\s?)?(?:CIs?|confidence\s(?:intervals?|limits?))\b"),
    ("se", r"\bSEM?\b|\bs\.e\.(?:m\.)?|\bstandard\serrors?\b|\bstd\.?\serr\w*"),
    ("sd", r"\bSDs?\b|\bs\.d\.|\bstandard\sdeviations?\b|\bstd\.?(?:\sdev\w*)?|\bstdev\b"),
    ("sd", r"±"),
    (
        "median",
        r"\bmedians?\b|\bIQRs?\b|\binter-?quartile(?:\srange)?\b|\bQ1\b|\bQ3\b|[(\[,]\s?ranges?\b",
    ),
    ("mean", r"\bmeans?\b|\baverages?\b|(?<![\w.])m(?=\s?[(±])|(?<![\w/.])(?-i:M)(?![\w/.])"),
    ("percent", r"%|\bper\s?cent(?:ages?)?\b|\bpct\b"),
    (
        "n",
        r"\bn(?![\w=]|\s?=)|\bno\.|\bno\b(?=\s?\()|\bnumbers?(?:\sof)?\b|\bcounts?\b|#|\bfreq\w*",
    ),
)
_PATTERNS = tuple((role, anycase(pattern)) for role, pattern in _ROLES)
_EMPTY = regex(r"[(\[]\s*[,;/]*\s*[)\]]|^\s*[,;:/±]+|[,;:/]+\s*$")


@lru_cache(maxsize=16384)
def _read(text: str) -> tuple[frozenset[Role], str]:
    found: set[Role] = set()
    for role, pattern in _PATTERNS:
        text, times = pattern.subn(" ", text)
        if times and not (role == "sd" and "se" in found and pattern.pattern == "±"):
            found.add(role)
    while (clean := _EMPTY.sub(" ", text)) != text:
        text = clean
    return frozenset(found), " ".join(text.split())


def roles(text: str) -> frozenset[Role]:
    """The roles that a label names."""
    return _read(text)[0]


def without_roles(text: str) -> str:
    """A label without the words that name roles."""
    return _read(text)[1]


def is_only_role(label: str) -> bool:
    """Return whether a label names roles and nothing else ("Mean (SD)")."""
    found, rest = _read(label)
    return bool(found) and not label_words(rest)
