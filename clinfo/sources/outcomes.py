"""Reads ESearch responses: the hits of a query, their completeness, and what PubMed left out."""

from __future__ import annotations

from typing import Any

from clinfo.errors import SourceUnavailable
from clinfo.records.articles import Outcome, SearchResult

_SAID = (
    ("errorlist", "phrasesnotfound", 'PubMed did not find the phrase "{}".'),
    ("errorlist", "fieldsnotfound", 'PubMed does not know the field "{}".'),
    (
        "warninglist",
        "quotedphrasesnotfound",
        'PubMed did not find the quoted phrase "{}" and left it out.',
    ),
    ("warninglist", "phrasesignored", 'PubMed ignored "{}".'),
)
"""The lists in which PubMed names what it did not use. An unknown tag may be in none of them (seen
in 2026).
"""


def read_search(
    answer: dict[str, Any], sent: str, limit: int | None = None, sort: str = "relevance"
) -> SearchResult:
    """An ``esearchresult`` object as a result (without time). Raises SourceUnavailable where it has
    no number of hits.

    ``limit`` is how many ids were asked for, where it is known: fewer than there must be are warned
    about.
    """
    count = str(answer.get("count", ""))
    if not (count.isascii() and count.isdecimal()):
        raise SourceUnavailable("PubMed's answer contains no number of hits")
    hits = int(count)
    listed = (str(id) for id in _listed(answer.get("idlist")))
    ids = tuple(dict.fromkeys(f"pmid:{id}" for id in listed if id.isdecimal()))
    dropped = dict.fromkeys(
        _plain(phrase) for group, name, _ in _SAID for phrase in _phrases(answer, group, name)
    )
    outcome: Outcome = "zero" if not hits else "partly dropped" if dropped else "complete"
    warnings = [
        form.format(_plain(phrase))
        for group, name, form in _SAID
        for phrase in _phrases(answer, group, name)
    ]
    warnings += [
        f"PubMed says: {_plain(said)}" for said in _phrases(answer, "warninglist", "outputmessages")
    ]
    if limit is not None and len(ids) < (due := min(limit, hits)):
        warnings.append(f"PubMed sent {len(ids):,} of the {due:,} ids that it should have sent.")
    return SearchResult(
        sent=sent,
        ids=ids,
        count=hits,
        sort=sort,
        sent_at="",
        translation=answer.get("querytranslation") or None,
        warnings=tuple(dict.fromkeys(warnings)),
        outcome=outcome,
        dropped=tuple(dropped),
    )


def _phrases(answer: dict[str, Any], group: str, name: str) -> list[Any]:
    found = answer.get(group)
    return _listed(found.get(name)) if isinstance(found, dict) else []


def _plain(phrase: object) -> str:
    return " ".join(str(phrase).replace('"', " ").split())


def _listed(value: Any) -> list[Any]:
    """Lists of one may come as the one alone."""
    if isinstance(value, list):
        return value
    return [] if value in (None, "") else [value]
