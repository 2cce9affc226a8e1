"""A record read from its text, where it has the form in which NLM writes its records: no tree of
elements is built.

One pattern describes that form: the elements of a PubmedArticle or MedlineCitation in the order of
NLM's DTD, their attributes, markup in titles and abstracts one level deep. Whatever the pattern
accepts is well-formed XML, and `clinfo.pubmed.elements` reads the same citation out of it (the
tests compare the two); a record of any other form, be it damaged or merely unusual (MathML,
comments, elements newer than the pattern), is left to that module. docs/how-it-works.md says why
there are two.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from functools import lru_cache
from typing import NamedTuple, TypeVar

from clinfo.pubmed.citation import Citation, Heading, OtherAbstract, Qualifier
from clinfo.pubmed.elements import (
    HISTORY,
    bare_identifier,
    days_of,
    doi_in,
    label_of,
    pages_of,
    person,
    pmcid_in,
    stated_interval,
    substance,
    title_or,
)
from clinfo.records.articles import Article, Author, Correction, DateInterval, Section

_Value = TypeVar("_Value")
_SPACE = r"\n*+ *+"
_TEXT = r"[^<]*+"
_RICH = (
    rf"{_TEXT}(?:<(?:i>{_TEXT}</i|b>{_TEXT}</b|sup>{_TEXT}</sup|sub>{_TEXT}</sub|"
    rf"u>{_TEXT}</u)>{_TEXT})*+"
)


def _attributes(*sequences: str) -> str:
    """One of these sequences of attributes, or none; their values hold neither quotes nor
    references.
    """
    found = [
        "".join(rf' {name}="[A-Za-z0-9_ ./:-]*+"' for name in sequence.split())
        for sequence in sequences
    ]
    return "(?>" + "|".join(f"{sequence}(?=>)" for sequence in [*found, ""]) + ")" if found else ""


def _leaf(tag: str, *orders: str, text: str = _TEXT) -> str:
    return rf"<{tag}{_attributes(*orders)}>{text}</{tag}>{_SPACE}"


def _box(tag: str, content: str, *orders: str) -> str:
    return rf"<{tag}{_attributes(*orders)}>{_SPACE}{content}</{tag}>{_SPACE}"


def _perhaps(*patterns: str) -> str:
    return "".join(f"(?:{pattern})?+" for pattern in patterns)


def _many(pattern: str) -> str:
    return f"(?:{pattern})*+"


def _kept(name: str, pattern: str) -> str:
    return f"(?P<{name}>{pattern})"


def _kept_leaf(tag: str, name: str, *orders: str, text: str = _TEXT) -> str:
    return (
        rf"(?:<{tag}{_attributes(*orders)}>(?P<{name}>{text})</{tag}>{_SPACE}|<{tag}/>{_SPACE})?+"
    )


def _kept_box(tag: str, name: str, content: str, *orders: str) -> str:
    return (
        rf"(?:<{tag}{_attributes(*orders)}>{_SPACE}(?P<{name}>{content})</{tag}>{_SPACE}|"
        rf"<{tag}/>{_SPACE})?+"
    )


def _record() -> str:
    year, month, number = map(_leaf, ("Year", "Month", "Day"))
    time = _leaf("Hour") + _leaf("Minute")
    # what nearly every date and name is made of comes first: many optional elements in a row cost
    # more than these tests
    day = (
        f"(?>{year}{month}{number}(?:{time})?+(?=</)|"
        f"{year}{_perhaps(month, number, *map(_leaf, ('Hour', 'Minute', 'Second')))})"
    )
    printed = (
        f"(?:{_leaf('Year')}(?:{_leaf('Season')}|{_perhaps(_leaf('Month'), _leaf('Day'))})|"
        f"{_leaf('MedlineDate')})?+"
    )
    identifier = _many(_leaf("Identifier", "Source"))
    last, fore, initials, suffix = map(_leaf, ("LastName", "ForeName", "Initials", "Suffix"))
    names = f"(?>{last}{fore}{initials}|{_perhaps(last, fore, initials)})(?>(?=</)|"
    names += _perhaps(suffix, _leaf("CollectiveName", text=_RICH)) + identifier
    names += _many(_box("AffiliationInfo", _leaf("Affiliation", text=_RICH) + identifier)) + ")"
    abstract_text = (
        r'<AbstractText(?: Label="[^"<]*+")?+(?: '
        rf'NlmCategory="[A-Z]*+")?+>{_RICH}</AbstractText>{_SPACE}'
    )
    ids = _many(_leaf("ArticleId", "IdType"))
    reference = _box(
        "Reference", _leaf("Citation", text=_RICH) + _perhaps(_box("ArticleIdList", ids))
    )
    journal = (
        _kept_leaf("ISSN", "issn", "IssnType")
        + rf"<JournalIssue{_attributes('CitedMedium')}>{_SPACE}"
        + _kept_leaf("Volume", "volume")
        + _kept_leaf("Issue", "issue")
        + _kept_box("PubDate", "published", printed)
        + rf"</JournalIssue>{_SPACE}"
        + _kept_leaf("Title", "journal")
        + _kept_leaf("ISOAbbreviation", "abbreviation")
    )
    article = (
        _perhaps(_box("Journal", journal))
        + _kept_leaf("ArticleTitle", "title", text=_RICH)
        + _perhaps(
            _box(
                "Pagination",
                _kept_leaf("StartPage", "first")
                + _kept_leaf("EndPage", "last")
                + _kept_leaf("MedlinePgn", "pages"),
            )
        )
        + _kept("places", _many(_leaf("ELocationID", "EIdType ValidYN", "EIdType")))
        + _perhaps(
            _box(
                "Abstract",
                _kept("abstract", _many(abstract_text))
                + _kept_leaf("CopyrightInformation", "copyright", text=_RICH),
            )
        )
        + rf"(?:<AuthorList(?P<complete>{_attributes('CompleteYN')})>{_SPACE}"
        + _kept(
            "authors",
            _many(_box("Author", names, "ValidYN", "ValidYN EqualContrib", "EqualContrib ValidYN")),
        )
        + rf"</AuthorList>{_SPACE})?+"
        + _kept("languages", _many(_leaf("Language")))
        + _kept_box(
            "DataBankList",
            "banks",
            _many(
                _box(
                    "DataBank",
                    _leaf("DataBankName")
                    + _perhaps(_box("AccessionNumberList", _many(_leaf("AccessionNumber")))),
                )
            ),
            "CompleteYN",
        )
        + _kept_box(
            "GrantList",
            "grants",
            _many(
                _box("Grant", _perhaps(*map(_leaf, ("GrantID", "Acronym", "Agency", "Country"))))
            ),
            "CompleteYN",
        )
        + _kept_box("PublicationTypeList", "types", _many(_leaf("PublicationType", "UI")))
        + _kept_leaf("VernacularTitle", "vernacular", text=_RICH)
        + _kept("electronic", _many(_box("ArticleDate", day, "DateType")))
    )
    stars = ("UI MajorTopicYN", "UI MajorTopicYN AutoHM", "MajorTopicYN UI", "UI")
    descriptor = _leaf(
        "DescriptorName",
        *stars,
        "UI MajorTopicYN Type",
        "UI MajorTopicYN AutoHM Type",
        "MajorTopicYN Type UI",
    )
    qualifier = _leaf("QualifierName", *stars)
    pmid = rf'<PMID(?: Version="\d++")?+>{_TEXT}</PMID>{_SPACE}'
    citation = (
        rf'<PMID(?: Version="(?P<version>\d{{1,9}}+)")?+>(?P<pmid>[0-9]++)</PMID>{_SPACE}'
        + _perhaps(_box("DateCreated", day))
        + _kept_box("DateCompleted", "completed", day)
        + _kept_box("DateRevised", "revised", day)
        + rf'<Article(?: PubModel="(?P<model>[A-Za-z-]*+)")?+>{_SPACE}{article}</Article>{_SPACE}'
        + _perhaps(
            _box(
                "MedlineJournalInfo",
                _kept_leaf("Country", "country")
                + _kept_leaf("MedlineTA", "medline_journal")
                + _kept_leaf("NlmUniqueID", "nlm_id")
                + _kept_leaf("ISSNLinking", "issn_linking"),
            )
        )
        + _kept_box(
            "ChemicalList",
            "substances",
            _many(_box("Chemical", _leaf("RegistryNumber") + _leaf("NameOfSubstance", "UI"))),
        )
        + _kept_box("SupplMeshList", "supplementary", _many(_leaf("SupplMeshName", "Type UI")))
        + _kept("subsets", _many(_leaf("CitationSubset")))
        + _kept_box(
            "CommentsCorrectionsList",
            "corrections",
            _many(
                _box(
                    "CommentsCorrections",
                    _leaf("RefSource") + _perhaps(pmid, _leaf("Note")),
                    "RefType",
                )
            ),
        )
        + _kept_box("GeneSymbolList", "genes", _many(_leaf("GeneSymbol")))
        + _kept_box(
            "MeshHeadingList", "headings", _many(_box("MeshHeading", descriptor + _many(qualifier)))
        )
        + _perhaps(_leaf("NumberOfReferences"))
        + _kept_box(
            "PersonalNameSubjectList", "subjects", _many(_box("PersonalNameSubject", names))
        )
        + _kept("other_ids", _many(_leaf("OtherID", "Source")))
        + _kept(
            "other_abstracts",
            _many(
                _box(
                    "OtherAbstract",
                    _many(abstract_text) + _perhaps(_leaf("CopyrightInformation", text=_RICH)),
                    "Type Language",
                    "Language Type",
                )
            ),
        )
        + _kept(
            "keywords",
            _many(
                _box("KeywordList", _many(_leaf("Keyword", "MajorTopicYN", text=_RICH)), "Owner")
            ),
        )
        + _kept_leaf("CoiStatement", "conflict", text=_RICH)
        + _kept("flights", _many(_leaf("SpaceFlightMission")))
        + _kept(
            "investigators",
            _many(_box("InvestigatorList", _many(_box("Investigator", names, "ValidYN")))),
        )
        + _kept("notes", _many(_leaf("GeneralNote", "Owner")))
    )
    data = (
        _kept_box("History", "history", _many(_box("PubMedPubDate", day, "PubStatus")))
        + _kept_leaf("PublicationStatus", "publication_status")
        + _kept_box("ArticleIdList", "ids", ids)
        + _kept(
            "references",
            _many(
                rf"(?:<ReferenceList>{_SPACE}{_perhaps(_leaf('Title'))}{_many(reference)}</ReferenceList>|"
                rf"<ReferenceList/>){_SPACE}"
            ),
        )
    )
    orders = _attributes(
        "Status Owner",
        "Status IndexingMethod Owner",
        "Status Owner IndexingMethod",
        "Owner Status",
        "Status VersionID Owner",
        "Status VersionID VersionDate Owner",
        "Status Owner VersionID",
        "Status Owner VersionID VersionDate",
        "Status",
    )
    return (
        rf"(?P<wrapped><PubmedArticle>{_SPACE})?+<MedlineCitation(?P<attributes>{orders})"
        rf">{_SPACE}{citation}</MedlineCitation>"
        rf"(?(wrapped){_SPACE}{_perhaps(_box('PubmedData', data))}</PubmedArticle>)"
    )


@lru_cache(maxsize=1)
def _pattern() -> re.Pattern[str]:
    return re.compile(_record(), re.ASCII)


_FORBIDDEN = bytes(set(range(32)) - {9, 10, 13})
"""Characters that no XML may hold."""
_UNCOMMON_REFERENCE = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)")
_BAD_REFERENCE = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#(?:[0-9]{1,7}|x[0-9a-fA-F]{1,6}));)")
_CDATA_END = re.compile(r"\](?=\]>)")
_REFERENCE = re.compile(r"&(?:#x([0-9a-fA-F]+)|#([0-9]+)|(amp|lt|gt|quot|apos));")
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_TAG = re.compile(r"<[^>]*>")
_ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')
_VALUE = re.compile(r"<(\w+)[^>]*>([^<]*)</")
_NAME = re.compile(r"<(?:DescriptorName|QualifierName)([^>]*)>([^<]*)</")
_HISTORY = re.compile(
    r'"(entrez|pubmed|medline)">\s*+((?:<(?:Year|Month|Day)>[^<]*+</\w+>\n*+ *+)*+)'
)
_SECTION = re.compile(
    rf'<AbstractText(?: Label="([^"]*)")?(?: NlmCategory="([^"]*)")?>({_RICH})</A'
)
_OTHER_ABSTRACT = re.compile(r"<OtherAbstract([^>]*)>(.*?)</OtherAbstract>", re.DOTALL)
_PERSON = re.compile(
    rf"<(?:Author|Investigator|PersonalNameSubject)([^>]*+)>{_SPACE}"
    + "".join(
        rf"(?:<{tag}>([^<]*+)</{tag}>{_SPACE})?+"
        for tag in ("LastName", "ForeName", "Initials", "Suffix")
    )
    + rf"(?:<CollectiveName>({_RICH})</)?+"
)
_AFFILIATION = re.compile(rf"<Affiliation>({_RICH})</A")
_OWN_IDENTIFIERS = re.compile(
    r"</?(?:LastName|ForeName|Initials|Suffix|CollectiveName|Author|"
    r"Investigator)[^>]*>\s*+((?:<Identifier[^<]*</Identifier>\s*+)++)"
)
_CORRECTION = re.compile(
    r'RefType="((?!Cites")[^"]*)">\s*<RefSource>([^<]*)</RefSource>\s*(?:<PMID[^>]*>([^<]*)<)?'
)
_CITES = re.compile(r'RefType="Cites">\s*<RefSource>[^<]*</RefSource>\s*<PMID[^>]*>\s*([0-9]+)\s*<')
_ID = re.compile(r'IdType="([^"]*)">([^<]*)<')
_PLACE = re.compile(r'<ELocationID(?: EIdType="([^"]*)")?(?: ValidYN="([^"]*)")?>([^<]*)<')
_OTHER_ID = re.compile(r'<OtherID(?: Source="([^"]*)")?>([^<]*)<')
_CITED = re.compile(r'<ArticleId IdType="pubmed">\s*([0-9]+)\s*<')
_KEYWORD = re.compile(rf"<Keyword(?: [^>]*)?>({_RICH})</K")
_ACCESSION = re.compile(r"<AccessionNumber>([^<]*)<")


def read_article(record: bytes) -> Article | None:
    """The article of a PubmedArticle or MedlineCitation in UTF-8, None where its text has another
    form than NLM's.
    """
    found = _match(record)
    return None if found is None else _article(found, _parts(found))


def read_citation(record: bytes) -> Citation | None:
    """The citation of a PubmedArticle or MedlineCitation in UTF-8, None where its text has another
    form than NLM's.
    """
    found = _match(record)
    return None if found is None else _citation(found, _parts(found))


def _match(record: bytes) -> dict[str, str] | None:
    """The parts of a record, empty where it lacks them; None unless all of it has NLM's form."""
    if len(record.translate(None, _FORBIDDEN)) != len(record):
        return None
    try:
        text = record.decode()
    except UnicodeDecodeError:
        return None
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    if "&" in text and _UNCOMMON_REFERENCE.search(text) and not _references_are_good(text):
        return None
    if "\ufffe" in text or "\uffff" in text or ("]" in text and _CDATA_END.search(text)):
        return None
    found = _pattern().fullmatch(text)
    return None if found is None else found.groupdict("")


def _made(kind: type[_Value], fields: dict[str, object]) -> _Value:
    """A frozen dataclass with all its fields; its own constructor sets them one by one and takes
    several times as long.
    """
    made = object.__new__(kind)
    object.__setattr__(made, "__dict__", fields)
    return made


class _Parts(NamedTuple):
    """Data of a record that the article uses in part and its citation uses whole."""

    headings: tuple[Heading, ...]
    ids: tuple[tuple[str, str], ...]
    places: tuple[tuple[str, str], ...]
    others: tuple[tuple[str, str], ...]
    electronic: tuple[date, ...]
    history: dict[str, date]


def _parts(found: dict[str, str]) -> _Parts:
    history: dict[str, date] = {}
    for status, block in _HISTORY.findall(found["history"]):
        interval = _interval(block)
        if interval is not None:
            history.setdefault(HISTORY[status], interval.end)
    return _Parts(
        headings=tuple(
            [
                heading
                for block in found["headings"].split("</MeshHeading>")[:-1]
                if (heading := _heading(block))
            ]
        ),
        ids=tuple(
            [(kind, value) for kind, text in _ID.findall(found["ids"]) if (value := _clean(text))]
        ),
        places=tuple(
            [
                (kind, value)
                for kind, valid, text in _PLACE.findall(places)
                if valid != "N" and (value := _clean(text))
            ]
        )
        if (places := found["places"])
        else (),
        others=tuple(
            [
                (source, value)
                for source, text in _OTHER_ID.findall(others)
                if (value := _clean(text))
            ]
        )
        if (others := found["other_ids"])
        else (),
        electronic=_days(days.split("</ArticleDate>")[:-1])
        if (days := found["electronic"])
        else (),
        history=history,
    )


def _article(found: dict[str, str], parts: _Parts) -> Article:
    pmid = found["pmid"]
    vernacular = _clean(found["vernacular"]) or None
    attributes = _attributes_of(found["attributes"])
    corrections, references = found["corrections"], found["references"]
    return _made(
        Article,
        {
            "id": f"pmid:{pmid}",
            "title": title_or(_clean(found["title"]), vernacular),
            "pmid": pmid,
            "sections": _sections(found["abstract"]),
            "authors": _people(found["authors"]),
            "authors_complete": '"N"' not in found["complete"],
            "journal": _familiar(found["journal"]) or None,
            "journal_abbreviation": _familiar(found["abbreviation"])
            or _familiar(found["medline_journal"])
            or None,
            "volume": _clean(found["volume"]) or None,
            "issue": _clean(found["issue"]) or None,
            "pages": pages_of(
                _clean(found["pages"]), _clean(found["first"]), _clean(found["last"])
            ),
            "published": _interval(found["published"]),
            "electronic": min(parts.electronic, default=None),
            "entered": parts.history.get("crdt") or parts.history.get("edat"),
            "doi": doi_in(parts.ids + parts.places),
            "pmcid": pmcid_in(parts.ids, parts.others),
            "vernacular_title": vernacular,
            "languages": _values(found["languages"]),
            "publication_types": _values(found["types"]),
            "mesh": tuple(dict.fromkeys([heading.descriptor for heading in parts.headings])),
            "keywords": _unique(_KEYWORD.findall(keywords))
            if (keywords := found["keywords"])
            else (),
            "databank_numbers": _unique(_ACCESSION.findall(banks))
            if (banks := found["banks"])
            else (),
            "corrections": tuple(
                [
                    Correction(kind, _clean(text), _digits(pmid))
                    for kind, text, pmid in _CORRECTION.findall(corrections)
                ]
            )
            if corrections
            else (),
            "references": tuple(
                dict.fromkeys(_CITED.findall(references) + _CITES.findall(corrections))
            )
            if corrections or references
            else (),
            "status": attributes.get("Status"),
            "book": None,
        },
    )


def _citation(found: dict[str, str], parts: _Parts) -> Citation:
    pmid = found["pmid"]
    attributes = _attributes_of(found["attributes"])
    people = found["authors"] + found["investigators"]
    return _made(
        Citation,
        {
            "article": _article(found, parts),
            "headings": parts.headings,
            "substances": tuple(dict.fromkeys(_substances(found["substances"]))),
            "supplementary": _values(found["supplementary"]),
            "other_abstracts": tuple(_other_abstracts(found["other_abstracts"])),
            "affiliations": _unique(_AFFILIATION.findall(people)),
            "author_identifiers": _author_identifiers(people),
            "investigators": _people(found["investigators"]),
            "personal_subjects": _people(found["subjects"]),
            "grants": _grants(found["grants"]),
            "identifiers": tuple(
                dict.fromkeys((("pubmed", pmid), *parts.ids, *parts.places, *parts.others))
            ),
            "days": days_of(
                parts.electronic,
                parts.history,
                _days([found["completed"]]),
                _days([found["revised"]]),
            ),
            "all_electronic": parts.electronic,
            "issns": _unique((found["issn"], found["issn_linking"])),
            "nlm_id": _clean(found["nlm_id"]) or None,
            "medline_journal": _familiar(found["medline_journal"]) or None,
            "country": _familiar(found["country"]) or None,
            "subsets": _values(found["subsets"]),
            "databanks": tuple(dict.fromkeys(_databanks(found["banks"]))),
            "conflict": _clean(found["conflict"]) or None,
            "copyright": _clean(found["copyright"]) or None,
            "space_flight": _values(found["flights"]),
            "gene_symbols": _values(found["genes"]),
            "general_notes": _values(found["notes"]),
            "publication_status": _familiar(found["publication_status"]) or None,
            "publication_model": found["model"] or None,
            "indexing_method": attributes.get("IndexingMethod") or None,
            "owner": attributes.get("Owner") or None,
            "version": int(found["version"] or 1),
            "editors": (),
            "book": None,
            "collection": None,
            "isbns": (),
            "publisher": None,
        },
    )


def _clean(text: str) -> str:
    """Text as `clinfo.pubmed.elements` has it: without markup, references read, white space as
    single spaces.
    """
    if not text or text.isalnum():
        return text
    if "<" in text:
        text = _TAG.sub("", text)
    if "&" in text:
        text = _REFERENCE.sub(_character, text)
    if (
        text.isascii()
        and len(text) > 99
        and not ("  " in text or "\n" in text or "\t" in text or "\r" in text)
    ):
        return text.strip()  # the same, and quicker for a long text
    return " ".join(text.split())


_familiar = lru_cache(maxsize=1 << 14)(_clean)
"""The same for texts that many records share."""


def _character(reference: re.Match[str]) -> str:
    hexadecimal, decimal, name = reference.groups()
    return _NAMED[name] if name else chr(int(hexadecimal, 16) if hexadecimal else int(decimal))


def _references_are_good(text: str) -> bool:
    return _BAD_REFERENCE.search(text) is None and all(map(_exists, _REFERENCE.finditer(text)))


def _exists(reference: re.Match[str]) -> bool:
    """Return whether a reference stands for a character that XML may hold."""
    hexadecimal, decimal, name = reference.groups()
    if name:
        return True
    code = int(hexadecimal, 16) if hexadecimal else int(decimal)
    return (
        code in (9, 10, 13)
        or 32 <= code < 0xD800
        or 0xE000 <= code < 0xFFFE
        or 0x10000 <= code < 0x110000
    )


@lru_cache(maxsize=1 << 10)
def _attributes_of(text: str) -> dict[str, str]:
    return dict(_ATTRIBUTE.findall(text))


def _digits(text: str) -> str | None:
    text = text.strip()
    return text if text.isascii() and text.isdecimal() else None


def _unique(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([clean for text in dict.fromkeys(texts) if (clean := _clean(text))]))


@lru_cache(maxsize=1 << 12)
def _values(block: str) -> tuple[str, ...]:
    """The texts of the leaves of a block."""
    return _unique(text for _, text in _VALUE.findall(block))


@lru_cache(maxsize=1 << 13)
def _interval(block: str) -> DateInterval | None:
    values = dict(_VALUE.findall(block))
    return stated_interval(
        *[_clean(values.get(tag, "")) for tag in ("Year", "Month", "Day", "Season", "MedlineDate")]
    )


def _days(blocks: Iterable[str]) -> tuple[date, ...]:
    return tuple(
        dict.fromkeys(
            [interval.end for block in blocks if (interval := _interval(block)) is not None]
        )
    )


def _sections(block: str) -> tuple[Section, ...]:
    return tuple(
        [
            _made(
                Section,
                {
                    "text": text,
                    "label": _label(label) if label else None,
                    "category": category or None,
                },
            )
            for label, category, rich in _SECTION.findall(block)
            if (text := _clean(rich))
        ]
    )


@lru_cache(maxsize=1 << 10)
def _label(text: str) -> str | None:
    return label_of(_clean(text))


def _other_abstracts(blocks: str) -> Iterable[OtherAbstract]:
    for attributes, block in _OTHER_ABSTRACT.findall(blocks):
        if parts := _sections(block):
            named = _attributes_of(attributes)
            text = " ".join(
                [f"{part.label}: {part.text}" if part.label else part.text for part in parts]
            )
            yield OtherAbstract(text, named.get("Type") or None, named.get("Language") or None)


def _people(block: str) -> tuple[Author, ...]:
    people = []
    for attributes, last, fore, initials, suffix, group in _PERSON.findall(block) if block else ():
        if 'ValidYN="N"' in attributes:
            continue
        if last.isalnum() and initials.isalnum() and not suffix:
            fore = fore if fore.isalnum() else _clean(fore) or None
            names = {
                "last": last,
                "fore": fore,
                "initials": initials,
                "suffix": None,
                "collective": False,
            }
            people.append(_made(Author, names))
        elif author := person(
            _clean(last), _clean(fore), _clean(initials), _clean(suffix), _clean(group)
        ):
            people.append(author)
    return tuple(people)


def _author_identifiers(people: str) -> tuple[str, ...]:
    if "<Identifier" not in people:
        return ()
    found = [
        text for block in _OWN_IDENTIFIERS.findall(people) for _, text in _VALUE.findall(block)
    ]
    return tuple(
        dict.fromkeys([bare_identifier(clean) for text in found if (clean := _clean(text))])
    )


@lru_cache(maxsize=1 << 14)
def _heading(block: str) -> Heading | None:
    (attributes, descriptor), *qualifiers = _NAME.findall(block)
    if not (name := _clean(descriptor)):
        return None
    return Heading(
        name,
        *_marks_of(attributes),
        tuple([Qualifier(_clean(name), *_marks_of(marks)) for marks, name in qualifiers]),
    )


def _marks_of(attributes: str) -> tuple[str | None, bool]:
    """UI, and whether there is the star; no dictionary, since nearly each heading has its own."""
    ui = attributes.partition(' UI="')[2].partition('"')[0]
    return ui or None, 'MajorTopicYN="Y"' in attributes


def _substances(block: str) -> Iterable[tuple[str, str]]:
    values = _VALUE.findall(block)
    for (_, number), (_, name) in zip(values[::2], values[1::2], strict=True):
        if name := _clean(name):
            yield substance(name, _clean(number))


def _grants(block: str) -> tuple[str, ...]:
    grants = [
        ", ".join(filter(None, [_clean(text) for _, text in _VALUE.findall(grant)]))
        for grant in block.split("</Grant>")
    ]
    return tuple(dict.fromkeys(filter(None, grants)))


def _databanks(block: str) -> Iterable[tuple[str, str]]:
    for bank in block.split("</DataBank>")[:-1]:
        (_, name), *numbers = _VALUE.findall(bank)
        yield from (
            (_clean(name), number) for number in _unique(text for _, text in numbers) or [""]
        )
