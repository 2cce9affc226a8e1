"""How medicines are given: together, one after the other, each by itself, or already before."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from clinfo.retrieval.silos import SiloDocument

HAD: Final = "already had or set aside, by the question"
OPPOSED: Final = "but the opposite is recorded for the change itself"
_SIGN: Final = "\N{SECTION SIGN}"
_DRUG: Final = f"{_SIGN}+"
"""What stands for a medicine's name where its neighbours are read."""
_LINK: Final = (
    rf"(?:{_DRUG}\s*(?:and|or|then|plus|with|[/+&])|to|on|of|with|under|the|an?|(?:\w+-)?line|first|second"
    r"|third|prior|previous|therapy|treatment|progress\w*|fail\w*|relaps\w*|resistan\w*|both|single"
    r"|agent|lines?|(?-i:[A-Z]{4,}))"
)
_BEFORE = re.compile(
    r"(?i)\b(?:resist\w*|refractory|progress\w*|fail\w*|relaps\w*|recurr\w*|after|following|despite"
    r"|(?:pre-?|previous\w* |already )(?:treated|exposed)|previous\w*|prior|intoleran\w*|already"
    r"|(?:has|have) had|received|beyond|besides|except|other than|instead of|rather than"
    rf"|alternatives? to|not|no longer|stopped)\s+(?:{_LINK}\s*){{0,6}}$"
)
_AFTER = re.compile(
    rf"(?i)^{_DRUG}(?:[\s-]*(?:pre-?treated|treated before|refractory|resistant|exposed|failures?"
    r"|intoleran\w+|progress\w+)|\s+(?:has |have |had )?(?:already )?(?:failed|stopped)"
    rf"|[^.?;{_SIGN}]{{0,60}}?\b(?:then|until|and|before)\s+(?:\w+\s+){{0,2}}"
    r"(?:progress|relaps|recur|fail|stopp|discontinu)\w*)\b"
)
_RESIST = re.compile(r"(?i)\bresist\w*")
_ON = re.compile(r"(?i)\bon\s+$")
_NEXT = re.compile(
    r"(?i)\b(?:what|which)\b[^?.]*\b(?:next|now|then|else|other|left|instead)\b"
    r"|\bnext[- ](?:line|step|option|drug)|\bwhat next|\bprogress\w*|\bsecond[- ]line"
)


def had_before(
    text: str, places: Sequence[tuple[str, int, int]], resists: bool = False
) -> tuple[str, ...]:
    """The medicines of which a question tells that they were given before, failed, or are not
    meant; ``places`` are all that it names, with where they stand. A question whether a tumour
    ``resists`` a medicine does not tell that it was given.
    """
    masked = _RESIST.sub(lambda found: "_" * len(found[0]), text) if resists else text
    for _, start, end in places:
        masked = masked[:start] + _SIGN * (end - start) + masked[end:]
    found = []
    for name, start, _ in places:
        before, after = masked[:start], masked[start:]
        waits = _ON.search(before) and _NEXT.search(masked)
        if waits or _BEFORE.search(before) or _AFTER.match(after):
            found.append(name)
    return tuple(dict.fromkeys(found))


def given_as(document: SiloDocument) -> tuple[str, ...]:
    """The medicines of an item as they were given."""
    drugs = sorted(one for one in document.fields.get("drugs", "").split("; ") if one)
    how = document.fields.get("interaction", "")
    if len(drugs) > 1 and how == "Combination":
        return (" + ".join(drugs),)
    if len(drugs) > 1 and how == "Sequential":
        return (f"{' and '.join(drugs)}, one after the other",)
    return tuple(drugs)


def parts(given: str) -> list[str]:
    """The medicines of what was given."""
    return re.split(r" \+ | and |, one after", given)


def listed(
    given: Iterable[tuple[str, SiloDocument]],
    had: Collection[str] = (),
    against: Collection[str] = (),
) -> str:
    """Medicines in one line, each with its levels of evidence, the strongest first: ``given`` are
    medicines, as they were given, with an item each; of several variants the levels are told by
    variant. Those with one of ``had`` last, and marked; those ``against`` which something is
    recorded, as they were given, marked too.
    """
    levels: dict[str, dict[str, set[str]]] = {}
    for one, item in given:
        own = levels.setdefault(one, {}).setdefault(item.fields.get("variant", ""), set())
        own.add(item.fields.get("level", ""))
    variants = {variant for of in levels.values() for variant in of}
    marked = {one for one in levels if {*parts(one)} & {*had}}
    told = {one: _levels(of, len(variants)) for one, of in levels.items()}
    same = len(told) > 1 and len({*told.values()}) == 1
    best = {one: min(level for each in of.values() for level in each) for one, of in levels.items()}
    lines = []
    for one in sorted(levels, key=lambda one: (one in marked, best[one], one)):
        notes = (
            told[one] * (not same), OPPOSED * (one in against), HAD * (one in marked),
        )  # fmt: skip
        within = "; ".join(filter(None, notes))
        lines.append(f"{one} ({within})" if within else one)
    return "; ".join(lines) + (f" (all {next(iter(told.values()))})" if same else "")


def _levels(levels: Mapping[str, Collection[str]], variants: int) -> str:
    """The levels of a medicine by variant; without their names where it has all ``variants`` of the
    sentence, with the same levels.
    """
    by_levels: dict[tuple[str, ...], list[str]] = {}
    for variant, own in sorted(levels.items()):
        by_levels.setdefault(tuple(sorted(own)), []).append(variant)
    whole = len(by_levels) == 1 and len(levels) == variants
    return "; ".join(
        f"{'' if whole else ', '.join(names) + ': '}level{'s' * (len(own) > 1)} {', '.join(own)}"
        for own, names in sorted(by_levels.items())
    )
