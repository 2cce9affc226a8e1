"""Abstractions of answers on a cancer: the kinds of question that they answer, read from their own
first sentences. Of structured records the readers make them by templates.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

HEAD = 400
"""Code points at the beginning of an answer that tell what it is about."""


@cache
def _kinds() -> tuple[tuple[re.Pattern[str], str], ...]:
    """What answers of a kind say first, and the questions of that kind."""
    path = Path(__file__).with_name("answered_questions.tsv")
    lines = path.read_text(encoding="utf-8").splitlines()
    pairs = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return tuple((re.compile(pattern, re.IGNORECASE), said) for pattern, said in pairs)


def questions_answered(title: str, answer: str) -> str:
    """The questions that an answer on ``title`` answers, as its first sentences show."""
    head = answer[:HEAD]
    said = next((said for pattern, said in _kinds() if pattern.search(head)), "what is")
    return f"{title}: {said}"
