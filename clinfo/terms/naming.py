"""Checks that a text names a concept of the question: by MeSH's synonyms, by narrower headings, by
members of a class.

"Heart attack" is named by "myocardial infarction", "lung cancer" by an article that is indexed
under a narrower heading, "beta blockers" by "atenolol". What MeSH does not know is named by its
words.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal

from clinfo.errors import ClinfoError
from clinfo.records.articles import MeshDescriptor
from clinfo.terms.drug_classes import drug_class
from clinfo.terms.lexicon import EVERYDAY as EVERYDAY_WORD
from clinfo.terms.lexicon import flags
from clinfo.terms.medicines import asked_for, heading_of, in_text, medicine, with_part
from clinfo.terms.mesh import Mesh, bundled_mesh, mesh_table
from clinfo.text.lexicon import entries
from clinfo.text.plurals import variants
from clinfo.text.terms import Vocabulary, fold, stem, weight, words_as_written
from clinfo.text.words import key, words


@cache
def known() -> Mesh:
    """The table of MeSH of this process: the loaded one where there is one that can be read, else
    the one that comes along.
    """
    from clinfo.settings import load_settings

    with suppress(ClinfoError):
        if (table := mesh_table(load_settings().data_dir)).edition:
            return table
    return bundled_mesh()


CLINICALLY = {"cirrhosis": "Liver Cirrhosis", "varices": "Esophageal and Gastric Varices"}
"""Names, as keys, that clinicians use for something else than MeSH has them under."""
_MALIGNANT = re.compile(r"^(?:primary )?(?:malignant (?:neoplasm|tumou?r)|carcinoma) of")
"""Words of ICD and SNOMED for a cancer."""


@lru_cache(maxsize=20_000)
def descriptor_of(term: str) -> MeshDescriptor | None:
    """The descriptor that a heading, an entry term, another grammatical form of one or any name of
    a medicine names; None where MeSH has none.
    """
    term = CLINICALLY.get(key(term), term)
    if (one := medicine(term)) is not None:
        return heading_of(one, known())
    its_words = words(term)
    if not its_words:
        return None
    forms = [
        key(term),
        _MALIGNANT.sub("cancer of", key(term)),
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


@lru_cache(maxsize=20_000)
def synonyms(term: str) -> tuple[str, ...]:
    """The heading and the entry terms of the descriptor that ``term`` names, and all names of a
    medicine, in words' natural order, each once, without ``term``.

    Inverted forms ("Infarction, Myocardial") are left out. Empty where no table knows the term.
    """
    term = key(term)
    found = descriptor_of(term)
    one = medicine(term) or (asked_for(found.heading) if found is not None else None)
    every = (found.heading, *found.entry_terms) if found is not None else ()
    names = {key(name): name for name in every if ", " not in name}
    for name in one.names if one is not None else ():
        names.setdefault(key(name), name)
    if found is not None and ", " in found.heading and not names:
        names = {key(turned): turned for turned in [" ".join(reversed(found.heading.split(", ")))]}
    return tuple(name for known_as, name in names.items() if known_as != term)


@lru_cache(maxsize=2_000)
def descendants(term: str) -> tuple[str, ...]:
    """The headings below the one that ``term`` names, in alphabetical order; empty where there are
    none.
    """
    found = descriptor_of(term)
    return tuple(known().narrower(found)) if found is not None else ()


PLAIN = Path(__file__).with_name("plain_words.txt")
EVERYDAY = Path(__file__).with_name("everyday_words.txt")
MOST_WORDS = 6
"""Words of the longest name that is looked for in a concept."""
MOST_NARROWER = 60
"""Narrower headings whose names are looked for in a text; of a heading with more, the article's own
headings tell.
"""
_SAYS_LITTLE = 0.4
"""Weight of a word up to which it is not looked up alone."""
_CONDITIONS = ("C", "F03", "G08.686.784.769", "N06.850.135")
"""Diseases and mental disorders, pregnancy, accidents."""
_TREATMENTS = (
    "D",
    "E01",
    "E02",
    "E03",
    "E04",
    "E06",
    "E07",
    "F04",
    "G11.427",
    "I02.233",
    "I03.350",
    "J",
    "B",
)
_TREATED_WITH = ("D", "E02", "E04", "F04", "E07", "E03", "B01.650", "J02")
"""Chemicals and drugs, therapeutics, operations, psychotherapy, devices, anaesthesia and analgesia,
plants, food.
"""
_ILLNESSES = (*_CONDITIONS, "F01.145.126.350")
_SYMPTOMS = ("C23",)
"""Signs, symptoms and processes, which are outcomes as often as they are conditions."""
_PROCESSES = ("C23.550",)
"""Relapse, death and other courses of a disease, which are outcomes."""
_OUTCOME_WORDS = """
    ability absence activity adherence attendance burden complication compliance coping course disability discharge disease
    disorder distress duration efficacy fitness function functioning independence measure morbidity outcome participation
    performance productivity readmission recovery rehospitalisation relapse remission response result return side success symptom
    tolerance toxicity uptake wellbeing wellness
"""  # noqa: E501


@dataclass(frozen=True)
class Part:
    """Some words of a concept that one name or none stands for.

    ``forms`` are the names as runs of stems with a space around each, the first stem before each
    run; ``headings`` the keys of the heading and those below it; ``places`` the tree numbers. For a
    word that is not a name the latter two are empty. ``is_class`` of a class of drugs, and of a
    medicine that MeSH has not.
    """

    stems: tuple[str, ...]
    weight: float
    forms: tuple[tuple[str, str], ...]
    headings: frozenset[str] = frozenset()
    places: tuple[str, ...] = ()
    is_class: bool = False

    @property
    def _bound(self) -> list[str]:
        """The stems, a lone letter or digit with the one before it ("vitamin d"), as a vocabulary
        has them.
        """
        bound: list[str] = []
        for one in self.stems:
            bound.append(f"{bound.pop()} {one}" if len(one) == 1 and bound else one)
        return bound

    def is_in(self, text: Vocabulary) -> bool:
        """Return whether the text names it, or has all of its words together; a lone letter only in
        its place.
        """
        if not self.headings.isdisjoint(text.headings) or any(
            first in text.stems and form in text.running for first, form in self.forms
        ):
            return True
        return all(len(one) > 1 and text.has(one) for one in self._bound)


@lru_cache(maxsize=5_000)
def parts(text: str) -> tuple[Part, ...]:
    """A concept cut into names of MeSH or of classes of drugs, the longest first from the left, and
    the words between.
    """
    written = words_as_written(text)
    found: list[Part] = []
    at = 0
    while at < len(written):
        own = (stem(fold(written[at])),)
        ends = range(min(len(written), at + MOST_WORDS), at, -1)
        named = filter(None, (_named(written[at:end]) for end in ends))
        part = next(named, None) or _hyphened(text, written[at : at + 2])
        part = part or Part(own, _weight(written[at]), _forms(own))
        found.append(part)
        at += len(part.stems)
    return tuple(found)


def _hyphened(text: str, pair: Sequence[str]) -> Part | None:
    """Two words that a hyphen joins, neither a name or everyday English ("intra-articular"), which
    is written in one too.
    """
    if len(pair) < 2 or "-".join(pair) not in text or _named(pair[1:]) is not None:
        return None
    if any(flags(word) & EVERYDAY_WORD for word in pair):
        return None
    stems = tuple(stem(fold(word)) for word in pair)
    together = _forms(["".join(stems)])
    return Part(stems, max(map(_weight, pair)), (*_forms(stems), *together))


@lru_cache(maxsize=5_000)
def named_parts(text: str) -> tuple[tuple[str, Part], ...]:
    """The `parts` of a text, each after its words as written."""
    written, at, found = words_as_written(text), 0, []
    for part in parts(text):
        found.append((" ".join(written[at : at + len(part.stems)]), part))
        at += len(part.stems)
    return tuple(found)


def plain_names(text: str) -> tuple[str, ...]:
    """Return what articles call a thing that has a plain name, from the lexicon of plain words;
    empty where it is none.
    """
    return _plain().get(_key(text), ())


Kind = Literal["treatment", "condition", "symptom", "name"]


def kind_of(part: Part) -> Kind | None:
    """Return what a name is, by its places in MeSH; None for a word that is not a name."""
    if part.is_class or _in(part, _TREATED_WITH):
        return "treatment"
    if _in(part, _ILLNESSES):
        others = [place for place in part.places if not place.startswith(_SYMPTOMS)]
        return "condition" if any(place.startswith(_ILLNESSES) for place in others) else "symptom"
    return "name" if part.places or len(part.forms) > 1 else None


def is_subject(text: str) -> bool:
    """Return whether a concept of a question is a treatment or a condition, as far as MeSH tells;
    what it does not know counts as one.
    """
    found = [
        part
        for part in parts(text)
        if part.weight > _SAYS_LITTLE and not part.stems[0][:1].isdigit()
    ]
    return any(
        part.is_class
        or (not part.places and not {*map(stem, _OUTCOME_WORDS.split())}.issuperset(part.stems))
        or _in(part, _TREATMENTS)
        or (_in(part, _CONDITIONS) and not _in(part, _PROCESSES))
        for part in found
    )


def _weight(word: str) -> float:
    """The word's weight; little where it names no thing of medicine ("sooner", "success")."""
    return min(weight(word), _SAYS_LITTLE if fold(word) in everyday_words() else 2.0)


@cache
def everyday_words() -> frozenset[str]:
    """Words of everyday English that name no thing of medicine."""
    return frozenset(word for line in entries(EVERYDAY) for word in line.split())


def _named(run: Sequence[str]) -> Part | None:
    """The part that a run of words is where MeSH or the lexicon knows it."""
    text = " ".join(run)
    if max(map(_weight, run)) <= _SAYS_LITTLE or (len(run) == 1 and len(run[0]) < 2):
        return None
    one = in_text(text)
    descriptor = descriptor_of(text) if one is not None or medicine(text) is None else None
    of_class, plain = drug_class(text), plain_names(text)
    if descriptor is None and of_class is None and one is None and not plain:
        return None
    names = [text, *(of_class.members if of_class else ()), *plain]
    names += synonyms(text) if descriptor is not None or one is not None else ()
    names += [name for other in with_part(one) for name in other.names] if one is not None else []
    descriptor = descriptor or next(filter(None, map(descriptor_of, plain)), None)
    headings = known().explode(descriptor.ui) if descriptor is not None else frozenset()
    if descriptor is not None and len(headings) <= MOST_NARROWER:
        names += [
            name
            for heading in descendants(text)
            for name in (heading, *synonyms(heading))
            if ", " not in name
        ]
    stems = tuple(stem(fold(word)) for word in run)
    forms = tuple(
        dict.fromkeys(
            form
            for name in names
            for form in _forms([stem(fold(one)) for one in words_as_written(name)])
        )
    )
    places = descriptor.tree_numbers if descriptor is not None else ()
    is_class = of_class is not None or (one is not None and descriptor is None)
    return Part(stems, sum(map(_weight, run)), forms, headings, places, is_class)


@cache
def _plain() -> dict[str, tuple[str, ...]]:
    """Return what each plain name may mean, by the name as names are compared, from the lexicon of
    plain words.
    """
    found: dict[str, tuple[str, ...]] = {}
    for line in entries(PLAIN):
        plain, one_way, meant = line.partition(":")
        names = tuple(name.strip() for name in (meant if one_way else line).split(";"))
        for name in [plain] if one_way else names:
            found[_key(name)] = tuple(dict.fromkeys((*found.get(_key(name), ()), *names)))
    return found


def _key(name: str) -> str:
    return " ".join(stem(fold(word)) for word in words_as_written(name))


def _forms(stems: Sequence[str]) -> tuple[tuple[str, str], ...]:
    return ((stems[0], f" {' '.join(stems)} "),) if stems else ()


def _in(part: Part, branches: Sequence[str]) -> bool:
    return any(place.startswith(branch) for place in part.places for branch in branches)
