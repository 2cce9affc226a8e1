"""One study, many papers: which articles report the same study, and which studies a review at hand
already lists.

Two articles report one study where PubMed links them as versions of each other (a preprint and what
it became, a review and its update), where they name the same registry number as their own, or where
a model read of both that they randomised as many people to the same two treatments. Rules that miss
a pair are preferred to rules that join two studies: a study counted twice shows in the
table, a study lost does not.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from types import MappingProxyType

from clinfo.evidence.design import LEVELS, POOLING, RETELLING
from clinfo.records.appraisal import StudyGroup, StudyOverlap
from clinfo.records.articles import Article, Summary
from clinfo.retrieval.registry import REVIEWS, registrations
from clinfo.text.words import key

NOTICES = frozenset({"Published Erratum", "Retraction of Publication"})
"""Publication types of notices about an article."""
_COMMENT = NOTICES | {"Comment", "Editorial", "News", "Review"}
"""Publication types of records that may name a trial's number without reporting the trial."""
_VERSIONS = frozenset(
    f"{kind}{way}"
    for kind in ("republished", "correctedandrepublished", "retractedandrepublished")
    for way in ("in", "from")
) | {"updatein", "updateof"}
"""Links between versions of one article, in lower case
(https://www.nlm.nih.gov/bsd/policy/errata.html).
"""
MOST_NUMBERS = 1
"""More numbers of one register than this are those of studies pooled or discussed, not of the study
reported.
"""

Designs = Mapping[str, str | None]
"""The design of each article, by id."""


def groups(
    articles: Sequence[Article],
    designs: Designs,
    read: Mapping[str, Summary] = MappingProxyType({}),
) -> tuple[StudyGroup, ...]:
    """The studies that ``articles`` (best rank first) report, by their best rank; an article alone
    is a group of one. ``read`` is what a model read of them, by id.

    Reviews are tied only by their own registration, never by the trials they name.
    """
    numbers = [own_numbers(article, designs.get(article.id)) for article in articles]
    leader = list(range(len(articles)))

    def lead(place: int) -> int:
        while leader[place] != place:
            place = leader[place]
        return place

    why: dict[tuple[int, int], str] = {}
    for one, other in combinations(range(len(articles)), 2):
        pair = articles[one], articles[other]
        reason = _same_study(*pair, numbers[one], numbers[other])
        if not reason and not (numbers[one] and numbers[other]):
            reason = _same_arms(*pair, designs, read)
        if reason:
            why[one, other] = reason
            first, second = sorted((lead(one), lead(other)))
            leader[second] = first
    members: dict[int, list[int]] = {}
    for place in range(len(articles)):
        members.setdefault(lead(place), []).append(place)
    return tuple(
        StudyGroup(
            tuple(articles[place].id for place in places),
            "; ".join(dict.fromkeys(why[pair] for pair in combinations(places, 2) if pair in why)),
            tuple(dict.fromkeys(number for place in places for number in numbers[place])),
        )
        for places in members.values()
    )


def overlaps(articles: Sequence[Article], designs: Designs) -> tuple[StudyOverlap, ...]:
    """Systematic reviews among ``articles`` that list other articles of them, in the order of
    ``articles``.

    A reference list holds more than the studies a review pools; that an article stands in it is all
    that a record tells. Other reviews are left out: a review cites earlier ones for its background.
    """
    pooling = [article for article in articles if designs.get(article.id) in POOLING]
    primary = {one.pmid: one.id for one in articles if one.pmid and one not in pooling}
    found = []
    for review in pooling:
        listed = set(review.references)
        held = tuple(id for pmid, id in primary.items() if pmid in listed or id in listed)
        if held:
            found.append(StudyOverlap(review.id, held))
    return tuple(found)


@lru_cache(maxsize=512)
def own_numbers(article: Article, design: str | None = None) -> tuple[str, ...]:
    """The registry numbers of the study that ``article`` reports, in order: those of PubMed's
    databank list, else those of the abstract.

    Empty for comments, guidelines and narrative reviews; a systematic review's are those of
    PROSPERO, any other study's those of the trial registers. Numbers of a register of which there
    are many (`MOST_NUMBERS`) are left out.
    """
    pooling = design in POOLING
    if design in RETELLING or (not pooling and _COMMENT.intersection(article.publication_types)):
        return ()
    texts = article.databank_numbers or (article.abstract,)
    found = {one.number: one.register for text in texts for one in registrations(text)}
    many = Counter(found.values())
    return tuple(
        number
        for number, register in found.items()
        if (register == REVIEWS) == pooling and many[register] <= MOST_NUMBERS
    )


def _same_study(one: Article, other: Article, numbers: Sequence[str], others: Sequence[str]) -> str:
    """Return why two articles report one study; "" where nothing says so."""
    if one.pmid in _versions(other) or other.pmid in _versions(one):
        return "they are versions of one article"
    shared = next((number for number in numbers if number in others), None)
    return f"both are registered as {shared}" if shared else ""


def _same_arms(one: Article, other: Article, designs: Designs, read: Mapping[str, Summary]) -> str:
    """Return why two articles report one randomised trial by what a model read of both; "" where
    nothing says so.
    """
    arms = {_arms(designs.get(each.id), read.get(each.id)) for each in (one, other)}
    told = read.get(one.id)
    if told is None or None in arms or len(arms) > 1:
        return ""
    return (
        f"both randomised {told.sample_size:,} people to {told.intervention} or {told.comparator}"
    )


def _arms(design: str | None, read: Summary | None) -> tuple[int, str, str] | None:
    """The people randomised, and what they were given; None where a part of it is not known."""
    randomised = design is not None and "randomised" in design and LEVELS.get(design) == 2
    if not randomised or read is None or not (read.intervention and read.comparator):
        return None
    arms = key(read.intervention), key(read.comparator)
    return (read.sample_size, *arms) if read.sample_size else None


def _versions(article: Article) -> frozenset[str]:
    """PMIDs of other versions of an article."""
    return frozenset(
        link.pmid
        for link in article.corrections
        if link.pmid and link.kind.strip().lower() in _VERSIONS and link.pmid != article.pmid
    )
