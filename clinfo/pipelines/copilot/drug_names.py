"""Medicines that a question names, as a source calls them: generic names, brands, codes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from clinfo.pipelines.copilot.medicines import by_stem
from clinfo.pipelines.copilot.naming import joined, key, pieces, runs, table
from clinfo.terms.naming import known


class Drugs:
    """The medicines of a source."""

    def __init__(self, names: Iterable[str]) -> None:
        self._own: dict[str, str] = {key(name): name for name in sorted(names)}
        self._other = {
            key(other): name for name, own in table("drug_names.txt").items() for other in own
        }

    def within(self, text: str) -> Mapping[str, frozenset[str]]:
        """The medicines that a text names, each with the source's names for it; none where the
        source has it not.
        """
        words = pieces(text)
        found: dict[str, frozenset[str]] = {}
        place = 0
        while place < len(words):
            for run in runs(text, words, place):
                written = text[run[0].start : run[-1].end]
                name = self._generic(joined(run), written)
                if name:
                    found[name] = self._names(name)
                    place += len(run) - 1
                    break
            place += 1
        return found

    def _generic(self, key: str, written: str) -> str:
        """The generic name of a medicine, "" of anything else."""
        if key in self._own:
            return self._own[key]
        if key in self._other:
            return self._other[key]
        if (term := known().descriptor(written.casefold())) is not None:
            own = [self._own.get(_key(one), "") for one in (term.heading, *term.entry_terms)]
            if len(key) > 3 and any(own):
                return min(filter(None, own), key=len)  # Imatinib before Imatinib Mesylate
        return written.capitalize() if by_stem(written.casefold()) else ""

    def _names(self, name: str) -> frozenset[str]:
        """The source's names of a medicine: salts too, as MeSH has them under one heading."""
        term = known().descriptor(name.casefold())
        others = (term.heading, *term.entry_terms) if term is not None else ()
        return frozenset(self._own[_key(one)] for one in (name, *others) if _key(one) in self._own)


_key = key
_BEFORE = re.compile(
    r"(?i)\b(?:resist\w*|refractory|progress\w*|fail\w*|relaps\w*|recurr\w*|after|following|despite|"
    r"pre-?treated|previous\w*|prior|intoleran\w*|exposed)\s+(?:[a-z]+\s+){0,3}$"
)


def given_before(question: str, named: Iterable[str]) -> list[str]:
    """The named medicines of which a question tells that they were given before, or failed."""
    found = []
    for name in named:
        at = question.casefold().find(name.casefold())
        if at > 0 and _BEFORE.search(question[:at]):
            found.append(name)
    return found
