"""The evidence table: one row a relevant article, in order of strength.

Guidelines and recent systematic reviews stand first, then the other articles by the level of their
design, newer before older, then by rank. Recent means published within `RECENT` years before the
newest relevant article, so a table made twice from the same articles is the same.

Two articles report one study where PubMed links them as versions of each other (a preprint and what
it became, a review and its update), where they name the same registry number as their own, or where
a model read of both that they randomised as many people to the same two treatments. Rules that miss
a pair are preferred to rules that join two studies: a study counted twice shows in the
table, a study lost does not.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from types import MappingProxyType
from typing import Final

from clinfo.evidence.design import (
    LEVELS,
    POOLING,
    RETELLING,
    level,
    plural,
    stated_design,
    strength,
)
from clinfo.records.appraisal import (
    Appraisal,
    Balance,
    EvidenceRow,
    Notice,
    StudyGroup,
    StudyOverlap,
)
from clinfo.records.articles import RESULTS, Article, Result, Study, Summary
from clinfo.retrieval.registry import REVIEWS, registrations
from clinfo.text.words import key

RECENT = 5
"""Years within which a systematic review is recent."""


def appraise(studies: Sequence[Study], notices: Sequence[Notice]) -> Appraisal:
    """The word of ``studies`` (best rank first) as a whole: the table, the strongest first, the
    groups of reports, what reviews list, the balance.

    A design comes from the summary's typed field, else from the record; ``notices`` go to the rows
    of their articles.
    """
    designs = {study.article.id: _design(study) for study in studies}
    articles = [study.article for study in studies]
    read = {study.article.id: study.summary for study in studies if study.summary}
    reports, listed = groups(articles, designs, read), overlaps(articles, designs)
    group = {id: number for number, found in enumerate(reports, 1) for id in found.ids}
    holders: dict[str, list[str]] = {}
    for overlap in listed:
        for id in overlap.studies:
            holders.setdefault(id, []).append(overlap.review)
    made = [
        _row(study, designs, group[study.article.id], holders.get(study.article.id, ()), notices)
        for study in studies
    ]
    newest = max((row.year for row in made if row.year is not None), default=None)
    table = tuple(sorted(made, key=lambda row: (row.unread, *_place(row, newest))))
    return Appraisal(table, reports, listed, balance(table))


def _design(study: Study) -> str | None:
    """The design that a model read, else what the record states."""
    read = study.summary.design if study.summary else None
    return read if read and read != "other" else stated_design(study.article)


def _place(row: EvidenceRow, newest: int | None) -> tuple[int, int, int]:
    """First guidelines, then recent systematic reviews, then by design; newer first within each."""
    recent = row.year is not None and newest is not None and newest - row.year <= RECENT
    first = 0 if row.design == "guideline" else 1 if row.design in POOLING and recent else 2
    return first, strength(row.design), -(row.year or 0)


def _row(
    study: Study,
    designs: Mapping[str, str | None],
    group: int,
    in_reviews: Sequence[str],
    notices: Sequence[Notice],
) -> EvidenceRow:
    article, read = study.article, study.summary or Summary("")
    design = designs[article.id]
    found, reason = level(design)
    return EvidenceRow(
        id=article.id,
        n=study.n,
        title=article.title,
        year=article.year,
        design=design,
        level=found,
        level_reason=reason,
        sample_size=read.sample_size,
        population=read.population,
        intervention=read.intervention,
        comparator=read.comparator,
        control=read.control,
        outcome=read.outcome,
        effect=read.effect,
        effect_direction=read.effect_direction,
        stance=read.stance,
        follow_up=read.follow_up,
        group=group,
        in_reviews=tuple(in_reviews),
        notices=tuple(notice for notice in notices if notice.id == article.id),
        unread=study.unread,
        analysed=read.analysed,
        result=read.result,
        usefulness=read.usefulness,
        answer=read.answer,
    )


WORDS: Final[dict[Result, str]] = {
    "found benefit": "found benefit",
    "harm": "found harm",
    "no clear difference": "found no clear difference",
    "mixed": "found mixed results",
    "not measured": "has no result on this",
}
"""Each result as it is said of studies."""
CONCERN: Final = {
    "expression of concern": "under an expression of concern",
    "preprint": "a preprint",
    "preprint with a published version": "a preprint with a published version",
    "cites retracted articles": "citing retracted articles",
    "retracted and republished": "retracted and republished",
}
"""Words on a source that a reader must see where it is named."""


LEAST_USEFUL: Final = 5
"""Usefulness, 0 to 10, from which a study counts: a study of one of two treatments that are
compared, or of another outcome, has less.
"""


def led(rows: Iterable[EvidenceRow]) -> tuple[tuple[EvidenceRow, tuple[int, ...]], ...]:
    """The rows that lead, in their order, each with the citation numbers of the study's further
    reports: one row a study.

    The first report leads, one without an expression of concern before others. Rows of group 0 are
    studies of their own.
    """
    groups: dict[int, list[EvidenceRow]] = {}
    for place, row in enumerate(rows):
        groups.setdefault(row.group or -1 - place, []).append(row)
    doubted = "expression of concern"
    leading = [
        (min(members, key=lambda row: any(one.kind == doubted for one in row.notices)), members)
        for members in groups.values()
    ]
    return tuple(
        (row, tuple(sorted(each.n for each in members if each is not row)))
        for row, members in leading
    )


def counting(rows: Iterable[EvidenceRow]) -> list[EvidenceRow]:
    """The rows that count, in their order: one a study, none retracted, unread or of little use."""
    kept = [row for row in rows if all(one.kind != "retracted" for one in row.notices)]
    return [row for row, _ in led(kept) if _counts(row)]


def answering(rows: Iterable[EvidenceRow]) -> list[EvidenceRow]:
    """The rows that count and whose result a model read; none that only tell of others' studies."""
    return [row for row in counting(rows) if row.result and row.design not in RETELLING]


def measuring(rows: Iterable[EvidenceRow]) -> list[EvidenceRow]:
    """The rows that answer and measured what is asked; a trial's report of a part of its people
    only where no other row did, as another report may tell of all.
    """
    found = [row for row in answering(rows) if row.result != "not measured"]
    return [row for row in found if not _of_a_part(row)] or found


def _of_a_part(row: EvidenceRow) -> bool:
    return row.effect is not None and bool(row.effect.subset) and row.design not in POOLING


def counted_as(rows: Sequence[EvidenceRow]) -> str:
    """Return "study", or "article" where one of them may pool another that is counted."""
    pooling = any(row.design in POOLING for row in rows)
    return "article" if pooling and len(rows) > 1 else "study"


def balance(rows: Sequence[EvidenceRow]) -> Balance | None:
    """The balance of ``rows``, strongest first; None where no model read a result."""
    studies = answering(rows)
    if not studies:
        return None
    measured = measuring(rows)
    lead = measured[0].n if measured else None
    silent = [row for row in studies if row.result == "not measured"]
    return Balance("result", lead, counted_results([*measured, *silent]))


def counted_results(studies: Sequence[EvidenceRow]) -> str:
    """The results in one sentence: "Of 14 studies that measured this, 11 found benefit and 3 found
    no clear difference."
    """
    counts = Counter(row.result for row in studies if row.result is not None)
    silent = counts.pop("not measured", 0)
    measured = counts.total()
    if not measured:
        return "No study retrieved has a result on this."
    told = [(counts[one], WORDS[one]) for one in RESULTS if counts[one]]
    word = counted_as([row for row in studies if row.result != "not measured"])
    named = plural(word)
    one = f"{f'The {word}' if measured == 1 else f'All {measured} {named}'} that measured this"
    text = (
        f"{one} {told[0][1]}"
        if len(told) == 1
        else f"Of {measured} {named} that measured this, {_listed(told)}"
    )
    has = "has" if silent == 1 else "have"
    return text + (f"; {silent} {has} no result on it." if silent else ".")


def _listed(told: Sequence[tuple[int, str]]) -> str:
    *first, last = [f"{count} {words}" for count, words in told]
    return f"{', '.join(first)} and {last}"


def _counts(row: EvidenceRow) -> bool:
    useful = row.usefulness is None or row.usefulness >= LEAST_USEFUL
    return useful and not row.unread


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
