"""The kinds of tools: a search in one silo, of that silo and of no other, by words and by meaning;
one of its documents, read whole; items of CIViC, selected by their fields; and the registry of
trials, each with status, date and the whole of its criteria of eligibility.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal

from pydantic import Field, field_validator, model_validator

from clinfo.pipelines.copilot.evidence_items import (
    Fields,
    counted,
    given_as,
    level,
    negative,
    selected,
)
from clinfo.pipelines.copilot.records import LEVELS
from clinfo.pipelines.tools import Arguments, Host, Kind, Progress, ToolDeclared, in_thread
from clinfo.records.observations import Observation, Observed
from clinfo.retrieval.silos import SiloDocument, SiloHit
from clinfo.retrieval.silos.passages import chunks
from clinfo.retrieval.silos.readers.civic import UNREAD
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


SILO = Kind("silo", Query, in_thread(_searched), missing_silo, "silos")


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


DIRECTION = {
    "sens": "response",
    "resp": "response",
    "resi": "resistance",
    "redu": "resistance",
}
"""The beginnings of directions, as models and CIViC write it."""


class GeneDrug(Arguments):
    gene: str = Field("", description="symbol of the gene, e.g. ERBB2")
    variant: str = Field("", description="e.g. V600E, exon 19 deletion, amplification, EML4-ALK")
    disease: str = Field("", description="name of the cancer, spelled out; empty for any")
    drug: str = Field("", description="generic name of one drug; empty for any")
    direction: Literal["", "response", "resistance"] = Field("", description="empty for both")
    levels: str = Field("", description="letters of levels wanted, e.g. AB; empty for all")

    @field_validator("direction", mode="before")
    @classmethod
    def _direction(cls, given: Any) -> Any:
        start = str(given).strip().casefold()[:4]
        return "" if start in ("any", "both") else DIRECTION.get(start, given)

    @field_validator("levels", mode="before")
    @classmethod
    def _levels(cls, given: Any) -> str:
        text = " ".join(map(str, given)) if isinstance(given, list) else str(given)
        found = {letter for word in re.findall(r"\b[A-E]+\b", text.upper()) for letter in word}
        if first_last := re.fullmatch(r"\W*([A-E])\s*(?:-|–|to)\s*([A-E])\W*", text.upper()):
            found = {one for one in LEVELS if first_last[1] <= one <= first_last[2]}
        if text.strip() and not found:
            raise ValueError("letters from A to E")
        return "".join(sorted(found)) if len(found) < len(LEVELS) else ""

    @model_validator(mode="after")
    def _one_of(self) -> GeneDrug:
        if not (self.gene or self.variant or self.disease or self.drug):
            raise ValueError("give at least one of gene, variant, disease, drug")
        return self


def _selected(
    declared: ToolDeclared, host: Host, arguments: Mapping[str, Any], progress: Progress
) -> Observation:
    silo, most = declared.silo, declared.top_k
    documents = list(silos_of(host).documents(silo))
    found = selected(documents, Fields(**arguments))
    said = list(found.said)
    if cut := found.items[most:]:
        levels = Counter(f"level {level(one)}" for one in cut)
        against = sum(map(negative, cut))
        said.append(
            f"{len(cut)} more items that fit were left out: {counted(levels)}"
            + f", {against} of them found no such effect" * bool(against)
        )
    if unread := [one.id for one in documents if one.fields.get("state") == UNREAD]:
        told = f"{len(unread)} rows of {silo} could not be read whole: {', '.join(unread[:5])}"
        said.append(told)
    if not found.items:
        why = "; ".join(filter(None, (found.missing, *said)))
        return Observation(said=(why,), missing=(silo,))
    passages = tuple(observed(one, 0, len(one.text)) for one in found.items[:most])
    return Observation(passages, tuple(said))


GENE_DRUGS = Kind("gene_drugs", GeneDrug, in_thread(_selected), missing_silo, "fields")


OPEN: Final = frozenset(("RECRUITING", "ENROLLING_BY_INVITATION", "AVAILABLE"))
MOST_CRITERIA: Final = 4_000
"""Characters of a trial's criteria that are shown."""


class Wanted(Arguments):
    query: str = Field(min_length=1, description="condition, alteration, treatment in a few words")
    recruiting: bool = Field(False, description="only trials that take patients now")


def _trials(
    one: ToolDeclared, host: Host, arguments: Mapping[str, Any], progress: Progress
) -> Observation:
    hits = found(one, host, one.silo, arguments["query"])
    open_first = [each for each in hits if _open(each) or not arguments.get("recruiting")]
    open_first.sort(key=lambda each: not _open(each))
    said = [_told(each.document) for each in open_first[: one.top_k]]
    if closed := len(hits) - len(open_first):
        said.append(f"{closed} more take no patients now: left out")
    if more := len(open_first[one.top_k :]):
        said.append(f"{more} more trials that it found were left out")
    passages = tuple(each for trial in open_first[: one.top_k] for each in _passages(trial))
    return Observation(passages, tuple(said), () if passages else (one.silo,))


def _open(trial: SiloHit) -> bool:
    return trial.document.fields.get("status", "").upper() in OPEN


def _told(trial: SiloDocument) -> str:
    """A trial in a line: status, date, why it stopped, the ages and sex that it allows."""
    status = (trial.fields.get("status") or "unknown status").replace("_", " ").lower()
    limits = (
        f"{name.replace('_', ' ')} {value.rstrip('.')}"
        for name in ("why_stopped", "minimum_age", "maximum_age", "sex")
        if (value := trial.fields.get(name))
    )
    return "; ".join((f"{trial.id}: {status}, as of {trial.date or 'an unknown date'}", *limits))


def _passages(hit: SiloHit) -> Iterator[Observed]:
    """Yield what of a trial was found, up to its criteria, and these."""
    trial = hit.document
    wanted = trial.fields.get("eligibility", "")
    at = trial.text.rfind(wanted) if wanted else -1
    start, end = (hit.start, hit.end) if at < 0 else (min(hit.start, at), min(hit.end, at))
    if trial.text[start:end].strip():
        yield observed(trial, start, end)
    if at >= 0:
        end = min(at + len(wanted), at + MOST_CRITERIA)
        cut = {"criteria": f"the last {at + len(wanted) - end:,} characters were left out"}
        yield observed(trial, at, end, cut if end < at + len(wanted) else None)


REGISTRY = Kind("registry", Wanted, in_thread(_trials), missing_silo)
