"""Names and abbreviations that criteria use and MeSH has not, from ``asked_names.tsv`` beside this
file and the table of medicines.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from clinfo.terms.drug_classes import drug_class
from clinfo.terms.medicines import asked_for, heading_of, medicines
from clinfo.terms.mesh import ACTIONS
from clinfo.terms.naming import descriptor_of, known
from clinfo.text.lexicon import read_rows
from clinfo.text.words import key

FILE = Path(__file__).with_name("asked_names.tsv")
_DRUGS = "D"


@dataclass(frozen=True, slots=True)
class Asked:
    """One thing: its names, what it is (condition, drug, procedure), and the names that it takes in
    and leaves out.
    """

    names: tuple[str, ...]
    kind: str
    takes: tuple[str, ...]
    leaves: tuple[str, ...]


def asked(name: str) -> Asked | None:
    """The thing that a name stands for; None where the list has it not, and where it is a name of a
    heading of MeSH like any other.
    """
    return _listed().get(key(name)) or _medicine(name) or _class(name)


@lru_cache(maxsize=20_000)
def _medicine(name: str) -> Asked | None:
    found = known().match_exactly(name) or descriptor_of(name)
    one = asked_for(name) or (asked_for(found.heading) if found is not None else None)
    heading = heading_of(one, known()) if one is not None else None
    if one is None or (heading is not None and heading == found):
        return None
    return Asked(one.names, "drug", (heading.heading,) if heading is not None else (), ())


def asked_names() -> tuple[str, ...]:
    """All names of the list, and the own names of medicines."""
    listed = (name for row in _listed().values() for name in row.names)
    return tuple(dict.fromkeys((*listed, *(one.names[0] for one in medicines()))))


@lru_cache(maxsize=20_000)
def _class(name: str) -> Asked | None:
    """A class of drugs that MeSH has a heading for which is none of what drugs do: its chemistry
    has olanzapine among the benzodiazepines, tacrolimus among the macrolides.
    """
    found = known().match_exactly(name) or descriptor_of(name)
    if found is None or asked_for(found.heading) is not None:
        return None
    places = tuple(place[: len(ACTIONS)] for place in found.tree_numbers)
    if ACTIONS in places or not any(place.startswith(_DRUGS) for place in places):
        return None
    names = (found.heading, *found.entry_terms)
    one = next(filter(None, map(drug_class, names)), None)
    if one is None:
        return None
    own = (each for each in (*one.names, *names) if each not in one.members)
    return Asked(tuple(own), "drug", one.members, ())


@cache
def _listed() -> dict[str, Asked]:
    found: dict[str, Asked] = {}
    for names, kind, takes, leaves in read_rows(FILE, 4):
        row = Asked(_parts(names), kind, _parts(takes), _parts(leaves))
        found.update((key(name), row) for name in row.names)
    return found


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(";") if part != "-")
