"""How many people a study is about, and who they are, as its abstract says it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from clinfo.records import Article
from clinfo.text.abstracts import AbstractSentence, abstract_sentences

_UNITS = {
    word: value
    for value, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        ]
    )
}
_TENS = {
    word: 10 * (place + 2)
    for place, word in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"])
}
_NUMBER_WORD = "|".join([*sorted((*_UNITS, *_TENS), key=len, reverse=True), "hundred", "thousand"])
_NUMBER = (
    r"(?<![\w.,/–‐‑−-])(?P<n>\d{1,3}(?:[,\u2009\u202f\u00a0]\d{3})+(?![\d.,]\d)|\d+(?![\d.,]*\d|[\d.,]*\s?%)|"
    rf"(?:{_NUMBER_WORD})(?:(?:[-\s]|\sand\s)(?:{_NUMBER_WORD}))*)"
)
_PEOPLE = (
    r"(?:patients?|participants?|subjects?|adults?|women|men|children|infants?|neonates?|newborns?|babies|"
    r"individuals?|people|"
    r"persons?|volunteers?|students?|nurses?|physicians?|doctors?|clinicians?|residents?|practitioners?|surgeons?|veterans?|"
    r"athletes?|players?|pregnancies|mothers?|girls?|boys?|adolescents?|teenagers?|youths?|toddlers?|preschoolers?|"
    r"cases|births|"
    r"deliveries|outpatients?|inpatients?|survivors?|smokers?|respondents?|males?|females?|recipients?|donors?|"
    r"couples?|families|"
    r"parents|caregivers?|carers|workers|employees|eyes|knees|hips|procedures|operations|records|charts|admissions|probands)"
)
_BETWEEN = r"(?:[^\W\d][\w’'/-]*,?\s+){0,6}?"
_TAKEN = (
    r"(?:randomi[sz]ed|randomly|allocated|assigned|enrolled|recruited|included|studied|analy[sz]ed|evaluated|reviewed|"
    r"investigated|"
    r"examined|assessed|completed|participated|entered|identified|eligible|treated|underwent|received|followed|surveyed|"
    r"interviewed|responded|tested|compared)"
)
_NOT_A_COUNT = (
    r"(?<![\d.,/–-])(?<![<>=≤≥±+]\s)(?<![<>=≤≥±+])(?<!\bof\s)(?<!\bgrade\s)(?<!\btype\s)(?<!\bper\s)(?<!\baged\s)(?<!\bphase\s)"
)


@dataclass(frozen=True)
class _Rule:
    rank: float
    pattern: re.Pattern[str]


def _rule(rank: float, pattern: str) -> _Rule:
    return _Rule(rank, re.compile(pattern, re.IGNORECASE))


_RULES = (
    _rule(
        9,
        rf"\b(?:trials?|studies|RCTs)\b[^.;]{{0,40}}?[(,]?\s*(?:with|involving|including|comprising|totall?ing|"
        rf"of|on|in|enrolling)?\s*"
        rf"(?:a total of\s+)?(?:n\s*=\s*)?{_NUMBER}\s+{_BETWEEN}(?:patients|participants|subjects|individuals|"
        rf"women|men|adults|children|people)\b",
    ),
    _rule(
        8,
        rf"{_NOT_A_COUNT}\b{_NUMBER}\s+{_BETWEEN}{_PEOPLE}\b(?:[^.;]{{0,80}}?)\b(?:were|"
        rf"was)\s+(?:\w+\s+)?(?:randomi[sz]ed|randomly)",
    ),
    _rule(
        8,
        rf"\b(?:randomi[sz]ed|randomly (?:assigned|allocated|divided))\s+(?:a total of\s+|"
        rf"all\s+)?{_NUMBER}\s+{_BETWEEN}{_PEOPLE}\b",
    ),
    _rule(7, rf"\ba total of\s+{_NUMBER}\s+{_BETWEEN}{_PEOPLE}\b"),
    _rule(
        7,
        rf"\b(?:sample|cohort|population|series|total|group)\s+(?:size\s+)?(?:of|was|comprised|included|"
        rf"consisted of|[(]n\s*=)\s*{_NUMBER}\b(?!\s*(?:%|years|months|weeks|studies|trials))",
    ),
    _rule(
        6,
        rf"{_NOT_A_COUNT}\b{_NUMBER}\s+{_BETWEEN}{_PEOPLE}\b[^.;]{{0,60}}?\b(?:were\s+|was\s+|who\s+|had\s+|"
        rf"have\s+)?{_TAKEN}\b",
    ),
    _rule(
        6,
        rf"\b(?:enrolled|recruited|included|studied|analy[sz]ed|evaluated|reviewed|investigated|examined|"
        rf"identified|surveyed|"
        rf"interviewed|treated|followed|in)\s+(?:up\s+)?(?:data (?:from|of|on)\s+)?(?:a total of\s+|all\s+|"
        rf"the\s+)?{_NUMBER}\s+{_BETWEEN}{_PEOPLE}\b",
    ),
    _rule(
        6,
        r"\b(?:survey|study|cohort|sample|series|trial|analysis|review|data|records|files|interviews|questionnaires)\s+"
        rf"(?:of|from|on|in|with|among)\s+(?:a total of\s+)?{_NUMBER}\s+{_BETWEEN}{_PEOPLE}\b",
    ),
    _rule(5, rf"{_NOT_A_COUNT}\b{_NUMBER}\s+(?:consecutive|eligible|healthy)\s+{_BETWEEN}{_PEOPLE}\b"),
    _rule(4, rf"\b{_PEOPLE}[^.;()]{{0,60}}?[(\[]\s*(?:total\s+)?[nN]\s*=\s*{_NUMBER}\s*[)\],;]"),
    _rule(3.2, rf"(?<![\d%)]\s)\bof\s+{_NUMBER}\s+{_BETWEEN}{_PEOPLE}\b"),
    _rule(3, rf"{_NOT_A_COUNT}\b{_NUMBER}\s+{_BETWEEN}{_PEOPLE}\b"),
)
"""Ways of stating a sample, the surer ones with the higher rank."""

_OUT_OF = re.compile(r"\b\d[\d,]*\s+(?:\([^)]*\)\s+)?(?:out )?of (?:the )?(?P<n>\d[\d,]*)\s+" + _BETWEEN + _PEOPLE, re.IGNORECASE)
_ARM = re.compile(r"[(\[]\s*[nN]\s*=\s*(?P<n>\d{1,3}(?:,\d{3})+|\d+)\s*(?:[)\],;]|\w)")
_ARMS = re.compile(r"\b(?:randomi[sz]ed|randomly|assigned|allocated|divided|groups?|arms?|either|received?)\b", re.IGNORECASE)
_BRACKET_N = re.compile(r"[(\[]\s*[nN]\s*=\s*(?P<n>\d{1,3}(?:,\d{3})+|\d+)\s*[)\]]")
_SCREENED = re.compile(r"\bscreened\b|\binvited\b|\bapproached\b|\bexcluded\b|\bdeclined\b|\bneeded\b|\brequired\b", re.IGNORECASE)
_TIME = re.compile(
    r"^[\s-]*(?:years?|months?|weeks?|days?|hours?|min|mg|g|kg|ml|µg|mm|cm|IU|U|units?|times|-?fold|th|st|nd|rd)\b", re.IGNORECASE
)


def sample_size(article: Article) -> int | None:
    """Number of people studied, or None where the abstract does not say it clearly.

    The surest statement wins ("1,204 patients were randomised" before "412 patients"), the earlier one of two alike. The
    numbers of a sentence's arms ("(n = 20)", "(n = 22)") are added up where nothing else says the total.
    """
    sentences = [s for s in abstract_sentences(article) if s.role in ("background", "methods", "results", "conclusion")]
    best: tuple[float, int] | None = None
    for place, sentence in enumerate(sentences):
        weight = -0.02 * place - (2.5 if sentence.role in ("conclusion", "background") and sentence.labelled else 0.0)
        for rank, value in _statements(sentence.text):
            score = rank + weight
            if best is None or score > best[0]:
                best = (score, value)
    arms = _arms(sentences)
    if best is None or (arms is not None and best[0] < 5 and arms > best[1]):
        return arms if arms is not None else best[1] if best else _title_size(article.title)
    return best[1]


def _title_size(title: str) -> int | None:
    found = [value for _, value in _statements(title)]
    return found[0] if found else None


def _statements(text: str) -> list[tuple[float, int]]:
    found: list[tuple[float, int]] = []
    for rule in _RULES:
        for match in rule.pattern.finditer(text):
            value = number(match["n"])
            after = text[match.end("n") :]
            if (
                value is None
                or value < 2
                or _TIME.match(after)
                or (value in range(1900, 2030) and "," not in match["n"] and rule.rank < 7)
            ):
                continue
            if value < 5 and rule.rank < 6:
                continue
            around = text[max(0, match.start() - 30) : match.end() + 40]
            found.append((rule.rank - (2.0 if _SCREENED.search(around) else 0.0), value))
    for match in _OUT_OF.finditer(text):
        value = number(match["n"])
        if value is not None and value > 1:
            found.append((3.5, value))
    brackets = _BRACKET_N.findall(text)
    if len(brackets) == 1:
        value = number(brackets[0])
        if value is not None and value > 4:
            found.append((2.5, value))
    return found


def _arms(sentences: list[AbstractSentence]) -> int | None:
    for sentence in sentences:
        values = [number(value) for value in _ARM.findall(sentence.text)]
        sizes = [value for value in values if value is not None]
        if 2 <= len(sizes) <= 4 and sentence.role in ("methods", "results") and _ARMS.search(sentence.text):
            if max(sizes) == sum(sizes) - max(sizes) and len(sizes) > 2:
                return max(sizes)
            return sum(sizes)
    return None


def number(text: str) -> int | None:
    """A whole number written in digits ("1,204") or words ("forty-two", "one hundred and five"); None for anything else."""
    digits = re.sub(r"[,\s]", "", text)
    if digits.isdecimal():
        return int(digits)
    total = part = 0
    seen = False
    for word in re.split(r"[-\s]+", text.lower()):
        if word in _UNITS:
            part += _UNITS[word]
        elif word in _TENS:
            part += _TENS[word]
        elif word == "hundred":
            part = (part or 1) * 100
        elif word == "thousand":
            total, part = total + (part or 1) * 1000, 0
        elif word != "and":
            return None
        seen = seen or word != "and"
    return total + part if seen else None


_NO_ADJECTIVE = (
    r"(?:of|the|and|in|were|was|with|from|to|for|that|these|those|all|both|two|three|each|study|other|more|keep|keeps|"
    r"without|than|"
    r"per|via|given|had|has|have|most|some|many|if|when|while|after|before|during|between|into|only|also|not|no|fewer|every|"
    r"occurred|once|leaves?|received|by|a|an|our|we|or|among|on|as|enrolled|included|recruited|randomi[sz]ed|total|"
    r"consecutive|"
    r"studied|rehabilitation|using|whether|is|are|[IVX]+)"
)
_WHO = re.compile(
    rf"\b(?P<who>(?:(?!{_NO_ADJECTIVE}\b)[A-Za-z][\w-]*\s+){{0,4}}"
    r"(?:patients|participants|adults|women|men|children|infants|neonates|individuals|people|persons|volunteers|students|"
    r"adolescents|outpatients|inpatients|survivors|smokers|residents|veterans|athletes|mothers|girls|boys|nurses|"
    r"physicians|males|females|subjects)\b"
    r"(?:,?\s+(?:with|aged|age|ages|who|undergoing|hospitali[sz]ed|receiving|at|suffering|treated|admitted|referred|"
    r"between|older|having|living|over|under|diagnosed|scheduled|presenting|without|requiring|"
    r"taking)\s+[^.;:,()\[\]]{2,90})?)",
    re.IGNORECASE,
)
_STOP_WHO = re.compile(
    r"(?<!referred)(?<!exposed)(?<!admitted)(?<!due)(?<!prior)(?<!related)(?<!resistant)(?<!refractory)\s+to\s+(?=[a-z]).*$|"
    r"\s+(?:via|from\s+\w+ing|were|was|are|is|had|have|received|underwent|participated|compared|versus|vs|"
    r"between (?:january|february|"
    r"march|april|may|"
    r"june|july|august|september|october|november|december|19|20)|from (?:january|19|20)|in (?:a|the|this|our|19|20|"
    r"order)|at the "
    r"(?:university|department|hospital|clinic)|into|completed|did|and (?:to|were)|to (?:receive|determine|evaluate|"
    r"compare|assess|either)|"
    r"using|by|during|before|after|reporting|randomly|will|should|would|may|can|could)\b.*$",
    re.IGNORECASE,
)
_LEADING_NUMBER = re.compile(rf"^(?:(?:{_NUMBER_WORD}|and)[-\s]+)+", re.IGNORECASE)
_DANGLING = re.compile(
    r"(?:[\s,]+(?:took part|whose serum|between|who|with|of|and|or|in|a|the|aged|at|having|for|without|that|no|"
    r"greater|more|less|than|to|difference))+$",
    re.IGNORECASE,
)
_GENERIC_WHO = re.compile(r"(?:patients|participants|subjects|individuals|people|persons|study participants)", re.IGNORECASE)


def population(article: Article) -> str | None:
    """Who was studied, as the abstract or the title words it ("women aged 65 years or older"); None where it says nothing."""
    sentences = abstract_sentences(article)
    ranked = [s.text for s in sentences if s.role == "methods"] + [article.title]
    ranked += [s.text for s in sentences if s.role in ("background", "results")]
    best: tuple[float, str] | None = None
    for place, text in enumerate(ranked):
        for match in _WHO.finditer(text):
            who = _LEADING_NUMBER.sub("", _STOP_WHO.sub("", match["who"])).strip(" ,-?")
            if re.match(r"\.\d", text[match.end() :]):
                who = re.sub(r"\s+\S*\d+$", "", who)
            who = _DANGLING.sub("", who).strip(" ,")
            if _GENERIC_WHO.fullmatch(who):
                continue
            detail = 1.0 if re.search(r"\b(?:with|aged|who|undergoing|hospital|receiving|older|living|diagnosed)", who) else 0.0
            counted = 1.0 if re.search(r"\d\s+(?:\w+\s+){0,2}$", text[: match.start()]) else 0.0
            score = detail + counted + 0.1 * min(len(who.split()), 10) - 0.1 * place
            if best is None or score > best[0]:
                best = (score, who)
    return best[1] if best else None
