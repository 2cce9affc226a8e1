"""What the fields of evidence items say beside the exact set that was asked for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from clinfo.lazy_dataclass import dataclass
from clinfo.pipelines.copilot.given import given_as, listed
from clinfo.pipelines.copilot.naming import pieces, table

if TYPE_CHECKING:
    from clinfo.retrieval.silos import SiloDocument

MOST_DISEASES: Final = 4
_OF_PATIENTS: Final = "AB"
STRENGTHS: Final = (
    ("AB", "evidence", "items"),
    ("C", "single cases", "single cases"),
    ("DE", "laboratory work or inference, nothing from patients,",
     "items of laboratory work or inference, nothing from patients,"),
)  # fmt: skip
"""How a sentence names evidence of some levels that is for something, and items that are not."""
_OTHER_SIDE: Final = {"Sensitivity/Response": "Resistance", "Resistance": "Sensitivity/Response"}
"""What an item says that does not support the one: it agrees with the other."""
_GENERAL: Final = frozenset(
    ("cancer", "carcinoma", "adenocarcinoma", "tumor", "neoplasm", "malignant", "of", "the", "and",
     "or", "in", "gland")
)  # fmt: skip
"""Words of a disease's name that do not tell its organ or its kind."""


@dataclass(frozen=True)
class Beside:
    """A sentence that the fields of items make, with those items. ``leads``: it stands before the
    exact set, since it is on a medicine that was asked about.
    """

    text: str
    items: tuple[SiloDocument, ...]
    leads: bool = False


def kindred(disease: str, wanted: Collection[str]) -> bool:
    """Whether a disease is another than those wanted, and narrower or wider than one by its names:
    HER2-positive breast cancer and breast cancer, colorectal and colon cancer; not small cell and
    non-small cell lung cancer.
    """
    if disease in wanted:
        return False
    return any(
        one and other and (one <= other or other <= one)
        for name in wanted
        for one in (_words(name),)
        for other in _every(disease)
    )


def _told_by(items: list[SiloDocument]) -> list[SiloDocument]:
    """Items, those first that add a medicine or a variant to the ones before them."""
    new: list[SiloDocument] = []
    more: list[SiloDocument] = []
    seen: set[str] = set()
    for one in items:
        own = {one.fields.get("variant", ""), *one.fields["drugs"].split("; ")}
        (more if own <= seen else new).append(one)
        seen |= own
    return [*new, *more]


@cache
def _every(disease: str) -> tuple[frozenset[str], ...]:
    return tuple(_words(one) for one in (disease, *table("disease_names.txt").get(disease, ())))


@cache
def _words(name: str) -> frozenset[str]:
    plain = name.lower().replace("non-", "non").replace("non ", "non")
    return frozenset(one.word for one in pieces(plain)) - _GENERAL


def beside(
    items: Iterable[SiloDocument],
    gene: str,
    first: str,
    *,
    medicine: str = "",
    aliases: Collection[str] = (),
    note: str = "",
    had: Collection[str] = (),
    opposed: Mapping[str, Collection[str]] = MappingProxyType({}),
    leads: bool = False,
) -> tuple[Beside, ...]:
    """A sentence for each disease and direction of items, those of the significance ``first``
    before others; of one ``medicine`` (``aliases`` are the items' names for it), that with most
    items from studies of patients first, or of all that the items name where it is "". ``note``
    ends each sentence; the medicines ``had`` are marked, and those ``opposed`` to its significance.
    A sentence is named by its strongest item, and tells the levels of each medicine.
    """
    groups: dict[tuple[str, str, bool], list[SiloDocument]] = {}
    for one in items:
        of = one.fields
        if of.get("significance") and of.get("drugs"):
            supports = of.get("direction") == "Supports"
            groups.setdefault((of.get("disease", ""), of["significance"], supports), []).append(one)
    weighed = medicine and first != "Resistance"  # "does it work?" may be answered by resistance
    ordered = sorted(
        groups.items(),
        key=lambda pair: (
            -sum(one.fields.get("level", "E") in _OF_PATIENTS for one in pair[1]) if weighed else 0,
            pair[0][1] != first,
            not pair[0][2],
        ),
    )
    found = []
    for (disease, significance, supports), own in ordered[: 2 * MOST_DISEASES]:
        own = _told_by(sorted(own, key=lambda one: one.fields.get("level", "")))
        variants = " or ".join(sorted({one.fields.get("variant", "") for one in own}))
        given = [
            (each, one)
            for one in own
            for each in given_as(one)
            if not aliases or any(name in each for name in aliases)
        ]
        best = min(one.fields.get("level") or "E" for one in own)
        for_it, not_it = next(words for levels, *words in STRENGTHS if best in levels)
        about = f" to {medicine}" if medicine else ""
        begin = f"CIViC has {for_it} of" if supports else f"CIViC has {not_it} that do not support"
        side = significance if supports else _OTHER_SIDE.get(significance, "")
        lines = listed(given, had, opposed.get(side, ()))
        told = (
            f"{begin} {significance.lower()}{about} of {gene} {variants} in "
            f"{disease or 'no named disease'}: {lines}; items: {len(own)}."
        )
        found.append(Beside(f"{told} {note}".rstrip(), tuple(own), leads))
    return tuple(found)
