"""Medicines that a question names, as a source calls them: generic names, brands, codes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from clinfo.pipelines.copilot.medicines import by_stem
from clinfo.pipelines.copilot.naming import joined, key, pieces, runs
from clinfo.terms.medicines import medicines
from clinfo.terms.naming import known


class Drugs:
    """The medicines of a source."""

    def __init__(self, names: Iterable[str]) -> None:
        self._own: dict[str, str] = {key(name): name for name in sorted(names)}
        self._other: dict[str, str] = {}
        for one in medicines():
            own = [self._own[key(name)] for name in one.names if key(name) in self._own]
            if own or by_stem(one.names[0].split()[0]):
                name = own[0] if own else one.names[0].title()
                self._other |= {key(other): name for other in one.names}

    def within(self, text: str) -> Mapping[str, frozenset[str]]:
        """The medicines that a text names, each with the source's names for it; none where the
        source has it not.
        """
        return {name: self._names(name) for name, _, _ in self.placed(text)}

    def placed(self, text: str) -> list[tuple[str, int, int]]:
        """The medicines that a text names by their generic names, each with where it stands."""
        words = pieces(text)
        found: list[tuple[str, int, int]] = []
        place = 0
        while place < len(words):
            for run in runs(text, words, place):
                start, end = run[0].start, run[-1].end
                if name := self._generic(joined(run), text[start:end]):
                    found.append((name, start, end))
                    place += len(run) - 1
                    break
            place += 1
        return found

    def _generic(self, run: str, written: str) -> str:
        """The generic name of a medicine, "" of anything else."""
        if run in self._own:
            return self._own[run]
        if run in self._other:
            return self._other[run]
        if (term := known().descriptor(written.casefold())) is not None:
            own = [self._own.get(key(one), "") for one in (term.heading, *term.entry_terms)]
            if len(run) > 3 and any(own):
                return min(filter(None, own), key=len)  # Imatinib before Imatinib Mesylate
        return written.capitalize() if by_stem(written.casefold()) else ""

    def _names(self, name: str) -> frozenset[str]:
        """The source's names of a medicine: salts too, as MeSH has them under one heading."""
        term = known().descriptor(name.casefold())
        others = (term.heading, *term.entry_terms) if term is not None else ()
        return frozenset(self._own[key(one)] for one in (name, *others) if key(one) in self._own)
