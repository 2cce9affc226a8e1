"""Criteria as tokens: words, names of several words, forms, and cues (``cue_words.tsv``).

What is said with figures and signs was read before and stands as one sign each (`signs.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from clinfo.pipelines.cohort.signs import Signs
from clinfo.terms.composed import is_listed
from clinfo.text.terms import FUNCTION_WORDS
from clinfo.text.words import key

CUES = Path(__file__).with_name("cue_words.tsv")
_LONGEST_NAME = 9
_EDGES = FUNCTION_WORDS | {"patients", "patient", "no", "not", "but"}
_PART = re.compile(r"[,;:]|[^\s,;:]+")
_DASH = re.compile(r"\s+[-–—]+\s+|\s*—\s*|(?<=\w)[.!?]\s+(?=\S)")
_QUERY = re.compile(r"(?<!\S)\?(?=\w)")
_PEOPLE = ("patients", "patient", "pts", "people", "persons", "of", "the", "those", "women", "men",
           "who", "cases", "records", "individuals", "subjects", "our", "my", "these")  # fmt: skip
_PREFIXED = ("suspected", "current", "past")
_NEVER = re.compile(r"(?i)\bnever[- ](?=(?:smok|drink|us)ers?\b)")
_NON = re.compile(r"(?i)(?:non[- ]?|a(?=febrile))([a-z].+)")
_NON_NAMES = re.compile(r"(?i)non-?(?:hodgkin|small|steroid|metasta|st\b|invasive|alcoholic)")


@dataclass(frozen=True, slots=True)
class Token:
    """``role`` is one of `cue_words.tsv` ("asked": what no form says of this, so that it is asked
    back), "non" (denies the next name), "word", "name" (a whole
    name), "sign" (a form of `Signs`), "mark" (a mark of it), ","; ``text`` is what is written,
    ``quoted`` whether in quotation marks.
    """

    role: str
    text: str
    quoted: bool = False


def tokens(text: str, held: Signs, is_name: Callable[[str], bool]) -> list[Token]:
    """The tokens of a text. ``is_name`` tells whether several words are one listed name."""
    text = _NEVER.sub("non-", text)
    parts = _parts(_QUERY.sub("? ", _DASH.sub(", ", text)), held)
    found: list[Token] = []
    at = 0
    while at < len(parts):
        name = _name(parts, at, is_name)
        length, role = _cue(parts, at)
        if held.is_sign(parts[at]):
            found.append(Token("sign" if held.form(parts[at]) else "mark", parts[at]))
            at += 1
        elif held.quoted(parts[at]) is not None:
            found.append(Token("name", held.quoted(parts[at]) or "", quoted=True))
            at += 1
        elif name > 1 and name >= length:
            found.append(Token("name", _text(parts[at : at + name])))
            at += name
        elif parts[at] == "ALL" and not text.isupper() and not _everyone(parts[at + 1 : at + 2]):
            found.append(Token("word", "ALL?"))  # a leukaemia, or everyone: asked back
            at += 1
        elif role is not None:
            found.append(Token(role, _text(parts[at : at + length])))
            at += length
        elif parts[at] in ",;:":
            found.append(Token(",", parts[at]))
            at += 1
        else:
            found += _word(parts[at])
            at += 1
    return found


def _everyone(following: Sequence[str]) -> bool:
    """Whether an "ALL" in capitals before this word is of people."""
    return bool(following) and following[0].lower() in _PEOPLE


def _word(word: str) -> list[Token]:
    """A word; of "non-diabetic" the denial and what is denied, of "suspected-covid" the cue."""
    cue, hyphen, rest = word.partition("-")
    if hyphen and rest and (role := _roles()[0].get(cue.lower())) in _PREFIXED:
        return [Token(role, cue), *_word(rest)]
    denied = _NON.fullmatch(word)
    if denied is not None and not _NON_NAMES.match(word):
        return [Token("non", word[: denied.start(1)]), Token("word", denied[1])]
    return [Token("word", word)]


def _parts(text: str, held: Signs) -> list[str]:
    found = []
    for match in _PART.finditer(text):
        part = match.group().strip(".!?\"'") or match.group()
        found += [one for one in re.split(held.pattern, part) if one]
    return found


def _name(parts: Sequence[str], at: int, is_name: Callable[[str], bool]) -> int:
    """The number of words of the longest listed name from ``at`` on, 0 without one of several."""
    for end in range(min(len(parts), at + _LONGEST_NAME), at + 1, -1):
        if {";", ":"} & set(parts[at:end]):
            continue
        text = _text(parts[at:end])
        its_words = key(text).split()
        edges = {*its_words[:1], *its_words[-1:]} & _EDGES
        whole = not edges or (is_listed(text) and (its_words[0] != "not" or "yet" in its_words))
        if len(its_words) > 1 and whole and is_name(text):
            return end - at
    return 0


def _text(parts: Sequence[str]) -> str:
    return re.sub(r" (?=[,;:])", "", " ".join(parts))


def _cue(parts: Sequence[str], at: int) -> tuple[int, str | None]:
    """The words of the longest cue from ``at`` on and its role."""
    roles, most = _roles()
    for length in range(min(most, len(parts) - at), 0, -1):
        role = roles.get(" ".join(parts[at : at + length]).lower())
        if role is not None:
            return length, role
    return 0, None


@cache
def _roles() -> tuple[dict[str, str], int]:
    found: dict[str, str] = {}
    for line in CUES.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            role, _, phrases = line.partition("\t")
            for phrase in phrases.split(";"):
                found.setdefault(phrase.strip(), role)
    return found, max(phrase.count(" ") + 1 for phrase in found)


def cue_role(word: str) -> str:
    """The role of a word that is a cue alone; "" of others."""
    return _roles()[0].get(word.lower(), "")


def is_soft(word: str) -> bool:
    """Return whether a word may be a part of a name or say nothing: "symptom"."""
    return _roles()[0].get(word.lower()) == "soft"


def is_filler(word: str) -> bool:
    """Return whether a word alone says nothing of what is asked for."""
    return _roles()[0].get(word.lower()) in ("filler", "with", "past")
