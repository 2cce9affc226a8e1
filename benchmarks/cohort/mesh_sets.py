"""Sets of real abstracts by a heading of MeSH, against people's indexing.

An abstract stands for a patient: its title and text are read for what they name, and a heading's
set are those that name it or a narrower one. The headings are `COUNT` of those of diseases, drugs,
procedures and mental matters with `FEWEST` to `MOST` members in the indexing, narrower ones
included, in the order of the SHA-256 of their identifiers.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from clinfo.patients.entities import named_in
from clinfo.patients.lexicon import Lexicon
from clinfo.pipelines.cohort.concepts import Concepts
from clinfo.terms.closure import closure
from clinfo.terms.mesh import Mesh
from clinfo.terms.mesh_files import DescriptorFile
from clinfo.terms.mesh_table import write_table
from clinfo.text.words import key

COUNT, FEWEST, MOST = 25, 20, 300
BRANCHES = ("C", "D", "E", "F")
FILE = "drug_class_review_citations.xml.gz"


@dataclass(frozen=True)
class Abstract:
    """An article's text and the headings that people gave it."""

    pmid: str
    text: str
    headings: tuple[str, ...]


def abstracts(path: Path) -> Iterator[Abstract]:
    """The articles of a citation file that have an abstract and headings."""
    with gzip.open(path) as file:
        for _, element in ElementTree.iterparse(file):
            if element.tag != "PubmedArticle":
                continue
            texts = ["".join(one.itertext()) for one in element.iter("AbstractText")]
            headings = tuple(one.text or "" for one in element.iter("DescriptorName"))
            if any(texts) and headings:
                title = "".join(element.find(".//ArticleTitle").itertext())  # type: ignore[union-attr]
                pmid = element.findtext(".//PMID") or ""
                yield Abstract(pmid, "\n".join((title, *texts)), headings)
            element.clear()


def table(file: Path, folder: Path) -> Mesh:
    """The table of a file of descriptors, made in ``folder``."""
    read = DescriptorFile(file)
    path = folder / "mesh.sqlite"
    write_table(path, read.read(None), lambda: (None, file.name, read.sha256))
    return Mesh(path)


class Sets:
    """The sets of articles that people's headings and that the texts give."""

    def __init__(self, articles: list[Abstract], mesh: Mesh) -> None:
        self._mesh = mesh
        self.gold = _gathered({one.pmid: one.headings for one in articles}, mesh)
        lexicon = Lexicon(mesh)
        named = {one.pmid: tuple(_named(one.text, lexicon)) for one in articles}
        self.found = _gathered(named, mesh)
        self._concepts = Concepts({}, mesh)

    def asked(self, phrase: str) -> frozenset[str]:
        """The articles that match a phrase."""
        concept = self._concepts.named(phrase)
        above = concept.above if concept is not None else ()
        return frozenset().union(*(self.found.get(entry, ()) for entry in above))

    def headings(self) -> list[str]:
        """The identifiers that are asked for."""
        fitting = [
            entry.removeprefix("mesh:")
            for entry, members in self.gold.items()
            if entry.startswith("mesh:") and FEWEST <= len(members) <= MOST and self._fits(entry)
        ]
        return sorted(fitting, key=lambda ui: hashlib.sha256(ui.encode()).hexdigest())[:COUNT]

    def _fits(self, entry: str) -> bool:
        found = self._mesh.descriptor(entry.removeprefix("mesh:"))
        return found is not None and any(place.startswith(BRANCHES) for place in found.tree_numbers)

    def measures(self) -> dict[str, float]:
        """Mean F1, precision and recall over the headings, and how many of them have another set
        by one of their entry terms.
        """
        rows: list[tuple[float, float, float]] = []
        unequal = 0
        for ui in self.headings():
            descriptor = self._mesh.descriptor(ui)
            assert descriptor is not None
            gold, found = self.gold[f"mesh:{ui}"], self.asked(descriptor.heading)
            right = len(gold & found)
            rows.append(
                (2 * right / (len(gold) + len(found)), right / len(found) if found else 0.0,
                 right / len(gold))
            )  # fmt: skip
            said = [
                name for name in descriptor.entry_terms
                if (one := self._mesh.match_exactly(name)) is not None and one.ui == ui
            ]  # fmt: skip
            unequal += any(self.asked(name) != found for name in said)
        means = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
        return {
            "mesh_f1": means[0], "mesh_precision": means[1], "mesh_recall": means[2],
            "mesh_sets": len(rows), "mesh_synonyms_unequal": unequal,
        }  # fmt: skip


def _named(text: str, lexicon: Lexicon) -> Iterator[str]:
    yield from dict.fromkeys(mention.concept for mention in named_in(text, (), lexicon))


def _gathered(named: Mapping[str, tuple[str, ...]], mesh: Mesh) -> dict[str, frozenset[str]]:
    """The articles below each entry of the closure table."""
    by_name: dict[str, set[str]] = {}
    for pmid, names in named.items():
        for name in names:
            by_name.setdefault(name, set()).add(pmid)
    identified = {}
    for name in by_name:
        found = mesh.match_exactly(name)
        identified[name] = found.ui if found is not None else ""
    members: dict[str, set[str]] = {}
    for row in closure({key(name): ui for name, ui in identified.items()}, mesh):
        members.setdefault(row.above, set())
    by_key: dict[str, set[str]] = {}
    for name, pmids in by_name.items():
        by_key.setdefault(key(name), set()).update(pmids)
    for row in closure({key(name): ui for name, ui in identified.items()}, mesh):
        members[row.above] |= by_key[row.name]
    return {entry: frozenset(pmids) for entry, pmids in members.items()}
