"""A claim laid beside the one or two sentences of an article that come closest to it, word by word.

How much of the claim is found is the share of its words' weight (`clinfo.text.terms.weight`): names of drugs and diseases count
much, words that stand in every clinical article little, function words nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import permutations

from clinfo.records import Article, Section
from clinfo.text.claim_words import Token, alike, article_acronyms, tokens
from clinfo.text.passages import Passage, passages
from clinfo.text.terms import fold

MOST_PASSAGES = 3
_LABEL = re.compile(r"\A[A-Z][A-Z /&,-]{2,60}:")
LEAST_NAMED = 0.35
_INFLECTED = re.compile(r".{3,}(?:ed|ing|ly|er|est|ive|ful|ous|able|ible|ent|ant)\Z")
LEAST_GAIN = 0.12
"""A further passage is taken where it holds this share of the claim that those before it do not."""


@dataclass(frozen=True, eq=False)
class Source:
    """A sentence of an article with its words; ``keys`` are those of its tokens."""

    passage: Passage
    text: str
    tokens: tuple[Token, ...]
    keys: frozenset[str]


@dataclass(frozen=True)
class Reading:
    """An article read for comparison: its sentences, all keys of its words, and its acronyms with their long forms."""

    sources: tuple[Source, ...]
    keys: frozenset[str]
    expansions: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Edit:
    """Where claim and source part: the differing tokens of each, and how many equal ones stand right before and after."""

    claim: tuple[Token, ...]
    source: tuple[Token, ...]
    before: int
    after: int
    at: int
    """Index in the aligned source tokens."""
    following: str
    """Key of the claim's next equal token, "" at its end."""


@dataclass(frozen=True)
class Alignment:
    """The passages of an article closest to a claim, best first, and what of the claim stands in them.

    ``share`` is the part of the claim's weight found in these passages, ``share_of_article`` the part found anywhere in the
    article, both 0 to 1 (1 for a claim without telling words); ``missing`` are the claim's tokens that the article lacks.
    ``named`` is that part too, with words that look like verbs and adjectives counted half and words of every article not at all.
    ``verbatim`` is the share of the claim's tokens that the passages hold in the same order.
    """

    claim: tuple[Token, ...]
    sources: tuple[Source, ...]
    share: float
    share_of_article: float
    named: float
    verbatim: float
    missing: tuple[Token, ...]
    edits: tuple[Edit, ...]
    aligned: tuple[Token, ...]


def read(article: Article) -> Reading:
    """The article's sentences with their words, made once."""
    return _read(article.title, article.abstract)


@lru_cache(maxsize=512)
def _read(title: str, abstract: str) -> Reading:
    expansions = article_acronyms(f"{title}\n{abstract}")
    sources = []
    for passage in passages(Article(id="", title=title, sections=(Section(abstract),))):
        text = (title if passage.field == "title" else abstract)[passage.start : passage.end]
        text = _LABEL.sub(lambda label: " " * len(label.group()), text, count=1)
        found = tokens(text, expansions)
        sources.append(Source(passage, text, found, frozenset(token.key for token in found)))
    return Reading(tuple(sources), frozenset().union(*(source.keys for source in sources)), tuple(sorted(expansions.items())))


def align(claim: str, reading: Reading) -> Alignment:
    """`Alignment` of a claim with an article read."""
    words = tokens(claim, dict(reading.expansions))
    worth = {token.key: token.weight for token in words if token.weight > 0}
    everything = sum(worth.values())
    chosen: list[Source] = []
    held = [(source, _held(worth, source.keys)) for source in reading.sources]
    found: set[str] = set()
    while len(chosen) < MOST_PASSAGES and held:
        gains = [sum(worth[key] for key in keys - found) for _, keys in held]
        place = max(range(len(held)), key=lambda index: _rank(gains[index], held[index][0], index))
        if gains[place] <= 0 or (chosen and gains[place] < LEAST_GAIN * everything):
            break
        source, keys = held.pop(place)
        chosen.append(source)
        found |= keys
    anywhere = _held(worth, reading.keys)
    edits, order, verbatim = _edits(words, chosen)
    return Alignment(
        words,
        tuple(chosen),
        min(1.0, sum(worth[key] for key in found) / everything) if everything else 1.0,
        min(1.0, sum(worth[key] for key in anywhere) / everything) if everything else 1.0,
        _named(words, anywhere),
        verbatim,
        tuple(token for token in words if token.weight > 0 and token.key not in anywhere),
        edits,
        order,
    )


def _rank(gain: float, source: Source, index: int) -> tuple[float, bool, int, int]:
    """Of passages that hold as much, one of the abstract comes first, then a short one, then an early one."""
    return gain, source.passage.field == "abstract", -len(source.tokens), -index


def _named(words: Iterable[Token], found: set[str]) -> float:
    """The share of what the words name that is ``found``; 1 where they name nothing."""
    worth = {
        token.key: token.weight * (0.5 if _INFLECTED.match(fold(token.text)) else 1.0)
        for token in words
        if token.weight >= LEAST_NAMED
    }
    everything = sum(worth.values())
    return sum(value for key, value in worth.items() if key in found) / everything if everything else 1.0


def _held(wanted: Iterable[str], keys: frozenset[str]) -> set[str]:
    """Those of the wanted keys that stand among ``keys``, also in another form of the word."""
    found = set()
    for key in wanted:
        if key in keys or any(alike(key, other) for other in keys if other[:5] == key[:5]):
            found.add(key)
    return found


def _edits(claim: tuple[Token, ...], sources: Sequence[Source]) -> tuple[tuple[Edit, ...], tuple[Token, ...], float]:
    """The edits that turn the sources, in the order that needs fewest, into the claim; that order; the share kept."""
    if not claim or not sources:
        return (), (), 0.0
    orders = [*((source,) for source in sources), *permutations(sources, 2)]
    keys = [token.key for token in claim]
    matcher: SequenceMatcher[str] = SequenceMatcher(None, "", keys, autojunk=False)
    most, kept = -len(orders), 0
    source: tuple[Token, ...] = ()
    for order in orders:
        these = tuple(token for each in order for token in each.tokens)
        matcher.set_seq1([token.key for token in these])
        size = sum(block.size for block in matcher.get_matching_blocks())
        if size - len(order) > most:
            most, kept, source = size - len(order), size, these
    matcher.set_seq1([token.key for token in source])
    operations = matcher.get_opcodes()
    found = []
    for number, (kind, i1, i2, j1, j2) in enumerate(operations):
        if kind == "equal":
            continue
        before = operations[number - 1][2] - operations[number - 1][1] if number else 0
        after = operations[number + 1][2] - operations[number + 1][1] if number + 1 < len(operations) else 0
        following = keys[j2] if j2 < len(keys) else ""
        found.append(Edit(claim[j1:j2], source[i1:i2], before, after, i1, following))
    return tuple(found), source, kept / len(claim)
