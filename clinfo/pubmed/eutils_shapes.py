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
        return as_json(
            {
                "header": {"type": "elink", "version": "0.3"},
                "linksets": [_link_set(one, scored) for one in sets],
            }
        )
    return _xml(
        "eLinkResult",
        "elink 20101123",
        "20101123/elink.dtd",
        "".join(_link_xml(one, scored) for one in sets),
    )


def _link_set(links: LinkSet, scored: bool) -> dict[str, Any]:
    form: dict[str, Any] = {"dbfrom": "pubmed", "ids": list(links.ids)}
    if links.web_env is not None:
        form["linksetdbhistories"] = [
            {"dbto": "pubmed", "linkname": name, "querykey": str(query_key)}
            for name, query_key in links.histories.items()
        ]
        form["webenv"] = links.web_env
        return form
    databases = []
    for name, found in links.links.items():
        listed = [{"id": id, "score": str(score)} if scored else id for id, score in found]
        databases.append({"dbto": "pubmed", "linkname": name, "links": listed})
    if databases:
        form["linksetdbs"] = databases
    return form


def _link_xml(links: LinkSet, scored: bool) -> str:
    parts = [f"<DbFrom>pubmed</DbFrom><IdList>{_tags('Id', links.ids)}</IdList>"]
    if links.web_env is not None:
        for name, query_key in links.histories.items():
            parts.append(
                f"<LinkSetDbHistory><DbTo>pubmed</DbTo>{_tag('LinkName', name)}{_tag('QueryKey', query_key)}</LinkSetDbHistory>"  # noqa: E501
            )
        parts.append(_tag("WebEnv", links.web_env))
    else:
        for name, found in links.links.items():
            rows = "".join(
                f"<Link>{_tag('Id', id)}{_tag('Score', score) if scored else ''}</Link>"
                for id, score in found
            )
            parts.append(
                f"<LinkSetDb><DbTo>pubmed</DbTo>{_tag('LinkName', name)}{rows}</LinkSetDb>"
            )
    return f"<LinkSet>{''.join(parts)}</LinkSet>\n"


def elink_error(message: str, in_json: bool) -> bytes:
    if in_json:
        return as_json({"header": {"type": "elink", "version": "0.3"}, "ERROR": message})
    return _xml("eLinkResult", "elink 20101123", "20101123/elink.dtd", _tag("ERROR", message))


def einfo(databases: Sequence[str], in_json: bool) -> bytes:
    """EInfo's list of databases."""
    if in_json:
        return as_json(
            {
                "header": {"type": "einfo", "version": "0.3"},
                "einforesult": {"dblist": list(databases)},
            }
        )
    return _xml(
        "eInfoResult",
        "einfo 20190110",
        "20190110/einfo.dtd",
        f"<DbList>{_tags('DbName', databases)}</DbList>",
    )


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
