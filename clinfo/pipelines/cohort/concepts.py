"""What a phrase of the criteria stands for in an index: the entries of its closure table."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, cached_property, lru_cache

from clinfo.patients.lexicon import ABBREVIATIONS, read_rows
from clinfo.pipelines.cohort.settings_of_care import (
    in_setting,
    metastases_of,
    metastasis,
    setting,
)
from clinfo.records.articles import MeshDescriptor
from clinfo.terms.asked_names import asked, asked_names
from clinfo.terms.composed import (
    Signature,
    headings_with,
    kind_of,
    meanings,
    narrower_with,
    same,
    says_only_how,
    signatures,
    understood,
)
from clinfo.terms.drug_classes import classes, drug_class
from clinfo.terms.genes import genes_of, oncology
from clinfo.terms.lexicon import MEDICAL, flags
from clinfo.terms.mesh import ACTIONS, Mesh
from clinfo.terms.naming import CLINICALLY, descriptor_of, drug_like, plain_names
from clinfo.terms.narrower import is_tumour_word, narrower_names, tumour_names
from clinfo.text.words import key

_TUMOUR = re.compile(
    r"(?i)(?:carcinoma|sarcoma|blastoma|lymphoma|leuka?emia|melanoma|cancer|neoplasm|tumou?r|glioma|"
    r"cytoma|thelioma|adenoma)s?(?:\s+(?:of|in)\s+.+)?$"
)
_BRITISH = re.compile(r"[ao]e(?=[a-z])|our(?=s?\b)|sulph")
_AGAINST = re.compile(r"(?i)(?:blockers?|antagonists?|(?:blocking )?antibod(?:y|ies)|TKIs?)$")
"""What a drug that acts against something may be called instead of an inhibitor of it."""
_TREATED = re.compile(r"(?i) (?:therapy|treatment|therapies)$")
_TOO_WIDE = ("Disease", "Therapeutics", "Syndrome")
"""Headings that name nothing that could be looked for."""
_ALIKE = 0.84
"""The likeness of words (Ratcliff and Obershelp) from which on one may be the other misspelt."""
_INHIBITOR = re.compile(r"([A-Z][\w/-]+)(?:[- ]tyrosine kinase|[- ]kinase)?[- ](?i:inhibitors?)")
_NEAREST = 5
_LONG = 3
"""Letters from which on an abbreviation is known in small letters too."""
_DRUGS = ("D",)
_PROCEDURES = ("E", "N02.421", "N04.590")
_CONDITIONS = ("C", "F", "G08", "I")


@dataclass(frozen=True, slots=True)
class Concept:
    """``name`` for a reader; ``above`` the entries of the closure table whose names it takes in,
    ``without`` those whose names it leaves out;
    ``kind`` is condition, drug or procedure where it is known what it is, else "".
    """

    name: str
    above: tuple[str, ...]
    kind: str = ""
    without: tuple[str, ...] = ()


class Concepts:
    """The phrases that an index and MeSH understand. ``names`` are the index's names, as keys, with
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
            few = "SELECT name FROM held GROUP BY name HAVING count(DISTINCT patient) < ?"
            rare = {name for (name,) in base.execute(few, (least,))}
        for name, kind in base.execute("SELECT DISTINCT name, kind FROM postings"):
            if name not in rare:
                kinds.setdefault(name, set()).add(kind)
        for (name,) in base.execute("SELECT child FROM kinds UNION SELECT parent FROM kinds"):
            kinds.setdefault(name, set())
        return cls({name: frozenset(of) for name, of in kinds.items()}, mesh)

    def _named(self, phrase: str) -> Concept | None:
        """What a phrase stands for; None where not all of it is understood.

        MeSH's names come first, so that all names of a heading find the same set; then the names
        of the index, classes of drugs, plain names, and what has the same meanings.
        """
        if (found := self.listed(phrase)) is not None or not key(phrase):
            return found
        if phrase in oncology()[0] or self._is_place(phrase):
            return None
        if (found := self._of_tumour_without_noun(phrase)) is not None:
            return found
        said = phrase.split()
        full = " ".join(self._standing_for(word) or word for word in said)
        return self._composed(phrase) or (
            self.listed(full) or self._composed(full) if full != " ".join(said) else None
        )

    def _of_tumour_without_noun(self, phrase: str) -> Concept | None:
        """A kind of tumour that is called so without "cancer": "invasive lobular"."""
        its_words = key(phrase).split()
        if len(its_words) < 2 or not all(is_tumour_word(word, self._mesh) for word in its_words):
            return None
        names = (f"{phrase} {noun}" for noun in ("carcinoma", "cancer"))
        found = next((one for name in names if (one := self.listed(name)) is not None), None)
        return found if found is not None and found.kind == "condition" else None

    @staticmethod
    def _is_place(phrase: str) -> bool:
        """Whether a phrase names a part of the body alone: no disease of it."""
        found = descriptor_of(phrase)
        return found is not None and all(place.startswith("A") for place in found.tree_numbers)

    def listed(self, phrase: str) -> Concept | None:
        """What a phrase stands for that is itself a name; None where it is none, as of a number
        or a single letter.
        """
        if phrase.isdigit() or len(phrase) < 2:
            return None
        if phrase in oncology()[0]:  # a gene, whatever else is spelt so: EGFR is no filtration rate
            return self._of_list(phrase) or self._of_index(key(phrase))
        return (
            self._of_list(phrase)
            or self._of_mesh(phrase)
            or self._of_class(phrase)
            or self._of_index(key(phrase))
            or self._of_plain(phrase)
            or self._of_drug(phrase)
            or self._metastases(phrase)
            or self._in_setting(phrase)
            or self._otherwise_spelt(phrase)
        )

    def _in_setting(self, phrase: str) -> Concept | None:
        """A treatment in a setting, of which notes must say both."""
        if (found := setting(phrase)) is None:
            return None
        treatment = self.listed(found[1])
        if treatment is None or treatment.kind not in ("drug", "procedure"):
            return None
        own = [
            self._mesh.descriptor(entry[5:]) for entry in treatment.above if entry[:5] == "mesh:"
        ]
        names = [key(found[1]), *(entry[5:] for entry in treatment.above if entry[:5] == "name:"),
                 *(key(one.heading) for one in own if one is not None)]  # fmt: skip
        above = tuple(f"name:{name}" for name in in_setting(found[0], names))
        return Concept(f"{found[0]} {key(found[1])}", above, treatment.kind)

    def _metastases(self, phrase: str) -> Concept | None:
        """Metastases of a place."""
        if not (place := metastasis(phrase)):
            return None
        names = tuple(f"name:{name}" for name in metastases_of(place))
        return Concept(f"{place} metastases", names, "condition")

    def _otherwise_spelt(self, phrase: str) -> Concept | None:
        """What a clinical abbreviation stands for, or a name in British spelling."""
        if (full := self._standing_for(phrase)) is not None:
            return self.listed(full)
        if (treated := _TREATED.sub("", phrase)) != phrase:
            found = self.listed(treated)
            return found if found is not None and found.kind == "drug" else None
        american = _BRITISH.sub(_american, phrase)
        if american != phrase:
            return self.listed(american)
        acting = _AGAINST.sub("inhibitor", phrase)
        found = (self._of_list(acting) or self._of_class(acting)) if acting != phrase else None
        return found or self._against(acting)

    def _against(self, phrase: str) -> Concept | None:
        """A class of drugs against the product of a gene that no list has, by that name."""
        found = _INHIBITOR.fullmatch(phrase)
        if found is None or not genes_of(found[1]):
            return None
        name = f"{key(found[1])} inhibitor"
        return Concept(f"{found[1]} inhibitor", (f"name:{name}", f"name:{name}s"), "drug")

    def near(self, phrase: str) -> tuple[str, ...]:
        """Names that a phrase that is not understood may be a misspelling of, the nearest first."""
        found = (self._mesh.descriptor(name) for name in self._mesh.near(phrase, _NEAREST))
        headings = [one.heading for one in found if one is not None and kind_in_mesh(one)]
        listed = get_close_matches(key(phrase), _listed_names(), 2, _ALIKE)
        return tuple(dict.fromkeys((*(_listed_names()[one] for one in listed), *headings)))[:3]

    def takes_in(self, broad: Concept, narrow: Concept) -> bool:
        """Whether one thing is a kind of the other; of drugs and procedures it is taken to be one,
        since their classes are open.
        """
        if broad.kind == narrow.kind and broad.kind in ("drug", "procedure"):
            return True
        if set(narrow.above) <= set(broad.above):
            return narrow.above != broad.above
        uis = [entry.removeprefix("mesh:") for entry in broad.above if entry.startswith("mesh:")]
        below = {
            f"mesh:{found.ui}"
            for ui in uis
            if (descriptor := self._mesh.descriptor(ui)) is not None
            for name in self._mesh.narrower(descriptor)
            if (found := self._mesh.match_exactly(name)) is not None
        }
        return any(entry in below for entry in narrow.above)

    def is_histology(self, concept: Concept) -> bool:
        """Whether it is a kind of tumour by what it is made of and not by its place."""
        found = [self._mesh.descriptor(entry.removeprefix("mesh:")) for entry in concept.above]
        places = [place for one in found if one is not None for place in one.tree_numbers]
        return any(place.startswith("C04.557") for place in places) and not any(
            place.startswith("C04.588") for place in places
        )

    def _standing_for(self, phrase: str) -> str | None:
        found = _abbreviations().get(key(phrase))
        known = phrase.isupper() or len(phrase) >= _LONG
        return found if found is not None and known and key(found) != key(phrase) else None

    def _of_drug(self, phrase: str) -> Concept | None:
        """A drug that a class lists or that is spelt as drugs are."""
        name = key(phrase)
        unlisted = " " not in name and drug_like(name) and not flags(name) & MEDICAL
        if name in _drugs() or unlisted:  # "neuroendocrine" is a word of MeSH and no drug there
            return Concept(name, (f"name:{name}",), "drug")
        return None

    def _of_list(self, phrase: str) -> Concept | None:
        """What an entry of the list of oncology's names stands for."""
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
        classes = dict.fromkeys(filter(None, map(drug_class, names)))
        return tuple(entry for one in classes for name in one.members for entry in self._drug(name))

    def _of_index(self, name: str) -> Concept | None:
        if name not in self.names:
            return None
        kinds = self.names[name] - {"complaint"}
        return Concept(name, (f"name:{name}",), next(iter(kinds)) if len(kinds) == 1 else "")

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
        if len({one.above for one in found}) == 1:
            return found[0]
        above = tuple(dict.fromkeys(entry for one in found for entry in one.above))
        kinds = {one.kind for one in found}
        return Concept(key(phrase), above, kinds.pop() if len(kinds) == 1 else "")

    def _composed(self, phrase: str) -> Concept | None:
        if says_only_how(phrase):
            return None
        asked = signatures(phrase, self._mesh)
        equal = [name for name, own in self._signatures.items() if same(asked, own)]
        equal = equal or headings_with(frozenset({meanings(phrase)}), self._mesh)
        equal = equal or headings_with(asked, self._mesh)
        if not equal and understood(phrase):
            equal = [name for name, own in self._signatures.items() if kind_of(own, asked)]
        found = [one for name in equal if (one := self._of_mesh(name) or self._of_index(name))]
        if len(found) == 1:
            return found[0]
        if not found and (names := narrower_with(asked, self._mesh) or self._is_tumour(phrase)):
            own = (*tumour_names(phrase), *(names if isinstance(names, list) else ()))
            above = tuple(dict.fromkeys(f"name:{name}" for name in own))
            return Concept(key(phrase), above, "condition")
        if not found and not understood(phrase):
            return None
        above = tuple(dict.fromkeys(entry for one in found for entry in one.above))
        return Concept(key(phrase), above, "condition")

    def _is_tumour(self, phrase: str) -> bool:
        """Whether a phrase names a kind of tumour that MeSH has no heading for: its head is one,
        and each of its words stands in names of medicine.
        """
        return _TUMOUR.search(phrase) is not None and all(
            word in ("of", "the", "in") or (is_tumour_word(word, self._mesh)
            and ((found := self._of_mesh(word)) is None or found.kind == "condition"))
            for word in key(phrase).split()
        )  # fmt: skip

    def is_composed(self, phrase: str) -> bool:
        """Whether a phrase is understood and means just what a name of the index does."""
        return understood(phrase) and meanings(phrase) in self._meanings

    @cached_property
    def _meanings(self) -> frozenset[Signature]:
        return frozenset(
            own
            for name, kinds in self.names.items()
            if kinds & {"condition", "procedure"} and understood(name)
            if not says_only_how(name) and (own := meanings(name))
        )

    @cached_property
    def _signatures(self) -> dict[str, frozenset[Signature]]:
        return {
            name: signatures(name, self._mesh)
            for name, kinds in sorted(self.names.items())
            if kinds & {"condition", "procedure"}
        }


def _american(match: re.Match[str]) -> str:
    return {"our": "or", "sulph": "sulf"}.get(match[0], "e")


@cache
def _listed_names() -> dict[str, str]:
    """The names of classes of drugs, of the list of oncology's names and of its genes, by their
    keys.
    """
    groups = (name for one in classes().values() for name in one.names)
    return {key(name): name for name in (*groups, *asked_names(), *oncology()[0])}


@cache
def _abbreviations() -> dict[str, str]:
    return {key(row[0]): row[1] for row in read_rows(ABBREVIATIONS, 3)}


@cache
def _drugs() -> frozenset[str]:
    return frozenset(key(name) for one in classes().values() for name in one.members)


def kind_in_mesh(descriptor: MeshDescriptor) -> str:
    """What a heading is by its places; "" for what a patient cannot have, take or undergo."""
    for kind, branches in (
        ("condition", _CONDITIONS), ("drug", _DRUGS), ("procedure", _PROCEDURES),
    ):  # fmt: skip
        if any(place.startswith(branches) for place in descriptor.tree_numbers):
            return kind
    return ""
