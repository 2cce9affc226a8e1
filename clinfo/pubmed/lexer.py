"""A query's text cut into tokens, as PubMed reads its characters. No token depends on what a term
means.
"""

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from clinfo.pubmed.fields import Field, field_of
from clinfo.pubmed.tree import Operator, Remark, remark
from clinfo.text.identifiers import find_doi

OPERATORS: dict[str, Operator] = {"AND": "AND", "OR": "OR", "NOT": "NOT"}
_SYMBOLS: dict[str, Operator] = {"&": "AND", "|": "OR"}
_MAX_DISTANCE = 9999

CURLY = "“”„‟"
LOOK_ALIKES = {
    "∗": "*",
    "＊": "*",
    "（": "(",
    "）": ")",
    "［": "[",
    "］": "]",
    "：": ":",
    "＂": '"',
    "″": '"',
    "«": '"',
    "»": '"',
}
"""Characters that PubMed reads as spaces, and the one that each was surely meant to be."""

ENTITY = re.compile(r"&(?:amp|quot|apos|lt|gt|nbsp|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});")
_PERCENT = re.compile(r"%(?:25)*(?:20|22|28|29|3A|3a|5B|5b|5D|5d)(?![0-9])")
_ODD = re.compile(r"[!$%+;<>=?\\^{}~`@#]+")
_NOT_ASCII = re.compile(r"[^\t\n\r\x20-\x7e]+")

# Greek letters stay beside Latin ones: β-blockers, TGF-β
_LETTERS = (
    (0x00AA, 0x02FF),
    (0x0300, 0x03FF),
    (0x1AB0, 0x1AFF),
    (0x1D00, 0x1FFF),
    (0x2070, 0x209F),
    (0x20D0, 0x20FF),
    (0x2100, 0x218F),
    (0x2460, 0x24FF),
    (0x2C60, 0x2C7F),
    (0xA720, 0xA7FF),
    (0xAB30, 0xAB6F),
    (0xFB00, 0xFB06),
    (0xFE00, 0xFE0F),
    (0xFF01, 0xFF5E),
    (0x1D400, 0x1D7FF),
)

_TOKEN = re.compile(
    r"""(?P<quoted>"[^"]*")
      | (?P<pasted><?(?:(?:https?://|www\.)[^\s"]{0,200}?|(?:dx\.)?doi\.org/|doi\s?[:=]?\s?)?
            (?P<doi>10\.[0-9]{4,9}(?:/|%2F)(?:(?!\[[a-z][a-z /:~-]{0,40}\])[^\s"])+)
          | (?:https?://|www\.)[^\s"]{0,200}?(?:pubmed(?:\.ncbi\.nlm\.nih\.gov)?|/med)/
            (?P<address>[0-9]{1,8})\b[^\s"()\[\]]*
          | (?:https?://|www\.)[^\s"]{0,200}?\b(?P<other>PMC[0-9]{1,9}|NCT[0-9]{8})[^\s"()\[\]]*
          | (?:(?=[0-9]{6,8}(?:,[0-9]{6,8})+(?![^\s()\[]))
              | (?:pmid|pubmed\sid)s?(?:\s?[:=\#-]\s?|\s(?=[0-9]{5})))
            (?P<pmid>[0-9]{1,8}(?:\s?[,;]\s?[0-9]{1,8})*)(?![\w.-])
          | (?:PMC(?:ID)?\s?[:=\#]|PMCID)\s?(?:PMC)?(?P<pmc>[0-9]{4,9})\b)
      | (?P<bracket>\[\s*"?[^\[\]"()]*"?\s*\])
      | (?P<open>\() | (?P<close>\)) | (?P<colon>:) | (?P<star>\*+) | (?P<symbol>&+|\|+)
      | (?P<line>\#[0-9]{1,6}(?![^\s()\[\]":&|*]))
      | (?P<word>[^\s()\[\]":&|*]+)
      | (?P<stray>["\[\]])""",
    re.VERBOSE | re.IGNORECASE,
)
"""Of identifiers, ``pasted`` are those with their label or address, and DOIs, whose brackets and
signs are their own."""
_TAG = re.compile(r"(?P<name>[^:]*)(?::(?P<modifier>.*))?", re.DOTALL)
_TAG_LIKE = re.compile(r"\s*[A-Za-z][A-Za-z /_.,&-]{0,39}(?::~?\w{0,9})?\s*")
_HAS_OPERATOR = re.compile(r"(?:^|[\s(])(?:AND|OR|NOT)(?=[\s)]|$)")


class Token(NamedTuple):
    """A piece of a query. ``kind`` is quoted, tag, open, close, colon, star, operator, line or
    word.

    ``text`` is the operator, the word, the words between the quotation marks with single spaces, or
    the tag as typed. The rest is for tags: the field (None where PubMed knows none), ``:noexp`` and
    ``:~N``.
    """

    kind: str
    text: str
    start: int
    end: int
    field: Field | None = None
    explode: bool = True
    within: int | None = None


@lru_cache(maxsize=10_000)
def _read(char: str) -> str:
    """Return what PubMed makes of a character: itself, a straight quotation mark or a space."""
    if char in CURLY:
        return '"'
    if char in "‘’‚‛":
        return "'"
    return " " if _unread(char) else char


def _unread(char: str) -> str | None:
    """Return why a character becomes a space: the code of a remark, empty for white space; None
    where it stays.
    """
    if char in LOOK_ALIKES:
        return "look-alike"
    if char.isspace():
        return ""
    category = unicodedata.category(char)
    if category[0] == "C":
        return "invisible-characters"
    if (
        char > "\x7f"
        and category[0] in "LNM"
        and not any(low <= ord(char) <= high for low, high in _LETTERS)
    ):
        return "other-script"
    return None


def readable(text: str) -> str:
    """``text`` as PubMed reads its characters, of the same length."""
    return "".join(map(_read, text))


def tokens(text: str) -> tuple[list[Token], list[Remark]]:
    """The tokens of a query, and what had to be tolerated to read them. Never raises; linear in the
    length.
    """
    read = readable(text)
    remarks = _about_characters(text)
    found: list[Token] = []
    entities = {match.start() for match in ENTITY.finditer(read)} if "&" in read else set()
    place = silent = 0
    while match := _TOKEN.search(read, place):
        kind, piece, start, place = str(match.lastgroup), match[0], match.start(), match.end()
        if kind == "pasted":
            place = _identifier(match, read, found, remarks)
        elif kind == "word":
            if piece in OPERATORS:
                found.append(Token("operator", piece, start, place))
                continue
            found.append(Token("word", piece, start, place))
            _remark_odd(piece, start, remarks)
        elif kind == "quoted":
            found.append(Token("quoted", " ".join(piece[1:-1].split()), start, place))
            _remark_odd(piece, start, remarks)
        elif kind == "bracket":
            if (tag := _tag(match, read, found[-1] if found else None, remarks)) is not None:
                found.append(tag)
            else:
                remarks.append(remark("bracket-as-text", start, place))
                silent = place
                place = start + 1
        elif kind == "symbol":
            operator = _SYMBOLS[piece[0]]
            found.append(Token("operator", operator, start, place))
            if start not in entities:
                remarks.append(
                    remark("symbol-operator", start, place, shown=piece[0], operator=operator)
                )
        elif kind == "stray":
            if piece == '"':
                remarks.append(remark("unbalanced-quote", start, place))
            elif start >= silent:
                remarks.append(remark("unbalanced-bracket", start, place))
        else:
            found.append(Token(kind, piece, start, place))
    return found, remarks


def _identifier(match: re.Match[str], read: str, found: list[Token], remarks: list[Remark]) -> int:
    """Puts a pasted identifier as PubMed has it, with its tag if none follows; the place after
    it.
    """
    start, end = match.span()
    doi = find_doi(match["doi"])
    numbers = match["pmid"] or match["address"]
    text = doi or numbers or match["other"] or (f"PMC{match['pmc']}" if match["pmc"] else match[0])
    if doi:
        begin, raw = match.start("doi"), match["doi"].lower()
        least = raw.index(doi) + len(doi) if doi in raw else len(raw.rstrip("])"))
        end = next((at for at in range(begin + least, end) if read[at] in "()[]"), end)
    field = field_of("doi" if doi else "pmid") if doi or numbers else None
    tagged = read[end : end + 40].lstrip().startswith("[")
    found.append(Token("quoted" if doi else "word", text, start, end))
    if field is not None and not tagged:
        found.append(Token("tag", field.code, start, end, field))
    if read[start:end].lower() != text.lower() and not tagged:
        form = f"{text}[{field.spellings[0]}]" if doi and field else text
        remarks.append(remark("identifier", start, end, form=form))
    return end


def _tag(
    match: re.Match[str], read: str, before: Token | None, remarks: list[Remark]
) -> Token | None:
    """The field tag in these brackets, None where they are text."""
    written = match[0][1:-1]
    inner = written.strip(" \"'`")
    parts = _TAG.fullmatch(inner)
    name, modifier = (parts["name"], parts["modifier"]) if parts else (inner, None)
    field = field_of(name)
    if field is None:
        follows_term = before is not None and before.kind in (
            "word",
            "quoted",
            "close",
            "star",
            "line",
            "tag",
        )
        glued = read[match.end() : match.end() + 1].isalnum()
        if (
            not follows_term
            or glued
            or not _TAG_LIKE.fullmatch(inner)
            or _HAS_OPERATOR.search(inner)
        ):
            return None
        remarks.append(
            remark("unknown-tag", match.start(), match.end(), tag=" ".join(inner.split()))
        )
        return Token("tag", inner, match.start(), match.end())
    if inner != written.strip():
        shown = written.strip(" ")[0]
        remarks.append(remark("ignored-characters", match.start(), match.end(), shown=shown))
    explode, within = True, None
    if modifier is not None:
        asked = "".join(modifier.split()).lower()
        if asked == "noexp" and field.explodes:
            explode = False
        elif re.fullmatch(r"~[0-9]+", asked):
            within = int(asked[1:5]) if len(asked) <= 5 else _MAX_DISTANCE
        else:
            remarks.append(
                remark(
                    "unknown-modifier",
                    match.start(),
                    match.end(),
                    tag=" ".join(modifier.split())[:40],
                )
            )
    return Token("tag", inner, match.start(), match.end(), field, explode, within)


def has_operator(words: str) -> bool:
    """Return whether an operator in capitals stands among other words."""
    return " " in words and _HAS_OPERATOR.search(words) is not None


def _about_characters(text: str) -> list[Remark]:
    remarks = []
    for run in _NOT_ASCII.finditer(text):
        for place, char in enumerate(run[0], run.start()):
            if char in CURLY:
                remarks.append(remark("curly-quotes", place, place + 1))
            elif code := _unread(char):
                shown = {"shown": char} if code == "look-alike" else {}
                remarks.append(remark(code, place, place + 1, **shown))
    if "&" in text:
        remarks += [
            remark("html-entity", match.start(), match.end()) for match in ENTITY.finditer(text)
        ]
    if "%" in text:
        remarks += [
            remark("percent-encoding", match.start(), match.end())
            for match in _PERCENT.finditer(text)
        ]
    return remarks


def _remark_odd(piece: str, start: int, remarks: list[Remark]) -> None:
    if piece.isalnum():
        return
    for match in _ODD.finditer(piece):
        shown = " ".join(dict.fromkeys(match[0]))
        remarks.append(
            remark("ignored-characters", start + match.start(), start + match.end(), shown=shown)
        )
