"""Names of people and groups, as programs write them in one text."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from clinfo.records.articles import Author

SHORT_NAME = re.compile(r"[^,]+\s(?:[A-ZÀ-ÖØ-Þ]\.?[- ]?){1,5}(?:\s(?:Jr|Sr|\dnd|\drd|III|IV))?")
INITIALS = re.compile(r"(?:[A-ZÀ-ÖØ-Þ][-. ]{0,2}){1,4}")
_GROUPS: Final = frozenset(
    {
        "association", "collaboration", "collaborative", "collaborators", "committee", "consortium",
        "council", "foundation", "group", "initiative", "institute", "investigators", "network",
        "organization", "society", "team",
    }
)  # fmt: skip
"""Last words of names that are no person's; EndNote has a comma after such a name."""
_IN_GROUPS: Final = _GROUPS | {
    "academy", "agency", "alliance", "center", "centers", "centre", "college", "commission",
    "department", "federation", "for", "force", "hospital", "ministry", "of", "office", "on",
    "panel", "program", "programme", "registry", "study", "the", "trialists", "union", "university",
}  # fmt: skip
_OTHERS = re.compile(r"(?:and )?(?:et al|others)\.?", re.IGNORECASE)
NOTHING = re.compile(
    r"\W*(?:anonymous|anon|n/?a|nan|null|none|no (?:abstract|author\w*)\b.{0,30}"
    r"|abstract (?:is )?not\b.{0,20})\W*",
    re.IGNORECASE,
)
"""What programs write where there is no author or no abstract."""
_SUFFIX = re.compile(r"(?:Jr|Sr|2nd|3rd|II|III|IV)\.?", re.IGNORECASE)


def people_of(named: Iterable[str | Author]) -> Iterator[Author]:
    read = (one if isinstance(one, Author) else person(one) for one in named)
    return filter(None, read)


def names_in(written: str) -> list[str]:
    """The names in an author's field, which some programs fill with all of them; "" for those that
    "et al." leaves out, none for nobody's.
    """
    written = re.sub(r"\s*\([^()]*\)$", "", written)
    names = [each for each in re.split(r"\s*;\s*", written) if each]
    if "," in written.partition(" and ")[0]:
        names = [each for name in names for each in re.split(r",?\s+and\s+", name)]
    parts = re.split(r"\s*,\s*(?:&\s*|and\s+)?|\s+&\s+", written.strip(" ,"))
    if len(parts) > 3 and len(parts) % 2 == 0 and are_initials(parts[1::2]):
        names = [", ".join(pair) for pair in zip(parts[::2], parts[1::2], strict=True)]
    return [
        "" if _OTHERS.fullmatch(name) else name for name in names if not NOTHING.fullmatch(name)
    ]


def person(name: str) -> Author | None:
    """A person of "Smith, John A, Jr", "van Smith JA Jr", "J. A. Smith" or "Jane Smith"."""
    last, *rest = (part.strip() for part in name.split(","))
    said, known = last.lower().split(), _GROUPS if any(rest) else _IN_GROUPS
    if " " in last and ((rest and not any(rest)) or not known.isdisjoint(said)):
        return Author(", ".join(filter(None, (last, *rest))), collective=True)
    suffix = rest.pop() if len(rest) > 1 and _SUFFIX.fullmatch(rest[-1]) else None
    fore = " ".join(rest)
    words = last.split()
    ending = not rest and len(words) > 2 and _SUFFIX.fullmatch(words[-1])
    if ending and (INITIALS.fullmatch(words[-2]) or not words[-1].isupper()):
        suffix = words.pop()  # but "van Roe JR" has initials
    if not rest and len(words) > 1:
        ends = next((n for n in range(1, len(words)) if are_initials(words[n:])), None)
        if ends is None and words[0].islower():  # "van der Merwe Jane"
            ends = next((n for n, word in enumerate(words, 1) if not word.islower()), None)
        begins = next((n for n, word in enumerate(words) if n and word.islower()), -1)
        last, fore = (
            " ".join(words[:ends] if ends else words[begins:]),
            " ".join(words[ends:] if ends else words[:begins]),
        )
    elif fore and len(words) > 1 and _SUFFIX.fullmatch(words[-1]):
        last, suffix = " ".join(words[:-1]), words[-1]
    elif " " in fore and not suffix and _SUFFIX.fullmatch(fore.split()[-1]):  # MEDLINE's FAU
        fore, _, suffix = fore.rpartition(" ")
    if not last:
        return Author(fore) if fore else None
    initials = "".join(re.findall(r"[^\W\d_]", fore))
    if not INITIALS.fullmatch(fore):
        initials = "".join(re.findall(r"(?<![^\s.\-])[^\W\d_]", fore))
        return Author(last, fore or None, initials or None, suffix)
    return Author(last, None, initials, suffix)


def are_initials(words: Sequence[str]) -> bool:
    return all(map(INITIALS.fullmatch, words))
