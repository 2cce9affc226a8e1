"""What is said of a thing that no note names: what was looked for, or that it cannot be."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Final

from clinfo.pipelines.chart.index import ChartIndex
from clinfo.pipelines.chart.things import Thing
from clinfo.terms.lexicon import flags
from clinfo.terms.naming import known
from clinfo.text.terms import words

NAMES_SHOWN: Final = 12
"""Names of a thing that are shown where none stands in a note."""


def looked_for(things: Sequence[Thing]) -> tuple[tuple[str, ...], bool]:
    """The names of things that were looked for, in lines, and whether there are words of which no
    table knows other names.
    """
    loose = [one.text for thing in things for one in thing.names if not one.known]
    lines = list[str]()
    if loose:
        asked = " or ".join(f"“{thing.text}”" for thing in things)
        strange = ", ".join(f"“{word}”" for word in loose)
        lines.append(
            f"Not found as written: {asked}. Other names for {strange} are not known here."
        )
    for one in (name for thing in things for name in thing.names if name.known):
        names = sorted(one.concepts - {one.text.lower()})
        more = f" and {len(names) - NAMES_SHOWN:,} more" if len(names) > NAMES_SHOWN else ""
        under = f", also as {', '.join(names[:NAMES_SHOWN])}{more}" if names else ""
        lines.append(f"Looked for “{one.text}”{under}.")
    return tuple(lines), bool(loose)


def cannot_be_looked_for(strange: Sequence[str], index: ChartIndex) -> str:
    """That no table knows these words, with what may have been meant."""
    if not strange:
        return "The question names nothing that can be looked for."
    named = ", ".join(f"“{word}”" for word in strange)
    near = [one for word in strange if (one := nearest(word, index))]
    meant = f" Did you mean {' or '.join(f'“{one}”' for one in near)}?" if near else ""
    return (
        f"This cannot be looked for: the dictionary does not know {named}, so other names for it "
        f"are not known, and as written it stands in no note.{meant}"
    )


def nearest(word: str, index: ChartIndex) -> str:
    """A word of the record or of the dictionary that this one may be a misspelling of, or ""."""
    if len(word) < 5 or flags(word) or known().descriptor(word) is not None:
        return ""
    if close := near_in_record(word, index):
        return close
    near = [one for one in known().near(word, 1) if one[:1].lower() == word[0].lower()]
    close = [one for one in near if get_close_matches(word, [one.lower()], 1, 0.8)]
    return close[0] if close else ""


def near_in_record(word: str, index: ChartIndex) -> str:
    """A word of the record that this one may be a misspelling of, or ""."""
    held = {one for text in index.texts for one in words(text) if one[0] == word[0]}
    return next(iter(get_close_matches(word, sorted(held - {word}), 1, 0.84)), "")
