"""A search in one silo: passages by words and by meaning, of that silo and of no other; and one of
its documents, read whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic import Field

from clinfo.pipelines.copilot.evidence_items import given_as
from clinfo.pipelines.tools import Arguments, Host, Kind, Progress, ToolDeclared, in_thread
from clinfo.records.observations import Observation, Observed
from clinfo.retrieval.silos import SiloDocument, SiloHit
from clinfo.retrieval.silos.passages import chunks
from clinfo.retrieval.silos.store import StoredSilos

FACTS: Final = (
    "gene", "variant", "disease", "drugs", "type", "direction", "significance", "status", "phase",
    "state",
)  # fmt: skip
"""Fields of a document that a reader needs beside its text."""


WHOLE: Final = 2_000
"""Characters up to which a document is given whole."""


class Query(Arguments):
    silo: str = Field(min_length=1, description="the silo to search")
    query: str = Field(min_length=1, description="what to look for, in a few words")


def missing_silo(declared: ToolDeclared, host: Host) -> str:
    """Why the silo of a tool, or any, cannot be searched, "" where it can."""
    names = host.silos.names() if host.silos is not None else ()
    if declared.silo in names or (names and not declared.silo):
        return ""
    which = f"no silo {declared.silo}" if declared.silo else "no silo"
    return f"{which} is loaded (clinfo copilot load)"


def silos_of(host: Host) -> StoredSilos:
    """The silos, which `missing_silo` has found to be there."""
    assert host.silos is not None
    return host.silos


def observed(
    document: SiloDocument, start: int, end: int, facts: Mapping[str, str] | None = None
) -> Observed:
    """A passage of a document as an observation has it."""
    own = {name: document.fields[name] for name in FACTS if document.fields.get(name)}
    if "drugs" in own:
        own["drugs"] = given_as(document)
    return Observed(
        document.silo,
        document.id,
        document.title,
        start,
        end,
        document.text[start:end],
        document.fields.get("level", ""),
        document.date,
        document.version,
        document.licence,
        document.url,
        own | dict(facts or {}),
    )


def found(one: ToolDeclared, host: Host, silo: str, query: str) -> Sequence[SiloHit]:
    """The documents of a silo that a query finds."""
    return silos_of(host).search(silo, query, top_k=one.top_k, sparse_k=one.sparse_k)


def _searched(
    one: ToolDeclared, host: Host, arguments: Mapping[str, Any], progress: Progress
) -> Observation:
    silo = arguments["silo"]
    hits = found(one, host, silo, arguments["query"])
    passages = tuple(
        observed(hit.document, 0, len(hit.document.text))
        if len(hit.document.text) <= WHOLE
        else observed(hit.document, hit.start, hit.end)
        for hit in hits[: one.top_k]
    )
    more = len(hits) - len(passages)
    said = (f"{more} more documents that it found were left out",) if more else ()
    return Observation(passages, said, () if passages else (silo,))


KIND = Kind("silo", Query, in_thread(_searched), missing_silo, "silos")


MOST_READ: Final = 12_000
"""Characters of a document that are shown."""


class Which(Arguments):
    document: str = Field(min_length=1, description="silo and id as they were shown: civic/1409")


def _read(
    declared: ToolDeclared, host: Host, arguments: Mapping[str, Any], progress: Progress
) -> Observation:
    silos, name = silos_of(host), arguments["document"]
    before, slash, after = name.partition("/")
    silo, id = (before.strip(), after.strip()) if slash else ("", name.strip())
    every = [one for one in silos.names() if one == silo] or [*silos.names()]
    wanted = (id, name.strip(), id.upper().removeprefix("EID"))
    documents = (silos.document(one, own) for one in every for own in dict.fromkeys(wanted))
    document = next((one for one in documents if one is not None), None)
    if document is None:
        return Observation(problem=f"no silo has the document {name[:60]}")
    parts = [one for one in chunks(document) if one.end <= MOST_READ]
    passages = tuple(observed(document, one.start, one.end) for one in parts)
    left = len(document.text) - (parts[-1].end if parts else 0)
    said = (f"its last {left:,} characters were left out",) if left > 1 else ()
    return Observation(passages, said)


DOCUMENT = Kind("document", Which, in_thread(_read), missing_silo, "")
