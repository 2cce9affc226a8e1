"""Registry numbers: the numbers under which trials and reviews are registered, as abstracts and
databank lists write them.

Registers are those of the WHO registry network
(https://www.who.int/tools/clinical-trials-registry-platform/network), with EudraCT, the EU's CTIS,
JapicCTI and PROSPERO. A number of a register is read only in that register's own form, so an ethics
or grant number is none, nor is a number that lacks a digit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

REVIEWS = "PROSPERO"
"""The register of systematic reviews; every other one registers trials and other primary
studies.
"""


@dataclass(frozen=True)
class Registration:
    """A registry number in its normal form ("NCT00243256") at code points [start, end) of the text,
    and its register.
    """

    register: str
    number: str
    start: int
    end: int


_GAP = r"[\s:#./–—-]{0,3}"
_CALLED = (
    r"(?:[\s)\]:,#.–—-]{0,3}(?:(?:registry |trial |registration )?(?:number|no\.?|id|identifier|"
    r"reg(?:istration)?)\b)?"
    r"[\s:#.–—(-]{0,3})"
)
_Form = Callable[[re.Match[str]], str]


def _with(prefix: str) -> _Form:
    return lambda match: prefix + "".join(match["n"].split()).upper()


def _chinese(match: re.Match[str]) -> str:
    kind = match["kind"]
    return f"ChiCTR-{kind.upper()}-{match['n']}" if kind else f"ChiCTR{match['n']}"


_REGISTERS: tuple[tuple[str, str, _Form], ...] = (
    ("ClinicalTrials.gov", rf"(?-i:(?<![A-Z]))NCT{_GAP}(?P<n>\d{{8}})(?!\d)", _with("NCT")),
    ("ISRCTN", rf"ISRCTN{_CALLED}(?P<n>\d{{8}})(?!\d)", _with("ISRCTN")),
    ("ANZCTR", rf"ACTRN{_GAP}0?(?P<n>\d{{14}})(?!\d)", _with("ACTRN")),
    (
        "ANZCTR",
        r"(?:ANZCTRN?|New Zealand Clinical Trials Regist)[^\d.;]{0,40}0?(?P<n>126\d{11})(?!\d)",
        _with("ACTRN"),
    ),
    ("ChiCTR", rf"ChiCTR{_GAP}(?:(?P<kind>[A-Z]{{2,4}}){_GAP})?(?P<n>\d{{8,10}})(?!\d)", _chinese),
    ("UMIN", rf"UMIN(?:-?CTR|-?ID)?{_CALLED}(?:UMIN|C)?(?P<n>\d{{9}})(?!\d)", _with("UMIN")),
    ("jRCT", rf"jRCT{_GAP}(?P<n>s?\d{{9,10}})(?!\d)", lambda match: "jRCT" + match["n"].lower()),
    ("JapicCTI", rf"Japic{_GAP}CTI{_GAP}(?P<n>\d{{6}})(?!\d)", _with("JapicCTI-")),
    ("DRKS", rf"DRKS{_GAP}(?:ID{_GAP})?(?P<n>\d{{8}})(?!\d)", _with("DRKS")),
    (
        "CTRI",
        rf"CTRI(?:/|{_CALLED})(?P<n>\d{{4}}\s?[/-]\s?\d{{2,3}}\s?[/-]\s?\d{{6}})(?!\d)",
        lambda match: "CTRI/" + "".join(match["n"].split()).replace("-", "/"),
    ),
    ("IRCT", rf"IRCT{_GAP}(?P<n>\d{{11,15}}N\d{{1,3}})(?!\d)", _with("IRCT")),
    ("NTR", r"(?-i:(?<![A-Z]))\(?NTR\)?[\s:#-]{0,2}(?P<n>\d{3,5})(?![\d.,-]*\d)", _with("NTR")),
    ("PACTR", rf"PACTR{_GAP}(?P<n>\d{{15,16}})(?!\d)", _with("PACTR")),
    ("TCTR", rf"(?-i:(?<![A-Z]))TCTR{_GAP}(?P<n>\d{{11}})(?!\d)", _with("TCTR")),
    ("CRiS", rf"(?-i:(?<![A-Z]))KCT{_GAP}(?P<n>\d{{7}})(?!\d)", _with("KCT")),
    (
        "ReBec",
        r"(?-i:(?<![A-Z]))RBR[-–\s](?P<n>[0-9a-z]{5,8})(?!\w)",
        lambda match: "RBR-" + match["n"].lower(),
    ),
    ("RPCEC", rf"RPCEC{_GAP}(?P<n>\d{{8}})(?!\d)", _with("RPCEC")),
    ("SLCTR", r"SLCTR\s?/\s?(?P<n>\d{4}\s?/\s?\d{3})(?!\d)", _with("SLCTR/")),
    (
        "EudraCT",
        r"(?:Eudra-?\s?CT)(?:[^\d.;]{0,40})(?P<n>20\d\d-\d{6}-\d\d)(?!\d)",
        _with("EudraCT "),
    ),
    (
        "CTIS",
        r"\bEU\s?(?:CT|CTIS)\b(?:[^\d.;]{0,30})(?P<n>20\d\d-5\d{5}-\d\d)(?!\d)",
        _with("EUCT "),
    ),
    (
        REVIEWS,
        rf"(?-i:(?<![A-Z]))CRD{_GAP}(?P<n>4?20\d{{8,11}})(?!\d)",
        lambda match: "CRD" + match["n"],
    ),
)
"""Registers with the form of their numbers and how these are written in full; letters in any
case.
"""

_COMPILED = tuple(
    (name, re.compile(pattern, re.IGNORECASE), form) for name, pattern, form in _REGISTERS
)
_ANY = re.compile(
    r"NCT|CTR|RCT|UMIN|CTI|DRKS|NTR|KCT|RBR|RPCEC|Eudra|EUDRA|EU ?CT|CRD|isrctn|Zealand"
)
"""Letters of a text with a registry number, as it is nearly always written."""
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—―−", "-"))


@lru_cache(maxsize=512)
def registrations(text: str) -> tuple[Registration, ...]:
    """The registry numbers of ``text`` in order, each as often as it is written."""
    if _ANY.search(text) is None:
        return ()
    return tuple(sorted(_found(text.translate(_DASHES)), key=lambda found: found.start))


def trial_numbers(text: str) -> tuple[str, ...]:
    """The numbers of trials in a text, each once."""
    found = (one.number for one in registrations(text) if one.register != REVIEWS)
    return tuple(dict.fromkeys(found))


def _found(text: str) -> Iterator[Registration]:
    for register, pattern, form in _COMPILED:
        for match in pattern.finditer(text):
            yield Registration(register, form(match), match.start(), match.end())
