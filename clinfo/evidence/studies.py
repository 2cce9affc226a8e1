"""One study, many papers: which articles report the same study, and which studies a review at hand
already lists.

Two articles report one study where PubMed links them as versions of each other (a preprint and what
it became, a review and its update), where they name the same registry number or the same study
("HERS") as their own, where one is the protocol of the other, or
where authors, number of participants and treatment are the same. Rules that miss a pair are
preferred to rules that join two studies: a study counted twice shows in the table, a study lost
does not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import combinations

from clinfo.lazy_dataclass import dataclass
from clinfo.records.appraisal import StudyGroup, StudyOverlap
from clinfo.records.articles import Article, Author
from clinfo.text.abstracts import abstract_sentences
from clinfo.text.design import study_design
from clinfo.text.lexicon import either
from clinfo.text.regex import anycase, regex
from clinfo.text.registry import REVIEWS, registrations
from clinfo.text.sample_size import sample_size
from clinfo.text.study_names import study_names
from clinfo.text.study_question import study_question
from clinfo.text.terms import GENERIC_WORDS, is_content, stem, stems, words

POOLING = frozenset({"systematic review and meta-analysis", "meta-analysis", "systematic review"})
"""Designs that pool other studies: they report none of them, and may hold them in their reference
list.
"""
_REPORTS_NOTHING = frozenset({"narrative review", "guideline", "editorial or letter"})
_COMMENT = frozenset(
    {"Comment", "Editorial", "News", "Review", "Published Erratum", "Retraction of Publication"}
)
"""Publication types of records that may name a trial's number without reporting the trial."""
_VERSIONS = frozenset(
    f"{kind}{way}"
    for kind in ("republished", "correctedandrepublished", "retractedandrepublished")
    for way in ("in", "from")
) | {"updatein", "updateof"}
"""Links between versions of one article, in lower case
(https://www.nlm.nih.gov/bsd/policy/errata.html).
"""
MOST_NUMBERS = 2
"""More numbers of one register than this are those of studies pooled or discussed, not of the study
reported.
"""
LEAST_SIZE = 15
"""Fewer participants than this are too often the same by chance to tell that two articles report
one study.
"""
MOST_YEARS = 8
"""Years between two reports of one study that are not tied by a registry number."""

_TELLING_SIZE = 300
"""Participants from which two studies of one author seldom have the same number, if not a round
one."""
_OTHERS = anycase(
    r"\b(?:previous(?:ly)?|prior|earlier|preceding|other|another|ongoing|under ?way|future|unlike|"
    r"similar|separate|"
    r"subsequent)\b[^.;]*$"
)
_PARENT = anycase(
    r"\b(?:extension|roll-?over|long-?term follow-?up|follow-?up (?:study|of)|continuation|parent "
    r"(?:study|trial)|sub-?study|"
    r"ancillary|secondary analysis|post[- ]hoc)\b"
)
_DRUG = regex(rf"\w{{2}}(?:{either('drug_endings', 'studies')})\Z")
_KIND_OF_REPORT = frozenset(
    stems(
        "protocol design rationale study trial randomised randomized controlled clinical results "
        "pilot feasibility cluster blind"
    )
)


def groups(articles: Sequence[Article]) -> tuple[StudyGroup, ...]:
    """The studies that ``articles`` (best rank first) report, by their best rank; an article alone
    is a group of one.

    Reviews are tied only by their own registration, never by the trials they name.
    """
    reports = [_Report(article) for article in articles]
    leader = list(range(len(reports)))

    def lead(place: int) -> int:
        while leader[place] != place:
            place = leader[place]
        return place

    why: dict[tuple[int, int], str] = {}
    for one, other in _candidates(reports):
        reason = _same_study(reports[one], reports[other])
        if reason:
            why[one, other] = reason
            first, second = sorted((lead(one), lead(other)))
            if not _kept_apart(
                reports, [place for place in range(len(reports)) if lead(place) in (first, second)]
            ):
                leader[second] = first
    members: dict[int, list[int]] = {}
    for place in range(len(reports)):
        members.setdefault(lead(place), []).append(place)
    return tuple(
        _group([reports[place] for place in places], _reasons(places, why))
        for places in members.values()
    )


def overlaps(articles: Sequence[Article]) -> tuple[StudyOverlap, ...]:
    """Systematic reviews among ``articles`` that list other articles of them, in the order of
    ``articles``.

    A reference list holds more than the studies a review pools; that an article stands in it is all
    that a record tells. Other reviews are left out: a review cites earlier ones for its background.
    """
    primary = {
        article.pmid: article.id
        for article in articles
        if article.pmid and study_design(article) not in POOLING
    }
    found = []
    for review in articles:
        if study_design(review) in POOLING:
            listed = set(review.references)
            held = tuple(
                id
                for pmid, id in primary.items()
                if (pmid in listed or id in listed) and id != review.id
            )
            if held:
                found.append(StudyOverlap(review.id, held))
    return tuple(found)


@lru_cache(maxsize=512)
def own_numbers(article: Article) -> tuple[tuple[str, str], ...]:
    """The registry numbers under which the study that ``article`` reports is registered, each with
    its register, in order.

    Empty for comments, guidelines and narrative reviews; a systematic review's are those of
    PROSPERO, any other study's those of the trial registers. Numbers of other studies ("an ongoing
    trial (NCT…)") are left out, and so are those of a register where the abstract names many
    (`MOST_NUMBERS`).
    """
    design = study_design(article)
    pooling = design in POOLING
    if design in _REPORTS_NOTHING or (
        not pooling and _COMMENT.intersection(article.publication_types)
    ):
        return ()
    found: dict[str, str] = {}
    for text in article.databank_numbers:
        found.update((each.number, each.register) for each in registrations(text))
    abstract = article.abstract
    for each in registrations(abstract):
        if not _OTHERS.search(abstract, max(0, each.start - 90), each.start):
            found.setdefault(each.number, each.register)
    kept = {
        number: register for number, register in found.items() if (register == REVIEWS) == pooling
    }
    many = {register for register, count in Counter(kept.values()).items() if count > MOST_NUMBERS}
    return tuple((number, register) for number, register in kept.items() if register not in many)


@dataclass(frozen=True)
class _Report:
    """An article with what ties it to others."""

    article: Article

    @cached_property
    def numbers(self) -> Mapping[str, frozenset[str]]:
        """Own numbers by register."""
        found: dict[str, set[str]] = {}
        for number, register in own_numbers(self.article):
            found.setdefault(register, set()).add(number)
        return {register: frozenset(held) for register, held in found.items()}

    @cached_property
    def named(self) -> Mapping[str, frozenset[str]]:
        """The own name of its study, with the stems of the long form."""
        return study_names(self.article)

    @cached_property
    def versions(self) -> frozenset[str]:
        """PMIDs of its other versions."""
        links = (
            link for link in self.article.corrections if link.kind.strip().lower() in _VERSIONS
        )
        return frozenset(
            link.pmid for link in links if link.pmid and link.pmid != self.article.pmid
        )

    @cached_property
    def primary(self) -> bool:
        """Return whether it reports a study of its own, as far as its record says."""
        none = self.design in POOLING or self.design in _REPORTS_NOTHING
        return not none and not _COMMENT.intersection(self.article.publication_types)

    @cached_property
    def design(self) -> str | None:
        return study_design(self.article)

    @cached_property
    def size(self) -> int | None:
        return sample_size(self.article)

    @cached_property
    def given(self) -> str:
        return study_question(self.article).intervention or ""

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(_name(author) for author in self.article.authors if not author.collective)

    @cached_property
    def title(self) -> frozenset[str]:
        """Stems of the title's content words, without those that say what kind of report it is."""
        return frozenset(stems(self.article.title)) - _KIND_OF_REPORT

    @cached_property
    def told(self) -> frozenset[str]:
        """Stems of title and abstract that tell what was given to whom."""
        text = f"{self.article.title} " + " ".join(
            sentence.text for sentence in abstract_sentences(self.article)
        )
        return frozenset(
            stems(
                " ".join(
                    word for word in words(text) if is_content(word) and word not in GENERIC_WORDS
                )
            )
        )


def _candidates(reports: Sequence[_Report]) -> Iterator[tuple[int, int]]:
    """Pairs that share a registry number, a study's name or an author or are versions of one
    article: others cannot be one.
    """
    by_key: dict[str, list[int]] = {}
    for place, report in enumerate(reports):
        own = {report.article.pmid} if report.article.pmid else set()
        versions = {f"version {pmid}" for pmid in own | report.versions}
        for key in {
            *(f"study {name}" for name in report.named),
            *(number for held in report.numbers.values() for number in held),
            *report.names,
            *versions,
        }:
            by_key.setdefault(key, []).append(place)
    yield from sorted({pair for places in by_key.values() for pair in combinations(places, 2)})


def _kept_apart(reports: Sequence[_Report], places: Sequence[int]) -> bool:
    """Return whether two of these reports have other numbers in one register: a third one, which
    pools both studies, joins them not.
    """
    return any(
        not numbers & other
        for one, another in combinations(places, 2)
        for register, numbers in reports[one].numbers.items()
        if (other := reports[another].numbers.get(register)) is not None
    )


def _same_study(one: _Report, other: _Report) -> str:
    """Return why two articles report one study; "" where nothing says so."""
    if one.article.pmid in other.versions or other.article.pmid in one.versions:
        return "they are versions of one article"
    shared = [
        number
        for register in one.numbers
        for number in sorted(one.numbers[register] & other.numbers.get(register, frozenset()))
    ]
    differ = any(
        one.numbers[register] != other.numbers[register]
        for register in one.numbers.keys() & other.numbers.keys()
    )
    if shared and (
        not differ or any(_PARENT.search(_text(report.article)) for report in (one, other))
    ):
        return f"both are registered as {shared[0]}"
    if differ or not (one.primary and other.primary):
        return ""
    if name := _same_name(one, other):
        return f"both report the {name} study"
    if not _near_in_time(one.article, other.article):
        return ""
    authors = [name for name in one.names if name in other.names]
    if (
        authors
        and one.size is not None
        and one.size == other.size
        and one.size >= _TELLING_SIZE
        and one.size % 10
        and one.design == other.design
        and (drugs := sorted(_all_drugs(one) & _all_drugs(other)))
    ):
        return (
            f"the same author ({_named(authors)}), the same number of participants ({one.size}) "
            f"and the same drug ({drugs[0]})"
        )
    led = bool(authors) and (one.names[0] in other.names or other.names[0] in one.names)
    fewest = min(len(one.names), len(other.names))
    if not led or len(authors) < 2 or 2 * len(authors) < fewest:
        return ""
    common = one.title & other.title
    smaller = min(len(one.title), len(other.title))
    if "study protocol" in (one.design, other.design) and one.design != other.design:
        if len(common) >= 5 and 4 * len(common) >= 3 * smaller:
            return (
                f"one is the protocol of the other: the same authors ({_named(authors)}) and "
                "subject"
            )
        return ""
    if (
        one.size is None
        or one.size != other.size
        or one.size < LEAST_SIZE
        or one.design != other.design
    ):
        return ""
    given = _given(one, other)
    round_size = one.size % 10 == 0 and one.size <= 200
    if (
        not given
        or len(common) < 3
        or 2 * len(common) < smaller
        or (round_size and len(authors) < 3)
    ):
        return ""
    return (
        f"the same authors ({_named(authors)}), the same number of participants ({one.size}) and "
        f"the same intervention ({given})"
    )


def _same_name(one: _Report, other: _Report) -> str:
    """The name of the study that both report as their own; "" where they share none, or nothing but
    the name.
    """
    for name in one.named.keys() & other.named.keys():
        first, second = one.named[name], other.named[name]
        spelt = bool(first and second) and 2 * len(first & second) >= len(first | second)
        if spelt or (
            not (first and second)
            and (set(one.names) & set(other.names) or len(_telling(one) & _telling(other)) >= 3)
        ):
            return name
    return ""


def _telling(report: _Report) -> frozenset[str]:
    """Stems of a title's words that tell of what it is."""
    kept = (
        word
        for word in words(report.article.title)
        if is_content(word) and word not in GENERIC_WORDS
    )
    return frozenset(stems(" ".join(kept))) - _KIND_OF_REPORT


def _given(one: _Report, other: _Report) -> str:
    """A word of the intervention, or of the title where none is stated, that both articles share;
    "" where there is none.

    Two articles that state interventions without a common word tell of two studies, whatever else
    they share.
    """
    first, second = (
        report.article.title if not report.given else report.given for report in (one, other)
    )
    if (one.given or other.given) and not frozenset(stems(first)) & frozenset(
        stems(second)
    ) - _KIND_OF_REPORT:
        return ""
    shared = one.title & other.title & one.told & other.told
    if _drugs(one) and _drugs(other) and not _drugs(one) & _drugs(other):
        return ""
    for word in words(first):
        if (
            len(word) > 3
            and is_content(word)
            and word not in GENERIC_WORDS
            and stem(word) in shared & frozenset(stems(second))
        ):
            return word
    return ""


def _drugs(report: _Report) -> frozenset[str]:
    """The words of a title that end as names of drugs do."""
    return frozenset(word for word in words(report.article.title) if _DRUG.search(word))


def _all_drugs(report: _Report) -> frozenset[str]:
    return frozenset(word for word in words(_text(report.article)) if _DRUG.search(word))


def _near_in_time(one: Article, other: Article) -> bool:
    return one.year is None or other.year is None or abs(one.year - other.year) <= MOST_YEARS


def _text(article: Article) -> str:
    return f"{article.title}\n{article.abstract}"


def _name(author: Author) -> str:
    initial = (author.initials or author.fore or "")[:1]
    return f"{author.last} {initial}".strip().casefold()


def _named(names: Sequence[str]) -> str:
    shown = ", ".join(name.title() for name in names[:2])
    return f"{shown} and {len(names) - 2} more" if len(names) > 2 else shown


def _reasons(places: Sequence[int], why: Mapping[tuple[int, int], str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(why[pair] for pair in combinations(places, 2) if pair in why))


def _group(reports: Sequence[_Report], reasons: Sequence[str]) -> StudyGroup:
    numbers = dict.fromkeys(
        number for report in reports for number, _ in own_numbers(report.article)
    )
    return StudyGroup(
        tuple(report.article.id for report in reports), "; ".join(reasons), tuple(numbers)
    )
