"""Diseases that a text names, as a source calls them; those that it has not are told."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from clinfo.lazy_dataclass import dataclass
from clinfo.pipelines.copilot.naming import Piece, american, pieces, plain, runs, table

FILLERS = frozenset(("of", "the", "gland", "in", "and", "or", "a", "s", "with", "type"))
"""Words of a name that tell nothing."""
_TUMOR = frozenset(("cancer", "carcinoma", "tumor", "neoplasm", "malignancy", "ca", "cancerou"))
"""Words that are used for each other, though CIViC has diseases that differ in nothing else."""
_PARTS = frozenset(("gland", "duct", "tract"))
"""Words of an organ's name that do not tell which."""
ANYWHERE = "Cancer"
"""CIViC's name where no organ is meant."""
_LONG = {"adeno": "adenocarcinoma", "adenoca": "adenocarcinoma"}
"""Short words of notes."""
_BARE = frozenset((*_TUMOR, "disease", "malignant"))


@dataclass(frozen=True)
class Disease:
    """A disease named at [start, end): the source's names for it, the likeliest first; none where
    it has none.
    """

    names: tuple[str, ...]
    start: int
    end: int
    written: str


class Diseases:
    """The diseases of a source."""

    def __init__(self, names: Iterable[str]) -> None:
        others = table("disease_names.txt")
        self._exact: dict[frozenset[str], list[str]] = {}
        self._alike: dict[frozenset[str], list[str]] = {}
        self._short: dict[str, list[str]] = {}
        for name in sorted(names):
            for number, one in enumerate((name, *others.get(name, ()))):
                words = _content(pieces(one))
                if not words:
                    continue
                if len(words) == 1 and one.isupper() and number:
                    self._short.setdefault(one.lower(), []).append(name)
                    continue
                own = frozenset(words)
                self._exact.setdefault(own, []).append(name)
                self._alike.setdefault(_general(own), []).append(name)

    def within(self, text: str) -> list[Disease]:
        """The diseases that a text names, in its order. Bare words (cancer, tumours) count where
        there is no other.
        """
        words = pieces(text)
        found: list[Disease] = []
        bare: list[Disease] = []
        place = 0
        while place < len(words):
            for run in runs(text, words, place):
                names = self._names(run, text)
                if names is None:
                    continue
                start, end = run[0].start, run[-1].end
                one = Disease(tuple(names), start, end, text[start:end])
                only = all(piece.word in _BARE for piece in run)
                if only and place and (wider := self._unknown(words, place, text)) is not None:
                    found.append(wider)
                elif only:
                    bare.append(one)
                elif (narrower := self._narrower(words, place, text)) is not None:
                    found.append(Disease((), narrower.start, end, text[narrower.start : end]))
                else:
                    found.append(one)
                place += len(run)
                break
            else:
                place += 1
        named = [one for one in found if one.names]
        if organs := [] if found else self._organs(text, words):
            return organs
        return named or found or bare[:1] or self._of_mesh(text, words)

    def _organs(self, text: str, words: list[Piece]) -> list[Disease]:
        """Organs that stand for their tumours: "HER2-positive breast", "medullary thyroid"."""
        for place in range(len(words)):
            for run in runs(text, words, place):
                own = _content(run)
                names = self._alike.get(_general(frozenset((*own, "cancer"))), [])
                if names and own and not _TUMOR.intersection(own):
                    start, end = run[0].start, run[-1].end
                    return [Disease(tuple(dict.fromkeys(names)), start, end, text[start:end])]
        return []

    def _names(self, run: list[Piece], text: str) -> list[str] | None:
        if len(run) == 1:
            written = run[0].written
            own = written[:-1] if written.endswith("s") else written
            if own.lower() in self._short and (
                own.isupper() or (len(own) > 3 and own[1:].isupper())
            ):
                return self._short[own.lower()]
        if run[0].word in FILLERS or run[-1].word in FILLERS:
            return None
        words = frozenset(_content(run))
        exact = self._exact.get(words, [])
        alike = [one for one in self._alike.get(_general(words), []) if one not in exact]
        if len(words) == 1 and not exact:
            return None
        return [*dict.fromkeys((*exact, *alike))] or None

    def _narrower(self, words: list[Piece], place: int, text: str) -> Piece | None:
        """The word before a name that makes it another disease: "inflammatory", "pancreatic"."""
        before = words[place - 1] if place else None
        if before is None or before.word in modifiers() or before.word in FILLERS:
            return None
        between = text[before.end : words[place].start]
        if between.strip(" -") or (not before.written.islower() and not before.written.istitle()):
            return None
        return before if before.word in vocabulary() else None

    def _unknown(self, words: list[Piece], place: int, text: str) -> Disease | None:
        """The tumour of an organ that the source has not: salivary gland cancer."""
        start = place
        while start and (
            self._narrower(words, start, text) is not None or words[start - 1].word in _PARTS
        ):
            start -= 1
        if all(one.word in _PARTS for one in words[start:place]):
            return None
        at, end = words[start].start, words[place].end
        return Disease((), at, end, text[at:end])

    def _of_mesh(self, text: str, words: list[Piece]) -> list[Disease]:
        """Diseases of MeSH that the source has not."""
        from clinfo.terms.packaged import PackagedTable

        mesh = PackagedTable()
        lowered = [american(one.written.lower()) for one in words]
        for place in range(len(words)):
            match = mesh.longest(lowered, place)
            if match is None or all(one.word in _BARE for one in words[place : place + match[0]]):
                continue
            if any(number.startswith(("C", "F03")) for number in match[1].tree_numbers):
                start, end = words[place].start, words[place + match[0] - 1].end
                if match[1].heading not in _NO_DISEASE and end - start > 3:
                    return [Disease((), start, end, text[start:end])]
        return []


_NO_DISEASE = frozenset(
    ("Recurrence", "Disease Progression", "Neoplasm Metastasis", "Disease", "Syndrome",
     "Drug-Related Side Effects and Adverse Reactions", "Translocation, Genetic", "Survivors",
     "Chromosome Aberrations", "Acute Disease", "Chronic Disease", "Loss of Heterozygosity",
     "Gene Duplication", "Facies", "Death", "Sensation", "Philadelphia Chromosome"),
)  # fmt: skip


def _content(run: Iterable[Piece]) -> list[str]:
    return [_LONG.get(one.word, one.word) for one in run if one.word not in FILLERS]


def _general(words: frozenset[str]) -> frozenset[str]:
    """Words with those for a tumour as one."""
    return frozenset("tumor" if word in _TUMOR else word for word in words)


@cache
def modifiers() -> frozenset[str]:
    """Words before a disease's name that do not make it another."""
    path = Path(__file__).with_name("disease_modifiers.txt")
    lines = path.read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


@cache
def vocabulary() -> frozenset[str]:
    """The words in MeSH's names of neoplasms."""
    from clinfo.terms.packaged import PackagedTable

    mesh = PackagedTable()
    found: set[str] = set()
    for heading in mesh.explode("Neoplasms"):
        descriptor = mesh.descriptor(heading)
        for name in (heading, *(descriptor.entry_terms if descriptor is not None else ())):
            found.update(plain(word) for word in name.replace("-", " ").replace(",", " ").split())
    return frozenset(found)
