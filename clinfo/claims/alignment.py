"""A claim compared with the one or two sentences of an article that come closest to it, token by
token and in order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from difflib import Match, SequenceMatcher
from functools import lru_cache

from clinfo.claims.tokens import Token, expansions, tokens
from clinfo.lazy_dataclass import dataclass
from clinfo.records.articles import Article
from clinfo.terms.naming import descriptor_of
from clinfo.text.passages import Passage, passages
from clinfo.text.regex import regex

MOST_PASSAGES = 3
"""Passages of which two are tried together."""
LEAST_ALIKE, SHARE_ALIKE = 5, 0.75
"""Letters, and share of the longer key, that two forms of one word have in common at their
beginning.
"""
MOVED = 0.5
"""The weight of a token that the passages hold in another place."""
COST_OF_BLOCK = 0.5
"""Equal tokens that a claim must hold more of for each stretch it takes them from."""
LEAST_OF_EACH = 3
"""Tokens that a claim holds at least of each of two passages."""
_INFLECTED = """
e s z i y d n t ed er or ing al ic ical ly ate at ation ion is iz ise ize ive ivity ity ness ment ent ant enc anc ence ance abl able
ibl ial ied ies ar ous yz ys tion ification if u ur our r re
"""  # noqa: E501
_ENDINGS = frozenset(_INFLECTED.split()) | {""}
"""Endings of two keys of one word, behind their common beginning."""
_CLAUSE_END = regex(r"[;:,.()–—]|\s-\s|\b(?:and|while|whereas|although|but)\b")
_LABEL = regex(r"\A(?:[A-Z][A-Za-z /&,-]{2,60}:\s)?(?:\d{1,2}[.)]\s|\(\d{1,2}\)\s)?")


@dataclass(frozen=True, eq=False)
class Source:
    """A sentence of an article with its tokens."""

    passage: Passage
    text: str
    tokens: tuple[Token, ...]
    keys: frozenset[str]


@dataclass(frozen=True, eq=False)
class Reading:
    """An article read for comparison: its sentences, all keys of its words and numbers, its
    acronyms.
    """

    sources: tuple[Source, ...]
    keys: frozenset[str]
    longer: dict[str, str]


@dataclass(frozen=True)
class Edit:
    """A difference between claim and source: tokens [j1, j2) of the claim stand for [i1, i2) of the
    source, both possibly empty.

    ``before`` and ``after`` are how many equal tokens stand on either side, up to the next
    difference.
    """

    j1: int
    j2: int
    i1: int
    i2: int
    before: int
    after: int


@dataclass(frozen=True, eq=False)
class Alignment:
    """A claim beside ``sources``, one or two passages in the order of the claim.

    ``order`` holds the tokens of all of them, ``owner`` the passage of each (0 or 1); ``same``
    pairs the indices of equal tokens (claim, order); ``edits`` say where the two part, also before
    and after the aligned stretch.
    """

    claim: tuple[Token, ...]
    sources: tuple[Source, ...]
    order: tuple[Token, ...]
    owner: tuple[int, ...]
    same: tuple[tuple[int, int], ...]
    edits: tuple[Edit, ...]

    @property
    def nearness(self) -> float:
        """The share of the claim's tokens that the passages hold in its order, those held elsewhere
        counted half; 0 to 1.
        """
        if not self.claim:
            return 0.0
        mine, theirs = {j for j, _ in self.same}, {i for _, i in self.same}
        left = Counter(token.key for i, token in enumerate(self.order) if i not in theirs)
        moved = Counter(token.key for j, token in enumerate(self.claim) if j not in mine) & left
        return (len(self.same) + MOVED * moved.total()) / len(self.claim)


def read(article: Article) -> Reading:
    """The article's sentences with their tokens, made once."""
    return _read(article.title, article.abstract, article)


def align(text: str, reading: Reading) -> Alignment:
    """The claim ``text`` beside the passages that hold most of it in its order; none where nothing
    is shared.
    """
    words = tokens(text, reading.longer)
    keys = [token.key for token in words]
    wanted = set(keys)
    near = sorted(
        (source for source in reading.sources if wanted & source.keys),
        key=lambda source: _rank(source, wanted),
    )
    if not near:
        return Alignment(words, (), (), (), (), (Edit(0, len(words), 0, 0, 0, 0),) if words else ())
    matcher: SequenceMatcher[str] = SequenceMatcher(None, "", keys, autojunk=False)

    def score(order: tuple[Source, ...]) -> tuple[float, list[Match]]:
        matcher.set_seq1([token.key for source in order for token in source.tokens])
        blocks = matcher.get_matching_blocks()[:-1]
        if len(order) > 1 and not _joined_well(words, text, blocks, len(order[0].tokens)):
            return -1.0, blocks
        return sum(block.size for block in blocks) - COST_OF_BLOCK * len(blocks) - (
            len(order) - 1
        ), blocks

    tried: dict[tuple[Source, ...], tuple[float, list[Match]]] = {
        (source,): score((source,)) for source in near[:MOST_PASSAGES]
    }
    first = max(tried, key=lambda order: tried[order][0])[0]
    rest = _longest_gap(keys, tried[first,][1])
    if len(rest) >= LEAST_OF_EACH:
        second = min(
            (source for source in near if source is not first),
            key=lambda source: _rank(source, rest),
            default=None,
        )
        if second is not None:
            tried |= {order: score(order) for order in ((first, second), (second, first))}
    return _aligned(words, max(tried, key=lambda order: tried[order][0]), matcher)


def _rank(source: Source, keys: set[str]) -> tuple[int, bool, int]:
    """Of passages that hold as many of the keys, one of the abstract comes first, then a short
    one.
    """
    return -len(keys & source.keys), source.passage.field == "title", len(source.tokens)


def _longest_gap(keys: Sequence[str], blocks: Sequence[Match]) -> set[str]:
    """The keys of the longest stretch of a claim between equal blocks of some length."""
    gaps: list[list[str]] = []
    last = 0
    for start, end in [
        *((block.b, block.b + block.size) for block in blocks if block.size > 1),
        (len(keys), len(keys)),
    ]:
        gaps.append(list(keys[last:start]))
        last = end
    return set(sorted(gaps, key=len)[-1])


def _joined_well(claim: Sequence[Token], text: str, blocks: Sequence[Match], seam: int) -> bool:
    """Return whether a claim made of two passages holds enough of each and goes over from one to
    the other where a clause ends.
    """
    first = [block for block in blocks if block.a < seam]
    second = [block for block in blocks if block.a + block.size > seam]
    if any(sum(block.size for block in part) < LEAST_OF_EACH for part in (first, second)):
        return False
    seam_at = max(second[0].b, second[0].b + seam - second[0].a)
    before = claim[seam_at - 1].end if seam_at else 0
    return _CLAUSE_END.search(text[before : claim[seam_at].start]) is not None


def _aligned(
    words: tuple[Token, ...], sources: tuple[Source, ...], matcher: SequenceMatcher[str]
) -> Alignment:
    order = tuple(token for source in sources for token in source.tokens)
    owner = tuple(place for place, source in enumerate(sources) for _ in source.tokens)
    matcher.set_seq1([token.key for token in order])
    same: list[tuple[int, int]] = []
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            same += zip(range(j1, j2), range(i1, i2), strict=True)
        elif tag == "replace":
            same += _forms(words, order, range(j1, j2), range(i1, i2))
    same.sort()
    return Alignment(
        words, sources, order, owner, tuple(same), tuple(_edits(same, len(words), len(order)))
    )


def _forms(
    words: Sequence[Token], order: Sequence[Token], claim: range, source: range
) -> list[tuple[int, int]]:
    """The pairs of tokens, in order, that are two forms of one word."""
    found, first = [], source.start
    for j in claim:
        for i in range(first, source.stop):
            if (
                words[j].kind == order[i].kind == "word"
                and alike(words[j].key, order[i].key)
                and not _apart(words[j], order[i])
            ):
                found.append((j, i))
                first = i + 1
                break
    return found


def _apart(one: Token, other: Token) -> bool:
    """Return whether MeSH knows two words as names of different things."""
    first, second = descriptor_of(one.text), descriptor_of(other.text)
    return first is not None and second is not None and first != second


def _edits(same: Sequence[tuple[int, int]], claims: int, sources: int) -> list[Edit]:
    edits: list[Edit] = []
    runs: list[int] = []
    last = (-1, -1)
    run = 0
    for pair in (*same, (claims, sources)):
        if pair[0] > last[0] + 1 or pair[1] > last[1] + 1:
            edits.append(Edit(last[0] + 1, pair[0], last[1] + 1, pair[1], run, 0))
            runs.append(run)
            run = 0
        run += 1
        last = pair
    runs.append(run - 1)
    return [
        Edit(e.j1, e.j2, e.i1, e.i2, e.before, runs[place + 1]) for place, e in enumerate(edits)
    ]


def alike(one: str, other: str) -> bool:
    """Return whether two keys are forms of one word, as far as a common beginning tells."""
    if one == other:
        return True
    common = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        common += 1
    if common < LEAST_ALIKE or common < SHARE_ALIKE * max(len(one), len(other)):
        return False
    return one[common:] in _ENDINGS and other[common:] in _ENDINGS


@lru_cache(maxsize=512)
def _read(title: str, abstract: str, article: Article) -> Reading:
    longer = expansions(article)
    sources = []
    for passage in passages(article):
        text = (title if passage.field == "title" else abstract)[passage.start : passage.end]
        text = _LABEL.sub(lambda label: " " * len(label.group()), text, count=1)
        found = tokens(text, longer)
        sources.append(Source(passage, text, found, frozenset(token.key for token in found)))
    return Reading(tuple(sources), frozenset().union(*(source.keys for source in sources)), longer)
