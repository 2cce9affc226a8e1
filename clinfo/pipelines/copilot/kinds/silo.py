"""A search in one silo: passages by words and by meaning, of that silo and of no other."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from clinfo.lazy_dataclass import dataclass
from clinfo.pipelines.copilot.refining import refined
from clinfo.pipelines.copilot.subject import not_named, of_another
from clinfo.pipelines.copilot.tools import ANY, Host, Kind, Progress, ToolDeclared
from clinfo.records.copilot import Observation, Observed
from clinfo.retrieval.silos import SiloDocument, Silos

FACTS: Final = (
    "gene", "variant", "disease", "drugs", "direction", "significance", "status", "phase",
)  # fmt: skip
"""Fields of a document that a reader needs beside its text."""

DEEPER: Final = 3
"""How much further is searched than is given: what is about another disease is left out."""


def missing_silo(declared: ToolDeclared, host: Host) -> str:
    """Why the silo of a tool cannot be searched, "" where it can."""
    if host.silos is not None and declared.silo in host.silos.names():
        return ""
    which = "no further silo" if declared.silo == ANY else f"no silo {declared.silo}"
    return f"{which} is loaded (clinfo copilot load)"


def silos_of(host: Host) -> Silos:
    """The silos, which `missing_silo` has found to be there."""
    assert host.silos is not None
    return host.silos


def observed(
    document: SiloDocument, start: int, end: int, facts: Mapping[str, str] | None = None
) -> Observed:
    """A passage of a document as an observation has it."""
    own = {name: document.fields[name] for name in FACTS if document.fields.get(name)}
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


@dataclass(frozen=True)
class _Search:
    declared: ToolDeclared
    silos: Silos

    async def __call__(self, arguments: Mapping[str, Any], progress: Progress) -> Observation:
        return await asyncio.to_thread(self._found, arguments["query"])

    def _found(self, query: str) -> Observation:
        one = self.declared
        hits = self.silos.search(
            one.silo, query, top_k=one.top_k * DEEPER, sparse_k=one.sparse_k * DEEPER
        )
        about = [hit for hit in hits if not of_another(query, hit.document)]
        found = []
        for hit in about[: one.top_k]:
            start, end = refined(hit.document.text, hit.start, hit.end, query)
            found.append(observed(hit.document, start, end))
        unnamed, all_of_them = not_named(query, [f"{each.title}\n{each.text}" for each in found])
        if found and unnamed and all_of_them:
            told = f"nothing found there names {', '.join(unnamed)}"
            return Observation(said=(told,), missing=(one.silo,))
        if not found:
            others = dict.fromkeys(hit.document.title for hit in hits)
            said = (f"what its words find is on other diseases: {', '.join([*others][:4])}",)
            return Observation(said=said if others else (), missing=(one.silo,))
        caveats = (
            (
                f"Nothing found in {one.silo} names {', '.join(unnamed)}: what is quoted from it "
                "does not answer for that.",
            )
            if unnamed
            else ()
        )
        return Observation(tuple(found), caveats=caveats)


KIND = Kind(
    "silo", lambda declared, host: _Search(declared, silos_of(host)), missing_silo, order=10
)
