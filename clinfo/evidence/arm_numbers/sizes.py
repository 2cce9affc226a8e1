"""The sizes of the two groups, from the table itself, from other tables, from sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clinfo.evidence.arm_numbers.naming import ArmNaming
from clinfo.evidence.arm_numbers.pairing import Reported
from clinfo.evidence.arm_numbers.roles import is_only_role
from clinfo.lazy_dataclass import dataclass
from clinfo.retrieval.documents import Block, Document, Span
from clinfo.text.numerals import numerals, plain
from clinfo.text.regex import anycase
from clinfo.text.sentences import sentence_spans

_SIZE_ROW = anycase(
    r"^\W*(?:(?:total\s)?(?:no\.?|numbers?|n)(?:\sof)?\s?(?:patients|participants|subjects|people|"
    r"children|women|men|cases|persons|individuals|randomi[sz]ed|analy[sz]ed)?|patients|participants"
    r"|subjects|sample\ssize|(?:group|cohort)\ssize)\W*(?:n|%|\W)*$"
)
_N = anycase(r"\bn\s?[=:]\s?(\d{1,3}(?:[,\s]\d{3})+|\d+)")
_COUNT = r"(?P<n>\d{1,3}(?:,\d{3})+|\d{1,6})(?:\s(?:\([^()]{1,12}\)\s)?)?(?![\d.%])"
_IN_ARM = anycase(
    rf"(?<![\d.,/±(=–-]){_COUNT}(?:(?:were|was|of\sthem|patients|participants|subjects|women|men|"
    r"children|adults|people|individuals|randomi[sz]ed|randomly|assigned|allocated|completed|in|"
    r"into|to|received|receiving|the|who|had|treated|with|a|and|given|underwent)\s){1,7}"
    r"(?P<arm>[^.,;()\d]{3,60})"
)
_BRACKET = anycase(
    rf"(?P<arm>[^.,;()]{{2,70}})[(\[](?:[^()]{{0,20}}?[,;]\s?)?n\s?=\s?{_COUNT}[^()]{{0,30}}[)\]]"
)


_OPENED = anycase(r"\s?[(\[]\s?(?:\w{1,8}\s?[;,:=]\s?)?$")
_EACH = anycase(
    rf"\bn\s?=\s?{_COUNT}\s?(?:/|per\s|in\s|for\s)?(?:each|both|group\b)|"
    r"(?<![\d.])(?P<m>\d{1,4})\s(?:\w+\s){0,3}?(?:in\seach|per|each)\s(?:group|arm)\b"
)
_SPLIT = anycase(
    r"\b(?:randomi[sz]ed|randomly|divided|allocated|assigned)\b[^.;]{0,60}?\b(?:in)?to\s(?:one\sof\s)?"
    r"(?:the\s)?(?P<k>two|three|four|five|six|[2-6])\s(?:\w+\s){0,3}?(?:groups|arms)\b"
)


_ASSIGNED = anycase(r"\brandom|\bassigned\b|\ballocated\b|\bdivided\b")


SURE = 1.5
"""The least rank of a size that other numbers are made from."""


@dataclass(frozen=True)
class Size:
    """The size of a group, and where it stands; the higher ``rank``, the surer."""

    value: float
    start: int
    end: int
    rank: float


Sizes = tuple[list[Size], list[Size]]


def header_sizes(document: Document, block: Block, told: Reported) -> Sizes:
    """The sizes that stand over the columns of what a table tells ("N = 326")."""
    sizes: Sizes = ([], [])
    at = block.start
    for side in (0, 1):
        if found := _N.search(told.headers[side]):
            place = document.text.find(found[0], at, block.end)
            place = place if place >= 0 else document.text.find(found[0], block.start, block.end)
            if place >= 0:
                start = place + found.start(1) - found.start()
                at = start + len(found[1])
                sizes[side].append(Size(_number(found[1]), start, at, 2.0))
    return sizes


def row_sizes(found: Sequence[Reported]) -> dict[int, Sizes]:
    """The sizes that rows of each table give ("N | 30 | 32")."""
    sizes: dict[int, Sizes] = {}
    for told in found:
        label = told.label
        if not (_SIZE_ROW.match(label) or is_only_role(label)) or told.condition:
            continue
        for side in (0, 1):
            for part in told.parts[side]:
                value, entry = part.entry.value, part.entry
                if value.shape in ("plain", "share") and _whole(value.first):
                    own = sizes.setdefault(told.grid, ([], []))
                    own[side].append(Size(value.first, entry.start, entry.end, 2.0))
    return sizes


def label_sizes(document: Document, span: Span, naming: ArmNaming) -> Sizes:
    """The sizes that stand with an arm's name in a table's header, caption and notes."""
    sizes: Sizes = ([], [])
    text = document.text[span[0] : span[1]]
    for line_start, line in _pieces(text):
        before = 0
        for found in _N.finditer(line):
            name = line[before : found.start()]
            before = found.end()
            name = _OPENED.sub("", name)
            side = naming.side(name[-70:].strip(" (,;[|"))
            if side is None:
                side = naming.side(
                    line[found.end() : found.end() + 40].strip(" ),;|").split(";")[0]
                )
            if side is not None:
                at = span[0] + line_start + found.start(1)
                end = at + len(found[1])
                sizes[side].append(Size(_number(found[1]), at, end, 1.8))
    return sizes


def text_sizes(document: Document, naming: ArmNaming) -> Sizes:
    """The sizes that sentences give: "12 in the soy group", "soy (n = 12)"."""
    sizes: Sizes = ([], [])
    for block in document.blocks:
        if block.kind in ("table", "title"):
            continue
        for start, end in sentence_spans(document.text[block.start : block.end]):
            sentence = document.text[block.start + start : block.start + end]
            assigned = _ASSIGNED.search(sentence) is not None
            for pattern, rank in ((_BRACKET, 1.2), (_IN_ARM, 1.0)):
                for found in pattern.finditer(sentence):
                    side = naming.side(found["arm"].strip())
                    if side is None or not _whole(_number(found["n"])):
                        continue
                    at = block.start + start + found.start("n")
                    sizes[side].append(
                        Size(
                            _number(found["n"]), at, at + len(found["n"].rstrip()), rank + assigned
                        )
                    )
    return sizes


def equal_size(document: Document) -> Size | None:
    """The size of every group where a sentence says it ("8 in each group"), or where the number of
    people it divides among groups is a multiple of theirs.
    """
    split: Size | None = None
    for block in document.blocks:
        if block.kind == "table":
            continue
        for start, end in sentence_spans(document.text[block.start : block.end]):
            sentence = plain(document.text[block.start + start : block.start + end])
            at = block.start + start
            if found := _EACH.search(sentence):
                name = "n" if found["n"] else "m"
                here = (at + found.start(name), at + found.end(name))
                return Size(_number(found[name]), *here, 1.5)
            if split is None and (found := _SPLIT.search(sentence)):
                groups = numerals(f"{found['k']} groups")
                whole = [one for one in numerals(sentence[: found.start()]) if one.value > 5]
                if len(whole) == 1 and groups and whole[0].value % groups[0].value == 0:
                    here = (at + whole[0].start, at + whole[0].end)
                    split = Size(float(whole[0].value / groups[0].value), *here, 0.5)
    return split


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """The cells and lines of a table's text, with where each starts."""
    at = 0
    for line in text.split("\n"):
        place = at
        for cell in line.split(" | "):
            yield place, cell
            place += len(cell) + 3
        at += len(line) + 1


def _whole(value: float) -> bool:
    return value >= 3 and float(value).is_integer()


def _number(written: str) -> float:
    return float("".join(char for char in written if char.isdigit()))
