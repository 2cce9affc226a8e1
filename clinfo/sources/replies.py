"""Classifies replies of the E-utilities, by their body first and their status last.

The service reports errors with status 200, outages with 400, throttles with JSON whatever was asked
for, and breaks with pages of HTML; its error about the window is JSON with a raw line break inside
a string.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from clinfo.errors import QueryRejected, SourceError, SourceUnavailable, WindowExceeded
from clinfo.pubmed.limits import MAX_STARS
from clinfo.records.articles import Outcome, SearchResult
from clinfo.runs.clock import seconds_until
from clinfo.text.markup import xml_root

TRANSIENT = (
    "timeout", "time-out", "timed out", "timed-out", "temporar", "unavailable", "try again",
    "internal error", "server error",
)  # fmt: skip
"""Parts of error texts of any service that come and go."""
_PASSING = (
    *TRANSIENT, "backend failed", "table is empty", "empty response", "internal",
    "unable to obtain", "connection", "cannot retrieve", "overload",
)  # fmt: skip
_LASTING = (
    "cannot be larger than", "invalid db", "empty term", "empty id", "id list is empty", "wildcard",
)  # fmt: skip
"""Error texts that a repetition brings back, also where they begin like an outage."""
_BEYOND_WINDOW = ("retstart", "only retrieve the first")
_KEY = ("api key", "api-key", "api_key", "apikey")
_ENDS = {
    "efetch": (
        b"</PubmedArticleSet>", b"</PubmedBookArticleSet>", b"</pmc-articleset>",
        b"</eFetchResult>", b"<PubmedArticleSet/>", b"<pmc-articleset/>",
    ),
    "elink": (b"</eLinkResult>",),
}  # fmt: skip
_SHORTEST_SECRET = 4
"""Letters from which a word that a query shares with an error text is left out of the message."""


class Passing(Exception):
    """A failure that a repetition may mend. Its text is one clear clause for the message."""

    def __init__(
        self,
        text: str,
        *,
        retry_after: float | None = None,
        too_slow: bool = False,
        unreachable: bool = False,
    ) -> None:
        super().__init__(text)
        self.retry_after = retry_after
        self.too_slow = too_slow
        self.unreachable = unreachable


def judge(
    utility: str,
    status: int,
    headers: Mapping[str, str],
    body: bytes,
    fields: Sequence[tuple[str, str]] = (),
) -> None:
    """Return where the body is a whole answer of ``utility`` to ``fields``; else raise, with one
    clause as the text.

    Raises `Passing` for what may be better next time, WindowExceeded, QueryRejected, and
    SourceError for a key or an address that cannot be used. No text quotes the query, the key or
    the address of the person.
    """
    beginning = body[:4000].decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    answer = parsed(body) if beginning.startswith("{") else None
    told = " ".join(_error_message(answer, beginning).split())
    page = re.match(r"(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+)?html\b", beginning, re.IGNORECASE)
    if not told and not page and status >= 400:
        told = " ".join(re.sub(r"<[^>]*>", " ", beginning).split()) or f"HTTP status {status}"
    message = _without(told, fields, whole=True)
    said, later = _without(message, fields, whole=False)[:200], retry_after(headers)
    passing = status >= 500 or status == 408 or says(message, _PASSING)
    lasting, lost = says(message, _LASTING), status in (401, 403, 404, 410)
    stars = max((value.count("*") for name, value in fields if name == "term"), default=0)
    slow = utility == "efetch" and says(message, ("timeout", "time-out"))
    stated = "" if status == 200 else f" (HTTP status {status})"
    found = answer.get("esearchresult") if isinstance(answer, dict) else None
    counted = _is_count(str(found.get("count", ""))) if isinstance(found, dict) else None
    searched, ends = utility == "esearch", _ENDS.get(utility, (b"",))
    cut = not body[-200:].rstrip().replace(b" />", b"/>").endswith(ends)
    for holds, error in (
        (
            says(message, _KEY) and not says(message, ("rate limit",)),
            SourceError("refused the API key"),
        ),
        (
            status == 429 or says(message, ("rate limit", "too many requests")),
            Passing("is answering too many requests", retry_after=later),
        ),
        (
            says(message, _BEYOND_WINDOW),
            WindowExceeded(f"does not return hits at this rank ({said})"),
        ),
        (
            message and searched and passing and stars > MAX_STARS,
            QueryRejected(f"accepts at most {MAX_STARS} truncated words (*) in a query"),
        ),
        (
            message and passing and not lasting,
            Passing(f"failed ({said})", retry_after=later, too_slow=slow),
        ),
        (status == 414, QueryRejected("rejected the query as too long")),
        (
            page and lost,
            SourceError(f"answered with a web page (HTTP status {status}); is the address right?"),
        ),
        (page, Passing(f"answered with a web page instead of data{stated}", retry_after=later)),
        (message and lost, SourceError(f"rejected the request ({said})")),
        (message, QueryRejected(f"rejected the request ({said})")),
        (not beginning, Passing("sent an empty answer")),
        (
            cut or (searched and counted is None),
            Passing("sent an answer that is cut off or garbled"),
        ),
        (
            searched and not counted,
            Passing("sent an answer without a number of hits"),
        ),
    ):
        if holds:
            raise error


def parsed(body: bytes) -> Any:
    """JSON as leniently as the service writes it; None where it is none."""
    try:
        return json.loads(body, strict=False)  # raw line breaks in strings
    except (ValueError, RecursionError):
        return None


def says(message: str, parts: Sequence[str]) -> bool:
    """Return whether a message has any of these parts, in any case."""
    folded = message.casefold()
    return any(part in folded for part in parts)


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdecimal()


def wildcards(term: str) -> int:
    """Number of stars in a query that truncate a word; PubMed wants four letters or digits before
    one.
    """
    return len(re.findall(r"[^\W_]{4}\*", term))


def _error_message(answer: Any, beginning: str) -> str:
    """Return what the body says went wrong, all of it; empty where it says nothing of the kind."""
    if isinstance(answer, dict):
        result = answer.get("esearchresult")
        found = (
            (result.get("ERROR") if isinstance(result, dict) else None)
            or answer.get("error")
            or answer.get("ERROR")
        )
        return "; ".join(str(one) for one in found) if isinstance(found, list) else str(found or "")
    if beginning.startswith("{"):  # JSON beyond leniency may still say what is wrong
        stated = re.search(r'"(?:ERROR|error)"\s*:\s*"([^"]*)', beginning)
        return stated[1] if stated else ""
    return "; ".join(
        re.findall(r"<ERROR>\s*(.*?)\s*</ERROR>", beginning, re.DOTALL | re.IGNORECASE)
    )


def _without(message: str, fields: Sequence[tuple[str, str]], whole: bool) -> str:
    """An error text without the values of ``fields``, and without every word of the query too
    unless these go as a ``whole`` only.
    """
    asked = [value for name, value in fields if name in ("term", "api_key", "email")]
    return without(message, asked, [] if whole else [v for name, v in fields if name == "term"])


def without(message: str, asked: Sequence[str], texts: Sequence[str]) -> str:
    """An error text, which may quote what was asked, without it: each value ``asked`` whole, and
    every longer word of ``texts``.
    """
    for value in filter(str.strip, asked):
        message = message.replace(" ".join(value.split()), "…").replace(value, "…")
    every = (word.casefold() for text in texts for word in re.findall(r"\w+", text))
    words = {word for word in every if len(word) >= _SHORTEST_SECRET}
    message = re.sub(r"\w+", lambda word: "…" if word[0].casefold() in words else word[0], message)
    return re.sub(r"…(?:\W*…)+", "…", message)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a service asks to wait; None where it does not."""
    return seconds_until(headers.get("Retry-After", ""))


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
    if not _is_count(count):
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


_DAMAGED = "sent an answer that cannot be read"


def read_links(body: bytes, linkname: str) -> dict[str, tuple[str, ...]]:
    """From an eLinkResult: for each id asked about the ids of ``linkname``, highest score first
    where there are scores.

    An id without links has an empty tuple. A set for several ids at once (asked for with commas) is
    left out, because it does not say what belongs to which. Raises SourceUnavailable for what is
    not an eLinkResult.
    """
    found: dict[str, tuple[str, ...]] = {}
    for links in root_of(body, "eLinkResult").iterfind("LinkSet"):
        asked = [id for node in links.iterfind("IdList/Id") if (id := (node.text or "").strip())]
        if len(asked) != 1:
            continue
        scores: dict[str, float] = {}
        for group in links.iterfind("LinkSetDb"):
            if group.findtext("LinkName", "").strip() != linkname:
                continue
            for link in group.iterfind("Link"):
                id = link.findtext("Id", "").strip()
                if id.isdecimal():
                    scores.setdefault(id, _number(link.findtext("Score")))
        # Sorting keeps the service's order among equal scores, and where there are none.
        found[asked[0]] = tuple(sorted(scores, key=lambda id: -scores[id]))
    return found


def root_of(body: bytes, tag: str = "", damaged: str = _DAMAGED) -> Any:
    """The root of an answer in XML, which is a ``tag``. Raises SourceUnavailable."""
    try:
        root = xml_root(body)
    except ValueError:
        raise SourceUnavailable(damaged) from None
    if tag and root.tag != tag:
        raise SourceUnavailable(damaged)
    return root


def _number(text: str | None) -> float:
    try:
        return float(text or 0)
    except ValueError:
        return 0.0
