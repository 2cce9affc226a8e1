"""Plain errors in copied sentences: pairs for the benchmark of the judge of claims.

Sentences are copied from abstracts but for a harmless opening
(`benchmarks.own.claim_rewording.copied`); some are left so, the others
get one edit of a kind that a reader would call plain: a foreign noun, another unit, a cause for an
association. An article gives one pair at most. What scripts cannot promise was read by eye on even
PMIDs; see `benchmarks.own.claims`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from pathlib import Path

from benchmarks.own.claim_designs import DESIGN_EDITS, true_opening
from benchmarks.own.claim_figures import Edited
from benchmarks.own.claim_foreign import FOREIGN, Foreign, foreign_noun, read_foreign
from benchmarks.own.claim_numbers import NUMBER_EDITS
from benchmarks.own.claim_pairs import Pair
from benchmarks.own.claim_phrases import HEDGE, PHRASE_EDITS
from benchmarks.own.claim_rewording import TOLD, after, copied
from benchmarks.own.claim_sources import DATA, Candidate, candidates, read_articles, shuffled
from clinfo.records.articles import Article

COPIED, OPENED = "unedited near-verbatim", "unedited with its true design"
PLAIN_KINDS = {
    **{f"foreign {name}": "foreign nouns" for name in FOREIGN},
    **dict.fromkeys(NUMBER_EDITS, "around numbers"),
    **dict.fromkeys(DESIGN_EDITS, "designs"),
    **dict.fromkeys(PHRASE_EDITS, "words of the claim"),
    HEDGE: "hedges",
}
"""The change made to a copied sentence, and the heading it is reported under."""
TRUE_COPIES = (COPIED, OPENED)
UNBARRED = (HEDGE,)
"""Kinds that are reported and held to no bar."""
_SCARCE_FIRST = (
    "sides of from and to",
    "all for a subgroup",
    "all for some or most",
    "cause for association",
    "number preposition",
    "trial put over another design",
    "figures of versus swapped",
    "arms swapped",
    "counted noun changed",
    "population changed",
    "other design put over a trial",
    "foreign condition",
    HEDGE,
    "timing changed",
)
Edit = Callable[[str, Article, random.Random], Edited | None]


def build_plain(
    each: int = 100, seed: int = 0, half: str | None = None, data: Path = DATA
) -> list[Pair]:
    """``each`` pairs of every kind, twice as many copies with their true design in front and four
    times as many plain copies.

    The same for the same arguments; fewer where the articles do not give enough.
    """
    order = shuffled(read_articles(half, data), seed)
    found = [sentences for article in order if (sentences := candidates(article))]
    foreign = read_foreign((candidate for sentences in found for candidate in sentences), data)
    pairs = _copies(OPENED, found, 2 * each, seed)
    rank = {kind: place for place, kind in enumerate(_SCARCE_FIRST)}
    for kind in sorted(PLAIN_KINDS, key=lambda kind: rank.get(kind, len(rank))):
        pairs += _made(kind, _unused(found, pairs), _edit_of(kind, foreign), each, seed)
    pairs += _copies(COPIED, _unused(found, pairs), 4 * each, seed)
    return sorted(pairs, key=lambda pair: pair.id)


def _unused(
    found: Iterable[Sequence[Candidate]], pairs: Iterable[Pair]
) -> list[Sequence[Candidate]]:
    """The sentences of the articles that no pair is of."""
    used = {pair.pmid for pair in pairs}
    return [sentences for sentences in found if sentences[0].article.pmid not in used]


def _edit_of(kind: str, foreign: Foreign) -> Edit:
    if (edit := (NUMBER_EDITS | DESIGN_EDITS | PHRASE_EDITS).get(kind)) is not None:
        return edit
    name = kind.removeprefix("foreign ")
    return lambda text, article, draw: foreign_noun(name, text, article, foreign, draw)


def _made(
    kind: str, found: Iterable[Sequence[Candidate]], edit: Edit, count: int, seed: int
) -> list[Pair]:
    """The first ``count`` articles that the edit fits, each with the first of its sentences, in an
    order drawn, that it fits.
    """
    pairs: list[Pair] = []
    for sentences in found:
        if len(pairs) == count:
            break
        pmid = sentences[0].article.pmid or ""
        draw = random.Random(f"{seed}:{pmid}:{kind}")
        for candidate in draw.sample(sentences, len(sentences)):
            plain = after("", candidate) if kind in DESIGN_EDITS else copied(candidate, draw)
            made = edit(plain, candidate.article, draw)
            if made is not None and made.text != plain:
                text = made.text[0].upper() + made.text[1:]
                pairs.append(
                    Pair(
                        f"{pmid}-{kind.replace(' ', '-')}",
                        kind,
                        text,
                        candidate.article,
                        pmid,
                        candidate.text,
                        plain,
                        made.old,
                        made.new,
                    )
                )
                break
    return pairs


def _copies(kind: str, found: Iterable[Sequence[Candidate]], count: int, seed: int) -> list[Pair]:
    """The first ``count`` copies of a kind that can be made, one of an article."""
    made = (_copy(kind, sentences, seed) for sentences in found)
    return list(islice((pair for pair in made if pair is not None), count))


def _copy(kind: str, sentences: Sequence[Candidate], seed: int) -> Pair | None:
    """A sentence left as it is, drawn of those of an article; with the article's design in front,
    None where that is not known.
    """
    article = sentences[0].article
    pmid = article.pmid or ""
    draw = random.Random(f"{seed}:{pmid}:{kind}")
    candidate = draw.choice(sentences)
    if kind == COPIED:
        text = copied(candidate, draw)
        return Pair(f"{pmid}-copied", kind, text, article, pmid, candidate.text, text)
    opening = true_opening(article)
    if not opening or TOLD.match(candidate.text):
        return None
    text = after(opening, candidate)
    return Pair(f"{pmid}-opened", kind, text, article, pmid, candidate.text, text)
