"""Claims whose figures say the opposite of their words, and significance that claim and passage tell differently.

Both looks read one clause at a time and give None wherever it is not plain what belongs to what: under a negation or a
hedge, with words of both directions, where the order of the arms is not told. What is returned is a reason for a reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise

from clinfo.text.figures import Figure, find_figures
from clinfo.text.passages import beginnings
from clinfo.text.polarity import inside, negated_spans
from clinfo.text.units import TIMES

LEVEL = Decimal("0.05")
"""The p value from which a difference is commonly called not significant."""
LEAST_SHARED = 0.6
"""Share of a claim's words on its outcome that a passage must hold to speak of the same."""
LONGEST = 20_000
"""Characters of a text that is looked at."""

_CUT = re.compile(
    r";\s|\.\s+(?=[A-Z])|,?\s(?:but|whereas|while|although|though|however|yet|despite|because)\s|,\s(?:and|with)\s", re.IGNORECASE
)
_DOWN = re.compile(
    r"\b(?:fewer|lower|less|smaller|shorter|reduce[sd]?|decrease[sd]?|lowered|lowers|halve[sd]|fell|dropped|declined|protective|"
    r"protected|prevented|prevents|cut|diminished|shortened)\b",
    re.IGNORECASE,
)
_UP = re.compile(
    r"\b(?:more|higher|greater|larger|longer|increase[sd]?|raised|raises|elevated|doubled|tripled|rose|climbed|grew|heightened|"
    r"prolonged)\b",
    re.IGNORECASE,
)
_BOTH = re.compile(rf"(?:(?P<down>{_DOWN.pattern})|(?P<up>{_UP.pattern}))", re.IGNORECASE)
_NO_DIRECTION = re.compile(
    r"\b(?:more|less|fewer|higher|greater|longer|lower) than (?:\w+ )?(?=[\d<>≥≤]|half|one|two|three)|\bmore or less\b|"
    r"\blower (?:limbs?|back|bod(?:y|ies)|extremit\w+|legs?|respiratory|urinary|gastro\w+|uterine|oesophag\w+|esophag\w+|"
    r"third|lip|jaw|molars?|segment|quartile|tertile|quintile|bound|limit|end|lobes?)\b|(?<=fewer )(?:\w+ )?fell\b|"
    r"(?<=more )(?:\w+ )?fell\b|\bonce or more\b|\bor more\b|\bor less\b",
    re.IGNORECASE,
)
_OTHER_WAY = re.compile(
    r"\b(?:increas|decreas|reduc|declin|improv|worse|(?<!blood )loss|gain|rise|fall\b|drop|chang|inverse|protect|prolong|"
    r"shorten|lowest|"
    r"highest|most|least|better|inferior|superior|poor|lack|absen|without|non-?use|elevat|diminish|delay)\w*",
    re.IGNORECASE,
)
_GUARDS = re.compile(r"(?<=protective) against |(?<=protected) against ", re.IGNORECASE)
_HEDGE = re.compile(
    r"\b(?:may|might|could|would|seem\w*|appear\w*|tend(?:ed|s|ency)?|trend\w*|whether|if|expected|predicted|hypothes\w+|"
    r"assum\w+|target\w*|respectively|interaction|heterogeneity|either|unless|not|no|neither|nor|never|nearly|almost)\b",
    re.IGNORECASE,
)
_IN_TIME = re.compile(
    r"\b(?:baseline|before|after|pre|post|initial\w*|previous\w*|earlier|year|years|follow-?up|from|over time|"
    r"end of)\b",
    re.IGNORECASE,
)
_VERSUS = re.compile(r"\s*[)\]]?,?\s*(?:vs\.?|v\.?|versus|compared (?:with|to)|against)\s*[(\[]?\s*", re.IGNORECASE)
_VERSUS_ARMS = re.compile(
    r"\s*[)\]]?,?\s*(?:vs\.?|versus|compared (?:with|to)|against)\s(?:in |for |with |of )?(?:the )?(?:[A-Za-z-]+\s){0,4}?"
    r"[(\[]\s*",
    re.IGNORECASE,
)
_THAN = re.compile(
    r"\s*[)\]]?,?\s*than\s(?:(?:in|for|with|among|of|the|those|on)\s){0,3}(?:[A-Za-z-]+\s){0,5}?[(\[]?(?:at )?\s*", re.IGNORECASE
)
_TURNED = re.compile(r"\b(?:compared (?:with|to)|relative to|versus|vs\.?|than|over|in contrast to)\b", re.IGNORECASE)
_SECOND_GROUP = re.compile(r"\b(?:groups?|arm|cohort|regimen|phase|period) (?:2|3|4|B|C|D|II|III|two|three)\b")
_LEADING_TURN = re.compile(
    r"^\W*(?:(?:when |as )?compared (?:with|to)|relative to|in contrast to|unlike|versus|against)\b", re.IGNORECASE
)
_OF_GROUP = re.compile(
    r"\b(?:in|with|for|among|on|of|under|after|by)\s(?:the\s)?(?:[\w-]+\s){0,4}?(?:groups?|arms?|patients|participants|women|men|"
    r"children|adults|infants|recipients|users|those)\b",
    re.IGNORECASE,
)
_CONTROL = re.compile(r"\b(?:controls?|placebo|sham|usual care|standard|comparator|untreated|comparison)\b", re.IGNORECASE)
_PER = re.compile(r"\b(?:per|each|every|for (?:a|an|the|those|men|women|patients)|reference|unadjusted|unit|quartile|tertile|"
                  r"quintile|sd)\b", re.IGNORECASE)  # fmt: skip
_SURVIVAL = re.compile(
    r"surviv|respon|remission|recover|success|discharge|cure|healing|achiev|\b(?:OS|PFS|DFS|EFS|RFS|TTP)\b|time to|free|adheren|"
    r"toleran|quality|function|relap|odds of (?:no|not)"
)
_RISK = r"(?:risks?|odds|hazards?|rates?|likelihood|incidence|chances?|probability|prevalence|frequency|mortality|deaths?)"
_TELLS_RATIO = re.compile(
    rf"\b(?:with|had|have|has|having|showed|at|a|an)\s(?:an?\s)?(?:[\w-]+ly\s)?(?P<a>lower|reduced|decreased|higher|greater|"
    rf"increased|"
    rf"elevated|fewer|more|less)\s(?:[\w-]+\s){{0,3}}?(?:{_RISK}|falls?|events?|episodes?|fractures?|strokes?|infections?|"
    r"exacerbations?|admissions?|hospitali[sz]ations?)\b|"
    rf"\b{_RISK}\s(?:\w+\s){{0,7}}?(?:was|were|is|are|be)\s(?:also\s)?(?:[\w-]+ly\s)?(?P<b>lower|reduced|decreased|higher|greater|"
    rf"increased|elevated|raised|halved|doubled|lowered)\b|"
    r"\b(?P<c>less|more)\s(?:likely|common|frequent|often)\b|"
    r"\b(?P<e>protective|protected)\b|"
    r"(?<![,(])(?<!\bwith)(?<!\bof)(?<!\bfor)(?<!\bby)(?<!\ba)(?<!\ban)(?<!\bthe)(?<!\bto)(?<!\band)(?<!\bor)(?<!\bwas)(?<!\bwere)"
    r"(?<!\bin)(?<!\bhad)(?<!\bis)(?<!\bare)"
    r"\s(?:also\s)?(?:[\w-]+ly\s)?(?P<d>reduced|reduces|lowered|lowers|decreased|decreases|cut|halved|prevented|increased|"
    r"increases|"
    r"raised|raises|doubled)\s(?!in\b|by\b|with\b|from\b|to\b|after\b|over\b|dose|intake)(?=[\w-])",
    re.IGNORECASE,
)
_RATIOS = frozenset({"HR", "OR", "RR", "PR", "SMR"})
_FROM_TO = re.compile(
    r"\b(?:(?P<down>fell|decreased|dropped|declined|reduced|lowered|diminished)|(?P<up>rose|increased|raised|grew|climbed))\b"
    r"(?P<gap>[^.;,()]{0,60}?)\bfrom\s",
    re.IGNORECASE,
)
_MORE_ADJECTIVE = re.compile(
    r"(?:\s+(?:[a-z]+ly\s)?(?:likely|common|frequent|often|prevalent)\b)|"
    r"\s+(?!than\b|of\b|[a-z]+(?:ive|ful|ous|al|ic|ly|ent|ant|able|ible|ed|ing|ere|ate|ary|ound|ict|able|like)\b|pain-free|stable|"
    r"safe|costly|so\b|rapid|complex|robust|precise|accurate)[a-z]",
    re.IGNORECASE,
)
_GOOD_RATE = re.compile(
    r"\b(?:(?P<up>superior|better)|(?P<down>inferior|worse))\s(?:[\w-]+\s){0,2}?(?:response|remission|cure|survival|success|"
    r"healing|adherence|eradication|abstinence)\b",
    re.IGNORECASE,
)
_SIGNIFICANT = re.compile(
    r"(?<!clinically )(?<!statistical )(?<!prognostic )(?<!prognostically )(?<!borderline )(?<!marginal )"
    r"(?<!marginally )(?<!nearly )\b(?:statistically |highly )?(?P<word>significan(?:t(?:ly)?|ce))\b"
    r"(?! (?:level|predictor|interaction|heterogen|portion|number|proportion|proble|burden|caus|morbid|public|role|challeng|issue|"
    r"limit|implic|concern))",
    re.IGNORECASE,
)
_NOT_SIGNIFICANT = re.compile(
    r"\b(?:non-?\s?significan\w+|insignificant(?:ly)?|(?:did|does|do) not (?:\w+ )?differ(?: significantly)?|NS\b|n\.s\.|"
    r"no (?:\w+ )?differences?|not (?:\w+ )?different)",
    re.IGNORECASE,
)
_DENIES = re.compile(r"\b(?:no|not|without|any|nor|neither)(?:\s(?:statistically|a|any|be|differ))?\s*\Z", re.IGNORECASE)
_NOT_ABOUT = re.compile(
    r"\b(?:level|threshold|alpha|except\w*|apart|borderline|nonstatistical\w*|Bonferroni|corrected|"
    r"adjust\w+ p|trend|interaction|heterogeneity|non-?inferior\w*)\b",
    re.IGNORECASE,
)
_EMPTY = frozenset(
    beginnings(
        "significant significantly significance statistically statistical non nonsignificant insignificant differ different "
        "difference "
        "compared between group groups arm arms treatment patients participants subjects study trial results showed found observed "
        "increase increased decrease decreased reduce reduced reduction higher lower greater fewer more less improve improved "
        "improvement "
        "change changed effect effects than with versus there was were had mean associated association similar comparable two "
        "both all "
        "received control placebo intervention week weeks month months year years day days after baseline hr rr ci confidence "
        "interval "
        "score scores rate rates risk level levels overall any however although also respectively value did percent"
    )
)


@dataclass(frozen=True)
class _Stated:
    """One clause: how it tells significance (1 significant, -1 not), in which words, and the words on its outcome."""

    sign: int
    written: str
    words: frozenset[str]


def against_itself(claim: str) -> str | None:
    """Why a claim's own figures say the opposite of its words, for a reader; None where they do not, or it is not plain.

    Looked at: two figures compared ("fewer … 39.6 % versus 29.3 %"), a value before and one after ("fell from 20 to 30"), a
    ratio on the wrong side of 1 whose interval, if any, excludes it, and a p value that belies "significant". Never raises.
    """
    if len(claim) > LONGEST or not any(sign.isdigit() for sign in claim):
        return None
    for clause in statements(claim):
        reason = _own_p_value(clause) or _own_ratio(clause) or _own_change(clause) or _own_arms(clause)
        if reason is not None:
            return reason
    return None


def significance(claim: str, passage: str) -> str | None:
    """Why the passage that carries a claim says the opposite of its "significant" or "no significant difference"; None otherwise.

    Only clauses that share most of the claim's words on its outcome count, and none that hold as many and agree with it.
    """
    if len(claim) > LONGEST or len(passage) > LONGEST:
        return None
    told = _told(passage)
    for said in _told(claim):
        if not said.words or not said.written.lower().strip().endswith(("significant", "significantly", "significance")):
            continue
        held = [(len(said.words & other.words) / len(said.words), other) for other in told]
        against = max((share for share, other in held if other.sign == -said.sign), default=0.0)
        agreeing = max((share for share, other in held if other.sign == said.sign), default=0.0)
        if against < LEAST_SHARED or against <= agreeing or (agreeing and against < 1):
            continue
        other = next(other for share, other in held if share == against and other.sign == -said.sign)
        return f"it says “{said.written}” where the passage says “{other.written}”"
    return None


@lru_cache(maxsize=256)
def statements(text: str) -> tuple[str, ...]:
    """The clauses of ``text``; what stands in brackets is never parted."""
    depths, depth = [], 0
    for sign in text:
        depth = depth + 1 if sign in "([" else max(0, depth - 1) if sign in ")]" else depth
        depths.append(depth)
    pieces, begin = [], 0
    for match in _CUT.finditer(text):
        if depths[match.start()] == 0:
            pieces.append(text[begin : match.start()])
            begin = match.end()
    return tuple(piece for piece in (*pieces, text[begin:]) if piece.strip())


def _directions(clause: str) -> list[re.Match[str]]:
    set_aside = [match.span() for match in _NO_DIRECTION.finditer(clause)]
    return [match for match in _BOTH.finditer(clause) if not inside(match.start(), set_aside)]


def _plain_statement(clause: str) -> bool:
    return not negated_spans(_GUARDS.sub(" of ", clause)) and _HEDGE.search(clause) is None


def _own_p_value(clause: str) -> str | None:
    values = [figure for figure in find_figures(clause) if figure.kind == "p value"]
    words = list(_SIGNIFICANT.finditer(clause))
    if not values or not words or _NOT_ABOUT.search(clause) or values[0].start < words[0].start():
        return None
    denied = _NOT_SIGNIFICANT.search(clause)
    hidden = {inside(match.start(), negated_spans(clause)) for match in words}
    if len(words) == 1 and hidden == {False} and denied is None and all(_is_large(value) for value in values):
        if _HEDGE.search(clause):
            return None
        return f"it says “{words[0].group().strip()}”, and its own figure ({_written(clause, values[0])}) is not"
    if (len(words) == 1 and hidden == {True} and _negator(clause, words[0].start())) and all(_is_small(value) for value in values):
        return f"it says “not significant”, and its own figure ({_written(clause, values[0])}) is significant"
    return None


def _negator(clause: str, place: int) -> bool:
    """Whether a negator stands right before a word, so that it is the significance that is denied."""
    return _DENIES.search(clause[max(0, place - 30) : place]) is not None


def _is_large(figure: Figure) -> bool:
    return (figure.values[0] > LEVEL and figure.comparator == "=") or (
        figure.values[0] >= LEVEL and figure.comparator in (">", "≥")
    )


def _is_small(figure: Figure) -> bool:
    return (figure.values[0] < LEVEL and figure.comparator in ("=", "<", "≤")) or (
        figure.values[0] == LEVEL and figure.comparator == "<"
    )


def _own_ratio(clause: str) -> str | None:
    figures = find_figures(clause)
    ratios = [(place, figure) for place, figure in enumerate(figures) if figure.kind == "ratio" and figure.measure in _RATIOS]
    directions = _directions(clause)
    if not ratios or len(directions) != 1 or not _plain_statement(clause) or _SURVIVAL.search(clause) or _PER.search(clause):
        return None
    told = _TELLS_RATIO.search(clause)
    if told is None or _LEADING_TURN.search(clause):
        return None
    name = told.lastgroup or "a"
    word = directions[0]
    others = [match for match in _OTHER_WAY.finditer(clause) if match.start() != word.start()]
    if others or told.start(name) != word.start():
        return None
    sign = -1 if word["down"] else 1
    for place, ratio in ratios:
        value = ratio.values[0]
        if ratio.start < word.end() or ratio.comparator != "=" or value <= 0 or value == 1 or (value > 1) == (sign > 0):
            return None
        for other in figures[place + 1 : place + 3]:
            if other.kind in ("ratio", "percent"):
                break
            if other.kind in ("interval", "range") and min(other.values) <= 1 <= max(other.values):
                return None
            if other.kind == "p value" and _is_large(other):
                return None
    written = f"{ratios[0][1].measure} {_written(clause, ratios[0][1])}"
    return f"it says “{word.group()}”, and its own figure ({written}) says {'less' if sign > 0 else 'more'}"


def _own_change(clause: str) -> str | None:
    figures = {figure.start: figure for figure in find_figures(clause)}
    for match in _FROM_TO.finditer(clause):
        first = figures.get(match.end())
        if first is None or negated_spans(clause) or _HEDGE.search(clause) or re.search(r"\bby\b|\brang", match["gap"]):
            continue
        rest = re.match(
            r"\s?(?:[(\[][^()\[\]]{0,40}[)\]])?(?:\s(?:at|in)\s(?:the\s)?\w+)?\s(?:to|down to|up to)\s",
            clause[first.end : first.end + 90],
        )
        second = figures.get(first.end + rest.end()) if rest else None
        one, other = _value(first), _value(second) if second else None
        if one is None or other is None or second is None or {first.unit, second.unit} & (TIMES | {"participants", "studies"}):
            continue
        if (first.unit != second.unit and first.unit is not None) or min(one, other) < 0 or one == other:
            continue
        if (other > one) == (match["down"] is not None):
            says = "more" if other > one else "less"
            ends = f"from {_written(clause, first)} to {_written(clause, second)}"
            return f"it says “{match['down'] or match['up']}”, and its own figures ({ends}) say {says}"
    return None


def _own_arms(clause: str) -> str | None:
    """Two figures joined by "versus" or "than" behind a word of direction whose subject is the first."""
    if not _plain_statement(clause) or _LEADING_TURN.search(clause):
        return None
    good = _GOOD_RATE.search(clause)
    if _SECOND_GROUP.search(clause) and not re.search(r"\bthan\b", clause):
        return None
    directions = _directions(clause)
    word = good or (directions[0] if len(directions) == 1 else None)
    if word is None or (good is not None and directions):
        return None
    if any(not word.start() <= match.start() < word.end() for match in _OTHER_WAY.finditer(clause)):
        return None
    said = (word.group("down") or word.group("up") or "").lower()
    if said in ("more", "less") and _MORE_ADJECTIVE.match(clause, word.end()) is None:
        return None
    if said in (
        "protective",
        "protected",
        "prevented",
        "prevents",
        "cut",
        "grew",
        "rose",
        "fell",
        "dropped",
        "declined",
        "climbed",
    ):
        return None
    if _IN_TIME.search(clause) and not re.search(r"\bthan\b", clause):
        return None
    pairs = list(_pairs(clause, word.end()))
    if not pairs:
        return None
    turned = _TURNED.search(clause, 0, word.start())
    if turned is not None or not _named_first(clause, word, pairs[0][0]):
        return None
    falling = word.group("down") is not None
    if all((one > other) == falling and one != other for _, _, one, other in pairs):
        first, second, one, other = pairs[0]
        says = "more" if one > other else "less"
        return f"it says “{said}”, and its own figures ({_written(clause, first)} versus {_written(clause, second)}) say {says}"
    return None


def _named_first(clause: str, word: re.Match[str], first: Figure) -> bool:
    """Whether it is plain whose figure comes first: a "than" with two sides, a group named, or a verb with its object."""
    between = clause[word.end() : first.start]
    if re.search(r"\bthan\b", clause[word.end() :]):
        return True
    group = _OF_GROUP.search(between)
    if group is not None:
        return True
    before = clause[: word.start()]
    return bool(
        re.search(
            r"\b(?:had|have|has|showed|experienced|achieved|gave|produced|led to|resulted in)\s(?:an?\s)?(?:[\w-]+ly\s)?\Z", before
        )
    ) or bool(
        re.search(r"\b(?:in|with|for|among|on)\s(?:the\s)?[\w-]+", before + between)
        and re.search(r"\b(?:was|were)\s(?:[\w-]+ly\s)?\Z", before)
    )


def _pairs(clause: str, begin: int) -> Iterator[tuple[Figure, Figure, Decimal, Decimal]]:
    """Figures of one kind and unit joined by "versus" or "than"."""
    figures = [figure for figure in find_figures(clause) if figure.start >= begin]
    figures = [figure for figure in figures if figure.kind not in ("interval", "p value", "range", "sample size")]
    for first, second in pairwise(figures):
        gap = clause[first.end : second.start]
        if not (_VERSUS.fullmatch(gap) or _THAN.fullmatch(gap) or _arms_named(clause, first, gap)):
            continue
        one, other = _value(first), _value(second)
        if one is None or other is None or min(one, other) < 0 or (first.kind != second.kind and first.unit != second.unit):
            continue
        if first.unit is not None and second.unit is not None and first.unit != second.unit:
            continue
        yield first, second, one, other


def _arms_named(clause: str, first: Figure, gap: str) -> bool:
    """Whether the gap names the second arm in its place: "in the drug group (12 %) versus the placebo group (20 %)"."""
    return (
        _VERSUS_ARMS.fullmatch(gap) is not None and _CONTROL.search(gap) is not None and not _CONTROL.search(clause[: first.start])
    )


def _value(figure: Figure) -> Decimal | None:
    if figure.comparator != "=" or figure.worded:
        return None
    if figure.kind in ("percent", "number", "quantity", "count") and len(figure.values) == 1:
        return figure.values[0]
    if figure.kind == "spread":
        return figure.values[0]
    if figure.kind == "proportion" and figure.values[1] > 0:
        return figure.values[0] / figure.values[1]
    return None


def _written(clause: str, figure: Figure) -> str:
    return clause[figure.start : figure.end].strip()


@lru_cache(maxsize=256)
def _told(text: str) -> tuple[_Stated, ...]:
    """The clauses that tell of significance one way; one that names no outcome ("but not significantly") is of the outcome "
    "before."""
    found, before = [], frozenset[str]()
    for clause in statements(text):
        own = beginnings(clause) - _EMPTY
        stated = _stated(clause, own or before)
        before = own or before
        if stated is not None:
            found.append(stated)
    return tuple(found)


def _stated(clause: str, words: frozenset[str]) -> _Stated | None:
    if _NOT_ABOUT.search(clause):
        return None
    spans = negated_spans(clause)
    signs: list[tuple[int, str]] = []
    for match in _SIGNIFICANT.finditer(clause):
        denied = inside(match.start(), spans)
        signs.append((-1 if denied else 1, f"{'not ' if denied else ''}{match.group().strip()}"))
    signs += [(-1, match.group().strip()) for match in _NOT_SIGNIFICANT.finditer(clause)]
    signs += _by_figures(clause, find_figures(clause))
    if not signs or len({sign for sign, _ in signs}) > 1:
        return None
    return _Stated(*signs[0], words)


def _by_figures(clause: str, figures: Sequence[Figure]) -> Iterator[tuple[int, str]]:
    """What the p values of a clause, or else the intervals of its ratios, say of significance."""
    values = [figure for figure in figures if figure.kind == "p value"]
    for figure in values:
        if _is_large(figure) or _is_small(figure):
            yield (-1 if _is_large(figure) else 1), _written(clause, figure)
    for ratio, other in pairwise(figures):
        if not values and ratio.kind == "ratio" and ratio.measure in _RATIOS and other.kind in ("interval", "range"):
            holds = min(other.values) <= 1 <= max(other.values)
            yield (-1 if holds else 1), _written(clause, other)
