"""Getting the query out of a language model's reply, and mending it where the mistake is plain.

This is repair of text, and no term is judged; `clinfo.pubmed.repairs` mends what is left. A query
typed by a person never comes through here. What each step does is said by the sentence beside it in
`STEPS`; a step that changes nothing says nothing.
"""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from clinfo.pubmed.brackets import brackets_balanced, mispaired, pieces, quotes_balanced
from clinfo.pubmed.lexer import ENTITY
from clinfo.pubmed.repairs import one_repair

MAX_LENGTH = 5000
"""Longest query in characters. The longest of 346 published generated ones has 717, expert ones
reach about 4,500.
"""

_MAX_REPLY = 10_000
_CUT_TO = MAX_LENGTH - 200  # leaves room for the brackets that the cut leaves open
_MAX_PASSES = 50
_OPERATORS = ("AND", "OR", "NOT")

_STRAIGHT = str.maketrans(dict.fromkeys("“”„‟″«»＂", '"') | dict.fromkeys("‘’‚‛′＇", "'"))
_PLAIN = str.maketrans({"∗": "*", "＊": "*", "（": "(", "）": ")", "［": "[", "］": "]", "：": ":"})

_FENCE = re.compile(
    (
        r"```[ \t]*(?:[A-Za-z]+[ \t]*(?=\n)|(?:pubmed|query|sql|json|text|"
        r"plaintext)\b)?(.*?)(?:```|\Z)"
    ),
    re.DOTALL,
)
_ELEMENT = re.compile(r"<(\w+)>(.*)</\1>", re.DOTALL)
_INLINE_CODE = re.compile(r"`([^`\n]+)`")
_JSON_MEMBER = re.compile(
    r'\{\s*"(?:\w*query|search\w*|term)"\s*:\s*"(.*)"\s*,?\s*\}', re.DOTALL | re.IGNORECASE
)
_LABEL = re.compile(
    r"""^[\s*_\#>]*(?:
        [^"()\[\]:]{0,200}?\b(?:quer(?:y|ies)|search(?:[ ](?:strings?|strategy|terms?))?)\b[^"()\[\]:]{0,80}
        | (?:final[ ])?(?:answer|output|result|pubmed|medline|revised|corrected)
    )\s*:[*_]*\s*""",  # noqa: E501
    re.IGNORECASE | re.VERBOSE,
)
_LIST_MARK = re.compile(r"^\s*(?:[-•–—>]\s+|\*\s+|\d{1,2}[.)]\s+)+")
_AFTERWORD = re.compile(
    r"[.;]\s+(?:This|The|It|I|Note|These|Let|You|Here|If|In)\s[^\"()\[\]]{12,}$"
)
_REFUSAL = re.compile(
    (
        r"(?:i'm|i am|we're) (?:sorry|unable|not able)|sorry\b|unfortunately\b|as an ai\b|i "
        r"(?:cannot|can't|can not)\b"
    ),
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    (
        r"\W*(?:\{\w+\}|<\w+>|(?:(?:your|the|a|pubmed|boolean|search|insert|write)\W+)*(?:query|"
        r"search string|question)"
        r"(?:\W+(?:goes|text|string|here))*)\W*"
    ),
    re.IGNORECASE,
)
"""Text that a weak model copies from its instructions."""
_TELLS = re.compile(
    r"\b(?:this|here|i|we|you|your|my|it|will|would|should|can|is|are|finds?|uses|query|search)\b",
    re.IGNORECASE,
)
_MANY = 3
"""Such words that plain words have which tell of a query: "This query will find articles about
…".
"""
_DEFINES = re.compile(
    r"\w\W+(?:is|are) (?:an?|the) (?:\w+ ){1,3}(?:used|that|which)\b", re.IGNORECASE
)
_RUNAWAY = re.compile(r"\w{121}")
"""Longer than any part of a word between hyphens; a model that repeats itself without end."""
_END_MARKS = re.compile(r"[\s.,;:]+$")
_PROSE = re.compile(
    r"the|this|that|these|which|it|is|are|was|will|would|should|can|you|your|i|we|here|and|of|for|"
    r"to|with|about|because"
    r"|query|search|pubmed|finds?|uses|using|includes|combines?|covers|note|sure|certainly"
)


@dataclass(frozen=True)
class Cleaned:
    """A query ready to be sent, empty where the reply held none, and what was changed to get it."""

    text: str
    repairs: tuple[str, ...] = ()


def clean(reply: str) -> Cleaned:
    """The query in a model's reply. Never raises; a good query comes back as it is; cleaning twice
    changes nothing more.
    """
    text = reply[:_MAX_REPLY].strip()
    repairs: dict[str, None] = {}
    for _ in range(_MAX_PASSES):
        before = text
        for sentence, step in STEPS:
            changed = step(text).strip()
            if changed != text:
                repairs[sentence] = None
                text = changed
        if text == before:
            return Cleaned(text, tuple(repairs))
    return Cleaned("", (*repairs, "rejected the reply as unreadable"))


def same(a: str, b: str) -> bool:
    """Return whether two queries are the same apart from the case of words, spaces and the style of
    quotation marks.
    """
    return _normalised(a) == _normalised(b)


def _normalised(query: str) -> list[str]:
    query = query.translate(_STRAIGHT)
    found = (query[start:end] for _, start, end in pieces(query))
    return [token if token in _OPERATORS else " ".join(token.casefold().split()) for token in found]


# Steps on the reply: what surrounds the query


def _printable(text: str) -> str:
    """Without control, format and lone surrogate characters; every line end is a newline, every
    other space a space.
    """
    text = re.sub(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]", "\n", text)
    text = re.sub(r"[^\S\n]", " ", text)
    return "".join(
        char
        for char in text
        if char == "\n" or unicodedata.category(char) not in ("Cc", "Cf", "Cs")
    )


def _outside_code(text: str) -> str:
    """The code block, or the code span on the line, that looks most like a query."""
    blocks: list[str] = [
        block.strip() for block in _FENCE.findall(text) if block.strip()
    ] or _INLINE_CODE.findall(text)
    if blocks:
        return max(blocks, key=_likeness)
    if element := _ELEMENT.search(text):
        return str(element[2])
    return text.replace("`", "")


def _outside_json(text: str) -> str:
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        return text
    try:
        value = json.loads(text[start : end + 1])
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict):
        named: list[object] = [
            item for key, item in value.items() if re.search("quer(y|ies)|search|term", key.lower())
        ]
        texts = [
            one
            for item in named
            for one in (item if isinstance(item, list) else [item])
            if isinstance(one, str)
        ]
        return max(texts, key=_likeness, default=text)
    if member := _JSON_MEMBER.search(text):  # quotation marks inside were not escaped, or not all
        return member[1]
    return text


def _query_lines(text: str) -> str:
    """Of several lines, the run of lines that looks most like a query; a run goes on while its
    brackets are open.
    """
    lines = text.split("\n")
    if len(lines) == 1:
        return text
    runs: list[tuple[str, bool]] = []
    labelled, broken = False, True
    for line in lines:
        label = _LABEL.match(line)
        stripped = _without_emphasis(
            _LIST_MARK.sub("", line[label.end() :] if label else line).strip()
        ).strip()
        if label or line.rstrip("* ").endswith(":"):
            labelled, broken = True, True
        if not stripped:
            broken = broken or not _unfinished(runs[-1][0])
        elif not broken and (_unfinished(runs[-1][0]) or stripped.split()[0] in _OPERATORS):
            runs[-1] = (f"{runs[-1][0]} {stripped}", runs[-1][1])
        elif not stripped.endswith(":"):
            runs.append((stripped, labelled))
            labelled, broken = False, False
    return max(runs, key=lambda run: _likeness(run[0]) + 3 * run[1])[0] if runs else ""


def _unfinished(run: str) -> bool:
    depth = sum({"open": 1, "close": -1}.get(kind, 0) for kind, _, _ in pieces(run))
    return depth > 0 or run.split()[-1] in _OPERATORS


def _likeness(text: str) -> int:
    """Return how much a text looks like a query: operators, field tags, quotes and brackets,
    against the small words of prose.
    """
    score = 0
    for kind, start, end in pieces(text):
        if kind == "word":
            score -= _PROSE.fullmatch(text[start:end].lower().strip(".,:;!")) is not None
        else:
            score += 2 if kind in ("operator", "tag") else 1
    return score - text.rstrip().endswith((".", "!", "?"))


def _without_label(text: str) -> str:
    label = _LABEL.match(text)
    return (
        text[label.end() :]
        if label and not any(kind == "operator" for kind, _, _ in pieces(label[0]))
        else text
    )


def _without_emphasis(text: str) -> str:
    marked = re.fullmatch(r"(\*{1,3}|_{1,3})(.*[^*_].*)\1", text, re.DOTALL)
    return marked[2] if marked else text


# Steps on the query itself


def _unquoted(text: str) -> str:
    """Without one pair of quotation marks around all, where operators (or further quotation marks)
    stand inside.
    """
    whole = re.fullmatch(r"""\(*(["'])(.*)\1\)*""", text, re.DOTALL)
    if whole is None:
        return text
    inner = whole[2]
    operators = any(kind == "operator" for kind, _, _ in pieces(inner))
    if whole[1] not in inner:
        return inner if operators else text
    return (
        inner
        if whole[1] == '"' and operators and mispaired(text) and not mispaired(inner)
        else text
    )


def _cut(text: str) -> str:
    if len(text) <= MAX_LENGTH:
        return text
    joints = [start for kind, start, _ in pieces(text[:_CUT_TO]) if kind == "operator"]
    return text[: joints[-1] if joints else _CUT_TO]


def _searchable(text: str) -> str:
    """Nothing where the text has no letter or digit, is a placeholder, a sentence, a refusal to
    write a query, or holds a word without end.
    """
    if not any(char.isalnum() for char in text) or _PLACEHOLDER.fullmatch(text):
        return ""
    kinds = {kind for kind, _, _ in pieces(text)}
    told = _REFUSAL.match(text) or len(_TELLS.findall(text)) >= _MANY
    prose = (kinds == {"word"} and told) or ("operator" not in kinds and _DEFINES.search(text))
    return "" if prose or _RUNAWAY.search(text) else text


def _repair(name: str) -> Callable[[str], str]:
    return lambda text: one_repair(name, text)[0]


STEPS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("Control characters and unusual spaces were removed.", _printable),
    ("The query was extracted from its code block.", _outside_code),
    ("The query was extracted from its JSON object.", _outside_json),
    (
        "HTML entities were decoded.",
        lambda text: ENTITY.sub(lambda one: html.unescape(one[0]), text),
    ),
    ("Escaped quotation marks were unescaped.", lambda text: text.replace('\\"', '"')),
    (
        "Typographic quotation marks were replaced by straight ones.",
        lambda text: text.translate(_STRAIGHT),
    ),
    (
        "Look-alike characters were replaced by those PubMed reads.",
        lambda text: text.translate(_PLAIN),
    ),
    ("The lines around the query were removed, or its own lines joined.", _query_lines),
    ("The label before the query was removed.", _without_label),
    ("The list mark before the query was removed.", lambda text: _LIST_MARK.sub("", text)),
    ("The emphasis marks around the query were removed.", _without_emphasis),
    ("The sentence after the query was removed.", lambda text: _AFTERWORD.sub("", text)),
    ("The punctuation at the end was removed.", lambda text: _END_MARKS.sub("", text)),
    ("Quotation marks around the whole query were removed.", _unquoted),
    (f"The query was cut to {MAX_LENGTH} characters.", _cut),
    ("Quotation marks were balanced.", quotes_balanced),
    ("Brackets were balanced.", lambda text: brackets_balanced(text, MAX_LENGTH)),
    ("Operators were capitalised.", _repair("lower-case-operators")),
    ("AND NOT was written as NOT.", _repair("and-not")),
    ("Only one of several operators in a row was kept.", _repair("operators-repeated")),
    ("Operators without operands and empty brackets were removed.", _repair("operators-dangling")),
    ("The reply contains nothing to search for.", _searchable),
)
"""Each step with the sentence that tells of it; run in this order, again and again until none
changes anything.
"""
