"""Names that MeSH gives a heading though they name only a kind of what it is: "primary brain tumor"
of Brain Neoplasms, "spindle cell carcinoma" of Carcinoma.
"""

from __future__ import annotations

from clinfo.records.articles import MeshDescriptor
from clinfo.text.terms import FUNCTION_WORDS, stem
from clinfo.text.words import key

_TUMOURS = ("C04",)
_SAYS_NOTHING = frozenset(
    map(stem, ("malignant", "malignancy", "cancer", "tumor", "neoplasm", "cell", "multiforme"))
)
"""Words more that make a name of a tumour none of anything narrower."""


def narrower_names(phrase: str, descriptor: MeshDescriptor) -> tuple[str, ...]:
    """The names of a heading of tumours that say what a phrase says, as keys, where the phrase is a
    name of something narrower: a name of the heading with words more ("primary brain tumor").
    () where it is a name of the heading itself.
    """
    if not any(place.startswith(_TUMOURS) for place in descriptor.tree_numbers):
        return ()
    names = {_bag(name) for name in (descriptor.heading, *descriptor.entry_terms)}
    own = _bag(phrase)
    shorter = [own - name for name in names if name < own and not own - name <= _SAYS_NOTHING]
    if not shorter or own == _bag(descriptor.heading):
        return ()
    more = max(shorter, key=len)
    alike = (
        key(name)
        for name in descriptor.entry_terms
        if more <= _bag(name) and _bag(name) - more in names
    )
    return tuple(dict.fromkeys((key(phrase), *alike)))


def _bag(name: str) -> frozenset[str]:
    """The words of a name, whatever their order and number."""
    return frozenset(stem(word) for word in key(name).split() if word != "s") - FUNCTION_WORDS
