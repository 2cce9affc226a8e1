"""What a claim says of all or of none ("all patients were cured", "never"), and whether an article says as much.

Only those who bear an outcome count: patients, cases, treated parts of the body, the studies of a review. "All-cause mortality",
"in all groups", "every 4 weeks", "no difference" and "nearly all" say nothing of all of them. An article bears a claim out where
one of its statements holds a universal of its own (also "20 of 20", "0 %", "no deaths") and most of the claim's words that its
abstract holds at all: "all took the tablets, and 60 % were cured" says nothing of a cure of all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from clinfo.records import Article
from clinfo.text.claim_consistency import statements
from clinfo.text.claim_universal_words import (
    AND_MORE,
    BEARER_WORDS,
    BEARERS,
    EVER,
    EXCEPTED,
    LIMITED,
    NEW_SUBJECT,
    NONE,
    NOT_EVER,
    POLICY,
    SHARE,
    SHARE_OF_ALL,
    STAYED,
)
from clinfo.text.claim_words import alike, tokens
from clinfo.text.figures import find_figures
from clinfo.text.polarity import inside, negated_spans
from clinfo.text.sentences import sentence_spans

LEAST_HELD = 0.6
"""Share of a claim's words on its matter, of those that the abstract holds, that must stand beside the article's universal."""
LONGEST = 20_000
"""Characters of a text that are looked at."""


@dataclass(frozen=True)
class Universal:
    """Words of a claim that speak of all or of none, the clause that they stand in, whether of studies, and whether of none."""

    written: str
    studies: bool
    none: bool
    clause: str


@dataclass(frozen=True)
class _Statement:
    """The keys of the words of one statement of an article.

    ``ever`` where it speaks of all or of none, ``none`` where it at least speaks of none, ``stayed`` where of who stayed to
    the end, ``title`` where it is the title.
    """

    keys: frozenset[str]
    ever: bool
    none: bool
    stayed: bool
    title: bool


@lru_cache(maxsize=256)
def universals(claim: str) -> tuple[Universal, ...]:
    """What ``claim`` says of all or of none of those who bear its outcome, in order; nothing in texts too long for a sentence."""
    return tuple(_universals(claim)) if len(claim) <= LONGEST else ()


def unmatched(claim: str, articles: Sequence[Article], studies: bool = True) -> str | None:
    """The first universal of ``claim``, as written, that none of ``articles`` bears out; None where each is, or there is none.

    Those that speak of studies are looked at only with ``studies``.
    """
    for universal in universals(claim):
        if (studies or not universal.studies) and not any(_borne_out(universal, claim, article) for article in articles):
            return universal.written
    return None


def _universals(claim: str) -> Iterator[Universal]:
    for clause in _parted(claim):
        excepted = [match.span() for match in EXCEPTED.finditer(clause)]
        for match in BEARERS.finditer(clause):
            before = clause[max(0, match.start() - 30) : match.start()]
            denies = re.match(r"no|never|not", match.group(), re.IGNORECASE) is not None
            if LIMITED.search(before) or inside(match.start(), excepted):
                continue
            if re.fullmatch(r"always|never", match.group(), re.IGNORECASE) and SHARE.search(clause, 0, match.start()):
                continue
            if POLICY.search(clause[: match.start()]):
                continue
            if not denies and inside(match.start(), negated_spans(clause)):
                continue
            if SHARE_OF_ALL.search(before) and any(sign.isdigit() for sign in clause):
                continue
            of_studies = any(match[name] for name in ("all", "every", "none", "no"))
            yield Universal(match.group(), of_studies, denies, clause)


def _borne_out(universal: Universal, claim: str, article: Article) -> bool:
    words = _keys(universal.clause.replace(universal.written, " ", 1))
    told = _told(article.title, article.abstract, bool(words))
    words = words or _keys(claim.replace(universal.written, " ", 1))
    held = [(statement, _held(words, statement.keys)) for statement in told]
    known = frozenset[str]().union(*(keys for statement, keys in held if not statement.title))
    stayed = STAYED.search(universal.clause)
    if (
        stayed is not None
        and not AND_MORE.search(universal.clause, stayed.end())
        and any(each.ever and each.stayed for each in told)
    ):
        return True
    return any(
        (statement.ever or (universal.none and statement.none)) and len(keys & known) >= LEAST_HELD * len(known)
        for statement, keys in held
    )


def _held(words: frozenset[str], keys: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words if word in keys or any(alike(word, key) for key in keys if key[:5] == word[:5]))


def _keys(text: str) -> frozenset[str]:
    return frozenset(token.key for token in tokens(text, {}) if token.weight > 0 and not BEARER_WORDS.match(token.text))


@lru_cache(maxsize=256)
def _told(title: str, abstract: str, parted: bool) -> tuple[_Statement, ...]:
    """The statements of an article; whole sentences where not ``parted``."""
    told = [(abstract[start:end], False) for start, end in sentence_spans(abstract[:LONGEST])]
    if parted:
        told = [(part, False) for sentence, _ in told for part in _parted(sentence)]
    told.append((title[:LONGEST], True))
    return tuple(_Statement(_keys(text), *_ever(text), STAYED.search(text) is not None, of_title) for text, of_title in told)


def _parted(text: str) -> Iterator[str]:
    for clause in statements(text):
        yield from filter(str.strip, NEW_SUBJECT.split(clause))


def _ever(text: str) -> tuple[bool, bool]:
    """Whether a statement speaks of all or of none, in words or by its figures; and whether it at least speaks of none."""
    plain = EXCEPTED.sub(" ", NOT_EVER.sub(" ", text))
    ever = EVER.search(plain) is not None
    for figure in () if ever else find_figures(text):
        whole = 100 if figure.kind == "percent" else figure.values[1] if figure.kind == "proportion" else None
        ever = ever or (whole is not None and figure.values[0] in (0, whole))
    return ever, NONE.search(plain) is not None
