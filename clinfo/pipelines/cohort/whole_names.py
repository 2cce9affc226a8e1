"""Names of an index that criteria say with words that elsewhere carry a criterion: "a broken spine
with the cord spared" is one fracture, "paediatric asthma" one asthma, and "male sterilisation" asks
for no sex.
"""

from __future__ import annotations

import re
from typing import Protocol

from clinfo.pipelines.cohort.signs import Quoted, Signs
from clinfo.pipelines.cohort.tokens import cue_role
from clinfo.terms.composed import meanings
from clinfo.text.terms import FUNCTION_WORDS
from clinfo.text.words import words

_LONGEST = 14
_PART = re.compile(r"[^\s,;:()\"?]+|[,;:()\"?]")
_OF_CRITERIA = frozenset({
    "adult", "alive", "boy", "child", "childhood", "children", "dead", "death", "elderly",
    "female", "girl", "infant", "infantile", "juvenile", "lady", "living", "male", "man", "men",
    "newborn", "old", "older", "paediatric", "pediatric", "recurrent", "recurring", "refractory",
    "stage", "woman", "women", "young", "younger",
})  # fmt: skip
"""Words of persons, stages and courses, which the reading of criteria takes for itself."""
_WHO_HAVE = re.compile(
    r"(?i)\b(?:child(?:ren)?|kids?|boys?|girls?|m[ae]n|wom[ae]n|ladies|adults?|infants?|babies|"
    r"newborns?|(?:fe)?males?|elderly|teenagers)\s+(?:with|who|having|on)\b"
)
"""Who has something: "children with asthma" are children now, and have had no childhood asthma."""
_ROLES = ("with", "not", "nor", "past", "new", "current", "filler")
_PARTS_MEANINGS = (
    "and", "or", "but", "except", "before", "after", "later", "when", "family", "allergy",
    "suspected", "asked", "denied",
)  # fmt: skip
"""Roles of words that stand between things or change who is asked for: no name goes over them."""


class Composed(Protocol):
    """What tells whether a phrase means what one name does that is listed or in the index."""

    def is_composed(self, phrase: str) -> bool: ...

    def listed(self, phrase: str) -> object | None: ...


def with_whole_names(text: str, held: Signs, terms: Composed) -> str:
    """A text in which each such name is one sign; the longest first, from the left."""
    parts = list(_PART.finditer(text))
    out, at, done = [], 0, 0
    while at < len(parts):
        end = _end(text, parts, at, held, terms)
        if end:
            out.append(text[done : parts[at].start()])
            out.append(f" {held.sign(Quoted(text[parts[at].start() : parts[end - 1].end()]))} ")
            done, at = parts[end - 1].end(), end
        else:
            at += 1
    return "".join(out) + text[done:]


def _end(text: str, parts: list[re.Match[str]], at: int, held: Signs, terms: Composed) -> int:
    """The part before which the longest such name from ``at`` on ends; 0 where there is none."""
    most = at
    while most < min(len(parts), at + _LONGEST) and _may_stand_in(parts, most, at, held):
        before = text[parts[at].start() : parts[most].start()]
        denied = most + 1 < len(parts) and cue_role(parts[most + 1].group()) == "not"
        if parts[most].group() == "," and not denied and terms.listed(before) is not None:
            break
        most += 1
    for end in range(most, at + 1, -1):
        said = text[parts[at].start() : parts[end - 1].end()]
        own = words(said)
        carries = "," in said or "." in said or any(map(_carries, own))
        whole = terms.is_composed(said) and not _WHO_HAVE.search(said)
        if carries and whole and _ends_with_meaning(own):
            return end
    return 0


def _ends_with_meaning(own: list[str]) -> bool:
    """Whether the first and the last word say something of what is meant."""
    return all(
        meanings(" ".join(rest)) != meanings(" ".join(own))
        for word, rest in ((own[0], own[1:]), (own[-1], own[:-1]))
        if word in FUNCTION_WORDS or cue_role(word)
    )


def _may_stand_in(parts: list[re.Match[str]], at: int, first: int, held: Signs) -> bool:
    part = parts[at].group()
    if part == ",":
        return first < at < len(parts) - 1
    if not part[0].isalnum() or any(map(held.is_sign, part)):
        return False
    return cue_role(part) not in _PARTS_MEANINGS


def _carries(word: str) -> bool:
    """Whether a word or comma may say something else than what a name consists of."""
    return word in _OF_CRITERIA or cue_role(word) in _ROLES
