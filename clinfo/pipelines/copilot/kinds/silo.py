"""A search in one silo: passages by words and by meaning, of that silo and of no other."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final

from clinfo.lazy_dataclass import dataclass
from clinfo.pipelines.copilot.given import given_as
from clinfo.pipelines.copilot.lead_in import with_lead
from clinfo.pipelines.copilot.narrowing import Narrowing
from clinfo.pipelines.copilot.refining import refined
from clinfo.pipelines.copilot.stages import (
    described,
    end_before_heading,
    in_words_of_pages,
    not_described,
    of_other_stages,
)
from clinfo.pipelines.copilot.subject import diseases, not_named, of_a_form, of_another
from clinfo.pipelines.copilot.tool_declared import ToolDeclared
from clinfo.pipelines.copilot.tools import ANY, Host, Kind, Progress
from clinfo.records.copilot import Observation, Observed
from clinfo.retrieval.silos import SiloDocument, SiloHit, Silos

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
    if "drugs" in own:
        own["drugs"] = "; ".join(given_as(document))
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
    host: Host
    silos: Silos

    async def __call__(self, arguments: Mapping[str, Any], progress: Progress) -> Observation:
        query, one = in_words_of_pages(arguments["query"]), self.declared
        narrowing = Narrowing(one, self.host, progress)
        hits = await asyncio.to_thread(
            self.silos.search,
            one.silo,
            query,
            top_k=one.top_k * DEEPER,
            sparse_k=one.sparse_k * DEEPER,
        )
        about = await asyncio.to_thread(_on_the_subject, query, hits)
        documents = {hit.document.id: hit.document for hit in about}
        found = []
        for hit in (await narrowing.ranked(query, about[: one.top_k + one.sparse_k]))[: one.top_k]:
            span = hit.start, hit.end
            if (stage := described(query, hit.document.text)) is not None:
                span = stage
            elif not narrowing.refines:
                span = refined(hit.document.text, *span, query)
            start, end = with_lead(hit.document.text, *span)
            end = end_before_heading(hit.document.text, start, end)
            if not of_other_stages(query, hit.document.text[start:end]):
                found.append(observed(hit.document, start, end))
        found = _on_what_is_named(query, found)
        unnamed, all_of_them = not_named(query, [f"{each.title}\n{each.text}" for each in found])
        names = ", ".join(unnamed)
        if found and unnamed and all_of_them:
            return Observation(said=(f"nothing found there names {names}",), missing=(one.silo,))
        if hits and not found:
            others = ", ".join(list(dict.fromkeys(hit.document.title for hit in hits))[:4])
            what = "stages" if about else "diseases"
            told = f"what its words find is on other {what}: {others}"
            return Observation(said=(told,), missing=(one.silo,))
        passages, said = await narrowing.refined(query, found)
        caveat = (
            f"Nothing found in {one.silo} names {names}: what is quoted from it does not answer "
            "for that."
        )
        own = [each.text for each in passages if not of_a_form(query, documents[each.document])]
        nowhere = not_described(query, own or [each.text for each in passages])
        of_stage = f"Nothing quoted from {one.silo} on the disease itself names stage {nowhere}."
        caveats = (caveat,) * bool(unnamed) + (of_stage,) * bool(nowhere)
        return Observation(
            passages, said, () if passages else (one.silo,), caveats=caveats if passages else ()
        )


def _on_what_is_named(query: str, found: list[Observed]) -> list[Observed]:
    """The passages that name a medicine or symbol of a question that names no disease; all of them
    where none does.
    """
    if any(one.places for one in diseases(query)):
        return found
    named = [each for each in found if not not_named(query, [f"{each.title}\n{each.text}"])[1]]
    return named or found


def _on_the_subject(query: str, hits: Sequence[SiloHit]) -> list[SiloHit]:
    """The hits that are not about another disease, those on a form of it last."""
    about = [hit for hit in hits if not of_another(query, hit.document)]
    return sorted(about, key=lambda hit: of_a_form(query, hit.document))


KIND = Kind(
    "silo",
    lambda declared, host: _Search(declared, host, silos_of(host)),
    missing_silo,
    order=10,
    narrows=True,
)
