"""A figure of a sentence made false: changed to one that does not appear in the article, or to
another of its kind there.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from clinfo.records.articles import Article
from clinfo.text.sentences import sentences


@dataclass(frozen=True)
class Edited:
    """The sentence after its edit, and what was put for what."""

    text: str
    old: str
    new: str


_NUMBER = r"\d{1,3}(?:,\d{3})+(?![\d,])|\d+(?:[.·]\d+)?|(?<![\d.])\.\d+"
_FIGURE = re.compile(rf"(?<![\w.,·/–-])(?<!\d [-–])({_NUMBER})(?![\w·-]|[.,]\d)")
_ANY_NUMBER = re.compile(_NUMBER)
_P_BEFORE = re.compile(r"\b[Pp](?:[- ]?values?)?(?: for \w+)?\s?(?:of )?([=<>≤≥])\s?$")
_RATIO_BEFORE = re.compile(
    r"\b(?:OR|RR|HR|AOR|aOR|aHR|IRR|odds ratios?|hazard ratios?|relative risks?|risk ratios?|rate "
    r"ratios?)"
    r"(?:\s?\[\w+\]|\s?\(\w+\))?(?: of|[:,=]| =)? ?$"
)
_UNIT_AFTER = re.compile(
    r" ?(mg|g|kg|ml|mL|l|L|cm|mm|µg|μg|mcg|mmHg|mm ?Hg|min|minutes|hours|h|days|weeks|months|years|"
    r"points|patients|women|men|"
    r"children|participants|subjects|studies|trials|cases|kcal|mmol|nmol|IU|U)\b"
)
_NAMED_BEFORE = re.compile(
    (
        r"\b(?:type|grade|phase|stage|class|level|group|factor|arm|cycle|omega|part|step|model|"
        r"table|figure|interleukin|schedule|"
        r"category|version|day|week|month|year|vitamin|no\.?|number|HIV|hepatitis|arms?|chi|study|"
        r"SF|"
        r"DSM|ICD|"
        r"visit|session|aged?|question|item)[- ]?$"
    ),
    re.I,
)


@dataclass(frozen=True)
class _Figure:
    start: int
    end: int
    text: str
    kind: str
    value: float


def figures(text: str) -> list[_Figure]:
    """The figures that a claim rests on, with what kind each is; numbers that are part of a name or
    a year are left out.
    """
    found = []
    for match in _FIGURE.finditer(text):
        before, after = (
            text[max(0, match.start() - 32) : match.start()],
            text[match.end() : match.end() + 12],
        )
        raw = match.group(1)
        value = float(raw.replace(",", "").replace("·", "."))
        kind = _figure_kind(before, after, raw, value)
        if kind:
            found.append(_Figure(match.start(1), match.end(1), raw, kind, value))
    return found


def _figure_kind(before: str, after: str, raw: str, value: float) -> str:
    if (
        re.match(r"\s?%? ?(?:CI\b|confidence interval)", after)
        or _NAMED_BEFORE.search(before)
        or re.match(r"\s?(?:to|–|-|or|and) \d", after)
    ):
        return ""
    if (match := _P_BEFORE.search(before)) is not None:
        return "p " + match.group(1) if 0 < value < 1 else ""
    if re.search(r"\d\s?(?:to|or|and|±|/|×|x|:)\s?$", before) or re.match(
        r"\s?[/×^:]|\s?x \d", after
    ):
        return ""
    if re.match(r"\s?(?:%|per ?cent\b)", after):
        return "percent"
    if _RATIO_BEFORE.search(before):
        return "ratio"
    if (unit := _UNIT_AFTER.match(after)) is not None:
        return "unit " + unit.group(1).lower().replace(" ", "")
    if 1900 <= value <= 2030 and "." not in raw and "," not in raw:
        return ""
    if re.search(r"\b[nN]\s?=\s?$", before):
        return "n"
    if "." in raw or "·" in raw:
        return "decimal"
    return ""


def figure_made_up(text: str, article: Article, draw: random.Random) -> Edited | None:
    """A figure changed to one that does not appear in title or abstract, of about the same size."""
    found = figures(text)
    if not found:
        return None
    here = _numbers(f"{article.title} {article.abstract}")
    for _ in range(12):
        figure = draw.choice(found)
        new = _made_up(figure, draw)
        value = float(new.replace(",", ""))
        if value == figure.value or any(_near(value, other) for other in here):
            continue
        if figure.kind == "percent" and not 0 < value < 100 and 0 < figure.value <= 100:
            continue
        return Edited(text[: figure.start] + new + text[figure.end :], figure.text, new)
    return None


def figure_of_abstract(text: str, article: Article, draw: random.Random) -> Edited | None:
    """A figure changed to another of its kind that the abstract has elsewhere and the sentence has
    not.
    """
    here = [figure.value for figure in figures(text)] + sorted(_numbers(text))
    choices = []
    for figure in figures(text):
        for sentence in sentences(article.abstract):
            for other in figures(sentence):
                if (
                    other.kind != figure.kind
                    or _near(other.value, figure.value)
                    or any(_near(other.value, value) for value in here)
                ):
                    continue
                if (figure.kind in {"p <", "p ≤"} and other.value > figure.value) or (
                    figure.kind in {"p >", "p ≥"} and other.value < figure.value
                ):
                    continue
                edited = text[: figure.start] + other.text + text[figure.end :]
                if not carried(edited, other.text, article, 0.6):
                    choices.append(Edited(edited, figure.text, other.text))
    return draw.choice(choices) if choices else None


def _made_up(figure: _Figure, draw: random.Random) -> str:
    decimals = len(re.split(r"[.·]", figure.text)[1]) if re.search(r"[.·]", figure.text) else 0
    if figure.kind.startswith("p "):
        if figure.kind in {"p <", "p ≤"}:
            value, decimals = figure.value / draw.choice((10, 5, 20)), decimals + 1
        elif figure.kind in {"p >", "p ≥"}:
            value = min(0.98, figure.value * draw.uniform(2, 8))
        else:
            value, decimals = draw.choice((0.012, 0.034, 0.21, 0.37, 0.62, 0.83)), max(decimals, 2)
    elif draw.random() < 0.5:
        value = figure.value * draw.uniform(1.25, 1.9)
    else:
        value = figure.value * draw.uniform(0.45, 0.8)
    if figure.kind == "percent" and figure.value <= 100 and value > 99:
        value = figure.value * draw.uniform(0.4, 0.8)
    text = f"{value:,.{decimals}f}" if "," in figure.text else f"{value:.{decimals}f}"
    return text


def _numbers(text: str) -> set[float]:
    text = re.sub(r"(?<=\d)[ \u2009\u202f\u00a0](?=\d{3}\b)", "", text)
    found = {float(raw.replace(",", "").replace("·", ".")) for raw in _ANY_NUMBER.findall(text)}
    words = re.findall(r"[a-z]+", text.lower())
    return found | {float(_NUMBER_WORDS[word]) for word in words if word in _NUMBER_WORDS}


_NUMBER_WORDS = {
    word: value
    for value, word in enumerate(
        (
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
            "twenty",
        )
    )
}


def _near(one: float, other: float) -> bool:
    """One figure, or one rounded from the other."""
    return (
        abs(one - other) <= 0.04 * max(abs(one), abs(other))
        or (round(one) == round(other) != 0 and one == round(one))
        or (round(one, 1) == round(other, 1) and one > 1)
    )


def carried(claim: str, term: str, article: Article, share: float) -> bool:
    """Return whether one sentence of the article with ``term`` holds ``share`` or more of the
    claim's content words.
    """
    words = {word[:6] for word in re.findall(r"[a-z]{4,}", claim.lower())} - {
        "author",
        "report",
        "found",
        "study",
        "observ",
        "invest",
        "that",
    }
    if not words:
        return True
    for sentence in [article.title, *sentences(article.abstract)]:
        if term.lower() in sentence.lower():
            here = {word[:6] for word in re.findall(r"[a-z]{4,}", sentence.lower())}
            if len(words & here) >= share * len(words):
                return True
    return False
