"""MeSH concepts of words and phrases: synonyms, equivalence, narrower terms.

Asked of the table that ``clinfo mesh load`` has loaded, else of the one that comes with the
program; what it holds is in `known`'s ``edition``. A term is looked up as it is written, then in
its other forms (singular and plural, spellings).
"""

from __future__ import annotations

from functools import cache, lru_cache

from clinfo.errors import ClinfoError
from clinfo.records.articles import MeshDescriptor
from clinfo.terms.mesh import Mesh
from clinfo.terms.packaged import PackagedTable
from clinfo.text.plurals import variants
from clinfo.text.words import key, words


@cache
def known() -> Mesh:
    """The table of MeSH of this process: the loaded one where there is one that can be read, else
    the one that comes along.
    """
    from clinfo.settings import load_settings
    from clinfo.terms.mesh_table import MeshTable, table_path

    try:
        path = table_path(load_settings().data_dir)
        if path.exists() and (table := MeshTable(path)).edition:
            return table
    except ClinfoError:
        pass
    return PackagedTable()


@lru_cache(maxsize=20_000)
def descriptor_of(term: str) -> MeshDescriptor | None:
    """The descriptor that a heading, an entry term, or another grammatical form of one names; None
    where MeSH has none.
    """
    its_words = words(term)
    if not its_words:
        return None
    forms = [
        key(term),
        *(" ".join([*its_words[:-1], *form.split()]) for form in variants(its_words[-1])),
    ]
    return next(
        (
            found
            for form in dict.fromkeys(forms)
            if (found := known().match_exactly(form)) is not None
        ),
        None,
    )


def synonyms(term: str) -> tuple[str, ...]:
    """The heading and the entry terms of the descriptor that ``term`` names, in words' natural
    order, each once, without ``term``.

    Inverted forms ("Infarction, Myocardial") are left out. Empty where MeSH does not know the term.
    """
    return _synonyms(key(term))


@lru_cache(maxsize=20_000)
def _synonyms(term: str) -> tuple[str, ...]:
    found = descriptor_of(term)
    if found is None:
        return ()
    names = {key(name): name for name in (found.heading, *found.entry_terms) if ", " not in name}
    if ", " in found.heading and not names:
        names = {key(turned): turned for turned in [" ".join(reversed(found.heading.split(", ")))]}
    return tuple(name for known_as, name in names.items() if known_as != term)


def same_concept(one: str, other: str) -> bool:
    """Return whether both are names of one descriptor, or the same words."""
    if key(one) == key(other):
        return True
    found, also = descriptor_of(one), descriptor_of(other)
    return found is not None and also is not None and found.ui == also.ui


def descendants(term: str) -> tuple[str, ...]:
    """The headings below the one that ``term`` names, in alphabetical order; empty where there are
    none.
    """
    found = descriptor_of(term)
    return _descendants(found.ui) if found is not None else ()


@lru_cache(maxsize=2_000)
def _descendants(ui: str) -> tuple[str, ...]:
    found = known().descriptor(ui)
    return tuple(known().narrower(found)) if found is not None else ()


def tree_numbers(term: str) -> tuple[str, ...]:
    """The places in the tree of the heading that ``term`` names; empty where MeSH does not know
    it.
    """
    found = descriptor_of(term)
    return found.tree_numbers if found is not None else ()


def is_narrower(one: str, other: str) -> bool:
    """Return whether ``one`` names a heading below the one that ``other`` names."""
    return any(
        place.startswith(f"{above}.")
        for place in tree_numbers(one)
        for above in tree_numbers(other)
    )
