"""Changes of genes and states of markers, as criteria ask for them and notes state them.

One grammar reads both: genes, then what changed ("EGFR exon 19 deletion", "BRAF V600E/K mutation",
"CDK4 amplification", "HER2-negative", "MSI-H"), or what changed and "in" genes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache, partial

from clinfo.pipelines.cohort.form import And, Form, Gene, Not, Or
from clinfo.pipelines.cohort.quantities import named_quantities
from clinfo.terms.asked_names import asked
from clinfo.terms.genes import genes_of, oncology
from clinfo.terms.lexicon import EVERYDAY, flags

_SEP = r"(?:\s*/\s*(?!\d)|\s*,\s*(?:and/or\s+|and\s+|or\s+)?|\s+(?:and/or|and|or)\s+)"
_SPEC = (
    r"(?:(?:[A-Z]\d{1,4}(?:[A-Z*](?![a-z])|fs|del)?(?:/[A-Z](?![A-Za-z0-9]))*)(?![A-Za-z])|"
    r"(?i:exons?)\s+\d+(?:(?:\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+)\d+)*"
    r"(?:\s+(?i:del(?:etion)?s?|ins(?:ertion)?s?|skipping)\b)?)"
)
_CLASSES = {
    "mutation": r"mutations?|mutated|mutant|mutants|mut\b",
    "internal tandem duplication": r"[- ]?ITD\b|internal tandem duplications?",
    "methylation": r"(?:promoter )?(?:hyper)?methylat(?:ion|ed)",
    "fusion": r"(?:gene )?fusions?|rearrangements?|rearranged|translocations?",
    "amplification": r"amplifications?|amplified",
    "overexpression": r"overexpressions?|overexpress(?:ed|ing)|over-expression",
    "gain of function mutation": r"gain[- ]of[- ]function(?: mutations?| variants?)?",
    "loss of function mutation": r"loss[- ]of[- ]function(?: mutations?| variants?)?",
    "codeletion": r"co-?delet(?:ions?|ed)",
    "deletion": r"deletions?|deleted|loss",
    "insertion": r"insertions?",
    "alteration": r"alterations?|altered|aberrations?|changes?",
    "variant": r"variants?",
    "wild type": r"wild[- ]?types?|un-?mutated|non-?mutated|not mutated",
    "positive": r"positivity|positive|\+(?!\w)",
    "negative": r"negativity|negative|[-–](?=[\s,.;)]|$)",
    "high": r"high(?: status)?",
    "low": r"low(?: status)?",
}
_CLASS = "|".join(_CLASSES.values())
_NATURE = (
    r"(?:homozygous|heterozygous|biallelic|monoallelic|actionable|oncogenic|"
    r"deleterious or suspected deleterious|pathogenic or likely pathogenic|"
    r"likely pathogenic|suspected deleterious|pathogenic|deleterious|activating|inactivating|"
    r"non[- ]?resistan(?:t|ce)|resistan(?:t|ce)|sensiti[sz]ing|driver|targetable|hotspot)"
)
_ADJECTIVE = (
    rf"(?:{_NATURE}|specific|certain|selected|particular|known|a|an|gene|genetic|genomic|"
    r"molecular)"
)
_ORIGIN = (
    r"(?:germline or somatic|somatic or germline|germline but not somatic|somatic but not "
    r"germline|germline|somatic)"
)
_STATES: tuple[tuple[str, str, str], ...] = (
    (r"MSI[- ]?H(?:igh)?\b(?: status)?|MSI high(?: status)?|microsatellite "
     r"instability(?:[- ]high)?|high microsatellite instability", "MSI", "high"),
    (r"MSS\b|MSI[- ]stable|microsatellite[- ]stable", "MSI", "stable"),
    (r"dMMR\b|(?:MMR|mismatch repair)[- ]deficien(?:t|cy)|deficient (?:MMR|mismatch repair)",
     "MMR", "deficient"),
    (r"pMMR\b|(?:MMR|mismatch repair)[- ]proficien(?:t|cy)", "MMR", "proficient"),
    (r"(?:HRD|homologous[- ]recombination[- ](?:repair[- ])?deficien(?:t|cy))(?:[- ]positive)?"
     r"(?![- ]?(?:negative|positive|score))", "HRD", "positive"),
    (r"(?:that ha(?:s|ve) |with )?high (?:(?:tumou?r )?mutation(?:al)? burden|TMB)|"
     r"TMB[- ]?H(?:igh)?\b|"
     r"(?:tumou?r mutation(?:al)? burden|TMB)[- ]high", "TMB", "high"),
)  # fmt: skip
_MARKERS = {
    "HER2": r"HER-?2(?:/?neu)?|ERBB2", "ER": r"ER|estrogen receptor|oestrogen receptor",
    "PR": r"PR|PgR|progesterone receptor", "HR": r"HR|hormone receptor", "PD-L1": r"PD-?L1",
    "HRD": r"HRD|homologous recombination deficien(?:t|cy)",
    "HPV": r"HPV|human papillomavirus", "EBV": r"EBV|Epstein[- ]Barr(?: virus)?",
    "GIS": r"GIS|genomic instability score",
}  # fmt: skip


_STRONG = frozenset(_CLASSES) - {"positive", "negative", "high", "low", "variant"}
"""The changes that only a gene has, so that any gene's name is known beside them."""
_STRONGLY = "|".join(_CLASSES[name] for name in sorted(_STRONG))
_PROTEIN = r"[A-Z]\d{2,4}(?:[A-Z*]|fs|del)(?![A-Za-z0-9])|(?i:exons?)\s+\d"
_CHANGED = re.compile(rf"(?i:{_STRONGLY})|(?<![A-Za-z0-9])(?:{_PROTEIN})")
_TOKEN = re.compile(
    r"(?<![\w-])(?:[cC]-)?[A-Za-z][A-Za-z0-9]*(?:-?[0-9αβγδ]+[A-Za-z]?|-[A-Z][A-Za-z0-9]*)?(?!\w)"
)
_ARM = re.compile(
    r"(?<![\w.])(?:1p/19q(?=[ -]co-?delet)|(?:\d{1,2}|X)[pq](?:\d{1,2}(?:\.\d)?)?"
    r"(?=[ -](?:deletion|loss|gain|amplification)))"
)
"""The arm or band of a chromosome of which a change is told."""
_BEFORE = re.compile(
    rf"(?i:{_STRONGLY})\s+(?i:(?:in|of|involving|affecting)\s+)?(?i:(?:the|either|any of)\s+)?$"
)
_AFTER = re.compile(rf"[\s-]*(?:(?i:{_ORIGIN}|{_NATURE}|gene|{_STRONGLY})\b|{_PROTEIN})")


def _also(text: str) -> frozenset[str]:
    """The names in a text of genes beyond the listed ones. Words of other meanings are only known
    beside a change ("ACE mutation"); words in small letters only of listed genes.
    """
    if _CHANGED.search(text) is None and _ARM.search(text) is None:
        return frozenset()
    symbols, groups = oncology()
    found = {match[0] for match in _ARM.finditer(text)}
    for match in _TOKEN.finditer(text):
        name = match[0]
        plain = name.isalpha() and name[1:].islower()
        if name in symbols or name in groups or len(name) < 3 or not genes_of(name):
            continue
        if plain and (name.upper() not in symbols or flags(name) & EVERYDAY):
            continue
        doubtful = (
            flags(name) & EVERYDAY
            or asked(name) is not None
            or plain
            or name.lower() in named_quantities()
        )
        beside = _AFTER.match(text, match.end()) or _BEFORE.search(text[: match.start()])
        if beside or not doubtful:
            found.add(name)
    return frozenset(found)


@lru_cache(maxsize=200)
def _patterns(also: frozenset[str]) -> tuple[re.Pattern[str], ...]:
    """The patterns of the listed genes and of ``also``."""
    symbols, groups = oncology()
    listed = "|".join(map(re.escape, sorted({*symbols, *groups, *also}, key=len, reverse=True)))
    stems = "|".join(
        sorted(
            {re.sub(r"\d+$", "", one) for one in symbols if one[-1].isdigit()},
            key=len,
            reverse=True,
        )
    )
    gene = (
        rf"(?<![A-Za-z0-9-])(?:(?:(?:{listed})|(?:{stems})\d+)(?:/\d+)*(?![A-Za-z0-9]|/\d)"
        rf"(?!-[A-Z][A-Z0-9]{{2,}})"
        rf"(?!(?:{_SEP}[A-Z][A-Za-z0-9-]*)*"
        r"\s*/?-?\s*(?i:inhibit|antagonis|agonis|block|directed|targeted|antibod|testing|tkis?\b|mabs?\b|therap|"
        r"status unknown))|"
        r"[A-Z][A-Z0-9]{2,}[-:]{1,2}[A-Z][A-Z0-9]{2,}(?=\s+(?i:fusions?|rearrangements?)))"
    )
    genes = rf"(?P<genes>{gene}(?:{_SEP}{gene})*)"
    change = rf"(?P<change>{_SPEC}(?:{_SEP}{_SPEC})*)"
    classes = (
        rf"(?<![A-Za-z])(?P<classes>(?i:{_CLASS})(?:\s*(?:/|\bor\b|\band/or\b)\s*(?i:{_CLASS}))*)"
    )
    other = (
        rf"(?:\s+(?i:other than|except(?: for)?|excluding)\s+(?P<other>{_SPEC}(?:{_SEP}{_SPEC})*))?"
    )
    adjectives = rf"(?:\b(?i:{_ADJECTIVE})\b(?:\s+(?i:or)\s+)?\s*)*"
    origin = rf"(?:(?P<origin>(?i:{_ORIGIN}))\s+)?"
    forward = (
        rf"(?:(?P<wild>(?i:wild[- ]?type))\s+)"
        rf"?{adjectives}{origin}{adjectives}{genes}(?:\s*\((?i:gene)\))?"
        rf"(?:-(?=(?i:{_CLASS})\b)|\s*){adjectives}(?:(?P<origin2>(?i:{_ORIGIN}))\s+)?{adjectives}"
        rf"(?:{change})?\s*{adjectives}(?:{classes})?(?:[- ](?P<sign>(?i:positive|negative)\b))?"
        rf"{other}"
    )
    backward = (
        rf"{adjectives}{origin}{adjectives}(?=\S)(?:{change}\s*)?(?:{classes})?(?<=[\w*])"
        rf"\s+(?:(?i:in|of|involving|affecting)\s+)?(?:(?i:the|either|any of)\s+)"
        rf"?{genes}(?:\s+genes?)?{other}"
    )
    return re.compile(backward), re.compile(forward)


def replaced(text: str, put: Callable[[Form], str]) -> str:
    """A text of criteria with each gene or marker criterion as what ``put`` gives for its form."""
    for pattern, form in _marked():
        text = pattern.sub(partial(_put, form, put), text)
    either = re.search(r"(?i)\b(?:one|any|either) of\b", text) is not None

    def of_genes(match: re.Match[str]) -> str:
        form = _signed(match, either)
        before = _LAST.search(match.string, 0, match.start())
        of_other = "wild" not in match.re.groupindex and before is not None and genes_of(before[0])
        if form is None or (of_other and not match[0].lower().startswith(("a ", "an "))):
            return match.group()  # "KRAS mutation TP53 mutation": the mutation is that of KRAS
        which = _SOME.search(match[0]) if not match["change"] else None
        return f" {which[0] if which else ''} {put(form)} "

    for pattern in _patterns(_also(text)):
        text = pattern.sub(of_genes, text)
    return text


def _put(form: Form, put: Callable[[Form], str], _: re.Match[str]) -> str:
    return put(form)


@cache
def _marked() -> tuple[tuple[re.Pattern[str], Form], ...]:
    """The patterns of markers with a state, and what each asks for."""
    found: list[tuple[re.Pattern[str], Form]] = [
        (re.compile(rf"(?i)\b(?:{pattern})"), Gene((marker,), state))
        for pattern, marker, state in _STATES
    ]
    triple = And(tuple(Gene((name,), "negative") for name in ("ER", "PR", "HER2")))
    found.append((re.compile(r"(?i)\btriple[- ]negative\b"), triple))
    for marker, names in _MARKERS.items():
        flag = "" if marker in ("ER", "PR", "HR", "GIS") else "(?i)"
        for state in ("positive", "negative"):
            pattern = rf"{flag}\b(?:{names})\s*(?:is|was|:|-)?\s*(?:{_CLASSES[state]})"
            found.append((re.compile(pattern), Gene((marker,), state)))
    return tuple(found)


_LAST = re.compile(r"[A-Z][A-Za-z0-9-]*(?=\s+$)")
_SOME = re.compile(r"(?i)\b(?:specific|certain|selected|particular)\b")
"""Words of changes that are not any, and not said: they stay, and are asked back."""
_DISEASES = frozenset(("NF1", "NF2", "MEN1"))
"""Genes whose name alone is that of an illness."""
_ONE = re.compile(r"(?i)^\s*an? ")
"""What begins a change of which there is one: "a mutation in BRCA1 and BRCA2" is in either."""


def _signed(match: re.Match[str], either: bool = False) -> Form | None:
    """The form of what a pattern found; of a "mutation negative" its denial."""
    form = _form(match, either)
    lacks = "sign" in match.re.groupindex and (match["sign"] or "").lower() == "negative"
    return Not(form) if form is not None and lacks else form


def _form(match: re.Match[str], either: bool = False) -> Form | None:
    """The form of what a pattern found; of several genes any will do with ``either``."""
    said = match["genes"]
    names = [one for one in re.split(_SEP, said) if one]
    specs = _specs(match["change"] or "")
    classes = _classes(match["classes"] or "")
    wild = "wild" in match.re.groupindex and match["wild"]
    if wild:
        classes = ["wild type"]
    strong = bool(specs) or not _STRONG.isdisjoint(classes)
    if not strong and not all(_known(one, bool(classes)) for one in names):
        return None
    if not classes and not specs and _DISEASES.intersection(names):
        return None
    each = [_expanded(one, strong) for one in names]
    changes = specs or classes or ["alteration"]
    others = tuple(_specs(match["other"] or ""))
    behind = "origin2" in match.re.groupindex and match["origin2"]
    origins = (match["origin"] or behind or "").lower()
    outside = re.sub(_SPEC, " ", match[0].replace(said, " "))
    nature = " ".join(re.findall(rf"(?i)\b{_NATURE}\b", outside)).lower()
    any_of = either or len(each) > 2 or _ONE.match(match[0]) is not None
    if len(each) > 1 and not any_of and re.search(r"\band\b(?!/)", said):
        return And(tuple(_of(genes, changes, nature, origins, others) for genes in each))
    genes = tuple(dict.fromkeys(gene for genes in each for gene in genes))
    return _of(genes, changes, nature, origins, others)


def _of(
    genes: tuple[str, ...], changes: list[str], nature: str, origins: str, others: tuple[str, ...]
) -> Form:  # fmt: skip
    if "but not" in origins:
        first, _, second = origins.partition(" but not ")
        return And(
            (
                _of(genes, changes, nature, first, others),
                Not(_of(genes, changes, nature, second, others)),
            )
        )
    origin = origins if origins in ("germline", "somatic") else ""
    forms = tuple(Gene(genes, change, nature, origin, others) for change in changes)  # type: ignore[arg-type]
    return forms[0] if len(forms) == 1 else Or(forms)


def _known(name: str, changed: bool) -> bool:
    """Whether a gene is known by its name alone, or beside a word that other things may be too."""
    symbols, groups = oncology()
    arm = _ARM.match(f"{name} loss") is not None or name == "1p/19q"
    numbered = changed and (name[-1:].isdigit() or arm)
    return name in symbols or name in groups or "/" in name or numbered


def _expanded(said: str, any_gene: bool) -> tuple[str, ...]:
    """The genes of "BRCA1/2", of a group, or the one itself; only listed genes by another name
    where nothing tells that it is a gene (``any_gene``).
    """
    symbols, groups = oncology()
    if not any_gene and said not in symbols and said not in groups and "/" not in said:
        return (said,)
    first, *numbers = said.split("/")
    if numbers and all(one.isdigit() for one in numbers):
        stem = first.rstrip("0123456789")
        return tuple(gene for name in (first, *(stem + one for one in numbers))
                     for gene in genes_of(name) or (name,))  # fmt: skip
    return genes_of(said) or (said,)


def _specs(said: str) -> list[str]:
    """Protein changes and exons one by one: "V600E/K", "exon 2, 3 and 4"."""
    found = []
    for spec in re.finditer(_SPEC, said):
        text = spec.group()
        if text[:4].lower() == "exon":
            kind = re.search(r"(?i)(del|ins|skip)", text)
            word = (
                {"del": " deletion", "ins": " insertion", "skip": " skipping"}[kind[1].lower()]
                if kind
                else " mutation"
            )
            found += [f"exon {number}{word}" for number in re.findall(r"\d+", text)]
        else:
            first, *more = text.split("/")
            found += [first, *(first[:-1] + letter for letter in more)]
    return found


def _classes(said: str) -> list[str]:
    found = []
    for part in re.split(r"\s*(?:/|\bor\b|\band/or\b)\s*", said):
        for name, pattern in _CLASSES.items():
            if part and re.fullmatch(rf"(?i:{pattern})", part):
                found.append(name)
                break
    return found


def changes_in(text: str) -> Iterator[tuple[re.Match[str], Form]]:
    """What a note says of genes and markers: the place and the form that asks for it."""
    for pattern, form in _marked():
        for match in pattern.finditer(text):
            yield match, form
    for pattern in _patterns(_also(text)):
        for match in pattern.finditer(text):
            found = _signed(match) if match["change"] or match["classes"] else None
            if found is not None:
                yield match, found
