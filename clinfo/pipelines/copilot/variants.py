"""Changes of genes, read alike in questions and in CIViC's names of variants.

A change is a set of marks: specific ones ("V600E", "exon 19", "rs61764370", "with EML4") and kinds
("mutation", "loss" …). A variant is what is asked for when its specific marks are and its kind is
the nearest to the one asked that the gene has.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from clinfo.lazy_dataclass import dataclass, replace

AMINO = {
    "ala": "A", "arg": "R", "asn": "N", "asp": "D", "cys": "C", "gln": "Q", "glu": "E", "gly": "G",
    "his": "H", "ile": "I", "leu": "L", "lys": "K", "met": "M", "phe": "F", "pro": "P", "ser": "S",
    "thr": "T", "trp": "W", "tyr": "Y", "val": "V", "ter": "*", "stop": "*",
    "alanine": "A", "arginine": "R", "asparagine": "N", "aspartate": "D", "aspartic acid": "D",
    "cysteine": "C", "glutamine": "Q", "glutamate": "E", "glutamic acid": "E", "glycine": "G",
    "histidine": "H", "isoleucine": "I", "leucine": "L", "lysine": "K", "methionine": "M",
    "phenylalanine": "F", "proline": "P", "serine": "S", "threonine": "T", "tryptophan": "W",
    "tyrosine": "Y", "valine": "V",
}  # fmt: skip
_NAMES = "|".join(sorted(AMINO, key=len, reverse=True))
_LONG = re.compile(
    rf"(?i)\b(?:p\.\(?)?(?:phospho-?)?({_NAMES})[\s-]?(\d{{1,4}})"
    rf"(?:[\s-]?(?:to|for|into|by|->|>|→)?[\s-]?(fs|del|dup|\*|(?:{_NAMES})\b)|(?![a-z]))"
)
_CODE = re.compile(
    r"(?<![A-Za-z0-9])(?:p\.\(?)?([ACDEFGHIKLMNPQRSTVWY])(\d{1,4})"
    r"(?:([ACDEFGHIKLMNPQRSTVWYX*](?![A-Za-z0-9])|fs|FS|(?i:delins)(?=[A-Z])|del(?![a-z])|DEL|dup|DUP|ins|INS|=)"
    r"((?:/[ACDEFGHIKLMNPQRSTVWY](?![A-Za-z0-9]))*)|(?![A-Za-z0-9_]))"
)
_RANGE = re.compile(r"(?i)\b([A-Z]\d{1,4})_([A-Z]\d{1,4})(del|dup|ins|>)\w*")
_PLACES = (
    (re.compile(r"(?i)\b(?:exons?|ex\.?)[\s-]?(\d{1,2})(?![\d])"), "exon {}"),
    (re.compile(r"(?i)\bintron[\s-]?(\d{1,2})\b"), "intron {}"),
    (re.compile(r"(?i)\b(e\d{1,2}[-;]\s?[ea]\d{1,2})\b"), "{}"),  # exons that a fusion joins
    (re.compile(r"(?i)\b(rs\d{4,})\b"), "{}"),
    (re.compile(r"(?i)(?<![\w.])(c\.[\d_+-]+(?:[ACGT]>[ACGT]|del\w*|dup\w*|ins\w*))"), "{}"),
    (re.compile(r"(?i)\b(?:codons?|position|residue)[\s-]?(\d{1,4})\b"), "codon {}"),
    (re.compile(r"(\*\d{1,2}[A-Z]?)(?![\w])"), "{}"),
)
_SPECIAL = {
    "itd": r"ITD|internal tandem dup\w*",
    "tkd": r"TKD|tyrosine[- ]kinase[- ]domain",
    "viii": r"v?III(?:\s+variant)?\b|variant (?:3|III|three)|(?<=EGFR)v(?:III|3)\b",
    "v7": r"V7|v7|splice[- ]variant[- ](?:7|seven)|variant (?:7|seven)",
    "nuclear": r"nuclear|nucleus|in the nuclei|nuclei",
    "cytoplasmic": r"cytoplasm\w*|cytosolic",
    "promoter": r"promoter",
    "serum": r"serum|circulating|in (?:the )?blood|plasma levels?|sera",
    "phosphorylation": r"phospho\w*|\bp-(?=[A-Z])",
    "polymorphism": r"polymorphism|SNP",
    "methylation": r"(?:hyper)?methylat\w+",
    "frameshift": r"frame[- ]?shift\w*|indel",
    "deleterious": r"deleterious|disruptive|damaging",
    "repeat": r"tandem[- ]repeats?|repeat",
    "p-loop": r"P[- ]loop",
    "kinase domain": r"(?<!tyrosine )(?<!tyrosine-)kinase[- ]domain",
    "dna binding": r"DNA[- ]binding",
    "splice": r"splic\w+",
    "truncating": r"truncat\w+",
    "skipping": r"skip\w*",
    "loh": r"LOH|loss of heterozygosity",
    "copy number": r"copy[- ]number(?: variations?| changes?| alterations?)|\bCNV",
    "biallelic": r"bi-?allelic",
    "homozygosity": r"homozyg\w+",
    "3' utr": r"3['’′]?[- ]?UTR",
    "5'": r"5['’′]",
    "p16": r"p16",
}
KINDS = {
    "wild type": r"wild[- ]?types?|\bWT\b|un-?mutated|non-?mutated|no mutations?|not mutated|"
    r"without (?:an? |any )?(?:\S+ ){0,2}mutations?|intact",
    "overexpression": r"over-?\s?express\w*|expressed too (?:much|high\w*)|too (?:high|much)|"
    r"up-?regulat\w*|strong(?:ly)? (?:express\w+|stain\w+)|high(?:ly)? express\w*|"
    r"(?:high|elevated|increased|raised|excess\w*) (?:\S+ )?(?:expression|levels?|protein)",
    "underexpression": r"under-?\s?express\w*|down-?regulat\w*|low(?:er|ered)? "
    r"(?:\S+ )?(?:express\w*|levels?|protein)|(?:reduced|decreased|weak|poor|diminished) "
    r"(?:\S+ )?(?:express\w*|levels?)|\blow\b|silenc\w+|expresses? (?:too )?little",
    "amplification": r"amplif\w+|\bamp\b|"
    r"(?:gene )?cop(?:y|ies)(?: numbers?)? (?:up|gains?|increased?)|"
    r"copy[- ]number (?:gains?|increases?|high)|(?:extra|more|multiple|many|increased|additional) "
    r"(?:\S+ ){0,2}copies|gained|copy gains?|polysomy",
    "loss of function": r"loss[- ]of[- ]function|inactivat\w+|LOF\b|non-?functional|lost function|"
    r"loses? (?:its )?function|knocked out|functional loss|null",
    "deletion": r"delet\w+|\bdel\b|(?<=[a-z\d])del(?=\b|ins)",
    "insertion": r"insert\w+|\bins\b|(?<=\d)ins\b|duplicat\w+",
    "loss": r"\bloss\b|\blost\b|\babsent\b|\babsence\b|deficien\w+|\blacks?\b|lacking|negative|"
    r"missing|\bloses\b|losing",
    "fusion": r"fus(?:ion|ed|ions)\b",
    "rearrangement": r"rearrang\w+|translocat\w+",
    "expression": r"express\w+|immuno(?:stain|histochem)\w*|stain\w*|\bIHC\b|\blevels?\b",
    "positive": r"positiv\w*|(?<=\w)\+(?=[\s,;.)]|$)",
    "alteration": r"alter\w+|aberra\w+|abnormal\w*|changed?\b|defects?|any change|lesions?",
    "high": r"\bhigh\b",
    "mutation": r"mut(?:ation|ations|ated|ant|ants|s)?\b|variants?\b|carriers?|germ-?line|"
    r"substitution\w*|hotspots?|activated|activating",
}  # fmt: skip
NEAREST: Mapping[str, tuple[str, ...]] = {
    "mutation": ("mutation", "alteration", "loss of function"),
    "alteration": ("alteration", "mutation"),
    "loss": ("loss", "deletion", "loss of function", "underexpression", "mutation"),
    "deletion": ("deletion", "loss", "loss of function"),
    "loss of function": ("loss of function", "loss", "mutation"),
    "underexpression": ("underexpression", "loss", "expression"),
    "overexpression": ("overexpression", "expression", "amplification"),
    "expression": ("expression", "overexpression"),
    "positive": (
        "expression",
        "rearrangement",
        "fusion",
        "overexpression",
        "amplification",
        "mutation",
    ),
    "high": ("overexpression", "expression", "amplification"),
    "amplification": ("amplification", "copy number", "overexpression"),
    "fusion": ("fusion", "rearrangement"),
    "rearrangement": ("rearrangement", "fusion"),
    "insertion": ("insertion",),
    "wild type": ("wild type",),
}
"""The kinds that answer each kind, the nearest first."""
_SAME_KIND: Mapping[str, tuple[str, ...]] = {
    "fusion": ("rearrangement",),
    "rearrangement": ("fusion",),
    "high": ("overexpression", "expression"),
    "positive": ("expression", "rearrangement", "fusion", "overexpression", "amplification"),
    "alteration": ("mutation",),
}
"""Kinds of `NEAREST` that say no other thing than the one asked for."""
_SPECIAL_RE = {name: re.compile(rf"(?i:{pattern})") for name, pattern in _SPECIAL.items()}
_KIND_RE = {name: re.compile(rf"(?i:{pattern})") for name, pattern in KINDS.items()}
_NEGATED = re.compile(r"(?i)\b(?:not|non|rather than|instead of)[\s-]+(?:an?\s+|the\s+)?[\w-]+")
_PAIR = re.compile(r"\b([A-Z][A-Z0-9]{1,8})\s?(?:-|::|:|/)\s?([A-Z][A-Z0-9]{1,8})\b")
_ALONE = frozenset(("polymorphism", "phosphorylation", "methylation", "splice", "3' utr", "serum"))
"""Marks that a variant may have though they were not asked for, or be asked for without it, where a
place is the same.
"""
ANY_CHANGE = frozenset(("mutation", "alteration"))
"""The kinds that say of a change no more than that there is one."""


@dataclass(frozen=True)
class Change:
    """The marks of a change: where (codes, exons …), special ones, genes of a fusion without their
    last number (BCR, ABL), and kinds in the order of `KINDS`; whether two genes are written as one
    fusion (EML4-ALK) and not as alternatives (ALK/ROS1).
    """

    places: frozenset[str]
    special: frozenset[str]
    partners: frozenset[str]
    kinds: tuple[str, ...]
    one_fusion: bool = False

    def fuses(self, gene: str) -> bool:
        """Whether a gene is one of a fusion's."""
        return any(_same_partner(gene.rstrip("0123456789"), one) for one in self.partners)

    def __bool__(self) -> bool:
        return bool(self.places or self.special or self.partners or self.kinds)


def change(text: str) -> tuple[Change, list[tuple[int, int]]]:
    """The change that a text tells of, and where it does."""
    spans: list[tuple[int, int]] = []
    wild = _found({"wild type": _KIND_RE["wild type"]}, text, spans)
    text = blanked(text, spans)
    text = blanked(text, (found.span() for found in _NEGATED.finditer(text)))
    places: set[str] = set()
    for found in _RANGE.finditer(text):
        places.add(f"{found[1]}_{found[2]}{found[3]}".upper())
        spans.append(found.span())
    rest = blanked(text, spans)
    for found in _LONG.finditer(rest):
        new = (found[3] or "").lower()
        places.add(AMINO[found[1].lower()] + found[2] + AMINO.get(new, new.upper()))
        spans.append(found.span())
    for found in _CODE.finditer(rest):
        if len(found[2]) < 2 and not found[3]:  # V7 is a splice variant, not a codon
            continue
        new = (found[3] or "").upper().replace("X", "*")
        places.add(found[1] + found[2] + new)
        places.update(found[1] + found[2] + one for one in (found[4] or "").split("/") if one)
        spans.append(found.span())
    for pattern, form in _PLACES:
        for found in pattern.finditer(rest):
            places.add(form.format(found[1].lower()))
            spans.append(found.span())
    special = _found(_SPECIAL_RE, rest, spans)
    partners: set[str] = set()
    joined = False
    for found in _PAIR.finditer(text):
        genes = [one.rstrip("0123456789") for one in found.groups() if not _CODE.fullmatch(one)]
        partners.update(genes)
        joined = joined or (len(genes) > 1 and re.search(r"-|::", found[0]) is not None)
    kinds = (*wild, *_found(_KIND_RE, blanked(rest, spans), spans))
    marks = (frozenset(places), frozenset(special), frozenset(partners))
    return Change(*marks, kinds, joined), spans


_INSERTED = re.compile(r"(?i)\b([A-Z])(\d{1,4})_[A-Z]\d{1,4}ins([A-Z]{2,})\b")


def duplications(text: str) -> frozenset[str]:
    """The duplications that insertions of a text may be, by their ends and length:
    A775_G776insYVMA is Y772_A775dup.
    """
    return frozenset(
        f"{new[0]}{int(last) - len(new) + 1}_{residue}{last}DUP"
        for residue, last, new in (
            (found[1].upper(), found[2], found[3].upper()) for found in _INSERTED.finditer(text)
        )
        if new.endswith(residue)
    )


def _found(
    patterns: Mapping[str, re.Pattern[str]], text: str, spans: list[tuple[int, int]]
) -> list[str]:
    """The names whose pattern stands in a text; what one covers is not read again by the next."""
    names = []
    for name, pattern in patterns.items():
        own = [found.span() for found in pattern.finditer(text)]
        if own:
            names.append(name)
            spans += own
            text = blanked(text, own)
    return names


def blanked(text: str, spans: Iterable[tuple[int, int]], mark: str = " ") -> str:
    """A text of the same length with ``mark`` for all that stands in the spans."""
    for start, end in spans:
        text = text[:start] + mark * (end - start) + text[end:]
    return text


def matching(asked: Change, known: Mapping[str, Change]) -> list[list[str]]:
    """The variants that are what is asked for, in groups, the nearest group first; of several
    places that no variant holds together the nearest of each are one group.

    ``known`` are a gene's variants with their changes. Empty where it has none such.
    """
    groups = _ranked(asked, known)
    together = any(len(known[name].places) > 1 for group in groups for name in group)
    if len(asked.places) < 2 or together:
        return groups
    each = [_ranked(replace(asked, places=frozenset((one,))), known) for one in asked.places]
    nearest = {name for own in each for name in (own[0] if own else ())}
    first = [name for group in groups for name in group if name in nearest]
    rest = [[name for name in group if name not in nearest] for group in groups]
    return [group for group in (first, *rest) if group]


def _ranked(asked: Change, known: Mapping[str, Change]) -> list[list[str]]:
    scored: dict[tuple[int, ...], list[str]] = {}
    for name, own in known.items():
        if (rank := _rank(asked, own)) is not None:
            scored.setdefault(rank, []).append(name)
    return [scored[rank] for rank in sorted(scored)]


def of_kind(asked: Change, known: Mapping[str, Change]) -> bool:
    """Whether one of the variants is of a kind that was asked for, and not only near it. Where a
    place is asked for, or no kind, the place decides.
    """
    if asked.places or not asked.kinds or asked.partners:
        return True
    wanted = {other for one in asked.kinds for other in (one, *_SAME_KIND.get(one, ()))}
    return any(
        not own.kinds or wanted & {*own.kinds, *own.special} or own.places or own.partners
        for own in known.values()
    )


def _rank(asked: Change, own: Change) -> tuple[int, ...] | None:
    """How far a variant is from what is asked, the nearest lowest; None where it is another."""
    if asked.places:
        same = _same_places(asked.places, own.places)
        if not same:
            return None
        if own.special - asked.special - _ALONE:
            return None
        surplus = len(asked.special - own.special)
        kind = _kind(asked, own)
        return (0, surplus, 99 if kind is None else kind, -same)
    if own.places:
        return None
    special = own.special & asked.special
    implied = {"promoter"} if "methylation" in asked.special else set()
    if own.special - asked.special - implied:
        return None
    if asked.special - own.special - _ALONE - {"p16"}:  # which is a name of the gene too
        return None
    missing = len(asked.special - own.special)
    fused = [one for one in own.partners if any(_same_partner(one, it) for it in asked.partners)]
    kind = _kind(asked, own)
    if special:
        return (missing, kind if kind is not None else 9, 0, 0)
    if len(fused) > 1:
        return (missing, 0, 0, 0)
    if asked.one_fusion and own.one_fusion and fused:
        return None  # FGFR3-BAIAP2L1 for FGFR3-TACC3
    return None if kind is None else (missing, kind, 0, 0)


def _same_partner(one: str, other: str) -> bool:
    """Whether two names of a fusion's gene differ in nothing but an end: NUT, NUTM."""
    short, long = sorted((one, other), key=len)
    return short == long or (len(short) >= 3 and long.startswith(short))


def _same_places(asked: frozenset[str], own: frozenset[str]) -> int:
    """How many places are the same; every place of the variant must be asked for, but one of two
    that it writes as alternatives (G12/G13) will do.
    """
    same = 0
    for place in own:
        number = re.sub(r"\D", "", place) if re.fullmatch(r"[A-Z]\d+", place) else ""
        same += place in asked or bool(number and f"codon {number}" in asked)
    alternatives = all(re.fullmatch(r"[A-Z]\d+", place) for place in own)
    return same if same == len(own) or (alternatives and same) else 0


def _kind(asked: Change, own: Change) -> int | None:
    """How near the variant's kind is to one asked for; 0 the same, None another."""
    kinds = own.kinds or (("fusion",) if own.partners else ())
    if not asked.kinds:
        return None if kinds else 0
    best: int | None = None
    for number, kind in enumerate(asked.kinds):
        for place, answer in enumerate(NEAREST.get(kind, (kind,))):
            if answer in kinds or answer in own.special:
                far = place * 10 + number + 5 * (not own.kinds)
                best = far if best is None else min(best, far)
    return best
