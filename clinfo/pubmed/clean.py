"""Getting the query out of a language model's reply, and mending it where the mistake is plain.

This is repair of text: PubMed's language is not parsed here and no term is judged. A query typed by a person never comes
through here. What each step does is said by the sentence beside it in `STEPS`; a step that changes nothing says nothing.
"""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass

MAX_LENGTH = 5000
"""Longest query in characters. The longest of 346 published generated ones has 717, expert ones reach about 4,500."""

_MAX_REPLY = 10_000
_CUT_TO = MAX_LENGTH - 200  # leaves room for the brackets that the cut leaves open
_MAX_PASSES = 50
_OPERATORS = ("AND", "OR", "NOT")

_STRAIGHT = str.maketrans(dict.fromkeys("“”„‟″«»＂", '"') | dict.fromkeys("‘’‚‛′＇", "'"))
_PLAIN = str.maketrans({"∗": "*", "＊": "*", "（": "(", "）": ")", "［": "[", "］": "]", "：": ":"})
_ENTITY = re.compile(r"&(?:amp|quot|apos|lt|gt|nbsp|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});")

_FENCE = re.compile(r"```[ \t]*(?:[A-Za-z]+[ \t]*(?=\n)|(?:pubmed|query|sql|json|text|plaintext)\b)?(.*?)(?:```|\Z)", re.DOTALL)
_ELEMENT = re.compile(r"<(\w+)>(.*)</\1>", re.DOTALL)
_INLINE_CODE = re.compile(r"`([^`\n]+)`")
_JSON_MEMBER = re.compile(r'\{\s*"(?:\w*query|search\w*|term)"\s*:\s*"(.*)"\s*,?\s*\}', re.DOTALL | re.IGNORECASE)
_LABEL = re.compile(
    r"""^[\s*_\#>]*(?:
        [^"()\[\]:]{0,200}?\b(?:quer(?:y|ies)|search(?:[ ](?:strings?|strategy|terms?))?)\b[^"()\[\]:]{0,80}
        | (?:final[ ])?(?:answer|output|result|pubmed|medline|revised|corrected)
    )\s*:[*_]*\s*""",
    re.IGNORECASE | re.VERBOSE,
)
_LIST_MARK = re.compile(r"^\s*(?:[-•–—>]\s+|\*\s+|\d{1,2}[.)]\s+)+")
_AFTERWORD = re.compile(r"[.;]\s+(?:This|The|It|I|Note|These|Let|You|Here|If|In)\s[^\"()\[\]]{12,}$")
_REFUSAL = re.compile(
    r"(?:i'm|i am|we're) (?:sorry|unable|not able)|sorry\b|unfortunately\b|as an ai\b|i (?:cannot|can't|can not)\b",
    re.IGNORECASE,
)
_END_MARKS = re.compile(r"[\s.,;:]+$")
_PROSE = re.compile(
    r"the|this|that|these|which|it|is|are|was|will|would|should|can|you|your|i|we|here|and|of|for|to|with|about|because"
    r"|query|search|pubmed|finds?|uses|using|includes|combines?|covers|note|sure|certainly"
)
_TOKEN = re.compile(
    r'''(?P<quoted>"[^"]*")|(?P<tag>\[[^\[\]"]*\])|(?P<open>\()|(?P<close>\))|(?P<word>[^\s()\[\]"]+)|(?P<stray>["\[\]])'''
)


@dataclass(frozen=True)
class Cleaned:
    """A query ready to be sent, empty where the reply held none, and what was changed to get it."""

    text: str
    repairs: tuple[str, ...] = ()


def clean(reply: str) -> Cleaned:
    """The query in a model's reply. Never raises; a good query comes back as it is; cleaning twice changes nothing more."""
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
    return Cleaned("", (*repairs, "gave the reply up as unreadable"))


def same(a: str, b: str) -> bool:
    """Whether two queries are the same apart from the case of words, spaces and the style of quotation marks."""
    return _normalised(a) == _normalised(b)


def _normalised(query: str) -> list[str]:
    found = (match[0] for match in _TOKEN.finditer(query.translate(_STRAIGHT)))
    return [token if token in _OPERATORS else " ".join(token.casefold().split()) for token in found]


# Steps on the reply: what surrounds the query


def _printable(text: str) -> str:
    """Without control, format and lone surrogate characters; every line end is a newline, every other space a space."""
    text = re.sub(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]", "\n", text)
    text = re.sub(r"[^\S\n]", " ", text)
    return "".join(char for char in text if char == "\n" or unicodedata.category(char) not in ("Cc", "Cf", "Cs"))


def _outside_code(text: str) -> str:
    """The code block, or the code span on the line, that looks most like a query."""
    blocks: list[str] = [block.strip() for block in _FENCE.findall(text) if block.strip()] or _INLINE_CODE.findall(text)
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
        named: list[object] = [item for key, item in value.items() if re.search("quer(y|ies)|search|term", key.lower())]
        texts = [one for item in named for one in (item if isinstance(item, list) else [item]) if isinstance(one, str)]
        return max(texts, key=_likeness, default=text)
    if member := _JSON_MEMBER.search(text):  # quotation marks inside were not escaped, or not all
        return member[1]
    return text


def _query_lines(text: str) -> str:
    """Of several lines, the run of lines that looks most like a query; a run goes on while its brackets are open."""
    lines = text.split("\n")
    if len(lines) == 1:
        return text
    runs: list[tuple[str, bool]] = []
    labelled, broken = False, True
    for line in lines:
        label = _LABEL.match(line)
        stripped = _without_emphasis(_LIST_MARK.sub("", line[label.end() :] if label else line).strip()).strip()
        if label or line.rstrip("* ").endswith(":"):
            labelled, broken = True, True
        if not stripped:
            broken = broken or not _unfinished(runs[-1][0])
        elif not broken and _goes_on(runs[-1][0], stripped):
            runs[-1] = (f"{runs[-1][0]} {stripped}", runs[-1][1])
        elif not stripped.endswith(":"):
            runs.append((stripped, labelled))
            labelled, broken = False, False
    return max(runs, key=lambda run: _likeness(run[0]) + 3 * run[1])[0] if runs else ""


def _goes_on(run: str, line: str) -> bool:
    """Whether ``line`` goes on with the query begun in ``run``."""
    return _unfinished(run) or line.split()[0] in _OPERATORS


def _unfinished(run: str) -> bool:
    depth = sum({"open": 1, "close": -1}.get(kind, 0) for kind, _, _ in _tokens(run))
    return depth > 0 or run.split()[-1] in _OPERATORS


def _likeness(text: str) -> int:
    """How much a text looks like a query: operators, field tags, quotes and brackets, against the small words of prose."""
    score = 0
    for kind, start, end in _tokens(text):
        if kind == "word":
            score -= _PROSE.fullmatch(text[start:end].lower().strip(".,:;!")) is not None
        else:
            score += 2 if kind in ("operator", "tag") else 1
    return score - text.rstrip().endswith((".", "!", "?"))


def _without_label(text: str) -> str:
    label = _LABEL.match(text)
    return text[label.end() :] if label and not any(kind == "operator" for kind, _, _ in _tokens(label[0])) else text


def _without_list_mark(text: str) -> str:
    return _LIST_MARK.sub("", text)


def _without_emphasis(text: str) -> str:
    marked = re.fullmatch(r"(\*{1,3}|_{1,3})(.*[^*_].*)\1", text, re.DOTALL)
    return marked[2] if marked else text


def _without_afterword(text: str) -> str:
    return _AFTERWORD.sub("", text)


# Steps on the query itself


def _unescaped(text: str) -> str:
    return _ENTITY.sub(lambda match: html.unescape(match[0]), text)


def _unquoted(text: str) -> str:
    """Without one pair of quotation marks around all, where operators (or further quotation marks) stand inside."""
    whole = re.fullmatch(r"""\(*(["'])(.*)\1\)*""", text, re.DOTALL)
    if whole is None:
        return text
    inner = whole[2]
    operators = any(kind == "operator" for kind, _, _ in _tokens(inner))
    if whole[1] not in inner:
        return inner if operators else text
    return inner if whole[1] == '"' and operators and _mispaired(text) and not _mispaired(inner) else text


def _mispaired(text: str) -> bool:
    """Whether pairing the quotation marks from left to right puts operators at the edge of a phrase, or leaves one over."""
    pieces = text.split('"')
    if len(pieces) % 2 == 0:
        return True
    for phrase in pieces[1::2]:
        words = phrase.split()
        if words and phrase not in _OPERATORS and (words[0] in _OPERATORS or words[-1] in _OPERATORS):
            return True
        if phrase.count("(") != phrase.count(")"):
            return True
    return False


def _quotes_balanced(text: str) -> str:
    """Quotation marks in pairs: one that closes nothing is removed, one that is not closed is closed where its phrase ends.

    Which of the two a mark is shows in its neighbours: an opening one stands before a word, a closing one after it.
    """
    if not _mispaired(text):
        return text
    out: list[str] = []
    opened: int | None = None  # place in ``out`` of the mark that waits for its partner
    for place, char in enumerate(text):
        if char != '"':
            out.append(char)
            continue
        before, after = text[place - 1 : place], text[place + 1 : place + 2]
        opening = bool(after) and not after.isspace() and not before.isalnum()
        closing = bool(before) and not before.isspace() and not after.isalnum()
        if opened is None:
            if opening or not closing:
                opened = len(out)
                out.append(char)
        elif closing or not opening:
            out.append(char)
            opened = None
        else:
            out = _phrase_closed(out, opened)
            opened = len(out)
            out.append(char)
    if opened is not None:
        out = _phrase_closed(out, opened)
    return "".join(out)


def _phrase_closed(out: list[str], opened: int) -> list[str]:
    """``out`` with the phrase that begins after ``opened`` closed before the next operator or bracket, or left unquoted."""
    rest = "".join(out[opened + 1 :])
    end = re.search(r"\s+(?:AND|OR|NOT)\b|\s*[()\[\]]|\s*$", rest)
    length = end.start() if end else len(rest)
    phrase = rest[:length].strip()
    return [*out[:opened], *(f'"{phrase}"' if phrase else ""), *rest[length:]]


def _brackets_balanced(text: str) -> str:
    """Brackets in pairs, those inside quotation marks being text: ``[`` is closed at the end of its word, ``(`` at the
    end of the query, and one that closes nothing is removed."""
    text = re.sub(r'("[^"]*")|\[([^\]"]*)(\]|(?="|$))', _square_closed, text)
    kept: list[str] = []
    depth, last = 0, 0
    for kind, start, end in _tokens(text):
        kept.append(text[last:start])
        last = end
        if kind == "stray" or (kind == "close" and depth == 0):
            continue
        depth += {"open": 1, "close": -1}.get(kind, 0)
        kept.append(text[start:end])
    balanced = "".join(kept) + text[last:]
    if len(balanced) + depth <= MAX_LENGTH:
        return balanced + ")" * depth
    return "".join(text[start:end] for start, end in _between(text, "open", "close"))  # nested without end: none is kept


def _square_closed(match: re.Match[str]) -> str:
    """A quoted phrase as it is; a bracket that takes in operators or other brackets closed before the first of them."""
    if match[1]:
        return match[1]
    body: str = match[2]
    if match[3] and body.count("(") == body.count(")") and not re.search(r"\[|\s(?:AND|OR|NOT)\s", body):
        return match[0]
    end = re.search(r"\s+(?:AND|OR|NOT)\b|\s*[()\[]|\s*$", body)
    length = end.start() if end else len(body)
    return (f"[{body[:length]}]" if body[:length].strip() else "") + body[length:] + match[3]


def _between(text: str, *kinds: str) -> Iterator[tuple[int, int]]:
    """The stretches of ``text`` between the tokens of these kinds."""
    last = 0
    for kind, start, end in _tokens(text):
        if kind in kinds:
            yield last, start
            last = end
    yield last, len(text)


def _operators_in_capitals(text: str) -> str:
    """Lower-case operators put in capitals where they stand between the end of one group and the start of the next."""
    tokens = list(_tokens(text))
    for before, (kind, start, end), after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        joins = before[0] in ("quoted", "tag", "close") and after[0] in ("quoted", "open")
        if kind == "word" and joins and text[start:end].upper() in _OPERATORS:
            text = text[:start] + text[start:end].upper() + text[end:]
    return text


def _and_not(text: str) -> str:
    return _without_tokens(text, lambda _, word, after: word == "AND" and after == "NOT")


def _dangling(text: str) -> str:
    """Without operators that have nothing on one side, and without empty brackets. Of two operators the first stays,
    except that NOT stays whatever stands before it."""

    def dangles(before: str, word: str, after: str) -> bool:
        if word in _OPERATORS:
            if after in ("", ")"):
                return True
            if word == "NOT":
                return before == "NOT"
            return before in ("", "(", *_OPERATORS) or after == "NOT"
        return (word == "(" and after == ")") or (word == ")" and before == "(")

    return _without_tokens(text, dangles)


def _without_tokens(text: str, unwanted: Callable[[str, str, str], bool]) -> str:
    """``text`` without the tokens that ``unwanted(before, token, after)`` names, and without the gaps they leave."""
    words = ["", *(text[start:end] for _, start, end in _tokens(text)), ""]
    for index, (_, start, end) in reversed(list(enumerate(_tokens(text), 1))):
        if unwanted(words[index - 1], words[index], words[index + 1]):
            head, tail = text[:start].rstrip(), text[end:].lstrip()
            text = head + ("" if head.endswith("(") or tail.startswith(")") else " ") + tail
    return text


def _without_end_marks(text: str) -> str:
    return _END_MARKS.sub("", text)


def _cut(text: str) -> str:
    if len(text) <= MAX_LENGTH:
        return text
    joints = [start for kind, start, _ in _tokens(text[:_CUT_TO]) if kind == "operator"]
    return text[: joints[-1] if joints else _CUT_TO]


def _searchable(text: str) -> str:
    """Nothing where the text has no letter or digit, or is a refusal to write a query."""
    refused = _REFUSAL.match(text) and all(kind == "word" for kind, _, _ in _tokens(text))
    return text if any(char.isalnum() for char in text) and not refused else ""


def _tokens(text: str) -> Iterator[tuple[str, int, int]]:
    """Kind, start and end of each token: quoted, tag, open, close, operator, word, stray (a mark without its partner)."""
    for match in _TOKEN.finditer(text):
        kind = "operator" if match[0] in _OPERATORS else str(match.lastgroup)
        yield kind, match.start(), match.end()


STEPS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("Control characters and unusual spaces were removed.", _printable),
    ("The query was taken out of its code block.", _outside_code),
    ("The query was taken out of its JSON object.", _outside_json),
    ("HTML entities were decoded.", _unescaped),
    ("Escaped quotation marks were unescaped.", lambda text: text.replace('\\"', '"')),
    ("Typographic quotation marks were made straight.", lambda text: text.translate(_STRAIGHT)),
    ("Look-alike characters were replaced by the ones PubMed reads.", lambda text: text.translate(_PLAIN)),
    ("The lines around the query were left out, or its own lines joined.", _query_lines),
    ("The label before the query was removed.", _without_label),
    ("The list mark before the query was removed.", _without_list_mark),
    ("The emphasis marks around the query were removed.", _without_emphasis),
    ("The sentence after the query was removed.", _without_afterword),
    ("The punctuation at the end was removed.", _without_end_marks),
    ("The quotation marks around the whole query were removed.", _unquoted),
    (f"The query was cut to {MAX_LENGTH} characters.", _cut),
    ("Quotation marks were balanced.", _quotes_balanced),
    ("Brackets were balanced.", _brackets_balanced),
    ("Operators were put in capitals.", _operators_in_capitals),
    ("AND NOT was written as NOT.", _and_not),
    ("Operators with nothing to join and empty brackets were removed.", _dangling),
    ("Nothing in the reply could be searched for.", _searchable),
)
"""Each step with the sentence that tells of it; run in this order, again and again until none changes anything."""
