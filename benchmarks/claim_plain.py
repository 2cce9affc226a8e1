"""Plain errors in copied sentences: pairs for the benchmark of the judge of claims.

Sentences are copied from abstracts but for a harmless opening (`benchmarks.claim_rewording.copied`); some are left so, the others
get one edit of a kind that a reader would call plain: a foreign noun, another unit, a cause for an association. An article gives
one pair at most. What scripts cannot promise was read by eye on even PMIDs; see `benchmarks.claims`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from benchmarks.claim_figures import Edited
from benchmarks.claim_foreign import FOREIGN, Foreign, foreign_noun, read_foreign
from benchmarks.claim_numbers import NUMBER_EDITS
from benchmarks.claim_pairs import Pair
from benchmarks.claim_rewording import copied
from benchmarks.claim_sources import DATA, Candidate, candidates, read_articles, shuffled
from clinfo.records import Article

COPIED = "unedited near-verbatim"
PLAIN_KINDS = {
    **{f"foreign {name}": "foreign nouns" for name in FOREIGN},
    **dict.fromkeys(NUMBER_EDITS, "around numbers"),
}
"""What is done to a copied sentence, and the heading it is reported under."""
TRUE_COPIES = (COPIED,)
UNBARRED: tuple[str, ...] = ()
"""Kinds that are reported and held to no bar."""
_SCARCE_FIRST = ("sides of from and to", "number preposition", "counted noun changed", "foreign condition", "timing changed")
Edit = Callable[[str, Article, random.Random], Edited | None]


def build_plain(each: int = 100, seed: int = 0, half: str | None = None, data: Path = DATA) -> list[Pair]:
    """``each`` pairs of every kind and four times as many unedited, the same for the same arguments; fewer where articles lack."""
    order = shuffled(read_articles(half, data), seed)
    found = [sentences for article in order if (sentences := candidates(article))]
    foreign = read_foreign((candidate for sentences in found for candidate in sentences), data)
    pairs: list[Pair] = []
    for kind in sorted(PLAIN_KINDS, key=lambda kind: _SCARCE_FIRST.index(kind) if kind in _SCARCE_FIRST else 99):
        used = {pair.pmid for pair in pairs}
        left = [sentences for sentences in found if sentences[0].article.pmid not in used]
        pairs += _made(kind, left, _edit_of(kind, foreign), each, seed)
    used = {pair.pmid for pair in pairs}
    left = [sentences for sentences in found if sentences[0].article.pmid not in used]
    pairs += [_copy(sentences, seed) for sentences in left[: 4 * each]]
    return sorted(pairs, key=lambda pair: pair.id)


def _edit_of(kind: str, foreign: Foreign) -> Edit:
    if kind in NUMBER_EDITS:
        return NUMBER_EDITS[kind]
    name = kind.removeprefix("foreign ")
    return lambda text, article, draw: foreign_noun(name, text, article, foreign, draw)


def _made(kind: str, found: Iterable[Sequence[Candidate]], edit: Edit, count: int, seed: int) -> list[Pair]:
    """The first ``count`` articles that the edit fits, each with the first of its sentences, in an order drawn, that it fits."""
    pairs: list[Pair] = []
    for sentences in found:
        if len(pairs) == count:
            break
        pmid = sentences[0].article.pmid or ""
        draw = random.Random(f"{seed}:{pmid}:{kind}")
        for candidate in draw.sample(sentences, len(sentences)):
            plain = copied(candidate, draw)
            made = edit(plain, candidate.article, draw)
            if made is not None and made.text != plain:
                pairs.append(
                    Pair(f"{pmid}-{kind.replace(' ', '-')}", kind, made.text, candidate.article, pmid, candidate.text, plain,
                         made.old, made.new)
                )  # fmt: skip
                break
    return pairs


def _copy(sentences: Sequence[Candidate], seed: int) -> Pair:
    pmid = sentences[0].article.pmid or ""
    draw = random.Random(f"{seed}:{pmid}:{COPIED}")
    candidate = draw.choice(sentences)
    text = copied(candidate, draw)
    return Pair(f"{pmid}-copied", COPIED, text, candidate.article, pmid, candidate.text, text)
