"""Evidence items on genes and drugs, selected by their fields.

A name fits as it stands, else under another spelling or a synonym of the vocabularies, else as part
of a longer name: the first of these that any item has. What fits nothing is told with the names
that there are; nothing is guessed.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from clinfo.retrieval.silos import SiloDocument
from clinfo.terms.asked_names import asked as listed_as
from clinfo.terms.genes import gene_key, genes_of, short_change, symbols_of
from clinfo.terms.medicines import medicine
from clinfo.terms.naming import known

STRONG: Final = "AB"
"""Levels of evidence from studies of patients."""
DIRECTIONS: Final = {
    "response": ("Sensitivity/Response", "Sensitivity", "Adverse Response"),
    "resistance": ("Resistance", "Reduced Sensitivity"),
}
"""CIViC's words for what is asked: an adverse response is told beside a response."""
MOST_NAMES: Final = 12
_SAME: Final = {
    "del": "deletion", "ins": "insertion", "dup": "duplication", "amp": "amplification",
    "amplified": "amplification", "mut": "mutation", "mutated": "mutation", "fs": "frameshift",
    "fused": "fusion", "rearrangement": "fusion", "rearranged": "fusion", "wt": "wildtype",
    "overexpressed": "overexpression",
    "carcinoma": "cancer", "neoplasm": "cancer", "tumor": "cancer", "tumour": "cancer",
    "malignancy": "cancer", "leukaemia": "leukemia",
}  # fmt: skip
"""Words that name the same in variants and diseases."""
_APART = re.compile(r"(?i)\b(non|wild)[-\s]+(?=\w)")
_WITHOUT = re.compile(r"\bNOT (?:\([^()]*\)|.*?(?=\)| AND | OR |$))")
"""A change that a profile of several ones excludes."""
Fit = Callable[[str, str], bool]


@dataclass(frozen=True)
class Fields:
    """The fields asked of items; "" where it does not matter. ``levels`` are letters."""

    gene: str = ""
    variant: str = ""
    disease: str = ""
    drug: str = ""
    direction: str = ""
    levels: str = ""

    def __bool__(self) -> bool:
        return bool(self.gene or self.variant or self.disease or self.drug)


@dataclass(frozen=True)
class Selected:
    """The items that fit: those of patients' studies and all negative ones first, the others by
    level. ``said`` is how names were read, what else there is and what was set aside; ``missing``
    what no item has.
    """

    items: tuple[SiloDocument, ...] = ()
    said: tuple[str, ...] = ()
    missing: str = ""

    @property
    def drugs(self) -> tuple[str, ...]:
        """The medicines of the items that support what they are about, sorted."""
        own = (names(one, "drugs") for one in self.items if not negative(one))
        return tuple(sorted({name for each in own for name in each}))


def selected(items: Iterable[SiloDocument], asked: Fields) -> Selected:
    """The items with a medicine that fit what is asked, else those without one; of these else the
    number is told.
    """
    every = list(items)
    treated = _selected([one for one in every if one.fields.get("drugs")], asked)
    beside = _selected([one for one in every if not one.fields.get("drugs")], asked)
    if not beside.items:
        return treated
    kinds = counted(Counter(one.fields.get("type", "none") for one in beside.items))
    found = treated if treated.items else beside
    return replace(found, said=(*found.said, f"without a medicine: {kinds}"))


def _selected(left: list[SiloDocument], asked: Fields) -> Selected:
    said, so_far = list[str](), list[str]()
    for name, tiers in _TIERS.items():
        wanted = getattr(asked, name)
        if name == "variant" and asked.gene:  # BRAF V600E
            wanted = _without(asked.gene, wanted) or wanted
        if not wanted:
            continue
        found, read_as = _fitting(left, name, wanted, tiers)
        there = Counter(each for one in left for each in names(one, name))
        of = f" of {' '.join(so_far)}" if so_far else ""
        if not found:
            what = f"no item{of} has the {name} “{wanted}”"
            said.append(f"the items{of} have: {counted(there)}" if left else "there is no item")
            return Selected((), tuple(said), what)
        others = Counter({one: n for one, n in there.items() if one not in read_as})
        if {*read_as} != {wanted}:
            said.append(f"the {name} “{wanted}” was read as: {counted(read_as)}")
        if so_far and others:
            said.append(f"other {_MANY[name]}{of}: {counted(others)}")
        left = found
        so_far.append(wanted)
    return _ordered(left, asked, said)


def _without(gene: str, variant: str) -> str:
    """A variant without the gene that is asked for; a fusion of it with another keeps both."""
    own = rf"(?i)\b{re.escape(gene)}\b"

    def bare(found: re.Match[str]) -> str:
        rest = re.sub(own, "", found[0])
        others = (one for one in re.split(r"[-:/]+", rest) if one.casefold() not in _SAME)
        return found[0] if any(symbols_of(one) == (one.upper(),) for one in others) else rest

    return re.sub(rf"\S*{own[4:]}\S*", bare, variant, flags=re.IGNORECASE).strip()


def _ordered(left: Sequence[SiloDocument], asked: Fields, said: list[str]) -> Selected:
    """The items of the direction and the levels that are asked for, in their order; the others are
    counted.
    """
    wanted = DIRECTIONS.get(asked.direction)
    own = [one for one in left if wanted is None or one.fields.get("significance") in wanted]
    of_level = [one for one in own if not asked.levels or level(one) in asked.levels]
    for kind, every, kept, told in (
        ("another significance", left, own, "significance"),
        ("other levels", own, of_level, "level"),
    ):
        if aside := Counter(one.fields.get(told, "none") for one in every if one not in kept):
            said.append(f"{aside.total()} more items of {kind}: {counted(aside)}")
    missing = "" if of_level else "no item of the direction and the levels asked for"
    return Selected(tuple(sorted(of_level, key=_rank)), tuple(said), missing)


def _rank(one: SiloDocument) -> tuple[bool, str, bool, int]:
    weak = level(one) not in STRONG and not negative(one)
    return weak, level(one), not negative(one), int("".join(filter(str.isdecimal, one.id)) or 0)


def level(one: SiloDocument) -> str:
    """The level of evidence of an item."""
    return one.fields.get("level", "")


def negative(one: SiloDocument) -> bool:
    """Tells of an item that it does not support what it is about."""
    return one.fields.get("direction", "").casefold() == "does not support"


def given_as(one: SiloDocument) -> str:
    """The medicines of an item as they were given."""
    between = {"Combination": " + ", "Sequential": ", then ", "Substitutes": " or "}
    return between.get(one.fields.get("interaction", ""), "; ").join(names(one, "drugs"))


def names(one: SiloDocument, field: str) -> list[str]:
    """The names that an item has in a field."""
    text = one.fields.get({"drug": "drugs"}.get(field, field), "")
    return [each for each in (text.split("; ") if field.startswith("drug") else [text]) if each]


def counted(found: Counter[str]) -> str:
    """Names with their numbers, the most frequent first, cut aloud."""
    first = sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))
    told = ", ".join(f"{name} ({n})" for name, n in first[:MOST_NAMES])
    return told + (f" and {len(first) - MOST_NAMES} more" if len(first) > MOST_NAMES else "")


def _fitting(
    items: Sequence[SiloDocument], field: str, wanted: str, tiers: Sequence[Fit]
) -> tuple[list[SiloDocument], Counter[str]]:
    """The items whose name fits by the first tier that any fits by, and the names that fitted."""
    has = [_has(one, field) for one in items]
    there = {name for own in has for name in own}
    for fits in tiers:
        fitting = {name for name in there if fits(wanted, name)}
        found = [one for one, own in zip(items, has, strict=True) if own & fitting]
        if found:
            return found, Counter(name for own in has for name in own & fitting)
    return [], Counter()


def _has(one: SiloDocument, field: str) -> set[str]:
    """The names of an item by which it is found; a profile of several genes has the others of them
    in its variant.
    """
    own = {*names(one, field)}
    if field == "gene":
        words = re.findall(r"[A-Z][A-Z0-9]+", _WITHOUT.sub("", one.fields.get("variant", "")))
        own.update(word for word in words if genes_of(word) == (word,))
    return own


def _same_gene(wanted: str, name: str) -> bool:
    return gene_key(wanted) == gene_key(name) or name in _symbols(wanted)


@lru_cache(maxsize=1_000)
def _symbols(name: str) -> frozenset[str]:
    known_as = symbols_of(name)
    parts = () if known_as else map(symbols_of, re.split(r"::|[-/ ]", name))
    listed = genes_of(name)
    also = (symbol for one in listed for symbol in symbols_of(one))
    return frozenset((*listed, *also, *known_as, *(p[0] for p in parts if len(p) == 1)))


@lru_cache(maxsize=20_000)
def _words(name: str) -> frozenset[str]:
    """The words of a name as names are compared."""
    short = _APART.sub(r"\1", short_change(_WITHOUT.sub("", name)))
    found = (
        re.sub(r"(?<=[a-z]{3})s$", "", one) for one in re.findall(r"[^\W_]+|\*", short.casefold())
    )
    return frozenset(_SAME.get(one, one) for one in found) - {"of", "the", "and"}


def _same_words(wanted: str, name: str) -> bool:
    return _words(wanted) == _words(name)


@lru_cache(maxsize=5_000)
def _listed(disease: str) -> tuple[str, ...]:
    """A disease, and what it is an abbreviation of."""
    one = listed_as(disease)
    return (disease, *(one.takes if one is not None and one.kind == "condition" else ()))


@lru_cache(maxsize=5_000)
def _synonyms(disease: str) -> frozenset[frozenset[str]]:
    """The words of a disease under each name that MeSH has for it."""
    found = [one for name in _listed(disease) if (one := known().match_exactly(name)) is not None]
    return frozenset(_words(name) for one in found for name in (one.heading, *one.entry_terms))


def _bare(name: str) -> frozenset[str]:
    return _words(name) - {"mutation", "variant"} or _words(name)


def _same_drug(wanted: str, name: str) -> bool:
    one = medicine(wanted)
    return _same_words(wanted, name) or (one is not None and one == medicine(name))


_SPELT: Final[Fit] = lambda wanted, name: wanted.casefold() == name.casefold()  # noqa: E731
_PART: Final[Fit] = lambda wanted, name: set() < _words(wanted) <= _words(name)  # noqa: E731
_TIERS: Final[dict[str, tuple[Fit, ...]]] = {
    "gene": (_SPELT, _same_gene),
    "variant": (_SPELT, _same_words, _PART, lambda wanted, name: _bare(wanted) == _bare(name)),
    "disease": (
        _SPELT,
        lambda wanted, name: any(_same_words(one, name) for one in _listed(wanted)),
        lambda wanted, name: not _synonyms(wanted).isdisjoint({_words(name), *_synonyms(name)}),
        lambda wanted, name: any(_PART(one, name) for one in _listed(wanted)),
    ),
    "drug": (_SPELT, _same_drug, _PART),
}
_MANY: Final = {"gene": "genes", "variant": "variants", "disease": "diseases", "drug": "drugs"}
