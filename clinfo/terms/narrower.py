"""Names that MeSH gives a heading though they name only a kind of what it is: "primary brain tumor"
of Brain Neoplasms, "spindle cell carcinoma" of Carcinoma.
"""

from __future__ import annotations

import re
from functools import lru_cache

from clinfo.records.articles import MeshDescriptor
from clinfo.terms.lexicon import EVERYDAY, flags
from clinfo.terms.mesh import Mesh
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


_HISTOLOGY = frozenset(
    ("metaplastic", "micropapillary", "basaloid", "urothelial", "lepidic", "keratinizing",
     "nonkeratinizing", "lentiginous", "hepatoid", "fibrolamellar", "biphasic",
     "acral", "keratinising")
)  # fmt: skip
"""Words of kinds of tumours that no name of MeSH has."""
_NO_KIND = re.compile(
    r"(?!poorly|moderately).+ly|i{1,3}|iv|vi{0,3}|for|therapy|treatment|treated|second|positive|negative|family|wom[ae]n|"
    r"m[ae]n|(?:fe)?male|child|human|resistant|refractory|recurrent|residual|minimal|specific|stage|"
    r"risk|due|complications?|radiation|rule|out|cannot|no|not|and|or|with|without"
)
"""Words in names of tumours that no kind of tumour is named with where MeSH does not have it."""


def is_tumour_word(word: str, mesh: Mesh) -> bool:
    """Return whether a word may stand in the name of a kind of tumour: it does in one of MeSH's, or
    names a place in the body.
    """
    own = key(word)
    return (own in _words(mesh) or own in _HISTOLOGY) and _NO_KIND.fullmatch(own) is None


@lru_cache(maxsize=2)
def _words(mesh: Mesh) -> frozenset[str]:
    found: set[str] = set()
    for branch in ("C04", "A"):
        numbers = {at for place, at in mesh.places().items() if place.startswith(branch)}
        for one in mesh.numbered(sorted(numbers)).values():
            its_words = {word for name in (one.heading, *one.entry_terms)
                         for word in key(name).split()}  # fmt: skip
            found |= {word for word in its_words if branch != "A" or not flags(word) & EVERYDAY}
    return frozenset(found)


def _bag(name: str) -> frozenset[str]:
    """The words of a name, whatever their order and number."""
    return frozenset(stem(word) for word in key(name).split() if word != "s") - FUNCTION_WORDS
