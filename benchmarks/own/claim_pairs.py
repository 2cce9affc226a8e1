"""The pairs of the benchmark of claims: which sentence is compared with which article, and what was
done to it.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.own.claim_edits import KINDS, direction_flipped, negated, term_swapped
from benchmarks.own.claim_figures import Edited, figure_made_up, figure_of_abstract, figures
from benchmarks.own.claim_rewording import reformatted, restructured
from benchmarks.own.claim_sources import (
    DATA,
    Candidate,
    candidates,
    listed,
    read_articles,
    shuffled,
)
from benchmarks.own.claim_terms import Vocabulary, read_vocabulary, stands_in
from clinfo.records.articles import Article
from clinfo.text.sentences import sentences

UNEDITED, MOVED = "unedited", "citation moved"
CLASSES = ("figure", "direction and negation", "swapped terms", "moved citations")
_SCARCE_FIRST = (
    "population swapped",
    "outcome swapped",
    "drug swapped",
    "figure of the same abstract",
    "negated",
    "direction flipped",
    "made-up figure",
)


@dataclass(frozen=True)
class Pair:
    """A sentence, without its citation mark and last full stop, and the article it is compared
    with.

    ``kind`` is `UNEDITED`, a key of `KINDS` or "paraphrase"; ``source`` the sentence of the
    abstract it was made from ("" for a paraphrase), ``plain`` that sentence reworded and not
    edited; ``old`` and ``new`` what was put for what.
    """

    id: str
    kind: str
    sentence: str
    article: Article
    pmid: str
    """Of the abstract the sentence was made from."""
    source: str = ""
    plain: str = ""
    old: str = ""
    new: str = ""

    @property
    def group(self) -> str:
        """The class it is counted in."""
        return KINDS.get(self.kind, self.kind)

    @property
    def text(self) -> str:
        """The sentence as a synthesis has it, with its citation."""
        return f"{self.sentence} [1]."


def shares(count: int) -> dict[str, int]:
    """Return how many pairs of each kind: half unedited, a quarter of the rest for each class,
    shared out among its kinds.
    """
    edited = count - count // 2
    wanted = {UNEDITED: count // 2}
    for place, name in enumerate(CLASSES):
        kinds = [kind for kind, group in KINDS.items() if group == name]
        of_class = edited // len(CLASSES) + (place < edited % len(CLASSES))
        for number, kind in enumerate(kinds):
            wanted[kind] = of_class // len(kinds) + (number < of_class % len(kinds))
    return wanted


def build(
    count: int = 2000, seed: int = 0, half: str | None = None, data: Path = DATA
) -> list[Pair]:
    """The pairs, the same for the same arguments; fewer of a kind only where the articles do not
    give enough.
    """
    articles = read_articles(half, data)
    order = shuffled(articles, seed)
    vocabulary = read_vocabulary(data)
    wanted = Counter(shares(count))
    pairs: list[Pair] = []
    waiting: list[tuple[Article, Candidate]] = []
    for article in order:
        draw = random.Random(f"{seed}:{article.pmid}:sentence")
        found = candidates(article)
        if not found:
            continue
        candidate = draw.choice(found)
        if wanted[UNEDITED] and draw.random() < 0.5:
            wanted[UNEDITED] -= 1
            pairs.append(_unedited(candidate, draw))
        else:
            waiting.append((article, candidate))
    left, used = _edit_all([article for article, _ in waiting], wanted, vocabulary, seed)
    pairs.extend(left)
    for (
        name
    ) in CLASSES:  # what the articles do not give of one kind is taken of the others of its class
        short = {
            kind: wanted[kind]
            for kind, group in KINDS.items()
            if group == name and wanted[kind] and kind != MOVED
        }
        others = [
            kind
            for kind, group in KINDS.items()
            if group == name and kind not in short and kind != MOVED
        ]
        for place in range(sum(short.values()) if others else 0):
            wanted[others[place % len(others)]] += 1
        wanted.subtract(short)
    left, more = _edit_all(
        [article for article, _ in waiting if article.pmid not in used], wanted, vocabulary, seed
    )
    pairs.extend(left)
    movable = [candidate for article, candidate in waiting if article.pmid not in used | more]
    random.Random(f"{seed}:moved").shuffle(movable)
    pairs.extend(
        _moved(movable, [article for article, _ in articles], vocabulary, wanted[MOVED], seed)
    )
    return sorted(pairs, key=lambda pair: pair.id)


def _edit_all(
    articles: Sequence[Article], wanted: Counter[str], vocabulary: Vocabulary, seed: int
) -> tuple[list[Pair], set[str | None]]:
    """An edited pair of each article in turn, of the scarcest kind still wanted that fits it;
    ``wanted`` is counted down.
    """
    pairs: list[Pair] = []
    for article in articles:
        for kind in _SCARCE_FIRST:
            if wanted[kind] <= 0:
                continue
            pair = _edited(
                kind, article, vocabulary, random.Random(f"{seed}:{article.pmid}:{kind}")
            )
            if pair is not None:
                pairs.append(pair)
                wanted[kind] -= 1
                break
        if not any(wanted[kind] > 0 for kind in _SCARCE_FIRST):
            break
    return pairs, {pair.pmid for pair in pairs}


def _unedited(candidate: Candidate, draw: random.Random) -> Pair:
    pmid = candidate.article.pmid or ""
    text = reformatted(restructured(candidate, draw).text, draw)
    return Pair(f"{pmid}-unedited", UNEDITED, text, candidate.article, pmid, candidate.text, text)


def _edited(
    kind: str, article: Article, vocabulary: Vocabulary, draw: random.Random
) -> Pair | None:
    """The first sentence of the article, in an order drawn, that the edit fits."""
    found = candidates(article)
    draw.shuffle(found)
    pmid = article.pmid or ""
    for candidate in found:
        text = restructured(candidate, draw).text
        edit = _edit(kind, text, article, vocabulary, draw)
        if edit is None or edit.text == text:
            continue
        style = draw.random()
        written = reformatted(edit.text, random.Random(style))
        plain = reformatted(text, random.Random(style))
        return Pair(
            f"{pmid}-{kind.replace(' ', '-')}",
            kind,
            written,
            article,
            pmid,
            candidate.text,
            plain,
            edit.old,
            edit.new,
        )
    return None


def _edit(
    kind: str, text: str, article: Article, vocabulary: Vocabulary, draw: random.Random
) -> Edited | None:
    if kind == "made-up figure":
        return figure_made_up(text, article, draw)
    if kind == "figure of the same abstract":
        return figure_of_abstract(text, article, draw)
    if kind == "direction flipped":
        return direction_flipped(text, draw)
    if kind == "negated":
        return negated(text, draw)
    return term_swapped(kind.split()[0], text, article, vocabulary, draw)


def _moved(
    movable: Iterable[Candidate],
    pool: Sequence[Article],
    vocabulary: Vocabulary,
    count: int,
    seed: int,
) -> Iterator[Pair]:
    """The first ``count`` sentences that can be cited to the nearest other article by BM25, so
    cited.
    """
    from rank_bm25 import BM25Okapi

    if count <= 0:
        return
    ranker = BM25Okapi([_words(f"{article.title} {article.abstract}") for article in pool])
    for candidate in movable:
        pmid = candidate.article.pmid or ""
        draw = random.Random(f"{seed}:{pmid}:{MOVED}")
        text = restructured(candidate, draw).text
        scores = ranker.get_scores(_words(text))
        nearest = next(pool[place] for place in scores.argsort()[::-1] if pool[place].pmid != pmid)
        if not _foreign(text, nearest, vocabulary):
            continue
        written = reformatted(text, draw)
        yield Pair(
            f"{pmid}-citation-moved",
            MOVED,
            written,
            nearest,
            pmid,
            candidate.text,
            written,
            pmid,
            nearest.pmid or "",
        )
        count -= 1
        if not count:
            return


def _foreign(text: str, other: Article, vocabulary: Vocabulary) -> bool:
    """Return whether a figure or a term of the sentence is not in the other article, and no
    sentence there has most of its words.
    """
    whole = f"{other.title}. {other.abstract}"
    numbers = {raw.replace(",", "") for raw in re.findall(r"\d[\d,]*(?:\.\d+)?", whole)}
    new_figure = any(
        figure.text.replace(",", "") not in numbers
        for figure in figures(text)
        if not figure.kind.startswith("p ")
    )
    new_term = any(
        not stands_in(term.text, whole)
        for kind in ("drug", "outcome")
        for term in vocabulary.terms(text, kind)
    )
    if not new_figure and not new_term:
        return False
    words = {word[:6] for word in _words(text) if len(word) > 3}
    return all(
        len(words & {word[:6] for word in _words(sentence)}) < 0.6 * len(words)
        for sentence in [other.title, *sentences(other.abstract)]
    )


_STOP = listed(
    "a an the of in and or to with for was were is are be by on at from that this these those it "
    "as not no than had has "
    "have been their there which who between after during both also did but we our its all any "
    "authors found study"
)


def _words(text: str) -> list[str]:
    return [word for word in re.findall(r"[a-z0-9]+", text.lower()) if word not in _STOP]
