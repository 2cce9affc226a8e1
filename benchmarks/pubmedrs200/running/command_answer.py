"""The answer of an external system: read with suspicion, audited, and made into a record."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from benchmarks.pubmedrs200.running import audit
from benchmarks.pubmedrs200.running.command_process import Unusable, shown
from benchmarks.pubmedrs200.running.records import Cell, Record
from clinfo.records.articles import RunRequest

MAX_DEPTH: Final = 100
"""Lists and objects within one another: an answer of ``clinfo ask --json`` has 7. Few more than
these can be copied or written.
"""
_TOO_DEEP: Final = f"its answer is nested more than {MAX_DEPTH} levels deep"
_PMID: Final = re.compile(r"[1-9]\d{0,8}", re.ASCII)
_MOST: Final = 10**12
"""Tokens, or dollars, of a question: what is more is not their count, and sums of it may be no
number at all.
"""


def read_answer(output: bytes, id: str) -> dict[str, Any]:
    """The JSON object that a command wrote when asked the question ``id``, without times. Raises
    Unusable where it is no answer.
    """
    try:
        text = output.decode()
    except UnicodeDecodeError:
        raise Unusable("its answer is not UTF-8 text") from None
    try:
        form = json.loads(
            text,
            parse_constant=_no_number,
            parse_float=_finite,
            parse_int=_whole,
            object_pairs_hook=_object,
        )
    except json.JSONDecodeError as error:
        lines = sum(bool(line.strip()) for line in text.split("\n"))
        what = (
            "its answer is not JSON"
            if lines == 1
            else f"it wrote {lines:,} lines, not one JSON object"
        )
        raise Unusable(f"{what}: {shown(str(error))}") from None
    except RecursionError:
        raise Unusable(_TOO_DEEP) from None
    if _depth(form) > MAX_DEPTH:
        raise Unusable(_TOO_DEEP)
    try:
        json.dumps(form, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise Unusable(
            "its answer holds half of a surrogate pair, which is not a character"
        ) from None
    if not isinstance(form, dict):
        raise Unusable("its answer is JSON, but no object")
    for field in ("id", "synthesis", "tldr", "references"):
        if field not in form:
            raise Unusable(f"its answer lacks {field}")
    if form["id"] != id:
        raise Unusable(f"it answered the question {shown(str(form['id']))} and was asked {id}")
    for field in ("synthesis", "tldr"):
        if not isinstance(form[field], str):
            raise Unusable(f"its {field} is not text")
    references = form["references"]
    if not isinstance(references, list) or not all(
        isinstance(one, dict) and _is_pmid(one.get("pmid", "")) for one in references
    ):
        raise Unusable(
            'its references are no list of objects with a "pmid" (its digits as text, or null)'
        )
    return {name: value for name, value in form.items() if name != "timings"}


def _no_number(text: str) -> None:
    raise Unusable(f"its answer is not JSON: {text} is not a number")


def _finite(text: str) -> float:
    if not math.isfinite(value := float(text)):
        raise Unusable(f"its answer holds {shown(text)}, which is too large a number")
    return value


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:  # more digits than Python converts
        raise Unusable(
            f"its answer holds a number of {len(text.lstrip('-')):,} digits, which is too large"
        ) from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    form = dict(pairs)
    if len(form) < len(pairs):
        twice = next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        raise Unusable(f"its answer has the field “{shown(twice)}” twice in one object")
    return form


def _depth(value: object) -> int:
    """Return how many lists and objects stand within one another; without recursion, since that has
    a depth of its own.
    """
    depth, level = 0, [value]
    while level := [one for one in level if isinstance(one, (dict, list))]:
        depth += 1
        level = [
            inner for one in level for inner in (one.values() if isinstance(one, dict) else one)
        ]
    return depth


def _is_pmid(value: object) -> bool:
    return value is None or (isinstance(value, str) and _PMID.fullmatch(value) is not None)


async def record_of(
    cell: Cell, answer: Mapping[str, Any], request: RunRequest, lookup: audit.Lookup
) -> Record:
    """The record of what a command answered (`read_answer`), audited."""
    texts = {"synthesis": answer["synthesis"], "tldr": answer["tldr"]}
    articles = _articles(answer)
    kept = [
        str(one["pmid"])
        for one in articles or ()
        if one.get("relevant") is not False and _is_judged(one)
    ]
    cited = [one["pmid"] for one in answer["references"] if one["pmid"] is not None]
    used = [("references", pmid) for pmid in cited] + [("articles", pmid) for pmid in kept]
    leaks, unchecked = await audit.of_others(used, texts, answer["references"], request, lookup)
    pmids = dict.fromkeys(
        [
            *(pmid for _, pmid in used),
            *(pmid for text in texts.values() for pmid in audit.pmids_named(text)),
        ]
    )
    known = await lookup.articles(pmids) if request.before is not None else {}
    answered = bool(answer["synthesis"].strip() or answer["tldr"].strip())
    told = articles is not None
    rejected = tuple(
        dict.fromkeys(str(one["pmid"]) for one in articles or () if one.get("relevant") is False)
    )
    return Record(
        cell,
        "leaked" if leaks else "answered" if answered else "unanswered",
        synthesis=answer["synthesis"],
        tldr=answer["tldr"],
        answer=dict(answer),
        queries=_queries(answer),
        retrieved=tuple(
            dict.fromkeys(str(one["pmid"]) for one in articles or () if not _is_withheld(one))
        )
        if told
        else None,
        relevant=tuple(dict.fromkeys(kept if told else cited)),
        irrelevant=rejected if told else None,
        usage=_usage(answer.get("usage")),
        leaks=leaks,
        unchecked=unchecked,
        later=audit.later({pmid: known.get(pmid) for pmid in pmids}, request),
    )


def _articles(answer: Mapping[str, Any]) -> list[Mapping[str, Any]] | None:
    """The articles that a whole JSON answer lists, those with a PMID; None where it lists none."""
    articles = answer.get("articles")
    if not isinstance(articles, list) or not all(isinstance(one, dict) for one in articles):
        return None
    return [
        one for one in articles if isinstance(one.get("pmid"), str) and _PMID.fullmatch(one["pmid"])
    ]


def _is_withheld(article: Mapping[str, Any]) -> bool:
    flags = article.get("flags")
    return isinstance(flags, list) and "excluded" in flags


def _is_judged(article: Mapping[str, Any]) -> bool:
    """Return whether an article was judged at all; unreadable judgements (null) keep it, and name
    their judge.
    """
    return article.get("relevant") is True or bool(article.get("judge"))


def _queries(answer: Mapping[str, Any]) -> tuple[str, ...]:
    queries = answer.get("queries")
    if not isinstance(queries, list):
        return ()
    return tuple(
        one["sent"] for one in queries if isinstance(one, dict) and isinstance(one.get("sent"), str)
    )


def _usage(value: object) -> dict[str, Any] | None:
    """Tokens and dollars as the system states them; None where it does not, or not in the form of
    an answer's ``usage``.
    """
    if not isinstance(value, dict):
        return None
    tokens, cost = (
        [value.get("prompt_tokens"), value.get("completion_tokens")],
        value.get("cost_usd"),
    )
    if not all(
        isinstance(one, int) and not isinstance(one, bool) and 0 <= one <= _MOST for one in tokens
    ):
        return None
    if cost is not None and (
        isinstance(cost, bool) or not isinstance(cost, (int, float)) or not 0 <= cost <= _MOST
    ):
        return None
    return {**value, "cost_usd": cost}
