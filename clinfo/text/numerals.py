"""Numbers as medical prose writes them: in digits with every kind of separator and sign, and in
words.

Numbers that are part of a name are passed over: CYP3A4, vitamin B12, GLP-1, COVID-19, type 2
diabetes, phase 3, 5-HT, 25(OH)D, dates and years, trial registrations, addresses, citations in
brackets.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise

from clinfo.lazy_dataclass import dataclass
from clinfo.text.citations import citation_marks
from clinfo.text.lexicon import either, words_of
from clinfo.text.regex import anycase, regex

_CHARACTERS = str.maketrans(
    {
        **dict.fromkeys("‐‑‒–—―﹘﹣－", "-"),
        **dict.fromkeys("\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2008\u205f\u3000", " "),
        **dict.fromkeys("\u00a0\u2007\u2009\u202f\u200a", "\u2009"),
        **dict.fromkeys("⩽≦", "≤"),
        **dict.fromkeys("⩾≧", "≥"),
        **dict.fromkeys("≃≅∼～", "≈"),
        **dict.fromkeys("＜‹", "<"),
        **dict.fromkeys("＞›", ">"),
        "％": "%",
        "\ue000": "\ue001",
        "／": "/",
        "μ": "µ",
        "’": "'",
    }
)
_MIDDLE_DOT = regex(r"(?<=\d)[·∙⋅•‧](?=\d)")
_KINDS = (
    r"types?|phases?|grades?|stages?|class(?:es)?|figures?|figs?\.?|tables?|steps?|nos?\.|appendix|"
    r"chapters?|categor(?:y|ies)|"
    r"tiers?|interleukins?|peptides?|proteins?|receptors?|peptidase|cotransporter|transporters?|"
    r"kinases?|cyclooxygenase|omega|"
    r"apolipoprotein|ligands?|antigens?|factors?|covid|cov|subtypes?|variants?|chromosomes?|exons?|"
    r"rct|vitamin|hpv|hsv|hiv|icd|"
    r"dsm|sars|criteri(?:on|a)|quartiles?|tertiles?|quintiles?"
)
"""Words that a number after them only numbers: "type 2", "phase 3"."""
_LABELS = (
    r"levels?|groups?|arms?|cohorts?|stud(?:y|ies)|trials?|numbers?|sections?|parts?|death|"
    r"questions?|items?|aims?|experiments?|"
    r"visits?"
)
"""Words that a number after them numbers unless something counted follows: "group 2", but not "in
group 12 patients".
"""
_UNIT_WORDS = (
    r"mg|g|kg|µg|mcg|ng|pg|ml|dl|l|iu|u|mm|cm|nm|m|mmol|mm?hg|kcal|c?gy|hz|khz|mhz|hours?|h|hrs?|"
    r"min(?:ute)?s?|sec(?:ond)?s?|s|"
    r"days?|d|weeks?|wks?|months?|mo|years?|yrs?|y|x"
)
_COUNTED = either("people", "counted")
_MEASURED = rf"\s?%|\s?(?:{_UNIT_WORDS})\b|\s(?:[A-Za-z-]+\s){{0,2}}(?:{_COUNTED})\b"
_MONTHS = rf"(?:{either('months', 'dates')})\.?"
_YEAR = r"(?:19[4-9]\d|20[0-4]\d)\b"
_NAMES = regex(
    rf"""
      https?://\S+ | www\.\S+ | \b[Dd][Oo][Ii][:\s]\s?10\S+
    | \b(?=[^\W\d_]{{1,22}}[-\s(.,:]{{0,3}}(?:\d|(?:one|two|three|four)\b)) (?:
        # CYP3A4, IL-17/23, COVID-19; not HR0.75
          (?!(?:[ax]?(?:HR|OR|RR)|SMD|MD|CI|[nNpP])\d|(?i:per)?cent[-−])[^\W\d_]{{1,22}}[-−]?\d\w*(?:[/,\u2009-]\d\w*)*
        # type 2 diabetes, grades 3 and 4
        | (?:(?i:{_KINDS})(?:\s|-|\s\()(?:\d{{1,2}}[a-z]?|one|two|three|four)(?![\w%]|[.,]\d)(?!\s?(?:%|(?:{_UNIT_WORDS})\b))
            |(?i:{_LABELS})\s(?:\d{{1,2}}[a-z]?|one|two|three|four)(?![\w%]|[.,]\d)(?!{_MEASURED}))
          (?:(?:\s?[,/-]\s?|\s(?:and|or|to|vs\.?|versus)\s)\d{{1,2}}[a-z]?(?![\w%]|[.,]\d)(?!{_MEASURED}))*
        | (?i:version|ver\.|v\.|spss|stata|sas|revman|release)\s\d+(?:\.\d+)*
        | {_MONTHS}\s(?:\d{{1,2}}(?:-\d{{1,2}})?\b(?![.]\d|{_MEASURED}),?\s?)?(?:{_YEAR})?
        | (?i:in|between|since|from|until|till|by|before|after|during|of|year|spring|summer|autumn|fall|winter|early|late|mid)
          [\s-]{_YEAR}(?:(?:\s?[-/]\s?|\s(?:to|and|through|until|or)\s)(?:{_YEAR}|\d\d\b))*(?![.,]\d|{_MEASURED})
        | al\.?,?\s\(?{_YEAR}
        # Smith 2010, in their 60s
        | [A-Z]\w{{1,21}},?\s\(?{_YEAR}(?![.,]\d|{_MEASURED}) | (?i:their|his|her|the|early|late|mid)[\s-](?:19|20)?\d0s\b
      )
    | \b(?=\d) (?:
        # 5-fluorouracil, 1,25-dihydroxyvitamin, 36-item, 25(OH)D, 5-HT, 3rd
          \d+(?:,\d+){{0,3}}'?-(?!(?i:{_UNIT_WORDS}|{_COUNTED}|fold|percent|per|points?|times|to|and|or|vs)\b)[A-Za-z]{{2,}}[\w-]*
        | \d+\s?[\[(]OH[\])] | \d+(?!IU)[A-Z]{{2,}}\w* | \d+(?:st|nd|rd|th)\b
        | \d{{1,2}}:\d{{2}}(?=\s?(?:[ap]\.?m|h\b|hours))
        | \d{{1,2}}\s{_MONTHS}(?:,?\s{_YEAR}|(?=\W)) | \d{{1,2}}[/.]\d{{1,2}}[/.](?:19|20)?\d\d\b | 10\.\d{{4,9}}/\S+
        | {_YEAR}(?:\s?[-/]\s?(?:{_YEAR}|\d\d\b)|\s(?:to|and|through|until|or)\s{_YEAR})(?![.,]\d|{_MEASURED})
        | {_YEAR}(?=\s(?:guidelines?|update|Cochrane|consensus|edition|report)\b)
      )
    # 2) and 2. before a part of a list
    | (?:\A|(?<=[;:,.]\s)|(?<=\sand\s)|(?<=\sthat\s))\d\)\s(?=[A-Za-z])
    | (?:\A|(?<=[a-z)][.;,]\s)|(?<=\bthat\s))\d\.\s(?=[A-Z][a-z])
    | \({_YEAR}\) | (?:\A|(?<![\d%])\s)\(\d\)\s(?=[A-Za-z])(?!(?:and|or|in|of|were|was|had|to|vs|for|with|at)\b)
    """,  # noqa: E501
    re.VERBOSE,
)
_NUMERAL = regex(
    r"""
    (?=[-+−.\d])
    (?P<sign>(?<![\w.%)\]/+±\ue001])(?<![\d%]\s)(?:[+-]|−\s?))?
    (?:(?<!\w)|(?<=HR)|(?<=OR)|(?<=RR)|(?<=MD)|(?<=CI))(?<!\d[.])
    (?P<body>
        (?<=[=<>≤≥\s])0\.\s\d{1,3}(?![\w.])
      | 0,\d{1,3}(?![\d,])
      | \d{1,3}(?:[,\u2009']\d{3}){1,5}(?!\d)(?:\.\d+)?
      | (?<=[$£€])\d{1,3}(?:\s\d{3}){1,3}(?!\d)
      | \d{1,3}(?:\s\d{3}){1,3}
        (?=\s(?:[a-z-]+\s){0,2}(?:patients|participants|subjects|women|men|adults|children|people|individuals)|\s?(?:[mk]?g|IU|ml)\b)
      | \d+(?:\.\d+)?
      | \.\d+
    )
    (?:\s?[×x*]\s?10\s?\^?\(?\s?[-−⁻]\s?(?P<power>[\d⁰¹²³⁴-⁹]{1,3})\)? | [eE][-−](?P<e>\d{1,3})(?!\w))?
    (?P<scale>\s(?:thousand|million|billion)\b)?
    """,  # noqa: E501
    re.VERBOSE,
)
_UNIT_GLUED = anycase(rf"(?:{_UNIT_WORDS})(?![a-z])")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_SCALES = {"thousand": Decimal(1000), "million": Decimal(10**6), "billion": Decimal(10**9)}
_ONES = " ".join(words_of("numerals", "to_twelve"))
_TEENS = "thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_WORDS = dict(
    zip(f"{_ONES} {_TEENS} {_TENS}".split(), (*range(20), *range(20, 100, 10)), strict=True)
)
_ANY = "|".join(sorted([*_WORDS, "hundred", "thousand"], key=len, reverse=True))
_WORDED = anycase(
    rf"\b(?=[efnostzEFNOSTZ])(?:{_ANY})(?:(?:\s|-|\sand\s)(?:{_ANY}))*\b(?P<half>\sand\sa\shalf\b)?"
)


@dataclass(frozen=True)
class Numeral:
    """A number at [start, end) of the text. ``value`` keeps the decimals as printed; ``worded``
    says it was in words.
    """

    start: int
    end: int
    value: Decimal
    worded: bool = False


@lru_cache(maxsize=2048)
def plain(text: str) -> str:
    """``text`` with one form for every dash, space, comparator and decimal point, as long as
    before.

    Numbers in names, dates and citations are blanked out. A true minus (U+2212) stays, since it is
    never a range.
    """
    text = (
        _MIDDLE_DOT.sub(".", text.translate(_CHARACTERS))
        .replace("+/-", "±  ")
        .replace("+/−", "±  ")
    )
    if marks := citation_marks(text):
        edges = [0, *(edge for mark in marks for edge in (mark.start, mark.end)), len(text)]
        pieces = [text[start:end] for start, end in pairwise(edges)]
        text = "".join(
            _blank(len(piece)) if place % 2 else piece for place, piece in enumerate(pieces)
        )
    return _NAMES.sub(lambda found: _blank(found.end() - found.start()), text)


def numerals(plain_text: str) -> list[Numeral]:
    """The numbers of a text as `plain` gives it, in order."""
    digits = [
        _digits(match)
        for match in _NUMERAL.finditer(plain_text)
        if not _part_of_word(plain_text, match.end())
    ]
    words = [
        numeral for match in _WORDED.finditer(plain_text) if (numeral := _worded(match)) is not None
    ]
    found: list[Numeral] = []
    for numeral in sorted([*digits, *words], key=lambda numeral: numeral.start):
        if (
            not found or found[-1].end <= numeral.start
        ):  # in "3 thousand" the word is part of the number before it
            found.append(numeral)
    return found


def _blank(length: int) -> str:
    return "\ue001" * length


def _part_of_word(text: str, end: int) -> bool:
    """Return whether letters follow that are no unit: "3D", "5HT"."""
    return text[end : end + 1].isalpha() and _UNIT_GLUED.match(text, end) is None


def _digits(match: re.Match[str]) -> Numeral:
    body = match["body"]
    body = "0." + body[2:] if body.startswith("0,") else re.sub(r"[,\u2009'\s]", "", body)
    value = Decimal(body)
    if power := match["power"] or match["e"]:
        value = value.scaleb(-int(power.translate(_SUPERSCRIPTS)))
    if match["scale"]:
        value *= _SCALES[match["scale"].strip()]
    if match["sign"] and match["sign"][0] != "+":
        value = -value
    return Numeral(match.start(), match.end(), value)


def _worded(match: re.Match[str]) -> Numeral | None:
    """The value of number words, None where they make no one number ("two three")."""
    total, part, last = 0, 0, 1000
    half = match["half"] or ""
    for word in re.split(r"[\s-]+", match.group().lower().removesuffix(half.lower())):
        if word == "and":
            continue
        if word in ("hundred", "thousand"):
            part = max(part, 1) * (100 if word == "hundred" else 1000)
            total, part, last = total + part, 0, 100
            continue
        value = _WORDS[word]
        if part and not (last >= 20 and last % 10 == 0 and last < 100 and 0 < value < 10):
            return None
        part, last = part + value, value
    return Numeral(
        match.start(),
        match.end(),
        total + part + (Decimal("0.5") if half else Decimal(0)),
        worded=True,
    )
