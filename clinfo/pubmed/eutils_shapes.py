"""The forms in which NCBI's E-utilities answer, each written once and rendered as XML or as JSON.

A form is by element name what stands in an answer: a text, a form, or a list of either for
elements of one name; under ``@Name`` the attribute, and under "" the text beside it. JSON has the
same names in small letters, lists in the plural. As recorded from the live service in 2026: numbers
are strings in JSON, lists of warnings are left out when they are empty, and errors come with status
200 where the live service gives it.
"""

import json
from collections.abc import Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

Form = dict[str, Any]
XML, JSON, TEXT = (
    "text/xml; charset=UTF-8",
    "application/json; charset=UTF-8",
    "text/plain; charset=UTF-8",
)
_DTD = "https://eutils.ncbi.nlm.nih.gov/eutils/dtd"
_ROOTS = {
    "esearch": ("eSearchResult", "esearch 20060628", f"{_DTD}/20060628/esearch.dtd"),
    "epost": ("ePostResult", "epost 20090526", f"{_DTD}/20090526/epost.dtd"),
    "elink": ("eLinkResult", "elink 20101123", f"{_DTD}/20101123/elink.dtd"),
    "einfo": ("eInfoResult", "einfo 20190110", f"{_DTD}/20190110/einfo.dtd"),
    # the live service names DTDs for these that clients cannot have at hand
    "efetch": ("eFetchResult", "", ""),
    "uilist": ("IdList", "", ""),
}
_RESULTS = {"esearch": "esearchresult", "einfo": "einforesult", "elink": None}
"""Utilities that answer in JSON too, and under which name; None for none."""
_LISTS = ("IdList", "TranslationSet", "DbList", "FieldList", "LinkList", "IdUrlList")
"""Elements that are lists in JSON."""
_PLURALS = {
    "PhraseNotFound": "phrasesnotfound",
    "FieldNotFound": "fieldsnotfound",
    "PhraseIgnored": "phrasesignored",
    "QuotedPhraseNotFound": "quotedphrasesnotfound",
    "LinkSetDbHistory": "linksetdbhistories",
    "Category": "categories",
    "DbInfo": "dbinfo",
}
ARTICLE_SET_HEAD = (
    b'<?xml version="1.0" ?>\n<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st '
    b'January 2025//EN" '
    b'"https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_250101.dtd">\n<PubmedArticleSet>\n'
)
ARTICLE_SET_END = b"\n</PubmedArticleSet>\n"


def rendered(utility: str, form: Form, in_json: bool) -> tuple[bytes, str]:
    """The answer of a utility, and its type: XML, unless JSON is asked for and it has that."""
    if not in_json or utility not in _RESULTS:
        root, dtd, address = _ROOTS[utility]
        doctype = f'<!DOCTYPE {root} PUBLIC "-//NLM//DTD {dtd}//EN" "{address}">\n' if dtd else ""
        head = f'<?xml version="1.0" encoding="UTF-8" ?>\n{doctype}'
        return (head + element(root, form) + "\n").encode(errors="replace"), XML
    result = _in_json(form)
    inside = _RESULTS[utility]
    header = {"header": {"type": utility, "version": "0.3"}}
    body = as_json(header | ({inside: result} if inside else result))
    # A line end in an error makes the JSON invalid, as NCBI's is.
    return (body.replace(b"\\n", b"\n") if "ERROR" in form else body), JSON


def element(name: str, value: Any) -> str:
    """The XML of what stands under a name in a form."""
    if isinstance(value, list):
        return "".join(element(name, one) for one in value)
    if not isinstance(value, dict):
        return f"<{name}>{escape(str(value))}</{name}>\n"
    attributes = [f" {key[1:]}={quoteattr(text)}" for key, text in value.items() if key[:1] == "@"]
    inner = [
        element(key, one) if key else escape(str(one))
        for key, one in value.items()
        if key[:1] != "@"
    ]
    return f"<{name}{''.join(attributes)}>{''.join(inner)}</{name}>\n"


def _in_json(value: Any) -> Any:
    if isinstance(value, list):
        return [_in_json(one) for one in value]
    if not isinstance(value, dict):
        return str(value)
    if list(value) == ["Id"] and not isinstance(value["Id"], list):
        return str(value["Id"])
    found = {}
    for name, one in value.items():
        if name in _LISTS:  # ELink calls its list of ids otherwise
            (one,) = one.values()
            found["ids" if "DbFrom" in value and name == "IdList" else name.lower()] = _in_json(one)
        elif isinstance(one, list):
            found[_PLURALS.get(name, f"{name.lower()}s")] = _in_json(one)
        else:
            key = name if name == "ERROR" else name.lstrip("@").lower() or "value"
            found[key] = _in_json(one)
    return found


def search_form(
    count: int,
    start: int,
    ids: Sequence[str],
    translation: str,
    *,
    history: Form | None = None,
    translation_set: Sequence[tuple[str, str]] = (),
    errors: Form | None = None,
    warnings: Form | None = None,
) -> Form:
    """ESearch's answer, with the errors and warnings that have anything in them."""
    return {
        "Count": count,
        "RetMax": len(ids),
        "RetStart": start,
        **(history or {}),
        "IdList": {"Id": list(ids)},
        "TranslationSet": {
            "Translation": [{"From": source, "To": target} for source, target in translation_set]
        },
        "QueryTranslation": translation,
        **({"ErrorList": errors} if errors and any(errors.values()) else {}),
        **({"WarningList": warnings} if warnings and any(warnings.values()) else {}),
    }


def as_json(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False) + "\n").encode()
