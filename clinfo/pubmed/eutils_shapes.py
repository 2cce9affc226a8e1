"""The shapes in which NCBI's E-utilities answer: ESearch, ELink, EPost, EInfo and errors, as XML
and as JSON.

As recorded from the live service in 2026: numbers are strings in JSON, lists of warnings are left
out when they are empty, and errors come with status 200 where the live service gives it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape

_DTD = "https://eutils.ncbi.nlm.nih.gov/eutils/dtd"
ARTICLE_SET_HEAD = (
    b'<?xml version="1.0" ?>\n<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st '
    b'January 2025//EN" '
    b'"https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_250101.dtd">\n<PubmedArticleSet>\n'
)
NO_URL = "No address is known"
ARTICLE_SET_END = b"\n</PubmedArticleSet>\n"


@dataclass(frozen=True)
class SearchAnswer:
    """The answer of ESearch. ``ids`` are those of the page asked for; ``query_key`` and ``web_env``
    where history was asked for.
    """

    count: int
    start: int
    ids: Sequence[str]
    translation: str
    translation_set: Sequence[tuple[str, str]] = ()
    phrases_not_found: Sequence[str] = ()
    fields_not_found: Sequence[str] = ()
    phrases_ignored: Sequence[str] = ()
    quoted_phrases_not_found: Sequence[str] = ()
    messages: Sequence[str] = ()
    query_key: int | None = None
    web_env: str | None = None


@dataclass(frozen=True)
class LinkSet:
    """The links of one request id, or of several asked together: by link name, ids with their
    scores.
    """

    ids: Sequence[str]
    links: Mapping[str, Sequence[tuple[str, int]]]
    histories: Mapping[str, int]
    web_env: str | None = None
    db_from: str = "pubmed"


def esearch(answer: SearchAnswer, as_json: bool, count_only: bool = False) -> bytes:
    """ESearch's answer; ``count_only`` (rettype=count) leaves out everything else, warnings too."""
    return _esearch_json(answer, count_only) if as_json else _esearch_xml(answer, count_only)


def _esearch_json(answer: SearchAnswer, count_only: bool) -> bytes:
    result: dict[str, Any] = {"count": str(answer.count)}
    if not count_only:
        result |= {"retmax": str(len(answer.ids)), "retstart": str(answer.start)}
        if answer.query_key is not None:
            result |= {"querykey": str(answer.query_key), "webenv": answer.web_env}
        result |= {
            "idlist": list(answer.ids),
            "translationset": [
                {"from": source, "to": target} for source, target in answer.translation_set
            ],
            "querytranslation": answer.translation,
        }
        if answer.phrases_not_found or answer.fields_not_found:
            result["errorlist"] = {
                "phrasesnotfound": list(answer.phrases_not_found),
                "fieldsnotfound": list(answer.fields_not_found),
            }
        if answer.phrases_ignored or answer.quoted_phrases_not_found or answer.messages:
            result["warninglist"] = {
                "phrasesignored": list(answer.phrases_ignored),
                "quotedphrasesnotfound": list(answer.quoted_phrases_not_found),
                "outputmessages": list(answer.messages),
            }
    return as_json({"header": {"type": "esearch", "version": "0.3"}, "esearchresult": result})


def _esearch_xml(answer: SearchAnswer, count_only: bool) -> bytes:
    if count_only:
        return _xml(
            "eSearchResult", "esearch 20060628", "20060628/esearch.dtd", _tag("Count", answer.count)
        )
    parts = [
        _tag("Count", answer.count),
        _tag("RetMax", len(answer.ids)),
        _tag("RetStart", answer.start),
    ]
    if answer.query_key is not None:
        parts += [_tag("QueryKey", answer.query_key), _tag("WebEnv", answer.web_env)]
    parts.append(
        "<IdList>\n" + "".join(f"<Id>{id}</Id>\n" for id in answer.ids) + "</IdList>"
        if answer.ids
        else "<IdList/>"
    )
    pairs = [
        f"<Translation>{_tag('From', one)}{_tag('To', two)}</Translation>"
        for one, two in answer.translation_set
    ]
    parts.append(
        f"<TranslationSet>{''.join(pairs)}</TranslationSet>" if pairs else "<TranslationSet/>"
    )
    parts.append(_tag("QueryTranslation", answer.translation))
    errors = _tags("PhraseNotFound", answer.phrases_not_found) + _tags(
        "FieldNotFound", answer.fields_not_found
    )
    if errors:
        parts.append(f"<ErrorList>{errors}</ErrorList>")
    warnings = (
        _tags("PhraseIgnored", answer.phrases_ignored)
        + _tags("QuotedPhraseNotFound", answer.quoted_phrases_not_found)
        + _tags("OutputMessage", answer.messages)
    )
    if warnings:
        parts.append(f"<WarningList>{warnings}</WarningList>")
    return _xml("eSearchResult", "esearch 20060628", "20060628/esearch.dtd", "".join(parts))


def esearch_error(message: str, in_json: bool) -> bytes:
    """ESearch's way to say that something is wrong. A line end in ``message`` makes the JSON
    invalid, as NCBI's is.
    """
    if not in_json:
        return _xml(
            "eSearchResult", "esearch 20060628", "20060628/esearch.dtd", _tag("ERROR", message)
        )
    text = json.dumps(
        {"header": {"type": "esearch", "version": "0.3"}, "esearchresult": {"ERROR": message}}
    )
    return (text.replace("\\n", "\n") + "\n").encode()


def id_list(ids: Sequence[str]) -> bytes:
    """EFetch's list of ids (rettype=uilist) as XML."""
    return (
        f'<?xml version="1.0" encoding="UTF-8" ?>\n<IdList>\n{_tags("Id", ids)}</IdList>\n'
    ).encode()


def efetch_error(message: str) -> bytes:
    """EFetch's error body. The live one names a DTD that clients cannot have at hand; this one
    names none.
    """
    return (
        '<?xml version="1.0" encoding="UTF-8" ?>\n'
        f"<eFetchResult>{_tag('ERROR', message)}</eFetchResult>\n"
    ).encode()


def epost(query_key: int, web_env: str, invalid: Sequence[str]) -> bytes:
    """EPost's answer, with the ids that are none."""
    wrong = f"\t<InvalidIdList>{_tags('Id', invalid)}</InvalidIdList>\n" if invalid else ""
    body = f"{wrong}\t{_tag('QueryKey', query_key)}\n\t{_tag('WebEnv', web_env)}\n"
    return _xml("ePostResult", "epost 20090526", "20090526/epost.dtd", body)


def epost_error(messages: Iterable[str]) -> bytes:
    return _xml("ePostResult", "epost 20090526", "20090526/epost.dtd", _tags("ERROR", messages))


def elink(sets: Sequence[LinkSet], scored: bool, in_json: bool) -> bytes:
    """ELink's answer: a LinkSet for each, scores where ``scored``."""
    if in_json:
        return _elink_json(_link_set(one, scored) for one in sets)
    return _elink_xml(_link_xml(one, scored) for one in sets)


def elink_urls(db_from: str, urls: Mapping[str, Sequence[str]], in_json: bool) -> bytes:
    """ELink's answer of addresses by id (prlinks, llinks); an id without one is told so."""
    if in_json:
        sets = [
            {"id": id, **({"objurls": list(map(_object_json, ones))} if ones else {"info": NO_URL})}
            for id, ones in urls.items()
        ]
        return _elink_json([{"dbfrom": db_from, "idurllist": sets}])
    rows = (
        f"<IdUrlSet>{_tag('Id', id)}{''.join(map(_object_xml, ones)) or _tag('Info', NO_URL)}</IdUrlSet>"  # noqa: E501
        for id, ones in urls.items()
    )
    return _elink_xml([f"{_tag('DbFrom', db_from)}<IdUrlList>{''.join(rows)}</IdUrlList>"])


def elink_names(
    db_from: str, names: Mapping[str, Sequence[tuple[str, str]]], in_json: bool
) -> bytes:
    """ELink's answer of the links that each id has (acheck): (name, what a menu calls it)."""
    if in_json:
        listed = [
            {"id": id, "linkinfos": [_info(*one) for one in ones]} for id, ones in names.items()
        ]
        return _elink_json([{"dbfrom": db_from, "idchecklist": {"idlinksets": listed}}])
    rows = (
        f"<IdLinkSet>{_tag('Id', id)}"
        + "".join(
            f"<LinkInfo>{_tag('DbTo', one['dbto'])}{_tag('LinkName', one['linkname'])}"
            f"{_tag('MenuTag', one['menutag'])}{_tag('Priority', one['priority'])}</LinkInfo>"
            for one in (_info(*link) for link in ones)
        )
        + "</IdLinkSet>"
        for id, ones in names.items()
    )
    return _elink_xml([f"{_tag('DbFrom', db_from)}<IdCheckList>{''.join(rows)}</IdCheckList>"])


def elink_checks(db_from: str, has: Mapping[str, bool], name: str, in_json: bool) -> bytes:
    """ELink's answer of whether each id has a link: ``name`` is HasNeighbor or HasLinkOut."""
    if in_json:
        ids = [{"value": id, name.lower(): "NY"[one]} for id, one in has.items()]
        return _elink_json([{"dbfrom": db_from, "idchecklist": {"ids": ids}}])
    rows = (f'<Id {name}="{"NY"[one]}">{escape(id)}</Id>' for id, one in has.items())
    return _elink_xml([f"{_tag('DbFrom', db_from)}<IdCheckList>{''.join(rows)}</IdCheckList>"])


def _info(name: str, menu: str) -> dict[str, str]:
    return {"dbto": _target(name), "linkname": name, "menutag": menu, "priority": "128"}


def _object_json(url: str) -> dict[str, Any]:
    host = url.split("/")[2]
    return {
        "url": {"value": url},
        "categories": ["Full Text Sources"],
        "provider": {"name": host, "nameabbr": host, "id": "", "url": {"value": f"https://{host}"}},
    }


def _object_xml(url: str) -> str:
    host = url.split("/")[2]
    provider = "".join(
        (_tag("Name", host), _tag("NameAbbr", host), "<Id/>", _tag("Url", f"https://{host}"))
    )
    return (
        f"<ObjUrl>{_tag('Url', url)}{_tag('Category', 'Full Text Sources')}"
        f"<Provider>{provider}</Provider></ObjUrl>"
    )


def _elink_json(sets: Iterable[dict[str, Any]]) -> bytes:
    return as_json({"header": {"type": "elink", "version": "0.3"}, "linksets": list(sets)})


def _elink_xml(sets: Iterable[str]) -> bytes:
    body = "".join(f"<LinkSet>{one}</LinkSet>\n" for one in sets)
    return _xml("eLinkResult", "elink 20101123", "20101123/elink.dtd", body)


def _target(name: str) -> str:
    """The database to which a link of this name leads: pmc for pubmed_pmc."""
    return name.split("_")[1]


def _link_set(links: LinkSet, scored: bool) -> dict[str, Any]:
    form: dict[str, Any] = {"dbfrom": links.db_from, "ids": list(links.ids)}
    if links.web_env is not None:
        form["linksetdbhistories"] = [
            {"dbto": _target(name), "linkname": name, "querykey": str(query_key)}
            for name, query_key in links.histories.items()
        ]
        form["webenv"] = links.web_env
        return form
    databases = []
    for name, found in links.links.items():
        listed = [{"id": id, "score": str(score)} if scored else id for id, score in found]
        databases.append({"dbto": _target(name), "linkname": name, "links": listed})
    if databases:
        form["linksetdbs"] = databases
    return form


def _link_xml(links: LinkSet, scored: bool) -> str:
    parts = [f"{_tag('DbFrom', links.db_from)}<IdList>{_tags('Id', links.ids)}</IdList>"]
    if links.web_env is not None:
        for name, query_key in links.histories.items():
            named = _tag("DbTo", _target(name)) + _tag("LinkName", name)
            parts.append(
                f"<LinkSetDbHistory>{named}{_tag('QueryKey', query_key)}</LinkSetDbHistory>"
            )
        parts.append(_tag("WebEnv", links.web_env))
    else:
        for name, found in links.links.items():
            rows = "".join(
                f"<Link>{_tag('Id', id)}{_tag('Score', score) if scored else ''}</Link>"
                for id, score in found
            )
            named = _tag("DbTo", _target(name)) + _tag("LinkName", name)
            parts.append(f"<LinkSetDb>{named}{rows}</LinkSetDb>")
    return "".join(parts)


def elink_error(message: str, in_json: bool) -> bytes:
    if in_json:
        return as_json({"header": {"type": "elink", "version": "0.3"}, "ERROR": message})
    return _xml("eLinkResult", "elink 20101123", "20101123/elink.dtd", _tag("ERROR", message))


def einfo(databases: Sequence[str], in_json: bool) -> bytes:
    """EInfo's list of databases."""
    if in_json:
        return _einfo_json({"dblist": list(databases)})
    return _einfo_xml(f"<DbList>{_tags('DbName', databases)}</DbList>")


def einfo_database(info: Mapping[str, Any], in_json: bool) -> bytes:
    """EInfo's description of a database: ``info`` by element name, its lists of rows as
    FieldList and LinkList.
    """
    if in_json:
        form = {
            name.lower(): [{key.lower(): text for key, text in row.items()} for row in value]
            if isinstance(value, list)
            else value
            for name, value in info.items()
        }
        return _einfo_json({"dbinfo": [form]})
    parts = []
    for name, value in info.items():
        if isinstance(value, list):
            inner = name.removesuffix("List")
            rows = ("".join(_tag(key, text) for key, text in row.items()) for row in value)
            parts.append(f"<{name}>{''.join(f'<{inner}>{r}</{inner}>' for r in rows)}</{name}>")
        else:
            parts.append(_tag(name, value))
    return _einfo_xml(f"<DbInfo>{''.join(parts)}</DbInfo>")


def einfo_error(message: str, in_json: bool) -> bytes:
    return _einfo_json({"ERROR": message}) if in_json else _einfo_xml(_tag("ERROR", message))


def _einfo_json(result: Any) -> bytes:
    return as_json({"header": {"type": "einfo", "version": "0.3"}, "einforesult": result})


def _einfo_xml(body: str) -> bytes:
    return _xml("eInfoResult", "einfo 20190110", "20190110/einfo.dtd", body)


def espell(query: str, corrected: str, pieces: Sequence[tuple[str, bool]]) -> bytes:
    """ESpell's answer, always XML: ``pieces`` of the query in order, True where it is a mended
    word; ``corrected`` is "" where nothing was.
    """
    spelled = "".join(_tag("Replaced" if mended else "Original", one) for one, mended in pieces)
    body = (
        f"{_tag('Database', 'pubmed')}{_tag('Query', query)}{_tag('CorrectedQuery', corrected)}"
        f"<SpelledQuery>{spelled}</SpelledQuery><ERROR/>"
    )
    return (
        '<?xml version="1.0"?>\n<!DOCTYPE eSpellResult PUBLIC "-//NLM//DTD eSpellResult, 23 '
        'November 2004//EN" "https://www.ncbi.nlm.nih.gov/entrez/query/DTD/eSpell.dtd">\n'
        f"<eSpellResult>{body}</eSpellResult>\n"
    ).encode(errors="replace")


def egquery(term: str, counts: Mapping[str, int]) -> bytes:
    """EGQuery's answer: how many records each database has for a term."""
    items = "".join(
        f"<ResultItem>{_tag('DbName', name)}{_tag('MenuName', name)}{_tag('Count', count)}"
        f"{_tag('Status', 'Ok' if count else 'Term or Database is not found')}</ResultItem>"
        for name, count in counts.items()
    )
    return (
        '<?xml version="1.0"?>\n<!DOCTYPE Result PUBLIC "-//NLM//DTD eSearchResult, January '
        '2004//EN" "https://www.ncbi.nlm.nih.gov/entrez/query/DTD/egquery.dtd">\n'
        f"<Result>{_tag('Term', term)}<eGQueryResult>{items}</eGQueryResult></Result>\n"
    ).encode(errors="replace")


def as_json(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False) + "\n").encode()


def _xml(root: str, dtd: str, path: str, body: str) -> bytes:
    head = (
        f'<?xml version="1.0" encoding="UTF-8" ?>\n<!DOCTYPE {root} PUBLIC "-//NLM//DTD {dtd}//EN" '
        f'"{_DTD}/{path}">\n'
    )
    return f"{head}<{root}>{body}</{root}>\n".encode(errors="replace")


def _tag(name: str, value: object) -> str:
    return f"<{name}>{escape(str(value))}</{name}>"


def _tags(name: str, values: Iterable[object]) -> str:
    return "".join(_tag(name, value) for value in values)
