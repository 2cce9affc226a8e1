"""BM25 over bags of stems: how records held in memory are ranked, whether by a query, by plain
words or by a record.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from clinfo.text.stopwords import STOPWORDS
from clinfo.text.terms import stem, words

K1, B = 0.9, 0.4
"""BM25's parameters as Anserini sets them by default (P. Yang, H. Fang and J. Lin, SIGIR 2017)."""
_TELLING = 40
"""Stems of a record by which similar ones are looked for: those with the greatest weight in it."""


class Ranking:
    """BM25Plus, whose idf is never negative: BM25Okapi's is for a word in more than half of a small
    set of records.

    Records go by their place in ``bags``. All methods may be called from any thread.
    """

    def __init__(self, bags: Sequence[Sequence[str]]) -> None:
        from rank_bm25 import BM25Plus

        self._bags = bags
        self._postings: dict[str, set[int]] = {}
        for place, bag in enumerate(bags):
            for one in bag:
                self._postings.setdefault(one, set()).add(place)
        self._bm25 = BM25Plus(bags, k1=K1, b=B) if self._postings else None

    def known(self, stems: Iterable[str]) -> list[str]:
        """Those of ``stems`` that some record has, each once, in order."""
        return [stem for stem in dict.fromkeys(stems) if stem in self._postings]

    def having(self, stems: Iterable[str]) -> set[int]:
        """Places of the records that have any of ``stems``."""
        return set[int]().union(*(self._postings.get(stem, ()) for stem in stems))

    def scores(self, stems: Iterable[str], places: Sequence[int]) -> list[float]:
        """The score of each of ``places`` on the stems, each counted once; zeros where no record
        has any of them.
        """
        known = self.known(stems)
        if not known or self._bm25 is None:
            return [0.0] * len(places)
        # Rounded, so that sums of the same parts in another order are equal.
        return [
            round(float(score), 9) for score in self._bm25.get_batch_scores(known, list(places))
        ]

    def telling(self, place: int) -> list[str]:
        """The stems that tell most about a record: the heaviest by occurrences and rarity, heaviest
        first.
        """
        counts = Counter(self._bags[place])
        idf = self._bm25.idf if self._bm25 is not None else {}
        return sorted(
            counts,
            key=lambda stem: (-counts[stem] / (counts[stem] + K1) * idf.get(stem, 0.0), stem),
        )[:_TELLING]


def stems_of(text: str) -> list[str]:
    """The stems of a text's words but for those that PubMed does not index."""
    return [stem(word) for word in words(text) if word not in STOPWORDS]
