"""Notices that a reader must know before using articles: retractions, concerns, corrections,
preprints.

Reported by PubMed's own records (publication types and links), by titles that say so, and by a
retraction list where one is loaded. Two kinds exclude an article (`excluding`): a retracted one is
no evidence, and neither is the notice of a retraction, which reports no study but bears the title
and words of one that fell. All others are flags.

Retracted and republished: the version that was retracted (RetractedandRepublishedIn) is excluded,
the version that took its place (RetractedandRepublishedFrom) is flagged. NLM's kinds of links:
https://www.nlm.nih.gov/bsd/policy/errata.html
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import get_args

from clinfo.integrity.retractions import Entry, Nature, Retractions, standing
from clinfo.records.appraisal import Notice, NoticeKind
from clinfo.records.articles import Article, Correction
from clinfo.references.parts import plain
from clinfo.text.identifiers import find_doi

SERVERS = frozenset(
    (
        "arxiv",
        "authorea",
        "biorxiv",
        "biorxiv : the preprint server for biology",
        "chemrxiv",
        "jmir preprints",
        "medrxiv",
        "medrxiv : the preprint server for health sciences",
        "preprints",
        "preprints.org",
        "psyarxiv",
        "res sq",
        "research square",
        "scielo preprints",
        "social science research network",
        "ssrn",
        "ssrn electronic journal",
        "techrxiv",
    )
)
"""Preprint servers as PubMed and others call them, in lower case; PubMed abbreviates Research
Square to "Res Sq".
"""

# 10.1101 is Cold Spring Harbor's, whose journals have it too (10.1101/gr.…), so the form of its
# preprints' numbers is asked for; openRxiv's 10.64898 has the same form. 10.21203 also numbers
# protocols (pex-…).
_DOI = re.compile(
    r"10\.(?:1101/(?:[0-9]{4}\.[0-9]{2}\.[0-9]{2}\.[0-9]{6,}|[0-9]{6}(?:v[0-9]+)?$)|"
    r"64898/[0-9]{4}\.[0-9]{2}\.[0-9]{2}\.[0-9]{6,}"
    r"|21203/rs\.[0-9]+\.rs-|2139/ssrn\.|20944/preprints|48550/arxiv\.|26434/chemrxiv|"
    r"3123[45]/osf\.io|31219/osf\.io"
    r"|22541/au\.|36227/techrxiv|2196/preprints\.|1590/scielopreprints)"
)


def is_preprint(article: Article) -> bool:
    """Return whether the record is one of a preprint."""
    if any(kind.strip().lower() == "preprint" for kind in article.publication_types):
        return True
    names = [
        name.strip().rstrip(".").lower()
        for name in (article.journal, article.journal_abbreviation)
        if name
    ]
    return (
        any(name in SERVERS or name.endswith("[preprint]") for name in names)
        or _DOI.match(find_doi(article.doi)) is not None
    )


EXCLUDED: frozenset[NoticeKind] = frozenset(("retracted", "retraction notice"))
RECORD = "PubMed's record"
LIST = "the retraction list"
REFERENCES = "the reference list"
TITLE = "the title"
NOTICE = "PubMed's record of the notice"
NAMED = 3
"""Most PMIDs or notices that a sentence names; the number of the others is told."""

_LONGEST = 240
_ORDER = {kind: place for place, kind in enumerate(get_args(NoticeKind))}

_PUBLICATION = r"(?: (?:article|paper|publication|chapter|manuscript|study|review|preprint))?"
_NAMED_PUBLICATION = _PUBLICATION.removesuffix("?")
_SET_OFF = r"(?:\s{0,2}[:\])]|\s[-–—]\s)"
# "Withdrawn: patients' experience" is a title like others; a title that begins with a gene
# ("miR-21") is not such a phrase.
_RETRACTED_TITLE = re.compile(
    rf"(?:[0-9]{{1,5}}\.? )?\W{{0,3}}(?:(retracted{_PUBLICATION}|withdrawn{_NAMED_PUBLICATION}|"
    rf"(?-i:WITHDRAWN)){_SET_OFF}"
    rf"|(withdrawn){_SET_OFF}(?!\s*(?-i:[a-z][a-z'’-]*(?![\w])))"
    rf"|((?-i:RETRACTED|WITHDRAWN)|(?:retracted|withdrawn){_NAMED_PUBLICATION})\.\s)",
    re.IGNORECASE,
)
_REMOVED_TITLE = re.compile(r"\W{0,3}(?:TEMPORARY )?(?:REMOVED|REMOVAL)\s{0,2}[:\]]")
_RETRACTED_AT_END = re.compile(
    rf"(?i:[(\[]\s?retracted{_PUBLICATION}\b[^()\[\]]{{0,150}}[)\]]\W{{0,3}}$)"
    rf"|(?:\s[-–—]\s?|[:.]\s)(?:RETRACTED|Retracted|WITHDRAWN)(?i:{_PUBLICATION})\W{{0,3}}$"
)
_COLLECTIVE = (
    r"(?:group|consortium|investigators|collaborati(?:on|ve)|collaborators|committee|network|team|"
    r"initiative|trialists|alliance|"
    r"association|society|task force|working party|panel|project|study|trial)"
)
_COLLECTIVE_FIRST = re.compile(
    rf"\W{{0,3}}(?:the )?(?-i:[^\W\d_a-z])[^.:;]{{2,120}}?\b{_COLLECTIVE}(?: (?:on|of|for|in) "
    r"[^.:;]{2,60})?(?: et al)?"
    r"(?:\s?[.:;,]|\s[-–—])\s+(?=\W{0,3}(?:the )?(?:notice|statement|partial|retract|withdraw|"
    r"expression|editorial expression|"
    r"corrigend|errat|author(?:'s|’s)? correction|publisher(?:'s|’s)? correction|(?:temporary "
    r")?remov))",
    re.IGNORECASE,
)
"""A collective author before the words of a notice: "The Tea Study Group. Retraction: …"."""
_NOTICE_TITLE = re.compile(
    r"\W{0,3}(?:(?:notice|statement) of retraction|(?:partial )?retraction(?: (?:note|notice|"
    r"statement))?(?: (?:to|of|for))?)"
    r"\s{0,2}[:.“\"–—]"
    r"|\W{0,3}retraction(?: (?:note|notice|statement))? (?:for|of|to) "
    r"(?-i:[^\W\d_a-z])[^.:;]{0,60}?"
    r"(?: et al\b| and (?-i:[^\W\d_a-z])[\w'’-]{1,30}, (?-i:[\"“‘']?[^\W\d_a-z]))"
    rf"|\W{{0,3}}retraction(?: (?:note|notice|statement))? (?:for|of|"
    rf"to) (?:the )?(?-i:[^\W\d_a-z])[^.:;]{{2,100}}? {_COLLECTIVE}\s?[,:.]",
    re.IGNORECASE,
)
_ABOUT = r"(?: (?:to|on|for|of|about|regarding|in))?\s{0,2}(?:[:.“\"–—]|[^.:;]{1,60}? et al\b)"
_OF_ANOTHER_TITLE = re.compile(
    r"\W{0,3}(?:(?P<concern>(?:editorial )?expressions? of (?:editorial )?concern)|(?P<erratum>"
    r"corrigend(?:um|a)|errat(?:um|a)|(?:author|publisher)(?:'s|’s)? correction)|corrections?)"
    rf"{_ABOUT}",
    re.IGNORECASE,
)
_NOTICE_AT_END = re.compile(r"[:.–—-]\s{0,2}(?:notice of )?retraction\W{0,3}$", re.IGNORECASE)
_TAIL = 220


def notices(
    articles: Sequence[Article], retractions: Retractions | None = None
) -> tuple[Notice, ...]:
    """Return what is to be known of the articles, in their order; of each article at most one
    notice of a kind, gravest first.

    An article that cites others is compared with the list and against what is retracted among
    ``articles`` themselves.
    """
    versions = _by_link((article for article in articles if article.pmid), "updateof")
    # PubMed links the article to its notice some time after it has the notice itself.
    announced = _by_link(articles, "retractionof")
    found = {
        article.id: _of_article(article, retractions, versions, announced) for article in articles
    }
    retracted = {
        article.pmid
        for article in articles
        if article.pmid and any(one.kind == "retracted" for one in found[article.id])
    }
    given: list[Notice] = []
    for article in articles:
        own = found.pop(article.id, [])
        if own and own[0].kind in EXCLUDED:
            given += own
            continue
        given += [*own, *_of_references(article, retracted, retractions)]
    return tuple(given)


def excluding(notice: Notice) -> bool:
    """Return whether the article of this notice is not to be used as evidence."""
    return notice.kind in EXCLUDED


def reason(notice: Notice) -> str:
    """Return why an article is excluded, in a few words: the kind, the notice where it is known,
    and who tells so.
    """
    named = _cited(notice.citation, notice.pmid)
    return f"{notice.kind}{f': {named}' if named else ''} (source: {notice.reported_by})"


def _of_article(
    article: Article,
    retractions: Retractions | None,
    versions: dict[str, Article],
    announced: dict[str, Article],
) -> list[Notice]:
    told = [*_of_record(article, versions)]
    if (notice := announced.get(article.pmid or "")) is not None:
        said = "Its retraction notice is among the records"
        text = f"{said}: {_cited(notice.title, notice.pmid)}."
        told.append(
            Notice(article.id, "retracted", text, NOTICE, notice.pmid, _clipped(notice.title))
        )
    if retractions is not None:
        told += _of_list(article, retractions)
    told += _of_title(article)
    kinds = {one.kind for one in told}
    by_kind: dict[NoticeKind, Notice] = {}
    # A list or a title may call retracted what is a notice itself, or was republished since.
    other = bool({"retraction notice", "retracted and republished"} & kinds)
    for one in told:
        if one.kind == "retracted" and one.reported_by != RECORD and other:
            continue
        by_kind[one.kind] = _together(by_kind[one.kind], one) if one.kind in by_kind else one
    return sorted(by_kind.values(), key=lambda one: _ORDER[one.kind])


def _together(first: Notice, second: Notice) -> Notice:
    """Two notices of a kind as one: the first, with what only the second knows."""
    text = first.text
    if second.reported_by == LIST and first.reported_by != LIST:
        _, cue, why = second.text.partition(", with the reason")
        text = f"{first.text} The retraction list records it too{cue}{why.rstrip('.')}."
    known = first.pmid or first.citation
    return Notice(
        first.id,
        first.kind,
        text,
        first.reported_by,
        first.pmid if known else second.pmid,
        first.citation if known else second.citation,
    )


# ---- what a record says


_TOLD: tuple[tuple[NoticeKind, str, tuple[str, ...], str], ...] = (
    ("retracted", "", ("retractionin",), "This article was retracted"),
    (
        "retracted",
        "",
        ("retractedandrepublishedin",),
        "This version was retracted and replaced by another",
    ),
    ("retracted", "retracted publication", (), "This article was retracted"),
    (
        "retraction notice",
        "retraction of publication",
        ("retractionof",),
        "This record is the notice of a retraction, not a study",
    ),
    (
        "retracted and republished",
        "retractedandrepublishedin itself",
        ("retractedandrepublishedfrom",),
        "An earlier version was retracted and replaced by this one",
    ),
    ("partly retracted", "", ("partialretractionin",), "Part of this article was retracted"),
    (
        "expression of concern",
        "",
        ("expressionofconcernin",),
        "An expression of concern about this article was published",
    ),
    (
        "expression of concern",
        "expression of concern",
        ("expressionofconcernfor",),
        "This record is an expression of concern, not a study",
    ),
    ("erratum", "", ("erratumin",), "A correction of this article was published"),
    (
        "erratum",
        "",
        ("correctedandrepublishedin", "republishedin"),
        "A corrected version of this article was published",
    ),
    (
        "erratum",
        "",
        ("correctedandrepublishedfrom", "republishedfrom"),
        "This is the corrected version of an earlier article",
    ),
    (
        "erratum",
        "published erratum",
        ("erratumfor",),
        "This record is a correction of another article",
    ),
    ("erratum", "", ("partialretractionof",), "This record retracts part of another article"),
    ("superseded", "", ("updatein",), "A newer version of this article exists"),
)
"""Each kind of notice with the type of the record or the kinds of its links that tell of it, in
small letters, and how it is told; of a kind the first that holds.
"""
_OF_VERSIONS = ("retractedandrepublishedin", "updatein")
"""Kinds of links that may lead to the record itself, which is then the later version."""


def _of_record(article: Article, versions: dict[str, Article]) -> Iterator[Notice]:
    types = {kind.strip().lower() for kind in article.publication_types}
    links: dict[str, list[Correction]] = {}
    for link in article.corrections:
        kind = link.kind.strip().lower()
        if kind in _OF_VERSIONS and link.pmid and link.pmid == article.pmid:
            types.add(f"{kind} itself")
        else:
            links.setdefault(kind, []).append(link)

    def told(kind: NoticeKind, text: str, of: Sequence[Correction]) -> Notice:
        pmid, citation = (of[0].pmid, _clipped(of[0].citation)) if of else (None, "")
        where = f": {_several(of)}" if of else ""
        return Notice(article.id, kind, f"{text}{where}.", RECORD, pmid, citation)

    if is_preprint(article):
        newer = versions.get(article.pmid or "")
        later = links.pop("updatein", []) or ([Correction("", "", newer.pmid)] if newer else [])
        text = "it has been published" if later else "it was not peer-reviewed when it appeared"
        known: NoticeKind = "preprint with a published version" if later else "preprint"
        yield told(known, f"This is a preprint; {text}", later)
    for one, type, kinds, text in _TOLD:
        of = [link for kind in kinds for link in links.get(kind, ())]
        if of or type in types:
            yield told(one, text, of)


def _of_title(article: Article) -> Iterator[Notice]:
    title = _COLLECTIVE_FIRST.sub("", article.title[:400], count=1)
    tail, bare = article.title[-_TAIL:], not article.sections
    fallen = _RETRACTED_TITLE.match(title) or _RETRACTED_AT_END.search(tail)
    word = "withdrawn" if fallen and "withdrawn" in fallen[0].lower() else "retracted"
    another = _OF_ANOTHER_TITLE.match(title)
    concern, erratum = another.group("concern", "erratum") if another else ("", "")
    told: tuple[tuple[NoticeKind, object, str], ...] = (
        (
            "retraction notice",
            (bare and (_NOTICE_TITLE.match(title) or _NOTICE_AT_END.search(tail)))
            or "this retracts the article" in article.abstract[:30].lower(),
            "Its title or text is that of the notice of a retraction.",
        ),
        ("retracted", fallen, f"Its title says that it was {word}."),
        ("retracted", _REMOVED_TITLE.match(title), "Its title says that it was removed."),
        (
            "expression of concern",
            concern,
            "Its title is that of an expression of concern, not of a study.",
        ),
        (
            "erratum",
            another and not concern and (erratum or bare),
            "Its title is that of a correction of another article.",
        ),
    )
    yield from (Notice(article.id, kind, text, TITLE) for kind, holds, text in told if holds)


# ---- what a list says


def _of_list(article: Article, retractions: Retractions) -> Iterator[Notice]:
    entries = retractions.about(article)
    if retraction := standing(entries):
        replaced = " and replaced by another version" if retraction.replaced else ""
        text = f"The retraction list records this article as retracted{replaced}"
        yield _listed(article, "retracted", text, retraction)
    for entry in retractions.announced_by(article)[:1]:
        if entry.replaced:
            of = f" (PMID {entry.pmid})" if entry.pmid else ""
            text = (
                f"The retraction list names this record as the place where an article{of} was "
                "retracted and replaced"
            )
            yield Notice(article.id, "retracted and republished", f"{text}.", LIST, entry.pmid)
        else:
            of = f": PMID {entry.pmid}" if entry.pmid else f": doi {entry.doi}"
            text = f"The retraction list records this as the notice of a retraction{of}."
            yield Notice(article.id, "retraction notice", text, LIST, entry.pmid)
    flags: tuple[tuple[Nature, NoticeKind, str], ...] = (
        ("expression of concern", "expression of concern", "an expression of concern about it"),
        ("correction", "erratum", "a correction of this article"),
    )
    for nature, kind, what in flags:
        for entry in [entry for entry in entries if entry.nature == nature][-1:]:
            yield _listed(article, kind, f"The retraction list records {what}", entry)


def _listed(article: Article, kind: NoticeKind, text: str, entry: Entry) -> Notice:
    known = ", ".join(
        part
        for part in (entry.day, f"notice: PMID {entry.notice_pmid}" if entry.notice_pmid else "")
        if part
    )
    why = ""
    if entry.reasons:
        first = "; ".join(plain(one) for one in entry.reasons[:NAMED])
        others = f"; and {len(entry.reasons) - NAMED} more" if len(entry.reasons) > NAMED else ""
        why = f", with the reason{'s' if len(entry.reasons) > 1 else ''} {_clipped(first)}{others}"
    citation = _clipped(entry.citation) or (f"doi: {entry.notice_doi}" if entry.notice_doi else "")
    return Notice(
        article.id,
        kind,
        f"{text}{f' ({known})' if known else ''}{why}.",
        LIST,
        entry.notice_pmid,
        citation,
    )


# ---- what a reference list holds


def _of_references(
    article: Article, retracted: set[str], retractions: Retractions | None
) -> Iterator[Notice]:
    # A republished article cites the version that it replaces.
    versions = (
        link
        for link in article.corrections
        if "retract" in link.kind.lower() or "republish" in link.kind.lower()
    )
    apart = {article.pmid, *(link.pmid for link in versions)}
    fallen = [
        pmid
        for pmid in dict.fromkeys(article.references)
        if pmid not in apart
        and (pmid in retracted or (retractions is not None and retractions.retracts(pmid)))
    ]
    if fallen:
        many = f"{len(fallen):,} retracted articles" if len(fallen) > 1 else "a retracted article"
        named = ", ".join(fallen[:NAMED]) + (
            f" and {len(fallen) - NAMED:,} more" if len(fallen) > NAMED else ""
        )
        text = f"Its reference list contains {many} (PMID {named})."
        yield Notice(
            article.id, "cites retracted articles", text, REFERENCES, fallen[0], count=len(fallen)
        )


def _by_link(articles: Iterable[Article], kind: str) -> dict[str, Article]:
    """The articles with a link of this kind, in small letters, by the PMID of what it leads to."""
    return {
        link.pmid: article
        for article in articles
        for link in article.corrections
        if link.kind.strip().lower() == kind and link.pmid and link.pmid != article.pmid
    }


# ---- words


def _several(links: Sequence[Correction]) -> str:
    shown = [one for link in links[:NAMED] if (one := _cited(link.citation, link.pmid))]
    others = f"; and {len(links) - NAMED:,} more" if len(links) > NAMED else ""
    return ("; ".join(shown) or "no citation is given") + others


def _cited(citation: str, pmid: str | None) -> str:
    return ", ".join(
        part for part in (_clipped(citation).rstrip("."), f"PMID {pmid}" if pmid else "") if part
    )


def _clipped(text: str) -> str:
    text = plain(text)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 2].rstrip()} …"
