"""The MeSH headings nearest to a text that is not a heading: what the writer of a query may have
meant.

Candidates are the descriptors that share words with the text, rare words counting more; rapidfuzz
then compares the text with each of their names.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from clinfo.records.articles import MeshDescriptor
from clinfo.text.stopwords import STOPWORDS
from clinfo.text.words import words

CANDIDATES = 150
"""Descriptors whose names are compared with the text."""
FAR = 50.0
"""Score of 100 below which a heading is not like the text."""
MISSPELT = 80.0
"""Similarity of 100 from which a word may be another one misspelt, or another form of it."""
MOST_WORDS = 12
"""Words of the text that are looked at."""
_BY_WORDS, _BY_LETTERS = 0.75, 0.25
_BY_ENTRY_TERM = 0.9
"""An entry term says a little less than a heading that is as near."""
_WHOLE_NAME = 60.0
"""Least likeness of a name that stands whole in the text and is a good part of it ("asthma attacks
in kids").
"""
_OF_A_WORD_NOT_SHARED = 5.0
"""Weight of a name's word that is not in the text: that of a word which about 200 of 30,000
descriptors bear.
"""


Bearing = Callable[[Sequence[str]], Mapping[str, Sequence[int]]]
"""For each of some words that occurs in any name: the numbers of the descriptors in whose names it
does.
"""


def nearest(
    bearing: Bearing,
    vocabulary: Callable[[], Sequence[str]],
    numbered: Callable[[Sequence[int]], Mapping[int, MeshDescriptor]],
    total: int,
    text: str,
    limit: int,
) -> tuple[str, ...]:
    """At most ``limit`` headings of a table of so many descriptors, nearest first; of headings
    equally near the one with the lowest number first.
    """
    asked = _content(words(text))[:MOST_WORDS]
    if not asked or limit < 1:
        return ()
    likeness, weight = _forms(bearing, vocabulary, total, asked)
    shared: dict[int, float] = {}
    for word in asked:
        of_word: dict[int, float] = {}
        for form, numbers in bearing(list(likeness[word])).items():
            worth = weight[word] * likeness[word][form]
            for number in numbers:
                of_word[number] = max(of_word.get(number, 0.0), worth)
        for number, worth in of_word.items():
            shared[number] = shared.get(number, 0.0) + worth
    best = sorted(shared, key=lambda number: (-shared[number], number))[:CANDIDATES]
    return _best(asked, numbered(sorted(best)).values(), limit, likeness, weight)


def ranked(text: str, descriptors: Sequence[MeshDescriptor], limit: int) -> tuple[str, ...]:
    """At most ``limit`` headings of ``descriptors``, nearest to ``text`` first, none that is far;
    every word weighs the same.
    """
    asked = _content(words(text))[:MOST_WORDS]
    if not asked or limit < 1:
        return ()
    borne = {
        word
        for one in descriptors
        for name in (one.heading, *one.entry_terms)
        for word in words(name)
    }
    from rapidfuzz import fuzz, process

    likeness: dict[str, dict[str, float]] = {}
    for word in asked:
        close = process.extract(
            word, sorted(borne), scorer=fuzz.ratio, score_cutoff=MISSPELT, limit=None
        )
        likeness[word] = {other: ratio / 100 for other, ratio, _ in close}
    return _best(asked, descriptors, limit, likeness, dict.fromkeys(asked, _OF_A_WORD_NOT_SHARED))


def _best(
    asked: Sequence[str],
    descriptors: Iterable[MeshDescriptor],
    limit: int,
    likeness: Mapping[str, Mapping[str, float]],
    weight: Mapping[str, float],
) -> tuple[str, ...]:
    sought, total = " ".join(asked), sum(weight.values())
    scored: list[tuple[float, int, str]] = []
    for place, one in enumerate(descriptors):
        score = max(
            _score(sought, total, _content(words(name)), likeness, weight)
            * (1.0 if name is one.heading else _BY_ENTRY_TERM)
            for name in (one.heading, *one.entry_terms)
        )
        if score >= FAR:
            scored.append((-score, place, one.heading))
    return tuple(dict.fromkeys(heading for _, _, heading in sorted(scored)))[:limit]


def _forms(
    bearing: Bearing, vocabulary: Callable[[], Sequence[str]], total: int, asked: Sequence[str]
) -> tuple[dict[str, dict[str, float]], dict[str, float]]:
    """For each word the words of MeSH it may stand for, with their likeness (0 to 1), and the
    word's own weight.
    """
    from rapidfuzz import fuzz, process

    known = dict(bearing([form for word in asked for form in (word, *_numbers_of(word))]))
    likeness: dict[str, dict[str, float]] = {}
    weight: dict[str, float] = {}
    for word in asked:
        forms = {form: 0.95 for form in _numbers_of(word) if form in known}
        if word in known:
            forms[word] = 1.0
        elif not forms and len(word) > 3:
            close = process.extract(
                word, vocabulary(), scorer=fuzz.ratio, score_cutoff=MISSPELT, limit=4
            )
            forms = {other: ratio / 100 for other, ratio, _ in close}
            known |= bearing(list(forms))
        likeness[word] = forms
        borne = min((len(known[form]) for form in ([word] if word in known else forms)), default=1)
        weight[word] = math.log(1 + total / borne)
    return likeness, weight


def _score(
    sought: str,
    total: float,
    name: Sequence[str],
    likeness: Mapping[str, Mapping[str, float]],
    weight: Mapping[str, float],
) -> float:
    """Of 100: the weight of the words that both have as a share of the weight of all, and the
    likeness of the letters.
    """
    from rapidfuzz import fuzz

    of_name, shared, taken = 0.0, 0.0, set[str]()
    for own in name:
        found = max(
            ((forms.get(own, 0.0), word) for word, forms in likeness.items() if word not in taken),
            default=(0.0, ""),
        )
        if found[0]:
            taken.add(found[1])
            shared += weight[found[1]] * found[0]
            of_name += weight[found[1]]
        else:
            of_name += _OF_A_WORD_NOT_SHARED
    by_words = 200 * shared / (total + of_name)
    if len(taken) == len(name) and shared >= total / 4:
        by_words = max(by_words, _WHOLE_NAME)
    return _BY_WORDS * by_words + _BY_LETTERS * fuzz.token_sort_ratio(sought, " ".join(name))


def _content(all_words: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(word for word in all_words if word not in STOPWORDS)) or list(
        dict.fromkeys(all_words)
    )


def _numbers_of(word: str) -> list[str]:
    """The word in the other grammatical number, by the commonest rules of English."""
    if len(word) < 4:
        return []
    forms = [f"{word}s", f"{word}es"]
    if word.endswith("s"):
        forms.append(word[:-1])
    if word.endswith("es"):
        forms.append(word[:-2])
    if word.endswith("ies"):
        forms.append(word[:-3] + "y")
    if word.endswith("y"):
        forms.append(word[:-1] + "ies")
    return forms
