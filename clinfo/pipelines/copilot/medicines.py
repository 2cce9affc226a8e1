"""No medicine and no dose without a source: what a claim names must stand in what it cites."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Final

from clinfo.records.copilot import Observed
from clinfo.terms.lexicon import flags
from clinfo.terms.naming import known

CHEMICALS: Final = ("D02", "D03", "D04")
"""Branches of MeSH's tree that hold the small molecules among medicines."""
LONG: Final = 7
"""Letters from which a stem may stand alone."""
_WORD = re.compile(r"[^\W\d_]{4,}")
_DOSE = re.compile(
    r"(?<![\w.])(\d[\d.,]*)\s*-?\s*(mg|mcg|µg|μg|ug|g|kg|ml|IU|units?|Gy|mCi|MBq|GBq)\b"
    r"((?:\s*/\s*|\s+per\s+)(?:kg|m2|m²|day|d|dose|week|h|min|ml))?"
    r"|\bAUC\s*(?:of\s*|=\s*)?(\d[\d.]*)",
    re.IGNORECASE,
)
_UNIT = {"µg": "mcg", "μg": "mcg", "ug": "mcg", "unit": "iu", "units": "iu", "m²": "m2"}


def unsourced(claim: str, cited: Sequence[Observed]) -> str:
    """Why a claim is withheld: it names a medicine or a dose that none of the passages it cites
    does; "" where it does not.
    """
    held = " ".join(part for one in cited for part in (one.title, one.text, *one.facts.values()))
    words = {word.casefold() for word in _WORD.findall(held)}
    missing = [name for name in medicines(claim) if not {name, name.rstrip("s")} & words]
    doses = set(_doses(held))
    missing += [dose for dose in _doses(claim) if dose not in doses]
    if not missing:
        return ""
    return f"withheld: {', '.join(dict.fromkeys(missing))} stands in none of the passages it cites"


def medicines(text: str) -> tuple[str, ...]:
    """The words of a text that name medicines, folded: by their stems, by MeSH, and capitalised
    words within a sentence that no lexicon knows, as brands are.
    """
    found: dict[str, None] = {}
    for match in _WORD.finditer(text):
        word = match[0]
        folded = word.casefold()
        before = text[: match.start()].rstrip()
        starts = not before or before[-1] in ".:;!?("
        brand = word.istitle() and not starts and not flags(folded)
        if brand or by_stem(folded) or _chemical(folded):
            found[folded] = None
    return tuple(found)


@cache
def _stems() -> re.Pattern[str]:
    lines = files("clinfo.pipelines.copilot").joinpath("drug_stems.txt").read_text("utf-8")
    stems = [line for line in lines.splitlines() if line and not line.startswith("#")]
    return re.compile("|".join(_pattern(one.removeprefix("*")) for one in stems))


def _pattern(stem: str) -> str:
    """Words that end in a stem; a long one, as vedotin, is a word by itself too."""
    return rf"\w{{{0 if len(stem) >= LONG else 3},}}{re.escape(stem)}s?"


def by_stem(word: str) -> bool:
    return _stems().fullmatch(word) is not None


@cache
def _chemical(word: str) -> bool:
    one = known().descriptor(word)
    return one is not None and any(place.startswith(CHEMICALS) for place in one.tree_numbers)


def _doses(text: str) -> Iterator[str]:
    for match in _DOSE.finditer(text):
        if match[4]:
            yield f"AUC {match[4].rstrip('.')}"
            continue
        unit = match[2].lower()
        per = re.sub(r"\s+|per|/", "", (match[3] or "").lower())
        per = {"d": "day"}.get(per, per)
        number = match[1].rstrip(".,").replace(",", "")
        yield f"{number} {_UNIT.get(unit, unit)}" + (f"/{_UNIT.get(per, per)}" if per else "")
