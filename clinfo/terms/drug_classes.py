"""Classes of drugs and their members, from the general lexicon beside this file
(``drug_classes.txt``).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from clinfo.text.lexicon import entries
from clinfo.text.terms import fold, stems

FILE = Path(__file__).with_name("drug_classes.txt")
_KINDS = frozenset(
    (
        "drugs",
        "drug",
        "agents",
        "medications",
        "medication",
        "medicines",
        "therapy",
        "therapies",
        "treatment",
    )
)
"""Words after the name of a class that add nothing: "statin therapy"."""


@dataclass(frozen=True)
class DrugClass:
    """A class: its names, the commonest first, and the names of its members with those of the
    classes in it.
    """

    names: tuple[str, ...]
    members: tuple[str, ...]


@lru_cache(maxsize=10_000)
def drug_class(name: str) -> DrugClass | None:
    """The class of this name, whatever its hyphens, number and spelling; None where the lexicon has
    none.
    """
    parts = fold(name).split()
    known = classes()
    if (found := known.get(_key(name))) is None and len(parts) > 1 and parts[-1] in _KINDS:
        found = known.get(_key(" ".join(parts[:-1])))
    return found


@cache
def classes() -> Mapping[str, DrugClass]:
    """The classes by their names, as these are compared."""
    listed: dict[str, tuple[list[str], list[str]]] = {}
    for line in entries(FILE):
        named, _, members = line.partition(":")
        row = (_split(named, ";"), _split(members, ","))
        listed.update((_key(name), row) for name in reversed(row[0]))
    made = {
        id(row): DrugClass(tuple(row[0]), tuple(dict.fromkeys(_members(row[1], listed))))
        for row in listed.values()
    }
    return {name: made[id(row)] for name, row in listed.items()}


def _members(
    direct: Sequence[str], listed: Mapping[str, tuple[list[str], list[str]]]
) -> Iterator[str]:
    """The members of a class, then those of the classes in it."""
    yield from (one for one in direct if not one.startswith(">"))
    for one in direct:
        if one.startswith(">"):
            yield from _members(listed[_key(one)][1], listed)


def _split(text: str, mark: str) -> list[str]:
    return [one.strip() for one in text.split(mark) if one.strip()]


def _key(name: str) -> str:
    """A name as it is compared: its stems without spaces, so that "beta-2", "beta2" and "β 2" are
    one.
    """
    return "".join(stems(name))
