"""Sets of real abstracts by a heading of MeSH, against people's indexing.

An abstract stands for a patient: its title and text are read for what they name, and a heading's
set are those that name it or a narrower one. The headings are `COUNT` of those of diseases, drugs,
procedures and mental matters with `FEWEST` to `MOST` members in the indexing, narrower ones
included, in the order of the SHA-256 of their identifiers.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from clinfo.patients.entities import named_in
from clinfo.patients.lexicon import Lexicon
from clinfo.pipelines.cohort.concepts import Concepts
from clinfo.pubmed.xml import read_file
from clinfo.records.articles import Article, MeshDescriptor
from clinfo.terms.closure import closure
from clinfo.terms.mesh import Mesh
from clinfo.terms.mesh_files import DescriptorFile, write_table
from clinfo.text.words import key

COUNT, FEWEST, MOST = 25, 20, 300
BRANCHES = ("C", "D", "E", "F")
FILE = "drug_class_review_citations.xml.gz"


def table(file: Path, folder: Path) -> Mesh:
    """The table of a file of descriptors, made in ``folder``."""
    read = DescriptorFile(file)
    path = folder / "mesh.sqlite"
    write_table(path, read.read(None), lambda: (None, file.name, read.sha256))
    return Mesh(path)


def measures(citations: Path, mesh: Mesh) -> dict[str, float]:
    """Mean F1, precision and recall over the headings, and how many of them have another set by one
    of their entry terms.
    """
    lexicon, concepts = Lexicon(mesh), Concepts({}, mesh)
    headings, named = dict[str, Iterable[str]](), dict[str, Iterable[str]]()
    for one in read_file(citations):
        if isinstance(one, Article) and one.mesh and one.sections:
            text = "\n".join((one.title, *(part.text for part in one.sections)))
            headings[one.id] = one.mesh
            named[one.id] = {mention.concept for mention in named_in(text, (), lexicon)}
    gold, found = _gathered(headings, mesh), _gathered(named, mesh)

    def asked(phrase: str) -> frozenset[str]:
        concept = concepts.named(phrase)
        above = concept.above if concept is not None else ()
        return frozenset().union(*(found.get(entry, ()) for entry in above))

    rows, unequal = list[tuple[float, float, float]](), 0
    for descriptor in _chosen(gold, mesh):
        wanted, got = gold[f"mesh:{descriptor.ui}"], asked(descriptor.heading)
        right = len(wanted & got)
        f1 = 2 * right / (len(wanted) + len(got))
        rows.append((f1, right / len(got) if got else 0.0, right / len(wanted)))
        same = (name for name in descriptor.entry_terms if _ui(name, mesh) == descriptor.ui)
        unequal += any(asked(name) != got for name in same)
    names = ("mesh_f1", "mesh_precision", "mesh_recall")
    means = (sum(column) / len(rows) for column in zip(*rows, strict=True))
    told = dict(zip(names, means, strict=True))
    return {**told, "mesh_sets": len(rows), "mesh_synonyms_unequal": unequal}


def _chosen(gold: Mapping[str, frozenset[str]], mesh: Mesh) -> list[MeshDescriptor]:
    """The headings that are asked for."""
    fitting = [
        descriptor
        for entry, members in gold.items() if FEWEST <= len(members) <= MOST
        if (descriptor := mesh.descriptor(entry.removeprefix("mesh:"))) is not None
        and entry == f"mesh:{descriptor.ui}"
        and any(place.startswith(BRANCHES) for place in descriptor.tree_numbers)
    ]  # fmt: skip
    return sorted(fitting, key=lambda one: hashlib.sha256(one.ui.encode()).hexdigest())[:COUNT]


def _gathered(named: Mapping[str, Iterable[str]], mesh: Mesh) -> dict[str, frozenset[str]]:
    """The articles below each entry of the closure table."""
    articles, headings = defaultdict[str, set[str]](set), dict[str, str]()
    for article, names in named.items():
        for name in names:
            headings[key(name)] = _ui(name, mesh)
            articles[key(name)].add(article)
    members = defaultdict[str, set[str]](set)
    for row in closure(headings, mesh):
        members[row.above] |= articles[row.name]
    return {entry: frozenset(ids) for entry, ids in members.items()}


def _ui(name: str, mesh: Mesh) -> str:
    found = mesh.match_exactly(name)
    return found.ui if found is not None else ""
