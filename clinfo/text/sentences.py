"""Splits English medical prose into sentences.

Rules over characters, no model: the same text always gives the same sentences, in time linear in
its length. A newline ends a sentence (abstracts keep their sections on lines of their own, answers
their list items). Where a full stop may be that of an abbreviation, the sentence goes on unless the
next word is one that hardly occurs in capitals elsewhere.
"""

import re

from clinfo.text.lexicon import words_of

_NEWLINE = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_LIST_MARK = re.compile(
    r"\s*(?:(?:[-–—*+•◦▪●·‣>]|#{1,6}|\d{1,3}[.)]|\(\d{1,3}\)|[a-z]\))\s+)*(?=\S)"
)
_CITATIONS = r"(?:\s{0,2}\[\s?\d{1,3}(?:\s?[,;–—‑-]\s?\d{1,3})*\s?\])+"
_END = re.compile(
    rf"[.!?…]+(?P<closers>[\"'”’»)\]*_]*)(?P<cites>(?:{_CITATIONS})?)(?=(?P<space>\s*))"
)
_TOKEN = re.compile(r"[^\s()\[\]{}\"“”,;:/<>=≤≥±–—-]+\Z")
_OPENERS = "\"'“‘«([*_{"
_WORD = re.compile(r"\w+")
_LOWER_START = re.compile(r"[a-zα-ω]{1,3}-?[A-Z0-9]|[α-ω]\b")
"""Words that begin a sentence with a small letter: mRNA, eGFR, p53, n-3, β-blockers."""


_NEVER_LAST = frozenset(words_of("abbreviations", "never_last"))
"""Abbreviations that always have something after them."""
_BEFORE_NUMBER = frozenset(words_of("abbreviations", "before_number"))
"""Words whose full stop is that of an abbreviation when a number follows: "No. 3"."""
_SELDOM_LAST = frozenset(words_of("abbreviations", "seldom_last"))
_NUMBER_START = re.compile(r"\d|[A-Z]{2,10} ?\d")
_REST_OF_NUMBER = re.compile(r"0\d|\d+ ?%")
"""The rest of a decimal that a blank has broken: "2. 08%"."""
_DOTTED = re.compile(r"[^\W\d_](?:\.[^\W\d_])+")
_STARTERS = frozenset(words_of("function_words", "starters"))
"""Words that have a capital only where a sentence starts."""
_BEFORE_INITIAL = frozenset(
    ["and", "by", "of", "from", "with", "dr", "prof", "&", "to", "or", "the"]
)


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Sentences of ``text`` as code points [start, end), in order, never empty, without the space
    or list marks around them.

    What lies between the spans is white space or list marks only. A citation in brackets after the
    full stop belongs to the sentence before it.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for newline in _NEWLINE.finditer(text):
        _split_line(text, start, newline.start(), spans)
        start = newline.end()
    _split_line(text, start, len(text), spans)
    return spans


def sentences(text: str) -> list[str]:
    """The sentences themselves."""
    return [text[start:end] for start, end in sentence_spans(text)]


def _split_line(text: str, start: int, end: int, spans: list[tuple[int, int]]) -> None:
    """Add the sentences of one line, text[start:end]."""
    mark = _LIST_MARK.match(text, start, end)
    if mark is not None:
        start = mark.end()
    end = start + len(text[start:end].rstrip())
    if start >= end:
        return
    closing = _enclosed(text, start, end)
    for match in _END.finditer(text, start, end):
        stop = _boundary(text, start, end, match)
        if stop is None or stop <= start or closing.get(match.start(), 0) > stop:
            continue
        spans.append((start, stop))
        start = stop
        while start < end and text[start].isspace():
            start += 1
    if start < end:
        spans.append((start, end))


def _enclosed(text: str, start: int, end: int) -> dict[int, int]:
    """Full stops inside brackets that close within 300 characters, each with the place after the
    outermost such bracket.
    """
    inside: dict[int, int] = {}
    opened: list[int] = []
    pairs: list[tuple[int, int]] = []
    for i in range(start, end):
        if text[i] in "([":
            opened.append(i)
        elif text[i] in ")]" and opened:
            first = opened.pop()
            if i - first <= 300:
                while pairs and pairs[-1][0] > first:
                    pairs.pop()
                pairs.append((first, i + 1))
    for first, after in pairs:
        for i in range(first, after):
            if text[i] in ".!?…":
                inside[i] = after
    return inside


def _boundary(text: str, start: int, end: int, match: re.Match[str]) -> int | None:
    """Return where the sentence ends if this mark ends it, else None."""
    after_mark, after_cites = match.end("closers"), match.end("cites")
    following = match.end("space")
    if following >= end:
        return min(after_cites, end)
    spaced = following > after_cites
    cited = after_cites > after_mark
    if not spaced:
        return after_cites if _joined_start(text, match, following, end, cited) else None
    if not _starts_sentence(text, following, end):
        # "Deaths fell. [3] found more": the citation is the subject of the next sentence.
        subject = cited and text[after_mark].isspace() and text[following].isalpha()
        return (
            after_mark
            if subject and not _abbreviated(text, start, match, after_mark, end)
            else None
        )
    return None if _abbreviated(text, start, match, following, end) else after_cites


def _joined_start(text: str, match: re.Match[str], following: int, end: int, cited: bool) -> bool:
    """Return whether a sentence starts right behind the mark, without a space: "fell.[3]The",
    "fell.The".
    """
    word = _WORD.match(text, following, end)
    if word is None:
        return False
    if cited:
        return word.group()[0].isupper()
    before = text[max(0, match.start() - 3) : match.start()]
    ends_word = len(before) == 3 and (
        (before.isalpha() and before.islower()) or before[-1] in ")%]"
    )
    return ends_word and word.group() in _STARTERS


def _starts_sentence(text: str, at: int, end: int) -> bool:
    """Return whether what stands at ``at`` can begin a sentence: anything but a word in small
    letters or a mark of punctuation.
    """
    while at < end and text[at] in _OPENERS:
        at += 1
    if at >= end:
        return False
    char = text[at]
    if char.islower():
        return _LOWER_START.match(text, at, end) is not None
    return char not in ",;:.!?)]}=%/" or (char == "." and text[at + 1 : at + 2].isdigit())


def _abbreviated(text: str, start: int, match: re.Match[str], following: int, end: int) -> bool:
    """Return whether the mark is the full stop of an abbreviation, an initial, a list number or a
    broken decimal.
    """
    dot = match.start()
    if match.end("closers") - dot != 1 or text[dot] != ".":
        return False
    found = _TOKEN.search(text, max(start, dot - 24), dot)
    if found is None:
        return False
    token = found.group()
    lowered = token.lower()
    number_follows = _NUMBER_START.match(text, following, end) is not None
    if token.isdigit():
        before = text[max(start, found.start() - 30) : found.start()].rstrip()
        listed = len(token) <= 2 and (
            not before or (text[found.start() - 1].isspace() and before[-1] in ":;.")
        )
        broken = token == "0" or _REST_OF_NUMBER.match(text, following, end) is not None
        return listed or (broken and number_follows)
    if token in _NEVER_LAST or lowered in ("e.g", "i.e"):
        return True
    if lowered in _BEFORE_NUMBER and number_follows:
        return True
    word = _WORD.match(text, following, end)
    starter = word is not None and word.group() in _STARTERS
    if lowered in _SELDOM_LAST or _DOTTED.fullmatch(token):
        return not starter
    if len(token) == 1 and token.isupper():
        return not starter and _before_initial(text, start, found.start())
    return False


def _before_initial(text: str, start: int, at: int) -> bool:
    """Return whether a single capital at ``at`` is a person's or a genus' initial, by the word
    before it: not in "vitamin D.".
    """
    before = text[max(start, at - 30) : at].rstrip()
    if not before:
        return True
    if before[-1] in ".,;(":
        return True
    word = before.split()[-1]
    return word.lower() in _BEFORE_INITIAL or word[0].isupper()
