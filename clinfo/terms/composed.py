"""What a medical phrase is composed of, so that two phrases of one meaning meet: "inflamed
appendix" and "appendicitis" are both an appendix and an inflammation.

Words and phrases have their meanings from ``word_parts.txt`` beside this file; a word of classical
parts is taken apart ("bronchitis": bronchus, inflammation); another is its stem.
"""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import product
from pathlib import Path

from clinfo.terms.mesh import Mesh
from clinfo.terms.narrower import narrower_names
from clinfo.text.terms import FUNCTION_WORDS, stem
from clinfo.text.words import words

FILE = Path(__file__).with_name("word_parts.txt")
_ENDINGS = {
    "itis": "inflammation", "algia": "pain", "dynia": "pain", "ectomy": "removal",
    "lithiasis": "stone", "megaly": "enlargement", "orrhagia": "bleeding", "oma": "growth",
    "opathy": "disease",
}  # fmt: skip
"""The endings of classical words and their meanings."""
_STEMS = {
    "append": "appendix", "appendic": "appendix", "arthr": "joint", "balan": "glans",
    "blephar": "eyelid", "bronch": "bronchus", "burs": "bursa", "cardi": "heart", "ceph": "head",
    "cephal": "head", "cholecyst": "gallbladder", "chole": "gallbladder", "col": "colon",
    "colpo": "vagina", "conjunctiv": "conjunctiva", "cyst": "bladder", "dermat": "skin",
    "encephal": "brain", "enter": "bowel", "esophag": "gullet", "oesophag": "gullet",
    "gastr": "stomach", "gingiv": "gum", "gloss": "tongue", "hepat": "liver", "hyster": "womb",
    "kerat": "cornea", "laryng": "voicebox", "mast": "breast", "mening": "meninges",
    "my": "muscle", "myos": "muscle", "nephr": "kidney", "neur": "nerve", "oophor": "ovary",
    "orch": "testis", "oste": "bone", "ot": "ear", "pancreat": "pancreas", "pharyng": "throat",
    "phleb": "vein", "pneumon": "lung", "prostat": "prostate", "ren": "kidney",
    "retin": "retina", "rhin": "nose", "sinus": "sinus", "splen": "spleen",
    "spondyl": "spine", "stomat": "mouth", "tendin": "tendon", "tendon": "tendon",
    "thyroid": "thyroid", "thyroidect": "thyroid", "tonsill": "tonsil", "trache": "windpipe",
    "ur": "urinary", "urethr": "urethra", "uve": "uvea", "vascul": "vessel",
}  # fmt: skip
"""The first parts of classical words and what they name."""
ADDED = frozenset(
    [
        "sudden",
        "long",
        "relapsing",
        "virus",
        "bacterium",
        "streptococcus",
        "staphylococcus",
        "ecoli",
        "fungus",
        "healthy",
        "child",
        "year-round",
        "symptom",
        "disease",
        "left",
        "right",
        "both",
        "mild",
        "moderate",
        "sever",
        "unspecifi",
    ]
)
"""Meanings by which one thing is a kind of another: a chronic sinusitis is a sinusitis."""
_SUDDEN_BY_NATURE = frozenset(
    ["stopping", "break", "sprain", "tear", "embolism", "stroke", "attack"]
)
_KEPT = {"not", "no", "without", "over", "under", "above", "below", "up", "all", "out"}
_EMPTY = (FUNCTION_WORDS - _KEPT) | {
    "disease", "disorder", "condition", "problem", "type", "any", "some", "caused", "due",
    "feeling", "felt", "body", "having", "single", "episode", "episodes", "sense", "level",
    "levels", "case", "cases", "one", "a",
}  # fmt: skip
_CONDITIONS = ("C", "F03", "G08.686.784.769")
"""The branches of MeSH of what a patient may have."""
_MOST_SIGNATURES = 60
Signature = frozenset[str]


@lru_cache(maxsize=50_000)
def meanings(phrase: str) -> Signature:
    """The meanings that the words of a phrase have together, in no order; empty of no word."""
    found: set[str] = set()
    for _, run in _parts(_said(phrase)):
        found.update(run)
    if found & _SUDDEN_BY_NATURE:
        found.discard("sudden")
    return frozenset(found - {"disease"}) or frozenset(found)


def signatures(phrase: str, mesh: Mesh) -> frozenset[Signature]:
    """The meanings of ``phrase`` and of what it is with a name of MeSH in it said otherwise."""
    its_words = words(phrase)
    choices: list[list[str]] = []
    at = 0
    while at < len(its_words):
        named = mesh.longest(its_words, at)
        if named is None:
            choices.append([its_words[at]])
            at += 1
            continue
        length, descriptor = named
        own = " ".join(its_words[at : at + length])
        names = narrower_names(own, descriptor) or (descriptor.heading, *descriptor.entry_terms)
        choices.append([own, *(name for name in names if "," not in name)])
        at += length
    most = 1
    for choice in choices:
        del choice[max(1, _MOST_SIGNATURES // most) :]
        most *= len(choice)
    return frozenset(found for said in product(*choices) if (found := meanings(" ".join(said)))) | {
        meanings(phrase)
    }


def headings_with(asked: frozenset[Signature], mesh: Mesh) -> list[str]:
    """The identifiers of the conditions of MeSH with a name of these meanings, sorted."""
    by_meaning = _conditions(mesh)[0]
    return sorted({ui for own in asked for ui in by_meaning.get(own, ())})


def narrower_with(asked: frozenset[Signature], mesh: Mesh) -> list[str]:
    """The names, as keys, of kinds of tumours without a heading of their own that have these
    meanings, sorted.
    """
    by_meaning = _conditions(mesh)[1]
    return sorted({name for own in asked for name in by_meaning.get(own, ())})


@lru_cache(maxsize=2)
def _conditions(mesh: Mesh) -> tuple[dict[Signature, set[str]], dict[Signature, set[str]]]:
    """The conditions of MeSH, and the narrower ones among their names, by what names mean."""
    found: dict[Signature, set[str]] = {}
    narrower: dict[Signature, set[str]] = {}
    numbers = {at for place, at in mesh.places().items() if place.startswith(_CONDITIONS)}
    for one in mesh.numbered(sorted(numbers)).values():
        for name in (one.heading, *one.entry_terms):
            if "," in name or len(own := meanings(name)) < 2:
                continue
            if kinds := narrower_names(name, one):
                narrower.setdefault(own, set()).update(kinds)
            else:
                found.setdefault(own, set()).add(one.ui)
    return found, narrower


def same(one: frozenset[Signature], other: frozenset[Signature]) -> bool:
    """Return whether two phrases, by their signatures, mean one thing."""
    return bool(one & other)


def kind_of(narrow: frozenset[Signature], broad: frozenset[Signature]) -> bool:
    """Return whether one phrase adds to the other only places and meanings of `ADDED`."""
    added = ADDED | _places()
    return any(wide and wide < own and own - wide <= added for own in narrow for wide in broad)


def says_only_how(phrase: str) -> bool:
    """Return whether a phrase has no meaning but those of `ADDED` and places: "chronic", "left
    ear".
    """
    return meanings(phrase) <= ADDED | _places()


def is_listed(phrase: str) -> bool:
    """Return whether a whole phrase is a listed one."""
    its_words = words(phrase)
    whole = _said(phrase) == its_words or not {its_words[0], its_words[-1]} & _EMPTY
    return whole and not {"and", "or"} & set(its_words) and " ".join(_said(phrase)) in _listed()[0]


def understood(phrase: str) -> bool:
    """Return whether every part of a phrase has a listed meaning or is of classical parts."""
    return all(known for known, _ in _parts(_said(phrase)))


def _said(phrase: str) -> list[str]:
    """The words of a phrase that say something; all where none does."""
    its_words = words(phrase)
    return [word for word in its_words if word not in _EMPTY] or its_words


def _parts(its_words: list[str]) -> list[tuple[bool, tuple[str, ...]]]:
    """The meanings of each part of the words, the longest listed phrase first, and whether they are
    more than the word's stem.
    """
    known, most = _listed()
    found: list[tuple[bool, tuple[str, ...]]] = []
    at = 0
    while at < len(its_words):
        for length in range(min(most, len(its_words) - at), 0, -1):
            if (listed := known.get(" ".join(its_words[at : at + length]))) is not None:
                found.append((True, listed))
                at += length
                break
        else:
            word = its_words[at]
            at += 1
            apart = _taken_apart(word)
            found.append((len(apart) > 1, apart))
    return found


def _taken_apart(word: str) -> tuple[str, ...]:
    for ending, meaning in _ENDINGS.items():
        first = word.removesuffix(ending)
        if first != word and (place := _STEMS.get(first) or _STEMS.get(first.rstrip("o"))):
            return (place, meaning)
    return (stem(word),)


@cache
def _places() -> frozenset[str]:
    """The meanings of the first part of the list, which are places in the body."""
    lines = FILE.read_text(encoding="utf-8").partition("\n# What goes wrong")[0].splitlines()
    return frozenset(
        word
        for line in lines
        if not line.startswith("#")
        for word in line.partition(":")[0].split()
    )


@cache
def _listed() -> tuple[dict[str, tuple[str, ...]], int]:
    """The meanings of the listed phrases, as words, and the most words of one."""
    found: dict[str, tuple[str, ...]] = {}
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            meaning, _, said = line.partition(":")
            for phrase in said.split(","):
                found[" ".join(_said(phrase))] = tuple(meaning.split())
    return found, max(name.count(" ") + 1 for name in found)
