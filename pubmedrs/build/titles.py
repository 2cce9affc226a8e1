"""The question that a title holds."""

from __future__ import annotations

import re

_MARK = re.compile(r"[?？][\"'”’»)\]]*")
_TRANSLATED = re.compile(r"\[(.*)\]\.?", re.DOTALL)
_WORD = re.compile(r"[^\W\d_]{2}")
MOST_WORDS = 60
"""Words beyond which what precedes a question mark is a text and no question."""


def question_in(title: str) -> str:
    """The title up to its first question mark, "" where it holds no question.

    What stands before a colon stays, because it says what is asked about ("X: is it Y?"): the
    published questions are cut so. Brackets around a translated title are taken off. A mark with no
    words before it, or in a web address, asks nothing.
    """
    text = " ".join(title.split())
    if translated := _TRANSLATED.fullmatch(text):
        text = translated[1].strip()
    for mark in _MARK.finditer(text):
        following = text[mark.end() : mark.end() + 1]
        before = text[: mark.start()]
        if following.isalnum() or following in ("=", "&"):
            continue
        question = before + "?"
        if len(_WORD.findall(before)) >= 2 and len(before.split()) <= MOST_WORDS:
            return _without_open_bracket(question)
    return ""


def _without_open_bracket(question: str) -> str:
    """A bracket or quotation mark that opens before the question and closes after it is not part of
    it.
    """
    for opening, closing in (("(", ")"), ("[", "]"), ("“", "”")):
        if question.startswith(opening) and closing not in question:
            return question[1:].strip()
    return question[1:] if question.startswith('"') and question.count('"') == 1 else question
