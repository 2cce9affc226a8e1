"""The parts that a medical phrase is composed of, so that two phrases of one meaning meet:
"inflamed appendix" and "appendicitis" are both an appendix and an inflammation.

Words and phrases have their meanings from ``word_parts.txt`` beside this file; a word of classical
parts is taken apart ("bronchitis": bronchus, inflammation); another is its stem.
"""

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations
from pathlib import Path

from clinfo.records.articles import MeshDescriptor
from clinfo.terms.mesh import Mesh
from clinfo.text.terms import FUNCTION_WORDS, stem
from clinfo.text.words import key, keys, words

FILE = Path(__file__).with_name("word_parts.txt")
_ENDINGS = {
    "itis": "inflammation", "algia": "pain", "dynia": "pain", "ectomy": "removal",
    "lithiasis": "stone", "megaly": "enlargement", "orrhagia": "bleeding", "oma": "growth",
    "opathy": "disease", "oscopy": "scope", "otomy": "opening", "ostomy": "opening",
    "oplasty": "repair", "orrhaphy": "repair", "opexy": "fixing", "oplegia": "paralysis",
    "omalacia": "softening", "osclerosis": "hardening", "ospasm": "spasm", "optosis": "sagging",
    "ocele": "bulge",
}  # fmt: skip
"""The endings of classical words and their meanings."""
_STEMS = {
    "aden": "gland", "append": "appendix", "appendic": "appendix", "arteri": "artery",
    "arthr": "joint", "balan": "glans", "blephar": "eyelid", "bronch": "bronchus",
    "burs": "bursa", "cardi": "heart", "ceph": "head", "cephal": "head", "cervic": "neck",
    "cheil": "lip", "chole": "gallbladder", "cholecyst": "gallbladder", "chondr": "cartilage",
    "col": "colon", "colp": "vagina", "conjunctiv": "conjunctiva", "cyst": "bladder",
    "dermat": "skin", "diverticul": "pouch", "encephal": "brain", "enter": "bowel",
    "epididym": "epididymis", "esophag": "gullet", "fasci": "fascia", "gastr": "stomach",
    "gingiv": "gum", "gloss": "tongue", "hepat": "liver", "hyster": "womb", "ile": "ileum",
    "irid": "iris", "kerat": "cornea", "lamin": "lamina", "laryng": "voicebox", "lith": "stone",
    "lob": "lobe", "lymphaden": "lymph", "mast": "breast", "mening": "meninges",
    "menisc": "meniscus", "my": "muscle", "myel": "marrow", "myocard": "heart", "myos": "muscle",
    "myring": "eardrum", "nas": "nose", "nephr": "kidney", "neur": "nerve", "onych": "nail",
    "oophor": "ovary", "orch": "testis", "orchi": "testis", "orchid": "testis", "oste": "bone",
    "ot": "ear", "pancreat": "pancreas", "pericard": "pericardium", "peritone": "peritoneum",
    "pharyng": "throat", "phleb": "vein", "pleur": "pleura", "pneum": "lung", "pneumon": "lung",
    "proct": "rectum", "prostat": "prostate", "py": "pus", "pyel": "pelvis-of-kidney",
    "ren": "kidney", "retin": "retina", "rhin": "nose", "salping": "tube", "scler": "sclera",
    "sigmoid": "colon", "sinus": "sinus", "splen": "spleen", "spondyl": "spine",
    "stomat": "mouth", "synov": "synovium", "tendin": "tendon", "tendon": "tendon",
    "thorac": "chest", "thromb": "clot", "thyroid": "thyroid", "tonsill": "tonsil",
    "trache": "windpipe", "tympan": "eardrum", "ur": "urinary", "ureter": "ureter",
    "urethr": "urethra", "uve": "uvea", "vagin": "vagina", "vas": "vas", "vascul": "vessel",
    "ventricul": "ventricle", "vulv": "vulva",
}  # fmt: skip
"""The first parts of classical words and what they name."""
ADDED = frozenset({
    "absent", "aura", "bacterium", "both", "child", "closed", "degree1", "degree2", "degree3",
    "disease", "early", "ecoli", "essential", "fungus", "healthy", "idiopathic", "left",
    "local", "long", "mild", "moderate", "onset", "open", "part", "passive", "primary", "relapsing",
    "right", "sever", "stage1", "stage2", "stage3", "stage4", "stage5",
    "staphylococcus", "streptococcus", "sudden", "symptom", "treatment-resistant", "unilateral",
    "unspecifi", "virus", "whole", "year-round",
})  # fmt: skip
"""Meanings by which one thing is a kind of another: a chronic sinusitis is a sinusitis."""
_SPREAD = "spread"
"""The meaning that a metastasis has more than its cancer; alone it says what, and not only how."""
_LIGHT = frozenset({
    "a", "an", "the", "of", "in", "on", "to", "at", "by", "for", "from", "with", "within",
    "into", "onto", "and", "or", "that", "this", "these", "those", "is", "are", "was", "were",
    "be", "been", "being", "has", "have", "had", "having", "it", "its", "his", "her", "their",
    "some", "any", "as", "due", "caused", "s", "case",
})  # fmt: skip
"""Words that may stand in a listed phrase or be left out of it."""
_KEPT = {
    "not", "no", "without", "never", "before", "over", "under", "above", "below", "up", "all",
    "out", "work",
}  # fmt: skip
_EMPTY = (FUNCTION_WORDS - _KEPT) | {
    "disease", "disorder", "condition", "problem", "type", "any", "some", "caused", "due",
    "feeling", "felt", "body", "having", "single", "episode", "episodes", "sense", "level",
    "levels", "case", "cases", "s", "one", "a", "mellitus",
}  # fmt: skip
_SPELT = {
    r"[ao]e(?=[a-z]{2}|a\b)": "e",
    r"our(?=s?\b|ed\b|ing\b|less\b)": "or",
    r"(?<=[a-z]{2}[ly])s(?=e[ds]?\b|ing\b|ation\b)|"
    r"(?<=[a-z]{3}i)s(?=e[ds]?\b|ing\b|ations?\b)": "z",
    r"ll(?=ing\b|ed\b)": "l",
    "sulph": "sulf",
}
"""British spellings and what they become, in the list as in what is asked."""
_PLURALS = (("ies", "y"), ("es", ""), ("s", ""), ("es", "is"))
_CONDITIONS = ("C", "F03", "G08.686.784.769", "E01", "E02", "E03", "E04", "E06", "E07")
"""The branches of MeSH of what a patient may have or undergo."""
Signature = frozenset[str]


@lru_cache(maxsize=50_000)
def meanings(phrase: str) -> Signature:
    """The meanings that the words of a phrase have together, in no order, without those that go
    without saying beside another; empty of no word.
    """
    found: set[str] = set()
    for _, run in _parts(words(phrase)):
        found.update(run)
    implied = _list().implied
    found.difference_update(*(implied[one] - {one} for one in sorted(found) if one in implied))
    bare = frozenset(found - {"disease"})
    return frozenset(found) if bare <= _list().places else bare


def headings_with(asked: frozenset[Signature], mesh: Mesh) -> list[str]:
    """The identifiers of the conditions of MeSH with a name of these meanings, sorted."""
    by_meaning = _conditions(mesh)
    return sorted({ui for own in asked for ui in by_meaning.get(own, ())})


@lru_cache(maxsize=2)
def _conditions(mesh: Mesh) -> dict[Signature, set[str]]:
    """The conditions of MeSH by what their names mean, but for names of something narrower.

    A meaning that headings share of which none is a kind of the other ("seizures" and "epilepsy")
    tells neither; one word alone counts only where nothing of the name was left out ("occupational
    diseases" are no job).
    """
    found: dict[Signature, set[str]] = {}
    numbers = {at for place, at in mesh.places.items() if place.startswith(_CONDITIONS)}
    for one in mesh.numbered(sorted(numbers)).values():
        for name in (one.heading, *one.entry_terms):
            own = meanings(name)
            its_words = words(name)
            light = _EMPTY.intersection((*its_words, *(one.removesuffix("s") for one in its_words)))
            whole = understood(name) and not light and own.isdisjoint(_list().places)
            short = len(own) < 2 and not whole
            if "," not in name and not short and not narrower_names(name, one):
                found.setdefault(own, set()).add(one.ui)
    return {own: uis for own, uis in found.items() if _of_one_line(uis, mesh)}


def _of_one_line(uis: set[str], mesh: Mesh) -> bool:
    """Return whether each of these headings is a kind of the broadest of them."""
    if len(uis) < 2:
        return True
    places = [one.tree_numbers for ui in uis if (one := mesh.descriptor(ui)) is not None]
    return any(
        all(
            any(f"{low}.".startswith(f"{high}.") for low in narrow for high in broad)
            for narrow in places
        )
        for broad in places
    )


def broader_headings(own: Signature, mesh: Mesh) -> list[str]:
    """The identifiers of the conditions of MeSH of which these meanings are a kind by what they
    have of `ADDED`, sorted: of a closed fracture of the hip the fracture of the hip.
    """
    more = sorted(own & (ADDED | {_SPREAD}))
    return headings_with(
        frozenset(
            own - frozenset(less)
            for count in range(1, len(more) + 1)
            for less in combinations(more, count)
            if len(own) - count > 1
        ),
        mesh,
    )


def understood(phrase: str) -> bool:
    """Return whether every part of a phrase has a listed meaning or is of classical parts."""
    return all(known for known, _ in _parts(words(phrase)))


def _short(its_words: list[str]) -> list[str]:
    """The words but for the light ones; all where there are no others."""
    return [_spelt(word) for word in its_words if word not in _LIGHT] or its_words


def _parts(its_words: list[str]) -> list[tuple[bool, tuple[str, ...]]]:
    """The meanings of each part of the words, the longest listed phrase first, and whether they are
    more than the word's stem.
    """
    listed = _list()
    found: list[tuple[bool, tuple[str, ...]]] = []
    silent = all(word in _EMPTY for word in its_words)
    plain = [_spelt(word) for word in its_words]
    said = [silent or word not in _EMPTY for word in its_words]
    at = 0
    while at < len(plain):
        most = min(listed.most.get(plain[at], 1), len(plain) - at)
        for end in range(at + most, at, -1):
            run = " ".join(plain[at:end])
            if run not in listed.meanings and said[at] and said[end - 1]:
                run = " ".join(_short(its_words[at:end]))
            if run in listed.meanings:
                found.append((run not in listed.unsure, listed.meanings[run]))
                at = end
                break
        else:
            if said[at]:
                apart = _taken_apart(plain[at])
                found.append((len(apart) > 1, apart))
            at += 1
    return found


def _taken_apart(word: str) -> tuple[str, ...]:
    """The meanings of the classical parts of a word, or of one that it is the plural of; else its
    stem.
    """
    for ending, meaning in _ENDINGS.items():
        first = word.removesuffix(ending)
        if first != word and (places := _places_of(first)):
            return (*places, meaning)
    for ending, one in _PLURALS:
        if (
            word.endswith(ending)
            and (singular := word.removesuffix(ending) + one) in (listed := _list()).meanings
            and singular not in listed.unsure
        ):
            return (*listed.meanings[singular], "disease")
    return (stem(word),)


def _places_of(first: str) -> tuple[str, ...]:
    """The things that the first parts of a classical word name: of "gastroenter" the stomach and
    the bowel.
    """
    for part in (first, first.rstrip("o")):
        if part in _STEMS:
            return (_STEMS[part],)
    for cut in range(2, len(first) - 1):
        if first[:cut] in _STEMS and (rest := _places_of(first[cut:].lstrip("o"))):
            return (_STEMS[first[:cut]], *rest)
    return ()


@lru_cache(maxsize=50_000)
def _spelt(word: str) -> str:
    """A word in American spelling."""
    for british, american in _SPELT.items():
        word = re.sub(british, american, word)
    return word


@dataclass(frozen=True, slots=True)
class _List:
    """``meanings`` of phrases; those ``unsure`` mean it in some names only; ``implied`` are the
    meanings that go without saying beside one; ``most`` words of a phrase by its first word;
    ``places`` are the meanings that are places in the body.
    """

    meanings: dict[str, tuple[str, ...]]
    unsure: frozenset[str]
    implied: dict[str, frozenset[str]]
    most: dict[str, int]
    places: frozenset[str]


_MORE = 3
"""Light words that may stand within a listed phrase."""


@cache
def _list() -> _List:
    meant: dict[str, tuple[str, ...]] = {}
    implied: dict[str, frozenset[str]] = {}
    most: dict[str, int] = {}
    places, unsure = set[str](), set[str]()
    for section in FILE.read_text(encoding="utf-8").split("\n# ")[1:]:
        title, *lines = section.splitlines()
        parts = [line.partition(":") for line in lines if line]
        if not parts:
            continue
        if title.startswith("Goes without saying"):
            implied.update((one, frozenset(said.split())) for one, _, said in parts)
            continue
        phrases = [phrase for _, _, said in parts for phrase in said.split(",")]
        owns = [tuple(one.split()) for one, _, said in parts for _ in range(said.count(",") + 1)]
        found: set[str] = set()
        for phrase, own in zip(_spelt("\n".join(keys(phrases))).split("\n"), owns, strict=True):
            meant[phrase] = own
            found.add(phrase)
            if " " not in phrase:
                most.setdefault(phrase, 1)
                continue
            its_words = phrase.split(" ")
            length = len(its_words) + _MORE
            if most.get(its_words[0], 0) < length:
                most[its_words[0]] = length
            if not _LIGHT.isdisjoint(its_words) and its_words[-1] not in _LIGHT:
                short = [word for word in its_words if word not in _LIGHT]
                if len(short) > 1:
                    meant[" ".join(short)] = own
                    found.add(" ".join(short))
                    most[short[0]] = max(most.get(short[0], 0), length)
        if title.startswith("Meant so"):
            unsure |= found
        if title.startswith("Places"):
            places.update(word for own in owns for word in own)
    return _List(meant, frozenset(unsure), implied, most, frozenset(places))


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
