"""Names of criteria in an index and the vocabularies: what each stands for, and what is near."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from clinfo.patients.lexicon import ABBREVIATIONS
from clinfo.patients.quantities import named_quantities
from clinfo.pipelines.cohort.form import Form, Gene, Has, every
from clinfo.records.articles import MeshDescriptor
from clinfo.terms.asked_names import asked, asked_names
from clinfo.terms.composed import narrower_names
from clinfo.terms.drug_classes import classes, drug_class
from clinfo.terms.genes import genes_of, oncology
from clinfo.terms.lexicon import MEDICAL, flags
from clinfo.terms.mesh import ACTIONS, Mesh
from clinfo.terms.naming import CLINICALLY, descriptor_of, plain_names
from clinfo.text.lexicon import read_rows
from clinfo.text.plurals import variants
from clinfo.text.words import key

_TOO_WIDE = ("Disease", "Therapeutics", "Syndrome")
"""Headings that name nothing that could be looked for."""
_ALIKE = 80
"""The likeness (0 to 100, rapidfuzz) from which on one name may be meant by another."""
_SLIP = 85
"""The likeness from which on only the spelling differs."""
_NEAREST = 5
_LONG = 3
"""Letters from which on an abbreviation is known in small letters too."""
_MOST_WORDS = 6
_DRUGS = ("D",)
_PROCEDURES = ("E", "N02.421", "N04.590")
_CONDITIONS = ("C", "F", "G08", "I")
_ASKED = ("C", "D", "E01.", "E02.", "E03.", "E04.", "E06.", "F01.145.805", "F03", "G08.686.784")
"""The places of the headings that criteria name: no "Records", "Family", "Diagnosis"."""


@dataclass(frozen=True, slots=True)
class Concept:
    """``name`` for a reader; ``above`` the entries of the closure table whose names it takes in,
    ``without`` those whose names it leaves out; ``kind`` is condition, drug or procedure where it
    is known what it is, else "".
    """

    name: str
    above: tuple[str, ...]
    kind: str = ""
    without: tuple[str, ...] = ()


class Concepts:
    """The names that an index and the vocabularies know. ``names`` are the index's, as keys, with
    the kinds of facts that bear them.
    """

    def __init__(self, names: Mapping[str, frozenset[str]], mesh: Mesh) -> None:
        self.names, self._mesh = names, mesh
        self.named = lru_cache(maxsize=10_000)(self._named)

    @classmethod
    def of(cls, base: sqlite3.Connection, mesh: Mesh, least: int = 0) -> Concepts:
        """Those of an opened index. With ``least`` more than 1 a name that only its notes have
        counts from so many patients on: that it is understood would tell of them.
        """
        kinds: dict[str, set[str]] = {}
        rare = set[str]()
        if least > 1:
            few = "SELECT name FROM facts GROUP BY name HAVING count(DISTINCT patient) < ?"
            rare = {name for (name,) in base.execute(few, (least,))}
        for name, kind in base.execute("SELECT DISTINCT name, kind FROM facts"):
            if name not in rare:
                kinds.setdefault(name, set()).add(kind)
        for (name,) in base.execute("SELECT child FROM kinds UNION SELECT parent FROM kinds"):
            kinds.setdefault(name, set())
        return cls({name: frozenset(of) for name, of in kinds.items()}, mesh)

    def _named(self, phrase: str) -> Concept | None:
        """The concept of a name; None where neither the index nor a vocabulary has it, and of a
        number or a single letter.

        MeSH's names come first, so that all names of a heading find the same set; then classes of
        drugs, the names of the index, and plain names.
        """
        if phrase.isdigit() or len(phrase) < 2:
            return None
        if phrase in oncology()[0]:  # a gene, whatever else is spelt so: EGFR is no filtration rate
            return self._of_list(phrase) or self._of_index(key(phrase))
        return (
            self._as_written(phrase)
            or self._of_plain(phrase)
            or self._of_drug(phrase)
            or self._of_abbreviation(phrase)
        )

    def _as_written(self, phrase: str) -> Concept | None:
        return (
            self._of_list(phrase)
            or self._of_mesh(phrase)
            or self._of_class(phrase)
            or self._of_index(key(phrase))
        )

    def taken_for(self, phrase: str) -> str:
        """The name that plain words are taken for, "" where it is known as it is written."""
        found = None if self._as_written(phrase) else self._of_plain(phrase)
        return found.name if found is not None else ""

    def unknown(self, form: Form) -> dict[str, tuple[str, ...]]:
        """The names of a form that nothing has, each with the names near to it."""
        found: dict[str, tuple[str, ...]] = {}
        for leaf in every(form):
            if isinstance(leaf, Has):
                names = [one for one in (leaf.concept, *leaf.other_than) if not self.named(one)]
                found |= {name: self.near(name) for name in names}
            elif isinstance(leaf, Gene):
                held = (
                    one for one in leaf.genes if "alteration" in self.names.get(one.lower(), ())
                )
                known = {*held, *filter(genes_of, leaf.genes)}
                found |= {one: () for one in leaf.genes if one not in known}
        return found

    def near(self, phrase: str) -> tuple[str, ...]:
        """Names that may be meant by one that nothing has, the nearest first; where one is spelled
        nearly so, only such.
        """
        from rapidfuzz import fuzz, process

        own = key(phrase)
        spelt = process.extract(own, _listed_names(), scorer=fuzz.ratio, limit=3,
                                score_cutoff=_ALIKE)  # fmt: skip
        held = process.extract(own, [*self.names], scorer=fuzz.token_set_ratio, limit=3,
                               score_cutoff=_ALIKE)  # fmt: skip
        headings = [
            one.heading
            for name in self._mesh.near(phrase, _NEAREST)
            if (one := self._mesh.descriptor(name)) is not None and kind_in_mesh(one)
        ]
        listed = [_listed_names()[name] for name, *_ in spelt]
        names: dict[str, str] = {}
        for name in (*listed, *headings, *(name for name, *_ in held)):
            names.setdefault(name.lower(), name)
        slips = [name for name in names.values() if fuzz.ratio(own, key(name)) >= _SLIP]
        return tuple(slips or names.values())[:_NEAREST]

    def in_words(self, text: str) -> Iterator[tuple[str, str, str]]:
        """Kind, words and name of what is named in a text, the longest words from the left."""
        for part in re.split(r"[,;.()]\s|[();]", text):
            said = part.split()
            while said:
                for length in range(min(_MOST_WORDS, len(said)), 0, -1):
                    phrase = " ".join(said[:length]).strip(",.:")
                    if not (phrase[:1] + phrase[-1:]).isalnum():
                        continue
                    if phrase in oncology()[0]:
                        yield "gene", phrase, phrase
                    elif quantity := named_quantities().get(phrase.lower()):
                        yield "value", phrase, quantity.code
                    elif (found := self._clinical(phrase)) is not None:
                        yield found.kind, phrase, found.name
                    else:
                        continue
                    break
                said = said[length:]

    def _clinical(self, phrase: str) -> Concept | None:
        """Return what a phrase of criteria names that a patient can have, take or undergo."""
        short = len(phrase) < _LONG and not phrase.isupper()
        if short or (flags(phrase) and not flags(phrase) & MEDICAL):
            return None
        found = self.named(phrase)
        if found is None or found.kind not in ("condition", "drug", "procedure"):
            return None
        listed = _listed_names(), _drugs()
        for entry in found.above:
            source, _, name = entry.partition(":")
            one = self._mesh.descriptor(name) if source == "mesh" else None
            if one is not None and any(place.startswith(_ASKED) for place in one.tree_numbers):
                return found
            if source == "name" and any(name in some for some in (self.names, *listed)):
                return found
        return None

    def _of_abbreviation(self, phrase: str) -> Concept | None:
        full = _abbreviations().get(key(phrase))
        known = phrase.isupper() or len(phrase) >= _LONG
        if full is None or not known or key(full) == key(phrase):
            return None
        return self.named(full)

    def _of_drug(self, phrase: str) -> Concept | None:
        """A drug that a class lists."""
        name = key(phrase)
        return Concept(name, (f"name:{name}",), "drug") if name in _drugs() else None

    def _of_list(self, phrase: str) -> Concept | None:
        """Return what an entry of the list of names beside MeSH stands for."""
        row = asked(phrase)
        if row is None:
            return None
        taken, kind = row.takes, row.kind
        found = [one for name in taken if (one := self._of_mesh(name) or self._of_class(name))]
        entries = [entry for one in found for entry in one.above]
        own = [f"name:{key(name)}" for name in (*row.names, *taken)]
        out = [entry for name in row.leaves if (one := self._of_mesh(name)) for entry in one.above]
        out += [f"name:{key(name)}" for name in row.leaves]
        if len(found) == 1 and not out and len(taken) == 1 and kind == "condition":
            return found[0]
        return Concept(
            taken[0] if set(taken) & set(row.names) else row.names[0],
            tuple(dict.fromkeys((*entries, *own))),
            kind,
            tuple(out),
        )

    def _of_mesh(self, phrase: str) -> Concept | None:
        phrase = CLINICALLY.get(key(phrase), phrase)
        found = self._mesh.descriptor(phrase) or descriptor_of(phrase)
        if found is None or found.heading in _TOO_WIDE or not (kind := kind_in_mesh(found)):
            return None
        if names := narrower_names(phrase, found):
            return Concept(key(phrase), tuple(f"name:{name}" for name in names), kind)
        above = [f"mesh:{found.ui}", *self._members(found.ui)]
        return Concept(found.heading, tuple(dict.fromkeys(above)), kind)

    def _members(self, ui: str) -> tuple[str, ...]:
        """The members of the classes of drugs that any name of a heading of actions names, or of a
        narrower one: MeSH has drugs by their structure elsewhere.
        """
        found = self._mesh.descriptor(ui)
        if found is None or not any(place.startswith(ACTIONS) for place in found.tree_numbers):
            return ()
        narrower = map(self._mesh.match_exactly, self._mesh.narrower(found))
        names = [
            name
            for one in (found, *filter(None, narrower))
            for name in (one.heading, *one.entry_terms)
        ]
        named = dict.fromkeys(filter(None, map(drug_class, names)))
        return tuple(entry for one in named for name in one.members for entry in self._drug(name))

    def _of_index(self, name: str) -> Concept | None:
        """Return what the index names so, in any number."""
        *first, last = name.split() or [name]
        forms = dict.fromkeys((name, *(" ".join((*first, one)) for one in variants(last))))
        if not (found := [form for form in forms if form in self.names]):
            return None
        kinds = frozenset[str]().union(*(self.names[one] for one in found)) - {"complaint"}
        above = tuple(f"name:{one}" for one in found)
        return Concept(found[0], above, next(iter(kinds)) if len(kinds) == 1 else "")

    def _of_class(self, phrase: str) -> Concept | None:
        found = drug_class(phrase)
        if found is None:
            return None
        named = [phrase, *found.names, *found.members]
        above = [entry for name in named for entry in self._drug(name)]
        return Concept(found.names[0], tuple(dict.fromkeys(above)), "drug")

    def _drug(self, name: str) -> tuple[str, ...]:
        found = descriptor_of(name)
        return (f"name:{key(name)}", *([f"mesh:{found.ui}"] if found is not None else []))

    def _of_plain(self, phrase: str) -> Concept | None:
        found = [
            concept
            for name in plain_names(phrase)
            if key(name) != key(phrase)
            and (concept := self._of_mesh(name) or self._of_index(key(name)))
        ]
        if not found:
            return None
        above = tuple(dict.fromkeys(entry for one in found for entry in one.above))
        kinds = {one.kind for one in found}
        name = found[0].name if len({one.above for one in found}) == 1 else key(phrase)
        return Concept(name, above, kinds.pop() if len(kinds) == 1 else "")


@cache
def _listed_names() -> dict[str, str]:
    """The names of classes of drugs, of the list beside MeSH and of its genes, by their keys."""
    groups = (name for one in classes().values() for name in one.names)
    return {key(name): name for name in (*groups, *asked_names(), *oncology()[0])}


@cache
def _abbreviations() -> dict[str, str]:
    return {key(row[0]): row[1] for row in read_rows(ABBREVIATIONS, 3)}


@cache
def _drugs() -> frozenset[str]:
    return frozenset(key(name) for one in classes().values() for name in one.members)


def kind_in_mesh(descriptor: MeshDescriptor) -> str:
    """The kind of a heading by its places; "" for what a patient cannot have, take or undergo."""
    for kind, branches in (
        ("condition", _CONDITIONS), ("drug", _DRUGS), ("procedure", _PROCEDURES),
    ):  # fmt: skip
        if any(place.startswith(branches) for place in descriptor.tree_numbers):
            return kind
    return ""
