"""References inside a text other than its bracket numbers, and those of them that lead to nothing
that was retrieved.

A synthesis cites by bracket numbers only. A PMID, DOI, address, "(Smith et al., 2020)" or registry
number in it must belong to a study that was given; else the model wrote it from memory, or an
article's text told it to.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from clinfo.lazy_dataclass import dataclass
from clinfo.records.articles import Article, Study
from clinfo.text.prompt_injection import steering
from clinfo.text.regex import anycase, regex
from clinfo.text.registry import registrations

ReferenceKind = Literal["PMID", "PMCID", "DOI", "URL", "author and year", "registry number"]


@dataclass(frozen=True)
class Mention:
    """A reference at code points [start, end) of a text, and what it names in a normal form.

    ``name`` is a number or an address; of an author and year the family names in lower case without
    accents, parted by spaces; ``year`` is theirs, None where none is written.
    """

    start: int
    end: int
    kind: ReferenceKind
    name: str
    year: int | None = None


_PMIDS = anycase(
    r"(?P<word>\bPM(?:ID|C?ID)s?\b|\bPubMed(?: ?IDs?)?\b(?=[\s:#]{1,3}\d{1,8}\b))[\s:#=]{0,4}"
    r"(?P<all>(?:PMC)?\d{1,8}(?:(?:\s?[,;/&]\s?|\s(?:and|or)\s)\d{4,8}\b)*)"
    r"|(?P<word2>\bPMC)(?P<all2>\d{4,8})\b"
)
_DOI = anycase(
    r"(?:\bdoi[\s:]{0,3})?(?:https?://(?:dx\.)?doi\.org/)?\b(?P<doi>10\.\d{4,9}/[^\s<>\"“”,;]+)"
)
_URL = anycase(
    r"\b(?:https?://|www\.)[^\s<>\"“”]+|\b[a-z][\w-]{1,30}(?:\.[\w-]{1,30}){0,3}"
    r"\.(?:com|org|net|gov|edu|info|io)(?:/[^\s<>\"“”]*)?(?![\w.@])"
)
_REGISTERS_BY_NAME = frozenset(["clinicaltrials.gov", "clinicaltrial.gov"])
"""Registers that are called by their address; the bare name refers to nothing."""
_TRAILING = ".,;:)]}'’"
_FAMILY = (
    r"(?:(?:van|von|de|del|della|da|dos|der|den|di|du|la|le|el|al|bin|ter|ten) ){0,3}(?:Ma?c|O['’]|"
    r"D['’])?"
    r"[A-ZÀ-ÖØ-ÞŁŚŠŽČĆŻŐĐ][a-zà-öø-ÿąćęłńóśźżčšžěřůőűğışđ]{1,20}(?:[-’'][A-ZÀ-Þa-z][a-zà-ÿ]{1,20}){0,2}"
)
_YEAR = r"(?P<{0}>(?:19|20)\d\d)[a-e]?"
_ET_AL = regex(
    rf"(?P<first>{_FAMILY})(?: [A-Z]{{1,3}}\b)?,? (?:et al\b\.?|and (?:colleagues|co-?workers|"
    r"others)\b"
    rf"|& al\b\.?)(?:['’]s)?(?:,? \(?{_YEAR.format('year')}\)?)?"
)
_TWO = regex(
    rf"(?P<first>{_FAMILY})(?:, {_FAMILY})?,? (?:and|&) "
    rf"(?P<second>{_FAMILY})"
    rf"(?:,? \({_YEAR.format('y1')}\)|,? {_YEAR.format('y2')}(?=[);]))"
)
_ONE = regex(
    rf"(?<![\w-])(?P<first>{_FAMILY})(?: \({_YEAR.format('y1')}\)|,? {_YEAR.format('y2')}(?=[);]))"
)


_REPORTS = (
    r"(?:found|finds|reported|reports|showed|shows|demonstrated|demonstrates|concluded|concludes|"
    r"observed|described|describes|noted|"
    r"suggested|suggests|argued|argues|said|says|stated|states|proposed|recommended|reviewed|"
    r"studied|examined|analy[sz]ed|compared|"
    r"randomi[sz]ed|investigated|evaluated|assessed|estimated|confirmed|identified|published|wrote|"
    r"pooled|followed|measured|tested)"
)
_REPORTING_AFTER = regex(
    r"['’]?,? (?:(?:also|first|later|recently|similarly|and|has|have|had|who|which|likewise|"
    rf"previously) ){{0,2}}{_REPORTS}\b"
    r"| (?:stud(?:y|ies)|trials?|review|meta-analysis|paper|report)\b"
)
_REPORTING_BEFORE = anycase(
    r"(?:\b(?:by|per|according to|see(?: also)?|cf\.?|e\.g\.,?|unlike|"
    r"(?:contrary|compared|similar) to|(?:consistent|compared) with)"
    r"|\b(?:stud(?:y|ies)|trials?|review|meta-analysis|analysis|paper|report|work|findings|results|"
    r"data|criteria) of"
    rf"|\b(?:as|{_REPORTS}|shown|written|seen|proven) in) \Z"
)
_OPENED = regex(r"[(\[;&,] ?\Z|\band \Z")
_PLACED = regex(
    r"\b(?i:in|from|across|within|throughout|at|near|around|outside|of|between) "
    r"(?:the )?(?:[A-ZÀ-Þ][a-zà-ÿ]{1,20}(?:,| and)? ){0,2}\Z"
)
_LOOKED_BACK = 80
_ANNOUNCED = anycase(
    r"\b(?:see(?: also)?|cf\.?|e\.g\.,?|as reported by|according to|available (?:at|from)|"
    r"registered as|reference:?)\s*\Z"
)


def references(text: str) -> tuple[Mention, ...]:
    """The references written out in ``text``, in order, never overlapping."""
    kept: list[Mention] = []
    taken = bytearray(len(text))
    for one in (*_pmids(text), *_dois(text), *_urls(text), *_registered(text), *_authored(text)):
        if not any(taken[one.start : one.end]):
            taken[one.start : one.end] = b"\1" * (one.end - one.start)
            kept.append(one)
    return tuple(sorted(kept, key=lambda one: one.start))


def foreign(text: str, studies: Sequence[Study]) -> tuple[Mention, ...]:
    """The references of ``text`` that belong to none of ``studies``.

    A PMID, PMCID, DOI or address belongs to the study whose record has it. An author with a year
    belongs to an article of that author and year, and to an article that names both itself; a
    registry number to an article in whose record or text it stands. What a sentence addressed to a
    language model holds belongs to nobody.
    """
    found = references(text)
    if not found:
        return ()
    known = _Known([study.article for study in studies])
    return tuple(one for one in found if not known.has(one))


def in_brackets(text: str, mention: Mention) -> bool:
    """Return whether a reference stands in brackets, so that the sentence can do without it."""
    before, after = text[: mention.start], text[mention.end :]
    return (
        max(before.rfind("("), before.rfind("[")) > max(before.rfind(")"), before.rfind("]"))
        and re.match(r"[^(\[]*[)\]]", after) is not None
    )


def without_mentions(text: str, mentions: Iterable[Mention]) -> str:
    """``text`` without these references, the words that only announced them, and the brackets and
    marks left empty.

    Meant for references `in_brackets` and at the end of a sentence; where one is part of the
    grammar a hole stays.
    """
    pieces: list[str] = []
    end = 0
    for one in sorted(mentions, key=lambda one: one.start):
        pieces.append(_ANNOUNCED.sub("", text[end : max(end, one.start)]))
        end = max(end, one.end)
    left = "".join([*pieces, text[end:]])
    left = re.sub(r"[(\[][\s,;:&]*(?:(?:and|or|see)\b)?[\s,;:&]*[)\]]", "", left)
    left = re.sub(r"(?<=[(\[])[\s,;:]+|[\s,;:]+(?=[)\]])", "", left)
    left = re.sub(r"[ \u00a0]{2,}", " ", left)
    return re.sub(r"\s+(?=[.,;:!?])|[,;:](?=[.,;:!?])", "", left).strip()


class _Known:
    """The contents of the studies' records, in the normal forms of mentions."""

    def __init__(self, articles: Sequence[Article]) -> None:
        self.pmids = {article.pmid for article in articles if article.pmid}
        self.pmcids = {
            article.pmcid.upper().removeprefix("PMC") for article in articles if article.pmcid
        }
        self.dois = {_doi(article.doi) for article in articles if article.doi}
        self.urls = {_url(article.url) for article in articles}
        self.authors = [
            (tuple(_family(one.last) for one in article.authors), _years(article))
            for article in articles
        ]
        texts = [_without_steering(article) for article in articles]
        banks = [" ".join(article.databank_numbers) for article in articles]
        self.registered = {one.number for text in (*texts, *banks) for one in registrations(text)}
        self.words = [frozenset(re.findall(r"\w+", _family(text))) for text in texts]

    def has(self, one: Mention) -> bool:
        match one.kind:
            case "PMID":
                return one.name in self.pmids
            case "PMCID":
                return one.name in self.pmcids
            case "DOI":
                return one.name in self.dois
            case "URL":
                return one.name in self.urls or self._leads_home(one.name)
            case "registry number":
                return one.name in self.registered
        return self._has_author(one)

    def _leads_home(self, url: str) -> bool:
        """Return whether an address ends in the PMID, PMCID or DOI of a study, as those of mirrors
        do.
        """
        last = url.rstrip("/").rpartition("/")[2]
        service = re.match(r"(?:pubmed\.|(?:www\.)?ncbi\.|europepmc\.|pmc\.)", url) is not None
        known = last in self.pmids or last.upper().removeprefix("PMC") in self.pmcids
        return (service and known) or any(url.endswith(f"/{doi}") for doi in self.dois)

    def _has_author(self, one: Mention) -> bool:
        names = one.name.split("|")
        for families, years in self.authors:
            if all(name in families for name in names) and (one.year is None or one.year in years):
                return True
        wanted = {part for name in names for part in name.split()} | (
            {str(one.year)} if one.year else set()
        )
        return any(wanted <= words for words in self.words)


def _pmids(text: str) -> Iterator[Mention]:
    for match in _PMIDS.finditer(text):
        group = "all" if match["all"] else "all2"
        central = "PMC" in (match["word"] or match["word2"] or "").upper() or match[
            group
        ].upper().startswith("PMC")
        numbers = list(re.finditer(r"\d+", match[group]))
        for place, number in enumerate(numbers):
            start = match.start() if place == 0 else match.start(group) + number.start()
            yield Mention(
                start,
                match.start(group) + number.end(),
                "PMCID" if central else "PMID",
                number.group(),
            )


def _dois(text: str) -> Iterator[Mention]:
    for match in _DOI.finditer(text):
        name = match["doi"]
        kept = name.rstrip(_TRAILING)
        if "(" in kept and kept.count("(") > kept.count(")") and name[len(kept) :].startswith(")"):
            kept += ")"
        yield Mention(match.start(), match.start("doi") + len(kept), "DOI", kept.lower())


def _urls(text: str) -> Iterator[Mention]:
    for match in _URL.finditer(text):
        kept = match.group().rstrip(_TRAILING)
        if _url(kept) not in _REGISTERS_BY_NAME:
            yield Mention(match.start(), match.start() + len(kept), "URL", _url(kept))


def _registered(text: str) -> Iterator[Mention]:
    for one in registrations(text):
        yield Mention(one.start, one.end, "registry number", one.number)


def _authored(text: str) -> Iterator[Mention]:
    for match in _ET_AL.finditer(text):
        yield Mention(
            match.start(),
            _closed(match),
            "author and year",
            _family(match["first"]),
            _year(match["year"]),
        )
    for match in _TWO.finditer(text):
        if {match["first"].lower(), match["second"].lower()} & _NO_FAMILY or not _may_be_named(
            text, match
        ):
            continue
        names = f"{_family(match['first'])}|{_family(match['second'])}"
        yield Mention(
            match.start(), match.end(), "author and year", names, _year(match["y1"] or match["y2"])
        )
    for match in _ONE.finditer(text):
        if match["first"].lower() not in _NO_FAMILY and _is_named(text, match):
            yield Mention(
                match.start(),
                match.end(),
                "author and year",
                _family(match["first"]),
                _year(match["y1"] or match["y2"]),
            )


def _may_be_named(text: str, match: re.Match[str]) -> bool:
    """Return whether what stands before a name and a year does not make the name that of a place:
    "in Norway and Sweden (2019)".
    """
    before = text[max(0, match.start() - _LOOKED_BACK) : match.start()]
    return _REPORTING_BEFORE.search(before) is not None or _PLACED.search(before) is None


def _is_named(text: str, match: re.Match[str]) -> bool:
    """Return whether a single capital word with a year is a reference: "Garcia (2018) found", "by
    Garcia (2018)", "(Garcia, 2018)".

    A place, a trial and a survey stand before a year too ("Wuhan (2020)"), so a word of reporting
    is asked for.
    """
    before = text[max(0, match.start() - _LOOKED_BACK) : match.start()]
    if _REPORTING_BEFORE.search(before):
        return True
    if _PLACED.search(before):
        return False
    if match["y2"]:
        return _OPENED.search(before) is not None
    return _REPORTING_AFTER.match(text, match.end(), match.end() + _LOOKED_BACK) is not None


_NO_FAMILY = frozenset(
    """
    january february march april may june july august september october november december spring
    summer autumn winter in since until before after from during between to by as of year years
    cohort group period wave version edition update updated survey guideline guidelines published
    baseline phase study trial review china japan india america europe africa asia australia germany
    france italy spain sweden norway denmark finland england britain scotland ireland canada brazil
    mexico taiwan korea cochrane medline pubmed embase consort prisma ontario quebec wuhan beijing
    shanghai hubei london paris madrid tokyo seoul taipei singapore israel iran iraq turkey egypt
    nigeria kenya ethiopia uganda ghana tanzania pakistan bangladesh nepal vietnam thailand malaysia
    indonesia philippines russia poland hungary greece portugal netherlands belgium switzerland
    austria iceland argentina chile colombia peru california florida texas york massachusetts wales
    zealand korea lombardy milan barcelona toronto
    """.split()  # noqa: SIM905
)
"""Capital words that stand before a year without being an author."""


def _closed(match: re.Match[str]) -> int:
    """The end of a mention, without a bracket that it did not open."""
    text = match.group()
    return match.end() - (1 if text.endswith(")") and "(" not in text else 0)


def _year(text: str | None) -> int | None:
    return int(text) if text else None


def _years(article: Article) -> frozenset[int]:
    days = [article.published.start, article.published.end] if article.published else []
    days += [article.electronic] if article.electronic else []
    return frozenset(day.year for day in days)


def _family(name: str) -> str:
    """Lower case, without accents and apostrophes: "O’Brien" as "obrien"."""
    plain = unicodedata.normalize(
        "NFKD", name.casefold().replace("ø", "o").replace("ł", "l").replace("ß", "ss")
    )
    return re.sub(r"['’]", "", "".join(sign for sign in plain if not unicodedata.combining(sign)))


def _doi(text: str) -> str:
    return re.sub(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", "", text.strip().lower())


def _url(text: str) -> str:
    return re.sub(r"^(?:https?://)?(?:www\.)?", "", text.strip().lower()).rstrip("/")


def _without_steering(article: Article) -> str:
    """Title and abstract but for the sentences that are addressed to a language model."""
    pieces: list[str] = []
    for text in (article.title, article.abstract):
        end = 0
        for start, after in steering(text):
            pieces.append(text[end:start])
            end = after
        pieces.append(text[end:])
    return "\n".join(pieces)
