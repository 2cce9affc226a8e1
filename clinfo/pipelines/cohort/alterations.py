"""Changes of genes and states of markers that notes state ("EGFR exon 19 deletion", "HER2
negative", "MSI-H"), and what they answer.
"""

import re
from collections.abc import Iterator

from clinfo.patients.records import Polarity
from clinfo.pipelines.cohort.facts import Fact, stated
from clinfo.pipelines.cohort.form import Gene
from clinfo.terms.genes import genes_of, oncology, short_change

_CHANGES = {
    "mutation": r"mutations?|mutated|mutant|variants?", "fusion": r"(?:gene )?fusions?|"
    r"rearrangements?|rearranged|translocations?", "amplification": r"amplifications?|amplified",
    "overexpression": r"over-?express(?:ion|ed|ing)", "deletion": r"deletions?|deleted|loss",
    "insertion": r"insertions?", "methylation": r"(?:promoter )?(?:hyper)?methylat(?:ion|ed)",
    "alteration": r"alterations?|altered", "wild type": r"wild[- ]?type|un-?mutated|not mutated",
    "positive": r"positive|\+(?!\w)", "negative": r"negative|-(?=[\s,.;)]|$)",
}  # fmt: skip
_WEAK = ("positive", "negative")
"""Words also used of what is no gene: known beside listed genes and markers only."""
_CLASS = "|".join(f"(?P<{name.replace(' ', '_')}>{text})" for name, text in _CHANGES.items())
_EXACT = (
    r"(?P<protein>(?-i:[A-Z]\d{1,4}(?:[A-Z*]|fs|del)))(?![A-Za-z0-9])|"
    r"exon\s+(?P<exon>\d+)\s*(?P<how>del|ins|skip)?\w*"
)
_NATURES = (r"likely pathogenic", "pathogenic", "deleterious", "oncogenic", "inactivating",
            "activating", "actionable")  # fmt: skip
_BEHIND = re.compile(
    rf"(?i)(?:[\s:(-]*\b(?:(?P<origin>germline|somatic)|(?P<nature>{'|'.join(_NATURES)})|gene|status|"
    rf"is|was)\b)*[\s:(-]{{0,3}}(?:{_EXACT}|{_CLASS})(?P<more>\s+(?:mutations?|variants?))?"
    r"(?P<absent>\)?\s*(?:was\s+|is\s+)?(?:negative|not (?:detected|found|identified)|absent))?"
)
_AHEAD = re.compile(rf"(?i)\b(?:{_EXACT}|{_CLASS})\s+(?:in|of)\s+(?:the\s+)?$")
_GENE = re.compile(
    r"(?<![\w-])(?:(?:\d{1,2}|X)[pq]\d{0,2}(?:\.\d)?(?=[ -](?:deletion|loss|gain|amplification))|"
    r"PD-?L1|HER-?2(?:/neu)?|[A-Za-z][A-Za-z0-9]{1,9}(?:-[A-Z0-9]{1,5})?)(?![A-Za-z0-9])"
)
_MARKERS = {"HER2NEU": "HER2", "PDL1": "PD-L1", "ER": "ER", "PR": "PR", "PGR": "PR", "HR": "HR",
            "HPV": "HPV", "EBV": "EBV", "HRD": "HRD"}  # fmt: skip
_SPELLED = {"o?estrogen receptor": "ER", "progesterone receptor": "PR"}
_STATES: tuple[tuple[str, str, str], ...] = (
    (r"MSI[- ]?H(?:igh)?\b|microsatellite instability[- ]high", "msi", "high"),
    (r"MSS\b|MSI[- ]stable|microsatellite[- ]stable", "msi", "stable"),
    (r"dMMR\b|(?:MMR|mismatch repair)[- ]deficien(?:t|cy)", "mmr", "deficient"),
    (r"pMMR\b|(?:MMR|mismatch repair)[- ]proficien(?:t|cy)", "mmr", "proficient"),
    (r"TMB[- ]?H(?:igh)?\b|high (?:tumou?r mutation(?:al)? burden|TMB)", "tmb", "high"),
)
_DENIES = re.compile(r"(?i)\b(?:no|not|without|negative for|absence of)\s+(?:\w+\s+){0,3}$")
_HARMFUL = frozenset((*_NATURES[:5],))
_NEAR = 60


def stated_alterations(text: str) -> Iterator[Fact]:
    """The genes and markers that a text states, with places in it; ``said`` is
    "origin|nature|change".
    """
    for pattern, name, state in _STATES:
        for match in re.finditer(rf"(?i)\b(?:{pattern})", text):
            denied = _DENIES.search(text, max(0, match.start() - 40), match.start()) is not None
            yield stated("alteration", name, match.span(), said=f"||{state}", negated=denied)
    for gene in _GENE.finditer(text):
        names = _names(gene[0])
        behind = _BEHIND.match(text, gene.end(), gene.end() + _NEAR)
        ahead = _AHEAD.search(text, max(0, gene.start() - _NEAR), gene.start())
        told = behind or ahead
        if not names or told is None or (_change(told) in _WEAK and not _is_listed(gene[0])):
            continue
        start, end = min(gene.start(), told.start()), max(gene.end(), told.end())
        denied = _DENIES.search(text, max(0, start - 40), start) is not None
        more = behind.groupdict() if behind else {}
        said = f"{more.get('origin') or ''}|{more.get('nature') or ''}".lower()
        for name in names:
            yield stated("alteration", name.lower(), (start, end), said=f"{said}|{_change(told)}",
                         negated=denied or bool(more.get("absent")))  # fmt: skip


def resulted_alterations(test: str, value: str, polarity: Polarity) -> Iterator[Fact]:
    """What a coded result says of the genes and markers that its test names, and of the change that
    it does ("HER2 [Presence]", "KRAS gene mutation", "KRAS p.Gly12Cys"); places are not of the
    text.
    """
    for name, marker in _SPELLED.items():
        test = re.sub(rf"(?i)\b{name}\b", marker, test)
    test = short_change(test)
    change = re.search(_EXACT, test) or re.search(rf"(?i)\b(?:{_CLASS})", test)
    said = f"{change[0] if change else ''} {polarity}" if polarity else value
    for gene in _GENE.finditer(test) if polarity != "unclear" else ():
        yield from stated_alterations(f"{gene[0]} {said}")
    states = {name for _, name, _ in _STATES}
    yield from (one for one in stated_alterations(f"{test} {value}") if one.name in states)


def _names(said: str) -> tuple[str, ...]:
    """The symbols of a gene, or a marker or place of a chromosome; () of any other word."""
    marker = _MARKERS.get(said.upper().replace("-", "").replace("/", ""))
    if marker or said[0].isdigit():
        return (marker or said,)
    if _is_listed(said):
        return genes_of(said)
    return genes_of(said) if said.upper() == said and len(said) > 2 else ()


def _is_listed(said: str) -> bool:
    symbols, groups = oncology()
    marker = said.upper().replace("-", "").replace("/", "") in _MARKERS
    return said in symbols or said in groups or marker


def _change(match: re.Match[str]) -> str:
    """The change that a match tells, as forms name it."""
    if match["protein"]:
        return match["protein"]
    if match["exon"]:
        how = {"del": "deletion", "ins": "insertion", "skip": "skipping"}
        return f"exon {match['exon']} {how.get((match['how'] or '').lower(), 'mutation')}"
    return next(name for name in _CHANGES if match[name.replace(" ", "_")])


def answers(said: str, negated: bool, form: Gene) -> bool | None:
    """Return whether a statement of one of a form's genes answers it yes or no; None neither."""
    origin, nature, change = said.split("|")
    if form.origin and origin != form.origin:
        return None
    if form.nature and nature not in (_HARMFUL if form.nature in _HARMFUL else (form.nature,)):
        return None
    absent = negated or change in ("wild type", "negative")
    if form.change in ("wild type", "negative"):
        return absent if not negated or form.change == "negative" else None
    if form.change in ("positive", "high", "deficient", "stable", "proficient", "low"):
        return change == form.change if not negated else None
    if absent or change in form.other_than:
        return False
    return True if _covers(form.change, change) else None


def _covers(wanted: str, stated: str) -> bool:
    if wanted == stated or wanted in ("alteration", "variant"):
        return True
    return wanted == "mutation" and re.fullmatch(r"[A-Z]\d.*|exon .*|insertion", stated) is not None
