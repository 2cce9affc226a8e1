"""The dictionary of what notes may name: MeSH's names, medicines, clinical abbreviations, lists of
one's own.

Names are compared word by word in one form for singular and plural, British and American spelling,
which need only meet, not look right. Types are branches of MeSH's tree, by ``semantic_types.tsv``
beside this file.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache, partial
from hashlib import sha256
from itertools import chain, product
from pathlib import Path

from clinfo.patients.quantities import Quantity, quantities
from clinfo.terms.medicines import Medicine, heading_of, in_text, medicines
from clinfo.terms.mesh import Mesh
from clinfo.text.lexicon import entries, read_rows, words_of
from clinfo.text.terms import FUNCTION_WORDS
from clinfo.text.words import key, keys

_FOLDER = Path(__file__).parent
TYPES = _FOLDER / "semantic_types.tsv"
ABBREVIATIONS = _FOLDER / "clinical_abbreviations.tsv"
NOT_NAMED = _FOLDER / "not_named.txt"
_NO_TYPE = "-"
_DRUGS = "D"
"""The branch of a name that no table holds but that ends like a drug's ("apixaban")."""
_DRUG = re.compile(rf"[a-z]{{2,}}(?:{'|'.join(words_of('drug_endings', 'all'))})s?")
_RESULT = "result"
"""The type of what is measured and has none in MeSH."""
_SHORT = 3
"""Letters up to which a name of one word is an abbreviation, which notes write in capitals."""
_NO_WORD = re.compile(r"[^AEIOUY]{3,}")
"""An abbreviation that is no word in small letters either ("htn")."""
_ALIKE = (
    (" cancer", " ca"),
    *(
        ("cancer of ", f"{own} of ")
        for own in ("malignant neoplasm", "malignant tumor", "carcinoma")
    ),
)
"""Other words for a part of MeSH's names."""
_FORMS = {
    re.compile(pattern): form
    for pattern, form in (
        (r"ies\b", "y"),
        (r"(?<=[aeoy]s)[ei]s\b", "is"),
        (r"(?<=[sxz])es\b|(?<=[cs]h)es\b|(?<=[^sui\W])s\b", ""),
        (r"[ao]e(?=[a-z])", "e"),
        (r"our(?=\b|s\b|al|ed|ing)", "or"),
        (r"(?<=[a-z]{3})is(?=(?:e|ed|ing|ation)\b)", "iz"),
        (r"sulph", "sulf"),
    )
}


@dataclass(frozen=True, slots=True)
class Named:
    """A concept that a name stands for, and its semantic types; ``capitals`` where only the name in
    capitals does, ``mixed`` where that one stands for something else (eGFR is no EGFR).
    """

    concept: str
    types: tuple[str, ...]
    capitals: bool = False
    mixed: bool = False


@cache
def mixed_abbreviations() -> frozenset[str]:
    """The abbreviations that begin with a small letter and go on in capitals, in small letters."""
    terms = [term for term, *_ in read_rows(ABBREVIATIONS, 3)]
    return frozenset(one.lower() for one in terms if one[:1].islower() and one[1:].isupper())


class Lexicon:
    """Names and their concepts: those of ``rows`` (term, concept, type) first, then medicines, then
    those of MeSH.

    Raises RecordError where a table cannot be read.
    """

    def __init__(self, mesh: Mesh, rows: Iterable[tuple[str, ...]] = ()) -> None:
        self._mesh = mesh
        rows = tuple(rows)
        self.edition = sha256(repr(rows).encode()).hexdigest() if rows else ""
        """Tells one's own rows from others; "" where there are none."""
        self._types = {row[0]: row[1] for row in read_rows(TYPES, 2)}
        headings = mesh.names
        self._numbers = dict(zip(_forms(headings), headings.values(), strict=True))
        for name, (known, other) in product(list(self._numbers), _ALIKE):
            if known in name:
                self._numbers.setdefault(name.replace(known, other), self._numbers[name])
        told = [(name, one) for one in medicines() for name in one.names if in_text(name)]
        names = _forms(keys([name for name, _ in told]))
        self._medicines: dict[str, tuple[str, Medicine]] = {}
        for own, one in zip(names, told, strict=True):
            self._medicines.setdefault(own, one)
        self._own: dict[str, Named] = {}
        for term, concept, kind in read_rows(ABBREVIATIONS, 3):
            named = self.named(concept)
            self._own[form(key(term))] = Named(
                named.concept if named else concept,
                named.types if named and named.types else (kind,),
                term.isupper() and not (kind == "disease" and _NO_WORD.fullmatch(term)),
                term.lower() in mixed_abbreviations(),
            )
        self._own |= {form(key(term)): Named(concept, (kind,)) for term, concept, kind in rows}
        self._longest: dict[str, int] = {}
        for name in chain(self._numbers, self._medicines, self._own):
            first = name.partition(" ")[0]
            self._longest[first] = max(name.count(" ") + 1, self._longest.get(first, 0))
        self._resolved = lru_cache(maxsize=1 << 15)(self._resolve)

    def longest(self, words: Sequence[str], start: int, stop: int) -> tuple[int, Named] | None:
        """The longest run of ``words`` (as of `form`) in [start, stop) from ``start`` on that names
        a concept with a type: the number of words, and what it names.
        """
        most = min(self._longest.get(words[start], 0), stop - start)
        for length in range(most, 0, -1):
            name = words[start] if length == 1 else " ".join(words[start : start + length])
            known = name in self._own or name in self._medicines or name in self._numbers
            if known and (named := self._resolved(name)):
                return length, named
        kind = self._type_of(_DRUGS)
        if kind != _NO_TYPE and _DRUG.fullmatch(words[start]):
            return 1, Named(words[start].capitalize(), (kind,))
        return None

    def begins(self, word: str) -> bool:
        """Return whether a name begins with a word, as of `form`."""
        return word in self._longest

    def named(self, name: str) -> Named | None:
        """Return what a name stands for; None where it stands for nothing that has a type."""
        return self._resolve(form(key(name)))

    def measured(self, quantity: Quantity) -> Named:
        """Return what a quantity is called here: as the first of its names does that is known and
        that no other quantity shares, else by its own title.
        """
        return self._measured[quantity.code]

    @cached_property
    def _measured(self) -> dict[str, Named]:
        found = {
            code: next(filter(None, map(self.named, (one.title, *one.names, *one.asked))), None)
            for code, one in quantities().items()
        }
        told = Counter(named.concept for named in found.values() if named)
        return {
            code: named
            if named and told[named.concept] == 1
            else Named(quantities()[code].title, (_RESULT,))
            for code, named in found.items()
        }

    def _resolve(self, name: str) -> Named | None:
        if name in self._own:
            return self._own[name]
        if name in self._medicines:
            return self._medicine(name)
        number = self._numbers.get(name)
        if number is None or name in _not_named():
            return None
        descriptor = self._mesh.numbered([number])[number]
        short = " " not in name and len(name) <= _SHORT
        return self._named(descriptor.heading, descriptor.tree_numbers, short)

    def _medicine(self, name: str) -> Named | None:
        written, one = self._medicines[name]
        capitals = written.isupper() or len(name) <= _SHORT
        if found := heading_of(one, self._mesh):
            return self._named(found.heading, found.tree_numbers, capitals)
        own = one.names[0]
        parts = sorted(part.concept for part in map(self.named, one.parts) if part)
        concept = " / ".join(parts) if parts[1:] else f"{own[:1].upper()}{own[1:]}"
        return self._named(concept, (_DRUGS,), capitals)

    def _named(self, concept: str, places: Iterable[str], capitals: bool) -> Named | None:
        kept = dict.fromkeys(kind for kind in map(self._type_of, places) if kind != _NO_TYPE)
        return Named(concept, tuple(kept), capitals) if kept else None

    def _type_of(self, place: str) -> str:
        while place and place not in self._types:
            place = place.rpartition(".")[0] if "." in place else place[:1] * (len(place) > 1)
        return self._types.get(place, _NO_TYPE)


def with_terms(path: Path | None) -> Lexicon:
    """The dictionary of MeSH as it is on this machine, and of the clinical abbreviations, with the
    list of one's own in a file, where there is one. Raises RecordError.
    """
    return _with_rows(tuple(read_rows(path, 3)) if path else ())


@lru_cache(maxsize=4)
def _with_rows(rows: tuple[tuple[str, ...], ...]) -> Lexicon:
    from clinfo.terms.naming import known

    return Lexicon(known(), rows)


standard = partial(with_terms, None)
"""The same without a list of one's own."""


def _forms(names: Iterable[str]) -> list[str]:
    return _form("\n".join(names)).split("\n")


def _form(text: str) -> str:
    for pattern, put in _FORMS.items():
        text = pattern.sub(put, text)
    return text


form = lru_cache(maxsize=1 << 16)(_form)
"""The form in which names are compared, of a word or a key."""


@cache
def _not_named() -> frozenset[str]:
    """The names, as of `form`, that in notes nearly always mean something else."""
    listed = (word for line in entries(NOT_NAMED) for word in line.split(", "))
    return frozenset(map(form, (*listed, *FUNCTION_WORDS)))
