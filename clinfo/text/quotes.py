"""Finds where a text says what is quoted from it.

Typography is forgiven: dashes, minus signs, dots, spaces, case, quotation marks, ligatures, markup,
section labels in front, marks of omission between pieces. Digits, the sign of a number, comparators
and words are not. Both texts are read as tokens; those of the quotation must stand in a row.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from operator import attrgetter
from typing import Final

from clinfo.text.sentences import sentence_spans

NEGATIONS: Final = frozenset(("not", "no", "nor", "never", "neither", "none", "cannot", "without"))
"""Words that a mark of omission does not leave out of a sentence; nor do those in "n't"."""

_APART = "\0"
_RAISED, _LOWERED = "\1", "\2"
"""The begin and the end of what stands raised or lowered."""
_LIST_MARK = re.compile(r"\n[ \t]*([-‐‑–−•*])(?=[ \t]+\d)")
"""The mark of a list's item before a number ("- 24 hr capsule"), which is no sign of it."""
_OMISSION = re.compile(r"[\[(]?\s?(?:…|\.\s?\.\s?\.)[.…]*\s?[\])]?")
_SENTENCE_END = re.compile(r"[.!?][\"”’)\]]*\s+\W{0,5}[A-Z]")
_END_MARK = re.compile(r"[.!?;…\n]")
_MARKUP = re.compile(
    r"(?P<raised><(?:sup|sub)>)|(?P<lowered></(?:sup|sub)>)|(?P<plain></?(?:i|b|u|em|strong)>)"
    r"|(?P<blank><(?:br|/?p|/?div|/?li)\s?/?>)|(?P<entity>&(?:#\d{1,6}|#x[\da-f]{1,5}|[a-z]{2,8});)",
    re.IGNORECASE,
)
_FOLDED: Final = {
    **dict.fromkeys("-‐‑‒–−﹣-⁃", "-"),
    **dict.fromkeys("—―⸺⸻﹘", "—"),
    **dict.fromkeys("·∙⋅․•・‧٫", "·"),
    "٬": ",",
    **dict.fromkeys("'’‘ʼ′`´‛", "'"),
    **dict.fromkeys("≤≦⩽", "≤"),
    **dict.fromkeys("≥≧⩾", "≥"),
    **dict.fromkeys("~≈∼≃≅〜", "~"),
    **dict.fromkeys("™®©℠°º", ""),
    "≠": "≠",
    "×": "x",
    "✕": "x",
    "µ": "u",
    "μ": "u",
    "&": " and ",
    "…": " ",
}
_NUMERAL: Final = str.maketrans("·", ".", ", '")
_LABEL_WORD = (
    r"(?:background|introduction|context|importance|rationale|objectives?|aims?|purpose|methods?"
    r"|methodology|(?:study |trial )?design|settings?|patients|participants|subjects|population"
    r"|interventions?|exposures?|main outcomes?(?: measures?)?|measures|measurements?|materials"
    r"|data (?:sources?|extraction|synthesis|collection)|study selection"
    r"|(?:main |key |principal )?(?:results?|findings?)|conclusions?|discussion|interpretation"
    r"|significance|relevance|limitations|summary)"
)
_LABEL = re.compile(
    rf"\W*{_LABEL_WORD}(?:(?:\s?[/,]\s?|\s{{1,2}}and\s{{1,2}}){_LABEL_WORD}){{0,3}}[*_\])]{{0,3}}\s?[:.]\W*"
    r"(?=\w)",
    re.IGNORECASE,
)
_IN_FRONT = re.compile(r"[A-Z][A-Z /&,()-]{2,60}: ")
"""The label of a section as an abstract prints it ("CONCLUSIONS: ")."""
_TOKEN = re.compile(
    r"(?P<number>(?<![\w.·])\.\d+|(?:(?<=[=<>≤≥(])|(?<=[=<>≤≥] ))·\d+"
    r"|(?<![\d.,·'])(?<!\d )(?<!\d[.,·] )\d{1,3}(?:(?:,\d{3})+|(?:'\d{3})+)(?![\d,'])(?:[.·]\d+)?"
    r"|(?<![\d.,·])(?<!\d )(?<!\d[.,·] )\d{1,3}(?: \d{3})+(?!\d)(?! \d)(?:[.·]\d+)?"
    r"|\d+(?:[.·]\d+)*)"
    r"|(?P<word>(?:\[[^\W\d_]\](?=[^\W\d_]))?[^\W\d_]+(?:'[^\W\d_]+)*)"
    r"|(?P<spread>\+\s?/\s?-|\+-|±)"
    r"|(?P<least><\s?(?:or\s?|/\s?)?=|=<|≤)"
    r"|(?P<most>>\s?(?:or\s?|/\s?)?=|≥)"
    r"|(?P<dash>[-—]+)"
    r"|(?P<sign>[<>≠~%‰+/])"
)
_NUMBER_AHEAD = re.compile(r"[\1\2]?(\s*)[\1\2]?[.·]?\d")


@dataclass(frozen=True)
class _Token:
    """One token, at [start, end) of the text; ``opens`` and ``closes`` say whether a quotation may
    begin or end with it.
    """

    text: str
    start: int
    end: int
    opens: bool
    closes: bool


@dataclass(frozen=True)
class _Read:
    """A text as tokens; ``line`` holds them in one string, words without anything between them, and
    ``begins`` and ``ends`` say which token begins or ends at a place of it.
    """

    tokens: tuple[_Token, ...]
    line: str
    begins: Mapping[int, int]
    ends: Mapping[int, int]


def locate(quotation: str, text: str) -> tuple[int, int] | None:
    """The place at which ``text`` says the quotation, in code points, from its first piece to its
    last; None where it does not.
    """
    found = locate_all(quotation, text)
    return (found[0][0], found[-1][1]) if found else None


def locate_all(quotation: str, text: str) -> tuple[tuple[int, int], ...]:
    """The places of the pieces of a quotation, parted at its marks of omission, one after another
    in one sentence or two that adjoin; none where one of them does not, or where the omission
    leaves out that a sentence says "not".
    """
    pieces = [one for one in _OMISSION.split(quotation) if _read(one).tokens]
    found: list[tuple[int, int]] = []
    for piece in pieces:
        after = found[-1][1] if found else 0
        label = _LABEL.match(piece)
        place = _place(piece, text, after) or _listed(piece, text, after)
        if place is None and label is not None:
            place = _place(piece[label.end() :], text, after)
        if place is None or (found and _negated(text[after : place[0]])):
            return ()
        if found and _ends(text[after - 1 : place[1]]) - _ends(text[slice(*place)]) > 1:
            return ()  # it would lend one passage the figures of another
        found.append(place)
    return tuple(found)


def sentences_around(quotation: str, text: str) -> tuple[int, int] | None:
    """The whole sentences that hold a quotation, from the first to the last: a piece of one may say
    less than it, or the opposite ("a strong predictor" of "not a strong predictor").
    """
    found = locate(quotation, text)
    return None if found is None else widened(*found, text)


def widened(start: int, end: int, text: str) -> tuple[int, int]:
    """The whole sentences of ``text`` that hold what stands at [start, end), without the label of a
    section in front.
    """
    held = [one for one in _sentences(text) if one[0] < end and one[1] > start]
    if not held:
        return start, end
    label = _IN_FRONT.match(text, held[0][0])
    begin = label.end() if label and label.end() <= start else held[0][0]
    return min(start, begin), max(end, held[-1][1])


@lru_cache(maxsize=128)
def _sentences(text: str) -> tuple[tuple[int, int], ...]:
    return tuple(sentence_spans(text))


def numbers(text: str) -> tuple[tuple[str, int, int], ...]:
    """The numbers of a text, each as digits with a decimal point, and where it stands."""
    read = _read(text).tokens
    return tuple((one.text, one.start, one.end) for one in read if one.text[0].isdecimal())


def is_negative(text: str, start: int) -> bool:
    """Return whether the number that begins at ``start`` has a minus sign."""
    read = _read(text).tokens
    before = bisect_left(read, start, key=attrgetter("start")) - 1
    if before < 0 or read[before].text not in ("-", "–-"):
        return False
    return not text[read[before].end : start].strip()


def _place(piece: str, text: str, after: int) -> tuple[int, int] | None:
    wanted, read = _read(piece).line, _read(text)
    begin = read.line.find(wanted) if wanted else -1
    while begin != -1:
        first, last = read.begins.get(begin), read.ends.get(begin + len(wanted))
        if first is not None and last is not None and read.tokens[first].start >= after:
            start, end = read.tokens[first].start, read.tokens[last].end
            whole = read.tokens[first].opens and read.tokens[last].closes
            if whole and _ends(text[start:end]) <= len(_END_MARK.findall(piece)):
                return start, _with_end(piece, text, end)
        begin = read.line.find(wanted, begin + 1)
    return None


def _listed(piece: str, text: str, after: int) -> tuple[int, int] | None:
    """Return where an item of a list stands that was quoted with its mark, before a number."""
    mark = _LIST_MARK.match(f"\n{piece.lstrip()}")
    place = _place(piece.lstrip()[mark.end() - 1 :], text, after) if mark else None
    before = text[: place[0]].rstrip(" \t") if place else ""
    return place if _LIST_MARK.match(f"\n{before.rpartition(chr(10))[2]} 1") else None


def _ends(text: str) -> int:
    """Number of sentences that end within a text: a quotation that runs on joins two."""
    return len(_SENTENCE_END.findall(text))


def _with_end(piece: str, text: str, end: int) -> int:
    """The end of a piece with the punctuation that ends it in both."""
    tail = piece.rstrip()
    tail = tail[len(tail.rstrip(".,;:!?)]")) :]
    for sign in tail:
        if text[end : end + 1] != sign:
            break
        end += 1
    return end


def _negated(gap: str) -> bool:
    """Return whether what was left out of one sentence says "not"."""
    left_out = (one.text for one in _read(gap).tokens)
    return not _SENTENCE_END.search(gap) and any(map(_denies, left_out))


def _denies(word: str) -> bool:
    return word in NEGATIONS or word.endswith("n't")


@lru_cache(maxsize=128)
def _read(text: str) -> _Read:
    tokens, line, size = tuple(_tokens(text)), list[str](), 0
    begins, ends = dict[int, int](), dict[int, int]()
    for number, one in enumerate(tokens):
        begins[size] = number
        line.append(one.text if one.text[0].isalpha() else f"{_APART}{one.text}{_APART}")
        size += len(line[-1])
        ends[size] = number
    return _Read(tokens, "".join(line), begins, ends)


def _folded(text: str) -> tuple[str, list[int], list[int]]:
    """The text with its typography evened out, and of each of its signs where it begins and ends
    in the text as given.
    """
    signs: list[str] = []
    starts: list[int] = []
    ends: list[int] = []

    def put(folded: str, start: int, end: int) -> None:
        signs.append(folded)
        starts.extend([start] * len(folded))
        ends.extend([end] * len(folded))

    at, raised = 0, False
    marks = {one.start(): one for one in _MARKUP.finditer(text)}
    listed = {one.start(1) for one in _LIST_MARK.finditer(text)}
    while at < len(text):
        mark = marks.get(at)
        if mark is not None:
            kind = mark.lastgroup or ""
            as_read = {"raised": _RAISED, "lowered": _LOWERED, "plain": "", "blank": " "}.get(kind)
            if as_read is None:
                as_read = "".join(_sign(one) for one in unescape(mark.group()))
            put(as_read, at, mark.end())
            at = mark.end()
            continue
        sign = text[at]
        shape = "" if sign.isascii() else unicodedata.decomposition(sign)
        up = shape.startswith(("<super>", "<sub>", "<fraction>"))
        if up and not raised:
            put(_RAISED, at, at)
        put(" " if at in listed else _sign(sign), at, at + 1)
        at, raised = at + 1, up
    return "".join(signs), starts, ends


@lru_cache(maxsize=4096)
def _sign(sign: str) -> str:
    """One sign evened out: lower case, without accents; Greek letters by name."""
    if sign in _FOLDED:
        return _FOLDED[sign]
    if sign.isspace():
        return " "
    if unicodedata.category(sign) in ("Cf", "Mn", "Cc"):
        return ""
    name = unicodedata.name(sign, "")
    if name.startswith("GREEK ") and " LETTER " in name:
        return name.split(" LETTER ")[1].split(" WITH ")[0].removeprefix("FINAL ").lower()
    folded = unicodedata.normalize("NFKD", sign).casefold()
    plain = "".join(one for one in folded if unicodedata.category(one) != "Mn")
    if plain.isdecimal() and not plain.isascii():
        return "".join(str(unicodedata.decimal(one)) for one in plain)
    return "".join(_FOLDED.get(one, one) for one in plain).replace("⁄", "/")


def _tokens(text: str) -> Iterator[_Token]:
    folded, starts, ends = _folded(text)
    signed, denied = False, -1
    for match in _TOKEN.finditer(folded):
        begin, end = match.span()
        kind, written = match.lastgroup, match.group()
        opens = not _inside(folded, begin) and not folded[denied:begin].isspace()
        closes = not _inside(folded, end)
        is_sign, denied = False, len(folded)
        if kind == "number":
            written = written.translate(_NUMERAL)
            written = f"0{written}" if written[0] == "." else written
            opens = opens and not signed
            closes = closes and not _raised(folded, end)
        elif kind == "word":
            written = written.replace("[", "").replace("]", "")
            written = written if written.endswith("n't") else written.replace("'", "")
            # the last cell of a table's row denies no next row
            cell = text[ends[end - 1] :][:1] == "\n" and folded[:begin].rstrip().endswith("|")
            denied = end if _denies(written) and not cell else denied
        elif kind == "dash":
            gap = _ahead(folded, end)
            if gap is None:
                written = "-" if _marks_kind(folded, begin, end, text, starts) else ""
            else:
                written, is_sign = _dash(folded, begin, end, gap)
        elif kind in ("spread", "least", "most"):
            written = {"spread": "±", "least": "≤", "most": "≥"}[kind]
        elif written == "/":
            written = "/" if _of_numbers(folded, begin, end) else ""
        elif written == "~":
            written = "–" if _of_numbers(folded, begin, end) else "~"
        elif written == "+":
            is_sign = _ahead(folded, end) == "" and not _attached(folded, begin)
        signed = is_sign
        if written:
            yield _Token(written, starts[begin], ends[end - 1], opens, closes)


def _dash(folded: str, begin: int, end: int, gap: str) -> tuple[str, bool]:
    """(a dash before a number as a token: "-" a sign, "–" a range, "" punctuation; whether a
    quotation without it would turn the number).
    """
    before = folded[begin - 1 : begin]
    last = folded[max(0, begin - 40) : begin].rstrip()[-1:]
    apart = before in ("", " ")
    long = "—" in folded[begin:end] or (end - begin > 1 and apart)
    if (last.isdigit() or last == "%") and (gap or not apart):
        return ("–", False) if end - begin == 1 or long or gap else ("–-", True)
    if _attached(folded, begin):
        return "-" if long and before.isalpha() else "", False
    if apart and gap:
        return "-", last != "" and not long
    return "-", not (long and apart)


def _attached(folded: str, begin: int) -> bool:
    """Return whether a sign stands right after a word or number."""
    before = folded[begin - 1 : begin] if begin else ""
    return before.isalnum() or (before != "" and before in "%)]+'\2")


def _marks_kind(folded: str, begin: int, end: int, text: str, starts: list[int]) -> bool:
    """Return whether a dash tells a kind, as in "HER2-", and not as in "long- and short-term"."""
    if "—" in folded[begin:end] or folded[end : end + 1].isalnum() or not begin:
        return False
    before = text[max(0, starts[begin] - 1)]
    return folded[begin - 1] == _RAISED or before.isupper() or before.isdigit()


def _ahead(folded: str, end: int) -> str | None:
    """The blanks before a number that follows; None where none does."""
    found = _NUMBER_AHEAD.match(folded, end)
    return None if found is None else found[1]


def _inside(folded: str, at: int) -> bool:
    """Return whether ``at`` is inside a word, a compound or a number."""
    left, right = folded[at - 1 : at] if at else "", folded[at : at + 1]
    if left.isalnum() and right.isalnum():
        return True
    if left == "-" and right.isalnum():
        far = folded[at - 2 : at - 1] if at > 1 else ""
        return far.isalnum() and not (far.isdigit() and right.isdigit())
    if right == "-" and left.isalnum():
        far = folded[at + 1 : at + 2]
        return far.isalnum() and not (far.isdigit() and left.isdigit())
    return left == _RAISED and right.isdigit() and folded[at - 2 : at - 1].isdigit()


def _raised(folded: str, end: int) -> bool:
    """Return whether a number has an exponent."""
    return folded[end : end + 1] in (_RAISED, "^") and _ahead(folded, end + 1) == ""


def _of_numbers(folded: str, begin: int, end: int) -> bool:
    """Return whether a sign stands between two numbers."""
    before = folded[max(0, begin - 3) : begin].rstrip()[-1:]
    return (before.isdigit() or before == "%") and _ahead(folded, end) is not None
