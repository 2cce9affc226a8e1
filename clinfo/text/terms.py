"""Terms: the words and concepts of a question or an article, and how much of one stands in the
other.

Words are compared by their Porter stems without accents. A concept is a run of content words that
belong together ("vitamin D supplementation"); its weight says how much it tells one question from
another.
"""

import re
import threading
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from clinfo.text.lexicon import words_of

NON = r"[Nn]on[-‐‑‒–—−\s]"
"""The beginning of a negated word, with any dash or a blank, which are one."""
_WORD = re.compile(
    rf"\b[Ww]ell-being\b|\b(?:{NON}|[A-Za-z]{{2,3}}[Vv][-‐‑](?=negative\b))[^\W\d_]+|"
    r"\d+(?:[.,]\d+)*(?:[A-Za-z]+)?|[^\W\d_]+(?:['’][^\W\d_]+)?[^\W_]*"
)
"""Words; a negated one is one word ("non-cancer", "HIV-negative"): it does not name the thing."""
_LETTERED = re.compile(r"\b([^\W\d_]{2,})[\s-]([a-z0-9])(?:\d{0,2})\b")
"""A word with a lone letter or digit after it, as in "vitamin D3", "type 2"."""
_GREEK = {
    "α": "alpha",
    "β": "beta",
    "γ": "gamma",
    "δ": "delta",
    "κ": "kappa",
    "μ": "mu",
    "ω": "omega",
}


FUNCTION_WORDS = frozenset(words_of("function_words", "all"))
"""English words that name nothing."""


GENERIC_WORDS = frozenset(words_of("generic_words", "all"))
"""Words that stand in every clinical article: they tell little about which question is asked."""

MODIFIER_WORDS = frozenset(words_of("generic_words", "modifiers"))
"""Words that narrow a concept and do not make it: an article is not about delirium for being about
postoperative pain.
"""

PEOPLE_WORDS = frozenset(words_of("people", "common"))
"""Words for who was studied, too common to search by alone."""

_SYNONYMS = (
    ("elderly", "older", "aged", "geriatric", "seniors"),
    ("children", "child", "kids", "paediatric", "pediatric", "childhood"),
    ("infant", "infants", "baby", "babies", "newborn", "neonate", "neonatal"),
    ("teenager", "teenagers", "adolescent", "adolescents", "youth"),
    ("heart", "cardiac"),
    ("kidney", "renal"),
    ("liver", "hepatic"),
    ("lung", "pulmonary"),
    ("stomach", "gastric"),
    ("bowel", "intestinal", "gut"),
    ("walking", "gait"),
    ("brain", "cerebral"),
    ("skin", "cutaneous"),
    ("tumour", "tumor", "cancer", "carcinoma", "neoplasm", "malignancy"),
    ("hypertension", "antihypertensive"),
    ("death", "deaths", "mortality", "survival"),
    ("pregnancy", "pregnant", "gestation", "gestational"),
    ("drug", "medication", "medicine"),
    ("surgery", "surgical", "operation", "operative"),
    ("supplementation", "supplement", "supplements", "supplemented"),
    ("diet", "dietary"),
    ("fall", "falls", "falling", "fallers"),
    ("diabetes", "diabetic"),
    ("obesity", "obese", "overweight"),
    ("smoking", "tobacco", "cigarette"),
    ("depression", "depressive", "depressed"),
    ("asthma", "asthmatic"),
    ("allergy", "allergic"),
    ("vomiting", "emesis"),
    ("pain", "analgesia", "analgesic"),
    ("fever", "febrile"),
    ("sleep", "insomnia"),
    ("breastfeeding", "breastfed", "breast-feeding"),
    ("prevent", "prevention", "prophylaxis", "prophylactic", "preventive"),
)
"""Everyday words and their counterparts in articles; general English of medicine, not of any one
disease.
"""


def fold(text: str) -> str:
    """Lower-case text without accents, Greek letters spelt out. Its length may differ from that of
    ``text``.
    """
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", text)
    plain = "".join(
        _GREEK.get(char, char) for char in plain.lower() if not unicodedata.combining(char)
    )
    return plain.replace("’", "'")


def words(text: str) -> list[str]:
    """The folded words of ``text``, hyphenated ones in their parts."""
    return _WORD.findall(fold(text))


_BRITISH = tuple(
    (re.compile(pattern), american)
    for pattern, american in (
        (r"(?<=[anhrcd])aem|(?<=^h)aem|(?<=yc)aem", "em"),
        (
            (
                r"(?<=^)oe(?=[sd])|(?<=rrh)oe|(?<=^f)oe(?=t)|(?<=am)oe(?=b)|(?<=pn)oe(?=a|i)|"
                r"(?<=^hom)oe"
            ),
            "e",
        ),
        (
            (
                r"(?<=^p)ae(?=d)|(?<=op)ae(?=d)|(?<=^f)ae(?=c)|(?<=gyn)ae(?=c)|(?<=^c)ae(?=s)|"
                r"(?<=^an)ae(?=s)|(?<=leuk)ae"
            ),
            "e",
        ),
        (
            (
                r"(?<=behavi)our|(?<=tum)our|(?<=col)our|(?<=lab)our|(?<=fav)our|(?<=od)our|"
                r"(?<=vap)our"
            ),
            "or",
        ),
        (r"(?<=[a-z]{3}[a-z])is(?=(?:e|es|ed|ing|ation|ations)$)", "iz"),
        (r"(?<=cent)re|(?<=lit)re|(?<=fib)re", "er"),
        (r"(?<=l)ys(?=(?:e|es|ed|ing)$)", "yz"),
        (r"(?<=em)ia(?=s?$)", "ic"),
        (r"^wellbeing$", "well-being"),
    )
)
"""British spellings and the American ones they are compared by, and nouns in -emia by their
adjectives in -emic.

The two need only meet, not look right.
"""

_NUMBERS = {
    word: str(number) for number, word in enumerate(words_of("numerals", "from_two"), start=2)
}
"""Numbers in words, which are compared in digits: "nine months" is "9-month". "One" is as often no
number.
"""


_NOT = re.compile(rf"^{NON}")
_POSITION = "position"
"""Porter's stemmer has one stem for this word and "positive"."""


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The Porter stem of a folded word, the same for British and American spellings; of a number in
    words its digits.
    """
    if number := _NUMBERS.get(word):
        return number
    if word.startswith(_POSITION):
        return _POSITION
    word = _NOT.sub("non", word)
    for pattern, american in _BRITISH:
        word = pattern.sub(american, word)
    return str(_stemmer().stemWord(word.removesuffix("'s")))


_OF_THREAD = threading.local()


def _stemmer() -> Any:
    """The stemmer of this thread: it holds the word it is at, so two threads that shared one would
    mix their words up.
    """
    try:
        return _OF_THREAD.stemmer
    except AttributeError:
        import snowballstemmer

        _OF_THREAD.stemmer = snowballstemmer.stemmer("porter")
        return _OF_THREAD.stemmer


@lru_cache(maxsize=1)
def synonym_stems() -> dict[str, frozenset[str]]:
    """The stems that are read as one with a stem, itself among them."""
    return {
        stem(word): frozenset(stem(other) for other in group)
        for group in _SYNONYMS
        for word in group
    }


def stems(text: str) -> list[str]:
    """The stems of all words of ``text``, in order."""
    return [stem(word) for word in words(text)]


def is_content(word: str) -> bool:
    """Return whether a word names something: not a function word, not a lone letter."""
    lower = fold(word)
    return lower not in FUNCTION_WORDS and (len(lower) > 1 or lower.isdigit())


def weight(word: str) -> float:
    """Return how much a word tells one question from another: 0 (nothing) to about 2 (an acronym or
    a long, special word).
    """
    lower = fold(word)
    if lower in FUNCTION_WORDS:
        return 0.0
    if lower in GENERIC_WORDS or lower.isdigit():
        return 0.2
    if lower in PEOPLE_WORDS or lower in MODIFIER_WORDS or len(lower) == 1:
        return 0.4
    if is_acronym(word):
        return 1.6
    return 1.0 + 0.08 * min(max(len(lower) - 5, 0), 8)


def is_acronym(word: str) -> bool:
    """Return whether a word is written like an acronym: at least two capitals, few other letters
    ("COPD", "mRNA", "TNFα").
    """
    capitals = sum(char.isupper() for char in word)
    return (
        capitals >= 2 and len(word) <= 10 and capitals * 2 >= sum(char.isalpha() for char in word)
    )


_IN_BRACKETS = re.compile(r"[(\[]\s*([A-Za-z0-9α-ω][\w+-]{1,11}?)s?\s*[)\],;]")


@lru_cache(maxsize=2048)
def acronyms(text: str) -> dict[str, str]:
    """Acronyms that ``text`` defines, with their long forms: "vitamin D (25OHD)" gives {"25OHD":
    "vitamin D"}.

    A long form is the shortest run of words before the bracket whose letters hold the acronym's
    letters in order, starting with its first (after A. S. Schwartz and M. A. Hearst, PSB 2003, in a
    simple form). The dictionary is kept for the next caller: it is not to be changed.
    """
    found: dict[str, str] = {}
    for match in _IN_BRACKETS.finditer(text):
        short = match.group(1)
        letters = [char for char in short.lower() if char.isalnum()]
        if not is_acronym(short) or len(letters) < 2:
            continue
        before = text[max(0, match.start() - 120) : match.start()].rstrip()
        long = _long_form(letters, re.split(r"[.;:()]\s", before)[-1])
        if long:
            found.setdefault(short, long)
    return found


def _long_form(letters: list[str], before: str) -> str | None:
    limit = min(len(letters) + 5, 2 * len(letters))
    starts = [match.start() for match in re.finditer(r"[^\W_]+", before)][-limit:]
    # A part of a hyphenated word begins a long form only where nothing else does.
    for start in sorted(starts, key=lambda at: (before[at - 1 : at] == "-", -at)):
        candidate = before[start:].lower()
        if candidate[0] != letters[0]:
            continue
        signs = iter(candidate)
        if all(letter in signs for letter in letters):  # in this order
            return before[start:].strip()
    return None


@dataclass(frozen=True)
class Vocabulary:
    """The stems of a text, with what its acronyms stand for; made once, asked many times.

    ``running`` holds the stems of the text alone in their order, a space around each; ``headings``
    the keys of the headings under which the text is indexed, where whoever made the vocabulary says
    so.
    """

    stems: frozenset[str]
    running: str = ""
    headings: frozenset[str] = frozenset()

    def has(self, wanted: str) -> bool:
        """Return whether a stem, or a synonym of it, stands in the text."""
        if wanted in self.stems:
            return True
        others = synonym_stems().get(wanted)
        return others is not None and not self.stems.isdisjoint(others)


def vocabulary(text: str, expansions: Mapping[str, str] | None = None) -> Vocabulary:
    """The vocabulary of ``text``; ``expansions`` are acronyms (`acronyms`) read as both their
    forms.
    """
    return _vocabulary(text, tuple((expansions or {}).items()))


_WITHOUT = re.compile(r"\b(?:without|free of|not have) (?:type \d )?([^\W\d_]+)")
"""Words before what somebody does not have: people "without diabetes" are non-diabetic."""


@lru_cache(maxsize=4096)
def _vocabulary(text: str, expansions: tuple[tuple[str, str], ...]) -> Vocabulary:
    folded = fold(text)
    in_order = [stem(word) for word in _WORD.findall(folded)]
    found = set(in_order)
    found.update(f"{stem(word)} {letter}" for word, letter in _LETTERED.findall(folded))
    found.update(stem(f"non{word}") for word in _WITHOUT.findall(folded))
    for short, long in expansions:
        short_stems, long_stems = set(stems(short)), set(stems(long))
        if short_stems <= found or long_stems <= found:
            found |= short_stems | long_stems
    return Vocabulary(frozenset(found), f" {' '.join(in_order)} ")


def words_as_written(text: str) -> list[str]:
    """The words of ``text`` as written, hyphenated ones in their parts."""
    return _WORD.findall(text)
