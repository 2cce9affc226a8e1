"""Getting the query out of a language model's reply, by its form alone: code blocks, JSON, lines,
labels. Mistakes in it are mended by `clinfo.pubmed.repairs`.

No term is judged, and no word of English is known here. A query typed by a person never comes
through here. What each step does is said by the sentence beside it in `STEPS`; a step that changes
nothing says nothing.
"""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from clinfo.pubmed.brackets import pieces
from clinfo.pubmed.lexer import OPERATORS, readable
from clinfo.pubmed.repairs import repaired
from clinfo.text.structured import json_values
from clinfo.text.words import words

MAX_LENGTH = 5000
"""Longest query in characters. The longest of 346 published generated ones has 717, expert ones
reach about 4,500.
"""

_MAX_REPLY = 10_000
_CUT_TO = MAX_LENGTH - 200  # leaves room for the brackets that the cut leaves open
_MAX_PASSES = 50
MOST_WORDS, _SENTENCE = 12, 4
"""Words beyond which a text without operators, tags and brackets is no query: of any text, and of
one that ends as a sentence does.
"""
_RUNAWAY = 120
"""Letters of a word beyond which a model repeats itself without end."""
_ELEMENT = re.compile(r"<(\w+)>(.*)</\1>", re.DOTALL)
MARKS = re.compile(r"^\s*(?:(?:[-•–—>#]+|\*|\d{1,2}[.)])\s+)+")
_LABEL = re.compile(r"""^[\s*_#]*[^"()\[\]:]{1,200}:[*_]*(?:\s+|$)""")
_AFTERWORD = re.compile(r"""[.;]\s+[A-Z][^"()\[\]]{12,}[.!]$""")


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
        mended = repaired(text)
        text = mended.text.strip()
        repairs |= dict.fromkeys(mended.sentences)
        if text == before:
            return Cleaned(text, tuple(repairs))
    return Cleaned("", (*repairs, "rejected the reply as unreadable"))


def same(a: str, b: str) -> bool:
    """Return whether two queries are the same apart from the case of words, spaces and the style of
    quotation marks.
    """
    return _normalised(readable(a)) == _normalised(readable(b))


def _normalised(query: str) -> list[str]:
    found = (query[start:end] for _, start, end in pieces(query))
    return [token if token in OPERATORS else " ".join(token.casefold().split()) for token in found]


def _printable(text: str) -> str:
    """Without control, format and lone surrogate characters; every line end is a newline, every
    other space a space.
    """
    lined = "\n".join(text.splitlines())
    return "".join(
        char if char == "\n" else " " if char.isspace() else char
        for char in lined
        if char.isspace() or unicodedata.category(char) not in ("Cc", "Cf", "Cs")
    )


def _outside_code(text: str) -> str:
    """The code block, or the code span on the line, that looks most like a query."""
    blocks = text.split("```")[1::2]
    blocks = [rest if one.isalpha() and rest else block for block in blocks
              for one, _, rest in [block.partition("\n")]]  # fmt: skip
    blocks = [one.strip() for one in blocks or text.split("`")[1::2] if one.strip()]
    if blocks:
        return max(blocks, key=_likeness)
    element = _ELEMENT.search(text)
    return str(element[2]) if element else text.replace("`", "")


def _outside_json(text: str) -> str:
    objects = [value for value, _ in json_values(text) if isinstance(value, dict)]
    held = [one for value in objects for item in value.values()
            for one in (item if isinstance(item, list) else [item])]  # fmt: skip
    return max((one for one in held if isinstance(one, str)), key=_likeness, default=text)


def _query_lines(text: str) -> str:
    """Of several lines, the run of lines that looks most like a query; a run goes on while its
    brackets are open, and from or to an operator.
    """
    lines = text.split("\n")
    if len(lines) == 1:
        return text
    runs: list[str] = []
    for line in map(str.strip, lines):
        if line and runs and (_unfinished(runs[-1]) or line.split()[0] in OPERATORS):
            runs[-1] += f" {line}"
        elif line and not line.rstrip("*_ ").endswith(":"):
            runs.append(line)
    return max(runs, key=lambda run: _likeness(_bare(run)), default="")


def _unfinished(run: str) -> bool:
    depth = sum({"open": 1, "close": -1}.get(kind, 0) for kind, _, _ in pieces(run))
    return depth > 0 or run.split()[-1] in OPERATORS


def _likeness(text: str) -> int:
    """Return how much a text looks like a query: operators, field tags, quotes and brackets."""
    found = [kind for kind, _, _ in pieces(text) if kind != "word"]
    told = sum(2 if kind in ("operator", "tag") else 1 for kind in found)
    return told - text.rstrip().endswith((".", "!", "?"))


def _bare(text: str) -> str:
    """Without list marks, the label before the query and emphasis around it."""
    text = MARKS.sub("", text)
    label = _LABEL.match(text)
    if label and OPERATORS.keys().isdisjoint(label[0].split()):
        text = text[label.end() :]
    for mark in ("***", "**", "*", "__", "_"):
        if len(text) > 2 * len(mark) and text.startswith(mark) and text.endswith(mark):
            return text[len(mark) : -len(mark)]
    return text


def _cut(text: str) -> str:
    if len(text) <= MAX_LENGTH:
        return text
    joints = [start for kind, start, _ in pieces(text[:_CUT_TO]) if kind == "operator"]
    return text[: joints[-1] if joints else _CUT_TO]


def _searchable(text: str) -> str:
    """Nothing where the text has no letter or digit, is a sentence or a placeholder in braces, or
    holds a word without end.
    """
    found = words(text)
    kinds = {kind for kind, _, _ in pieces(text)}
    plain = kinds <= {"word", "quoted"} and OPERATORS.keys().isdisjoint(text.split())
    most = _SENTENCE if text.endswith((".", "!", "?")) else MOST_WORDS
    held = text[:1] + text[-1:] in ("{}", "<>")
    endless = any(len(one) > _RUNAWAY for one in text.split())
    return "" if not found or held or endless or (plain and len(found) > most) else text


STEPS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("Control characters and unusual spaces were removed.", _printable),
    ("The query was extracted from its code block.", _outside_code),
    ("The query was extracted from its JSON object.", _outside_json),
    ("Escaped quotation marks were unescaped.", lambda text: text.replace('\\"', '"')),
    ("The lines around the query were removed, or its own lines joined.", _query_lines),
    ("The label or marks around the query were removed.", _bare),
    ("The sentence after the query was removed.", lambda text: _AFTERWORD.sub("", text)),
    ("The reply contains nothing to search for.", _searchable),
    ("The punctuation at the end was removed.", lambda text: text.rstrip(" \n.,;:")),
    (f"The query was cut to {MAX_LENGTH} characters.", _cut),
)
"""Each step with the sentence that tells of it; run in this order, again and again until none
changes anything.
"""
