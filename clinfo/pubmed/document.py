"""A citation as an engine keeps it: its words, keys and days, sorted into stores (`document`).

Text stores hold texts whose words are searched; a phrase never reaches from one text of a store
into the next:

    ti  title                              ab  abstract, other abstracts, keywords, book and collection titles
    tx  what [tw] adds: MeSH headings and subheadings, publication types, substances, corporate authors, personal
        subjects, data bank numbers, notes of corrections, space flight missions, gene symbols
    ax  what [all] adds: authors, investigators, editors, affiliations, journal, grants, numbers of volume, issue and page,
        vernacular title, conflict statement, identifiers of article and authors, registry numbers, ISBN, language, general
        notes, publisher (PubMed leaves the place of publication out of All Fields, so the country is not here)
    tt  vernacular title                   ad  affiliations            ot  keywords            cois  conflict statement
    gr  grants                             cn  corporate authors       bt  title of the book

A section of an abstract is a text of its own, its label at its head. Key stores hold whole values
in the form of `clinfo.text.words.key`:

    mh  headings      majr  major headings      mhq, majrq  "heading/qualifier" (each part a key)      sh  qualifiers
        (a heading is major where it or a qualifier of it has the star; so is a pair where the star is on either of its parts)
    pt  types         la  languages, as three letters and as their English names
    sb  subsets and statuses: medline, oldmedline, inprocess, publisher, pubmednotmedline; "pubmed pmc" (the article has a PMC
        id), "pubmed books"; systematic (the type Systematic Review, or the title says "systematic review": PubMed's own
        filter is a long query); what the record names as its subsets (im, n, s, …)
    au  "last initials" of every person, and "last initials suffix"    au1, aulast  likewise the first, the last author
        (a corporate author is in none of them: cn is a text store)
    fau  "last fore names" and "fore names last"    ir, fir  investigators likewise
    ed, ps  editors and personal subjects, in the forms of au and fau    auid  author identifiers
    ta  the journal by title, abbreviation, NLM abbreviation, ISSN and NLM id    jid  NLM id    vi, ip  numbers
    pg  first page
    nm  substances and supplementary concepts    rn  registry numbers    si  data banks, accession numbers, both joined by /
    aid  every identifier of the article    pmid    pl  country    isbn    pubn  publisher    book  title, accession id
    flag  what an untagged filter asks for: hasabstract, hasstructuredabstract, hasnonenglishabstract,
        hasplainlanguagesummary, haskeyword, hascois, has<correction> (hasretractionin, haserratumin …), pubstatus<status>
        (pubstatusaheadofprint …), "indexingmethod automated" (the same with an underscore too), pmcbook, preprint
    refs  PMIDs that the article cites

Day stores hold intervals of days: dp (print date, as wide as stated), ppdat (the same, unless the
journal is only electronic), epdat (every electronic date), edat, crdt, mhda, dcom, lr.
"""  # noqa: E501

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from itertools import islice

from clinfo.pubmed.citation import Citation
from clinfo.records.articles import Author
from clinfo.text.languages import ENGLISH_NAMES
from clinfo.text.words import key, keys

TEXT_STORES = ("ti", "ab", "tx", "ax", "tt", "ad", "ot", "cois", "gr", "cn", "bt")
KEY_STORES = (
    "mh",
    "majr",
    "mhq",
    "majrq",
    "sh",
    "pt",
    "la",
    "sb",
    "au",
    "au1",
    "aulast",
    "fau",
    "ir",
    "fir",
    "ed",
    "ps",
    "auid",
    "ta",
    "jid",
    "vi",
    "ip",
    "pg",
    "nm",
    "rn",
    "si",
    "aid",
    "pmid",
    "pl",
    "isbn",
    "pubn",
    "book",
    "flag",
    "refs",
)
DAY_STORES = ("dp", "epdat", "ppdat", "edat", "crdt", "mhda", "dcom", "lr")


@dataclass(frozen=True)
class Document:
    """One record for an engine. Texts are lists of words joined by one space (`clinfo.text.words`);
    keys have no repeats.

    ``texts`` and ``keys`` have an entry for every store, empty where the record has nothing for it.
    ``days`` maps a day store to its intervals (first day, last day) and leaves out the dates that
    the record lacks.
    """

    id: str
    texts: Mapping[str, tuple[str, ...]]
    keys: Mapping[str, tuple[str, ...]]
    days: Mapping[str, tuple[tuple[date, date], ...]]


def document(citation: Citation) -> Document:
    """Everything of a citation that can be searched for; an article alone, as
    ``Citation(article)``, will do.
    """
    article = citation.article
    persons = [author for author in article.authors if not author.collective]
    loose = {
        "ti": [article.title],
        "abstract": [
            f"{part.label}: {part.text}" if part.label else part.text for part in article.sections
        ],
        "others": [other.text for other in citation.other_abstracts],
        "ot": article.keywords,
        "bt": [citation.book or ""],
        "collection": [citation.collection or ""],
        "tt": [article.vernacular_title or ""],
        "cois": [citation.conflict or ""],
        "gr": citation.grants,
        "cn": [author.last for author in article.authors if author.collective],
        "ad": citation.affiliations,
        "notes": [link.citation for link in article.corrections],
        "marks": [*citation.space_flight, *citation.gene_symbols],
        "remarks": citation.general_notes,
        "au": [name for person in persons for name in _with_initials(person)],
        "au1": [name for person in persons[:1] for name in _with_initials(person)],
        "aulast": [name for person in persons[-1:] for name in _with_initials(person)],
        "fau": [name for person in persons for name in _in_full(person)],
        "ir": [name for person in citation.investigators for name in _with_initials(person)],
        "fir": [name for person in citation.investigators for name in _in_full(person)],
        "ed": [
            name
            for person in citation.editors
            for name in (*_with_initials(person), *_in_full(person))
        ],
        "ps": [
            name
            for person in citation.personal_subjects
            for name in (*_with_initials(person), *_in_full(person))
        ],
        "auid": citation.author_identifiers,
        "vi": [article.volume or ""],
        "ip": [article.issue or ""],
        "pg": [re.split("[;,-]", article.pages or "")[0]],  # of "123-9; discussion 130" 123
        "pages": [article.pages or ""],
        "aid": [value for _, value in citation.identifiers]
        or [value for value in (article.pmid, article.doi, article.pmcid) if value],
        "rn": [number for _, number in citation.substances],
        "numbers": [
            part  # of a file's "ClinicalTrials.gov/NCT00000001" all three forms
            for number in article.databank_numbers
            for part in (number, *(() if citation.databanks else number.split("/", 1)))
        ],
        "isbn": citation.isbns,
        "pubn": [citation.publisher or ""],
    }
    lines = iter(keys([text for texts in loose.values() for text in texts]))
    read = {name: tuple(filter(None, islice(lines, len(texts)))) for name, texts in loose.items()}

    journal = _all_familiar(
        (
            article.journal,
            article.journal_abbreviation,
            citation.medline_journal,
            *citation.issns,
            citation.nlm_id,
        )
    )
    types = _all_familiar(article.publication_types)
    substances = _all_familiar(
        (*(name for name, _ in citation.substances), *citation.supplementary)
    )
    languages = _all_familiar(
        name for code in article.languages for name in (code, ENGLISH_NAMES.get(code.lower()))
    )
    headings = _headings(citation)
    country = _all_familiar([citation.country])
    banks = _all_familiar(name for name, _ in citation.databanks)
    accessions = [  # no set, whose order is another one in each process
        f"{_familiar(name)}/{key(number)}" for name, number in citation.databanks if number
    ]
    book_ids = (key(value) for kind, value in citation.identifiers if kind == "bookaccession")

    texts = {
        "ti": read["ti"],
        "ab": read["abstract"] + read["others"] + read["ot"] + read["bt"] + read["collection"],
        "tx": headings["mh"]
        + headings["sh"]
        + types
        + substances
        + read["cn"]
        + read["ps"]
        + banks
        + read["numbers"]
        + read["notes"]
        + read["marks"],
        "ax": read["au"]
        + read["fau"]
        + read["ir"]
        + read["fir"]
        + read["ed"]
        + read["ad"]
        + journal
        + read["gr"]
        + read["vi"]
        + read["ip"]
        + read["pages"]
        + read["tt"]
        + read["cois"]
        + read["aid"]
        + read["auid"]
        + read["rn"]
        + read["isbn"]
        + languages
        + read["remarks"]
        + read["pubn"],
    }
    for store in ("tt", "ad", "ot", "cois", "gr", "cn", "bt"):
        texts[store] = read[store]
    found: dict[str, tuple[str, ...]] = {
        **headings,
        "pt": types,
        "la": languages,
        "sb": tuple(_subsets(citation, types, read["ti"])),
        "ta": journal,
        "jid": _all_familiar([citation.nlm_id]),
        "nm": substances,
        "si": (*banks, *read["numbers"], *accessions),
        "pmid": (article.pmid,) if article.pmid else (),
        "pl": country,
        "book": (*read["bt"], *book_ids),
        "flag": tuple(_flags(citation, types)),
        "refs": article.references,
    }
    return Document(
        id=article.id,
        texts=texts,
        keys={
            store: _once(found[store] if store in found else read[store]) for store in KEY_STORES
        },
        days=_days(citation),
    )


def _once(values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values)) if len(values) > 1 else values


@lru_cache(maxsize=1 << 16)
def _familiar(text: str) -> str:
    """`key` of a text that many records have: a heading, a type, a journal, a country."""
    return key(text)


def _all_familiar(texts: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(found for text in texts if text and (found := _familiar(text))))


def _with_initials(person: Author) -> Iterator[str]:
    initials = person.initials or "".join(
        name[0] for name in (person.fore or "").replace("-", " ").split()
    )
    yield f"{person.last} {initials}"
    if person.suffix:
        yield f"{person.last} {initials} {person.suffix}"


def _in_full(person: Author) -> tuple[str, ...]:
    return (
        (f"{person.last} {person.fore}", f"{person.fore} {person.last}")
        if person.fore
        else (person.last,)
    )


def _headings(citation: Citation) -> dict[str, tuple[str, ...]]:
    if not citation.headings:
        return {
            "mh": _all_familiar(citation.article.mesh),
            "majr": (),
            "mhq": (),
            "majrq": (),
            "sh": (),
        }
    names, starred, pairs, starred_pairs, qualifiers = [], [], [], [], []
    for heading in citation.headings:
        name = _familiar(heading.descriptor)
        names.append(name)
        major = heading.major
        for qualifier in heading.qualifiers:
            second = _familiar(qualifier.name)
            qualifiers.append(second)
            pairs.append(f"{name}/{second}")
            if heading.major or qualifier.major:
                major = True
                starred_pairs.append(f"{name}/{second}")
        if major:
            starred.append(name)
    found = {"mh": names, "majr": starred, "mhq": pairs, "majrq": starred_pairs, "sh": qualifiers}
    return {store: tuple(dict.fromkeys(filter(None, values))) for store, values in found.items()}


_STATUSES = {
    "MEDLINE": "medline",
    "OLDMEDLINE": "oldmedline",
    "In-Process": "inprocess",
    "In-Data-Review": "inprocess",
    "Publisher": "publisher",
    "PubMed-not-MEDLINE": "pubmednotmedline",
}


def _subsets(citation: Citation, types: tuple[str, ...], titles: tuple[str, ...]) -> Iterator[str]:
    status = _STATUSES.get(citation.article.status or "", "")
    review = " systematic review "
    systematic = review.strip() in types or any(review in f" {title} " for title in titles)
    found = {
        status: bool(status),
        "pubmed pmc": bool(citation.article.pmcid),
        "pubmed books": bool(citation.book),
        "systematic": systematic,
    }
    yield from (name for name, held in found.items() if held)
    yield from _all_familiar(citation.subsets)


def _flags(citation: Citation, types: tuple[str, ...]) -> Iterator[str]:
    article, others = citation.article, citation.other_abstracts
    published, indexed = citation.publication_status, key(citation.indexing_method or "")
    found = {
        "hasabstract": article.sections,
        "hasstructuredabstract": any(part.label for part in article.sections),
        "hasnonenglishabstract": any(one.language not in (None, "eng") for one in others),
        "hasplainlanguagesummary": any(one.kind == "plain-language-summary" for one in others),
        "haskeyword": article.keywords,
        "hascois": citation.conflict,
        **{f"has{link.kind.lower()}": True for link in article.corrections},
        f"pubstatus{(published or '').lower()}": published,
        f"indexingmethod {indexed}": indexed,
        f"indexingmethod_{indexed}": indexed,
        "pmcbook": citation.book,
        "preprint": "preprint" in types,
    }
    yield from (name for name, held in found.items() if held)


def _days(citation: Citation) -> dict[str, tuple[tuple[date, date], ...]]:
    article = citation.article
    days: dict[str, tuple[tuple[date, date], ...]] = {}
    published = article.published
    printed = ((published.start, published.end),) if published else ()
    if printed:
        days["dp"] = printed
        if not (citation.publication_model or "").startswith("Electronic"):
            days["ppdat"] = printed
    electronic = citation.all_electronic or ((article.electronic,) if article.electronic else ())
    if electronic:
        days["epdat"] = tuple((day, day) for day in electronic)
    elif printed and "ppdat" not in days:
        days["epdat"] = printed
    entry = citation.days
    if not entry and article.entered:
        entry = {"edat": article.entered, "crdt": article.entered}
    for store, day in entry.items():
        if store not in days:
            days[store] = ((day, day),)
    return days
