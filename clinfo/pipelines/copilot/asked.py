"""What a question asks of evidence on genes and drugs: gene, change, disease, direction, level."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from clinfo.lazy_dataclass import dataclass, field, replace
from clinfo.pipelines.copilot.changes_by_gene import by_gene
from clinfo.pipelines.copilot.disease_names import Disease, Diseases
from clinfo.pipelines.copilot.drug_names import Drugs
from clinfo.pipelines.copilot.gene_names import Genes, Named
from clinfo.pipelines.copilot.left_out import left_out, may_be_wild, named_out, unread
from clinfo.pipelines.copilot.medicines import medicines
from clinfo.pipelines.copilot.not_found import not_found
from clinfo.pipelines.copilot.variants import (
    ANY_CHANGE,
    Change,
    blanked,
    change,
    duplications,
)

LEVELS = "ABCDE"
CLINICAL = "AB"
"""CIViC's levels of evidence from studies of patients: validated associations and clinical studies;
C are cases, D preclinical, E inferred. What is meant by "clinically", "in patients", "in trials";
all levels where nothing is said.
"""
_LETTERS = r"([A-E](?:\s*(?:/|,|-|–|&|\bor\b|\band\b|\bto\b)\s*[A-E]\b)*)"
_LEVEL = re.compile(
    rf"(?:\b[Ll]evels?|\b[Gg]rades?|\b[Cc]ategor(?:y|ies)|[Ee]vidence)\s+(?:of\s+evidence\s+)?{_LETTERS}(?![\w'-])"
    rf"|(?<![\w-]){_LETTERS}[\s-](?:[Ll]evel|[Gg]rade)|(?<![\w-])(A\s*/\s*B)(?![\w])"
)
_NOT = re.compile(
    r"(?i)\b(?:no|not|skip\w*|without|exclud\w*|except|but not|leave out|omit\w*)\W+"
    r"(?:\w+\W+){0,2}$"
)
_MORE = r"(?i)\b(?:includ\w+|also|even|plus|down to)\s+(?:\w+\s+){0,2}"
_BENCH = r"(?:pre-?clinical|lab\w*|cell lines?|in vitro|mouse|mice|animal|xenografts?)"
_LOWER = (
    (re.compile(_MORE + r"case (?:reports?|studies|series)"), "C"),
    (re.compile(_MORE + _BENCH), "D"),
    (re.compile(rf"(?i)\b(?:in|from|on) {_BENCH}"), "D"),
    (
        re.compile(r"(?i)\b(?:any|all|every|whatever) (?:levels?|kind of evidence)\b(?! [A-E]\b)"),
        "E",
    ),
)
"""What lets in evidence of a lower level."""
_OF_PATIENTS = re.compile(
    r"(?i)\b(?:clinic\w*|patients|trials?|trial-\w+|cohorts?|stud(?:y|ies)|validated|RCTs?"
    r"|(?:pre-?clinical|lab\w*|case reports?)\W+(?:\w+\W+){0,2}(?:excluded|out|aside)"
    r"|(?:more|better|stronger) than (?:single )?cases?)\b"
)
"""What asks for evidence from studies of patients."""
NOTHING = change("")[0]
SENSITIVITY, RESISTANCE = BOTH = "Sensitivity/Response", "Resistance"
ADVERSE, REDUCED = "Adverse Response", "Reduced Sensitivity"


@dataclass(frozen=True)
class Asked:
    """What a question asks. ``diseases`` are those named, the narrowest first; the names of one are
    empty where the source has it not. ``directions`` are CIViC's words for response and
    resistance, ``levels`` letters. ``own`` are the changes by gene where several genes are named
    with changes of their own. ``inferred``: no gene is named, and one alone has the change.
    ``set_aside`` are findings that the question says are not there. ``supports`` is false where it
    asks for what does not support the directions. ``out`` is what it leaves out (non-V600), as
    ``left_out`` says it; ``wild``: the wild type is left out too. ``unread`` is left out, and was
    not understood. ``negative`` are markers that it names alone, and says not to be there: they are
    read as there.
    """

    genes: tuple[Named, ...]
    change: Change
    diseases: tuple[Disease, ...]
    directions: tuple[str, ...]
    levels: str
    not_understood: tuple[str, ...]
    inferred: bool = False
    own: Mapping[str, Change] = field(default_factory=dict)
    set_aside: tuple[str, ...] = ()
    supports: bool = True
    out: Change = NOTHING
    left_out: tuple[str, ...] = ()
    wild: bool = False
    unread: tuple[str, ...] = ()
    negative: tuple[str, ...] = ()

    def of(self, gene: str) -> Asked:
        """What is asked of one of the genes."""
        return replace(self, change=self.own[gene]) if gene in self.own else self

    @property
    def significance(self) -> str:
        """The directions in words."""
        return ("" if self.supports else "no ") + " or ".join(self.directions)


class Reader:
    """Reads questions with the names of a source."""

    def __init__(
        self,
        genes: Iterable[str],
        diseases: Iterable[str],
        drugs: Iterable[str] = (),
        lost: Iterable[str] = (),
    ) -> None:
        self.genes = Genes(genes)
        self._lost = frozenset(lost)
        self.diseases = Diseases(diseases)
        self.drugs = Drugs(drugs)

    def read(self, question: str) -> Asked:
        """What a question asks."""
        question = _GLUED.sub(self._apart, question)
        levels, spans = _levels(question)
        text = blanked(question, spans)
        diseases = self.diseases.within(text)
        bare = blanked(text, ((one.start, one.end) for one in diseases))
        named = self.genes.within(bare) or self.genes.within(text)
        aside, out, negative = self._set_aside(bare, named)
        missed = tuple(unread(bare, named)) if named else ()
        said = [" ".join(bare[start:end].split()) for start, end in out]
        outside = change(_texts(bare, (*aside, *out)))[0]
        set_aside = tuple(" ".join(bare[start:end].split()) for start, end in aside)
        not_there = tuple(" ".join(bare[start:end].split()) for start, end in negative)
        kept = {place for one in named for place in range(one.start, one.end)}
        bare = blanked(bare, aside)
        bare = blanked(bare, ((at, at + 1) for a, b in (*out, *negative)
                             for at in range(a, b) if at not in kept))  # fmt: skip
        named = [one for one in named if not _within(one.start, aside)]
        genes = _no_targets(named, text) or named
        places = [(one.start, one.end) for one in named]
        told_of = [(one.start, one.end) for one in genes if not _tells(one)]
        nameless = blanked(bare, told_of, "_")
        asked, told = change(nameless)
        fused = change("BCR-ABL1 " * bool(_PHILADELPHIA.search(text)) + bare)[0]
        marks = asked.places | duplications(nameless)
        asked = replace(asked, places=marks, partners=fused.partners, one_fusion=fused.one_fusion)
        if out and not (marks or fused.partners or asked.special) and {*asked.kinds} <= ANY_CHANGE:
            asked = replace(asked, kinds=())
        elif negative and not asked.places:
            asked = replace(asked, kinds=("positive",))
        left = blanked(bare, [*places, *told])
        if _AGAINST.search(bare):
            left += " resistance"
        refuted = _REFUTED.search(left) is not None
        wanted = _REFUTED.sub(" ", left)
        directions = _directions(wanted, [wanted[a:b] for _, a, b in self.drugs.placed(wanted)])
        if refuted:
            directions = (RESISTANCE,) if _RESISTANT.search(left) else (SENSITIVITY,)
        strange = tuple(one for one in _strange(left) if not asked.fuses(one))
        return Asked(
            tuple(genes), asked, _narrowest(diseases), directions, levels, strange,
            own=by_gene(nameless, genes), set_aside=set_aside,
            supports=not refuted, out=outside, left_out=tuple(said),
            wild=bool(said) and not any(map(may_be_wild, said)),
            unread=missed, negative=not_there,
        )  # fmt: skip

    def _set_aside(
        self, text: str, named: list[Named]
    ) -> tuple[list[tuple[int, int]], list[tuple[int, int]], list[tuple[int, int]]]:
        """Where a text tells of findings that are not there, of changes that it leaves out of what
        is asked of a gene, and of negative markers that are all it names; the wild type of a gene
        that is all it names is asked about.
        """
        absent = not_found(text, named, self._lost)
        spans = left_out(text, named)
        free = {one.symbol for one in named if not _within(one.start, (*absent, *spans))}
        further = change(blanked(text, (*absent, *spans)))[0].places
        out = list[tuple[int, int]]()
        for span in spans:
            of = {one.symbol for one in named if _within(one.start, (span,))}
            crossed = [one for one in absent if _cross(one, span)]
            if free and not of <= free:
                absent += [span] * (not crossed)  # another gene's
            elif not crossed or (free and not further):
                absent = [one for one in absent if one not in crossed]
                out.append(span)
        rest = _no_targets([one for one in named if not _within(one.start, absent)], text)
        if rest or change(blanked(text, absent))[0].places:
            return absent, out, []
        own = [(one, change(text[slice(*one)])[0]) for one in absent]
        others = [one for one, of in own if of.places or "wild type" not in of.kinds]
        markers = all(not of.places and "wild type" not in of.kinds for _, of in own)
        left = blanked(text, [*absent, *((one.start, one.end) for one in named)])
        return ([], out, others) if markers and not _strange(left) else (others, out, [])

    def _apart(self, found: re.Match[str]) -> str:
        """A gene and a change that are written as one word: BRAFV600E."""
        return f"{found[1]} {found[2]}" if self.genes.within(found[1]) else found[0]


_PHILADELPHIA = re.compile(r"\bPh ?\+|\b(?:Ph|Philadelphia)[- ](?:chromosome[- ])?(?:positive|\+)")
"""What is called so is the one fusion of BCR with ABL1."""
_GLUED = re.compile(
    r"\b([A-Z][A-Z0-9]{2,7}?)([ACDEFGHIKLMNPQRSTVWY]\d{2,4}[ACDEFGHIKLMNPQRSTVWY*])\b"
)


_TARGET = re.compile(
    r"(?i)[\s-]*(?:tyrosine[\s-]kinase[\s-])?(?:TKIs?|inhibit\w+|antibod\w+|block\w+|mAbs?|directed"
    r"|target\w+|i)\b"
)


def _no_targets(genes: list[Named], text: str) -> list[Named]:
    """The genes that are not only the target in the name of a class of medicines (EGFR inhibitors,
    anti-EGFR).
    """
    return [
        one
        for one in genes
        if not _TARGET.match(text, one.end) and not re.search(r"(?i)anti[\s-]?$", text[: one.start])
    ]


def _cross(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _texts(text: str, spans: Iterable[tuple[int, int]]) -> str:
    return " ; ".join(named_out(text[a:b]) for a, b in spans)


def _within(place: int, spans: Iterable[tuple[int, int]]) -> bool:
    return any(start <= place < end for start, end in spans)


def _tells(gene: Named) -> bool:
    """Whether a gene's name tells of its change: BCR-ABL, EML4::ALK, Ph+, EGFRvIII, AR-V7, p16."""
    own = gene.written
    return bool(re.search(r"::|[A-Z0-9]{2}[-/][A-Z]{2}|v(?:III|7)|V7|p16|LCS6|Ph", own))


def _levels(question: str) -> tuple[str, list[tuple[int, int]]]:
    """The levels that a question wants, and where it says them."""
    spans: list[tuple[int, int]] = []
    wanted: set[str] = set()
    out: set[str] = set()
    for found in _LEVEL.finditer(question):
        letters = next(one for one in found.groups() if one)
        own = set(re.findall("[A-E]", letters))
        if re.search(r"[-–]|to", letters) and len(own) == 2:
            first, last = sorted(own)
            own = set(LEVELS[LEVELS.index(first) : LEVELS.index(last) + 1])
        after = question[found.end() : found.end() + 14].lower()
        if re.match(r"\s*(?:or (?:better|higher|above)|and (?:above|up))", after):
            own = set(LEVELS[: LEVELS.index(max(own)) + 1])
        (out if _NOT.search(question[: found.start()]) else wanted).update(own)
        spans.append(found.span())
    if wanted:
        return "".join(sorted(wanted - out)), spans
    for pattern, lowest in _LOWER:
        for found in pattern.finditer(question):
            if not _NOT.search(question[: found.start()]):
                return LEVELS[: LEVELS.index(lowest) + 1], [*spans, found.span()]
    return (CLINICAL if _OF_PATIENTS.search(question) else LEVELS), spans


def _narrowest(diseases: Iterable[Disease]) -> tuple[Disease, ...]:
    """Diseases by the number of words in their names, the most first: NSCLC before lung cancer."""
    return tuple(
        sorted(diseases, key=lambda one: -max((len(name.split()) for name in one.names), default=0))
    )


_RESISTS = re.compile(
    r"(?i)\b(?:resist\w*|insensitiv\w*|unresponsiv\w*|non-?respon\w*|ineffect\w*|useless|futile"
    r"|refractor\w*|fail(?:s|ed|ing|ures?)?(?:\s+to\s+\w+)?|escap\w+|evad\w+|immune to|worthless"
    r"|pointless|not eligible|ineligible|bother\w*|blunt\w*|avoid\w*|ruled? out|off the table"
    r"|wasted?|should(?: not|n't) (?:be (?:used|given|treated)|get|receive|have)"
    r"|(?:stop|cease|quit)\w*\s+(?:to\s+)?(?:\w+\s+)?(?:work|respon|being|help|act)\w*"
    r"|(?:no longer|not|never|hardly|barely|poorly|cannot|\w+n't|without|little|lack(?:s|ing)?"
    r"|loss|loses?|reduced|decreased|diminished|impaired|worse|poor(?:er)?|less|no|absen\w+ of"
    r"|(?:rather|other) than|instead of)\s+"
    r"(?:\w+\s+){0,2}?(?:work|respon|benefit|sensitiv|effect|help|efficac|activ|useful)\w*)"
)
_AGAINST = re.compile(r"(?i)\bnegative(?:ly)?\s+predict\w*")
_STILL = re.compile(
    r"(?i)\b(?:despite|overcom\w*|after|beyond|following|in spite of|circumvent\w*|when|once"
    r"|since|against)\s+(?:\w+[\s-]+){0,5}?(?:resist|fail|refractor|progress)\w*"
    r"|(?:still|remains?) (?:\w+ )?(?:work|activ|effect|respon|sensitiv)\w*"
    r"|\b(?:refractory|resistant)\s+(?:disease|patients?|tumou?rs?|cases?|cancers?)"
)


_WORKS = re.compile(
    r"(?i)\b(?:what|which|anything|any|is there)\b[^?.;:]*\b"
    r"(?:work|activ|effectiv|respond|response|sensitiv|option|help|next|instead|benefit)\w*"
)
_TO_DRUG = (
    r"(?i)\b(?:resist|refractor|insensitiv|fail|progress)\w*\s+(?:(?:to|on|of|under|with)\s+)?{0}\b"
    r"|\b{0}[\s-]+(?:has |have |had )?(?:fail|stopp|resistant|refractory)\w*"
)
_RESPONDS = re.compile(
    r"(?i)\b(?:sensiti[vzs]\w*|respon\w*|works?|active|effective|benefit\w*|helps?|helpful)\b"
)
_BOTH = re.compile(
    r"(?i)\bor not\b|\bsens\w*\W+(?:and|or|/)\W+res\w*|\bres\w*\W+(?:and|or|/)\W+sens\w*"
    r"|\bwhat (?:fails|does not|doesn't)\b.*\bwhat (?:is left|works|does|still)"
)


_RESISTANT = re.compile(r"(?i)\bresist\w*")
_REFUTED = re.compile(
    r"(?i)\b(?:evidence|studies|data|items?) (?:speak\w* |found )?against\b"
    r"|(?<!or )\b(?:do|does|did)(?: not|n't) support\w*|\bnot supported\b|\bunsupported\b"
    r"|\b(?:found|finds?|show\w*|report\w*|observ\w*) no (?:response|sensitivity|resistance)\b"
)
"""What asks for the items that do not support a direction."""
_HARMS = re.compile(
    r"(?i)\b(?:adverse(?![\s-](?:risk|prognos\w*|cytogen\w*|karyo\w*|outcome))(?:\s+\w*(?:respons|"
    r"reaction|effect|event)\w*)?|toxic\w*|side[\s-]effects?|harm(?:s|ful|ed)?|danger\w*|safe(?:ly|ty)?"
    r"|poison\w*|overdos\w*|at risk (?:under|from|with|on|when|if))\b"
)
_REDUCED = re.compile(r"(?i)\breduced sensitivity\b")
_FOR_ONE = re.compile(
    r"(?i)\b(?:what|which|drugs?|therap\w*|treat\w*|options?|medicines?|agents?|use|give|best|choice"
    r"|recommend\w*|inhibitor|TKI)\b"
)


_INSTEAD = re.compile(r"(?i)\b(?:options?|therap\w+|treatments?|alternatives?|next|instead|left)\b")


def _directions(question: str, drugs: Iterable[str] = ()) -> tuple[str, ...]:
    """Resistance where the words say so, but for what comes after it or in spite of it: also of a
    named medicine (``drugs`` as they are written), where the question is what works instead.
    Response where that or a medicine is asked for. Both where both are asked for, where a medicine
    is named and nothing is said, and where nothing is asked beside names. Adverse responses where
    harm is asked for, and reduced sensitivity where it is by name.
    """
    if _HARMS.search(question):
        rest = _HARMS.sub(" ", question)
        also = _RESISTS.search(rest) or _RESPONDS.search(rest)
        return (ADVERSE, *(_directions(rest, drugs) if also else ()))
    if _REDUCED.search(question):
        return (REDUCED,)
    text = _STILL.sub(" ", question)
    if _BOTH.search(text):
        return BOTH
    named = {*medicines(text), *drugs}
    if not _RESISTS.search(text):
        if _RESPONDS.search(question) or _WORKS.search(question) or _STILL.search(question):
            return (SENSITIVITY,)
        return BOTH if named or not _FOR_ONE.search(text) else (SENSITIVITY,)
    for one in named:
        text = re.sub(_TO_DRUG.format(re.escape(one)), " ", text)
    if not _RESISTS.search(text):
        asks = _WORKS.search(text) or _RESPONDS.search(text) or _INSTEAD.search(text)
        return (SENSITIVITY,) if asks else (RESISTANCE,)
    return BOTH if _RESPONDS.search(_RESISTS.sub(" ", text)) else (RESISTANCE,)


_SYMBOL = re.compile(r"(?<![\w-])[A-Z][A-Z0-9]{2,9}(?![\w])")
_OTHER_CAPITALS = re.compile(
    r"TKIS?|[DR]NA|MRNA|IHC|FISH|NGS|PCR|WHO|FDA|EMA|PARP|MEK|VEGF|PFS|ORR|CIVIC|I+V?|DOID|PMID"
    r"|RCTS?|USA|NCI|ASCO|ESMO|NCCN|SNP|UTR|AND|NOT|OR|THE|FOR|WITH|CPS|TPS|TMB"
)


def _strange(left: str) -> list[str]:
    """Words in the form of a gene's symbol that are none the source knows."""
    found = (one[0] for one in _SYMBOL.finditer(left))
    return [one for one in dict.fromkeys(found) if not _OTHER_CAPITALS.fullmatch(one)]


def changes(variants: Iterable[str]) -> Mapping[str, Change]:
    """The changes of a gene's variants."""
    return {name: change(name)[0] for name in variants}
