"""The verdict of one article on one clause, by its wording: supported, another claim, or too free
for rules.

A clause is near its source where most of its words and numbers stand in one or two passages in the
same order. Only then do the rules say more than that nobody could vouch for it, but for numbers
that the article cannot have given.
"""

from __future__ import annotations

from collections.abc import Sequence

from clinfo.claims.alignment import Alignment, Reading, align, alike, read
from clinfo.claims.differences import Difference, differences
from clinfo.claims.numbers import Wrong, wrong_numbers
from clinfo.claims.opening import opening
from clinfo.claims.vouching import Silence, silence
from clinfo.lazy_dataclass import dataclass, replace
from clinfo.records.articles import Article, Span, Study, Verdict
from clinfo.text.terms import vocabulary, weight

NEAR = 0.7
"""Share of a clause's tokens that its passages must hold in its order for it to be near them: of
paraphrases written by hand of even PMIDs the closest hold 0.6, of edited sentences 98 in 100 hold
0.75 (`benchmarks.own.claims`)."""
LEAST_SHARED = 3
"""Tokens that a clause must share with its passages to be near them."""
ROOM = 2
"""Equal tokens around a difference from which it is sure that it stands for what the source has
there.
"""
LEAST_COPIED = 8
"""Tokens that a text must share with a study for it to be that study's sentence and no turn of
phrase.
"""
LONGEST = 6000
"""Characters of a clause from which it is not a sentence."""
UNVOUCHED = "no check could confirm this wording; read the passage"
MOST_NAMED = 3
_SILENT: dict[Silence, str] = {
    "asks": "asks about, aims at or names it without stating it",
    "background": "states it only as background",
}


@dataclass(frozen=True)
class Wording:
    """The verdict of study ``n`` on a clause, the reason, and the passages; ``wrong`` are numbers
    that cannot come from it.
    """

    n: int
    verdict: Verdict
    reason: str
    spans: tuple[Span, ...] = ()
    near: bool = False
    wrong: tuple[Wrong, ...] = ()


def worded(text: str, study: Study, source: str) -> Wording:
    """Return what ``study`` says to ``text``; ``source`` is what the reasons call it: "[2]", "the
    abstract".
    """
    if len(text) > LONGEST:
        return Wording(study.n, "not_verified", "the sentence is too long to judge")
    whole = _compared(text, study, source, [])
    begin, false = opening(text, study)
    if not begin or whole.verdict == "supported":
        return whole
    return _compared(text[begin:], study, source, false, text)


def _compared(
    said: str, study: Study, source: str, false: Sequence[Difference], claim: str = ""
) -> Wording:
    """Return what the study says to a text, ``false`` being what was found wrong with its opening,
    ``claim`` the text with its opening.

    A passage that only asks tells nothing, one of the background vouches for nothing: then the
    others are asked.
    """
    reading = read(study.article)
    first, alignment = _beside(said, study, source, false, reading)
    if not first.near:
        return first
    found = {
        silence(each.passage, each.text, claim or said, study.article) for each in alignment.sources
    }
    asks = "asks" in found
    if not (asks or ("background" in found and first.verdict in ("supported", "partial"))):
        return first
    telling = tuple(
        each
        for each in reading.sources
        if not silence(each.passage, each.text, claim or said, study.article)
    )
    second, _ = _beside(said, study, source, false, replace(reading, sources=telling))
    if second.verdict == "supported":
        return second
    why = f"{source} {_SILENT['asks' if asks else 'background']}; {UNVOUCHED}"
    return Wording(study.n, "not_verified", why, first.spans, near=True)


def _beside(
    said: str, study: Study, source: str, false: Sequence[Difference], reading: Reading
) -> tuple[Wording, Alignment]:
    """Return what the passages of a reading say to a text, and how it lies beside them."""
    alignment = align(said, reading)
    spans = tuple(
        Span(study.n, each.passage.field, each.passage.start, each.passage.end)
        for each in alignment.sources
    )
    if not _near(alignment):
        wrong = wrong_numbers(said, study.article)
        return Wording(study.n, "not_verified", UNVOUCHED, spans[:1], wrong=wrong), alignment
    found = [*false, *differences(said, alignment, reading)]
    hard = [each for each in found if each.level == "hard"]
    sure = [each for each in hard if each.room >= ROOM]
    if sure:
        turned = [each for each in sure if each.turns]
        why = "; ".join(
            dict.fromkeys(_told(each, source) for each in (turned or sure)[:MOST_NAMED])
        )
        return Wording(
            study.n, "contradicted" if turned else "unsupported", why, spans, near=True
        ), alignment
    if hard:
        return Wording(
            study.n,
            "not_verified",
            f"close to {source}, but {_parts(hard)}; {UNVOUCHED}",
            spans,
            near=True,
        ), alignment
    if found:
        return Wording(
            study.n, "partial", f"close to {source}, but {_parts(found)}", spans, near=True
        ), alignment
    return Wording(
        study.n, "supported", f"matches {source}, compared word by word", spans, near=True
    ), alignment


def worded_by(text: str, study: Study) -> bool:
    """Return whether a text of some length stands in a study so, with nothing that matters
    changed.
    """
    alignment = align(text, read(study.article))
    return (
        len(alignment.same) >= LEAST_COPIED
        and _near(alignment)
        and not differences(text, alignment, read(study.article))
    )


def names_all(text: str, article: Article) -> bool:
    """Return whether every telling word and number of a text stands in the article in some form: it
    may say the same in other words.
    """
    reading = read(article)
    known = vocabulary(f"{article.title}\n{article.abstract}")
    telling = (
        token
        for token in align(text, reading).claim
        if token.kind == "number" or weight(token.text) >= 1
    )
    return all(
        token.key in reading.keys
        or known.has(token.key)
        or any(alike(token.key, key) for key in reading.keys)
        for token in telling
    )


def unsaid(wrong: Sequence[Wrong], source: str) -> str:
    """The reason against numbers that cannot come from ``source``."""
    each = [
        f"{source} has {one.there}, not {one.written}"
        if one.there
        else f"{one.written} does not appear in {source}"
        for one in wrong
    ]
    return "; ".join(dict.fromkeys(each[:MOST_NAMED]))


def _near(alignment: Alignment) -> bool:
    return (
        len(alignment.same) >= min(LEAST_SHARED, len(alignment.claim))
        and bool(alignment.same)
        and alignment.nearness >= NEAR
    )


def _told(each: Difference, source: str) -> str:
    if each.sides:
        return f"{source} has the two sides of “{each.source}” in reverse"
    if each.moved:
        return f"{source} has “{each.claim}” in another place"
    if each.claim and each.source:
        return f"{source} says “{each.source}”, the sentence says “{each.claim}”"
    if each.claim:
        return f"{source} says it without “{each.claim}”"
    return f"{source} says “{each.source}”, which the sentence leaves out"


def _parts(found: Sequence[Difference]) -> str:
    named = [
        f"exchanges the sides of “{each.claim}”" if each.sides
        else f"says “{each.claim}” for “{each.source}”" if each.claim and each.source
        else f"adds “{each.claim}”" if each.claim
        else f"leaves out “{each.source}”"
        for each in found[:MOST_NAMED]
    ]  # fmt: skip
    return ", ".join(dict.fromkeys(named))
