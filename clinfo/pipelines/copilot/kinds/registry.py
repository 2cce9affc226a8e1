"""The registry of trials: found by their abstractions, then read whole, with status, date and each
criterion of eligibility held against the case.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final

from clinfo.lazy_dataclass import dataclass, replace
from clinfo.pipelines.copilot.eligibility import Patient, against, criteria, limits, patient_of
from clinfo.pipelines.copilot.kinds.silo import missing_silo, observed, silos_of
from clinfo.pipelines.copilot.narrowing import Narrowing
from clinfo.pipelines.copilot.refining import refined
from clinfo.pipelines.copilot.tool_declared import ToolDeclared
from clinfo.pipelines.copilot.tools import Host, Kind, Progress
from clinfo.records.copilot import Observation, Observed
from clinfo.retrieval.silos import SiloDocument, SiloHit, Silos

OPEN: Final = frozenset(("RECRUITING", "ENROLLING_BY_INVITATION", "NOT_YET_RECRUITING"))
MOST_OPEN: Final = 4
"""Criteria of one fit that are named for a trial; the others are counted."""
MOST_CRITERIA: Final = 2_500
"""Characters of a trial's criteria that are shown."""


@dataclass(frozen=True)
class _Trial:
    """A trial with how the case fits: the criteria by fit, each with why."""

    document: SiloDocument
    fits: Mapping[str, tuple[str, ...]]
    passages: tuple[Observed, ...]

    @property
    def status(self) -> str:
        return self.document.fields.get("status", "").upper() or "UNKNOWN"

    @property
    def told(self) -> str:
        """The trial in a line: status, date, criteria by fit."""
        parts = [
            f"{self.document.id}: {self.status.replace('_', ' ').lower()}, as of "
            f"{self.document.date or 'an unknown date'}"
        ]
        for fit, found in self.fits.items():
            more = f" and {len(found) - MOST_OPEN} more" if len(found) > MOST_OPEN else ""
            parts.append(f"{fit} ({len(found)}): {'; '.join(found[:MOST_OPEN])}{more}")
        return ". ".join(parts) if self.fits else f"{parts[0]}. No case: criteria not compared"


@dataclass(frozen=True)
class _Registry:
    declared: ToolDeclared
    host: Host
    silos: Silos

    async def __call__(self, arguments: Mapping[str, Any], progress: Progress) -> Observation:
        one, query = self.declared, arguments["query"]
        hits = await asyncio.to_thread(
            self.silos.search, one.silo, query, top_k=one.top_k, sparse_k=one.sparse_k
        )
        narrowing = Narrowing(one, self.host, progress)
        hits = await narrowing.ranked(query, hits)
        seen = await asyncio.to_thread(self._found, arguments, hits)
        passages, said = await narrowing.refined(query, seen.passages)
        return replace(seen, passages=passages, said=(*seen.said, *said))

    def _found(self, arguments: Mapping[str, Any], hits: Sequence[SiloHit]) -> Observation:
        one, query = self.declared, arguments["query"]
        patient = patient_of(self.host.case) if self.host.case else None
        documents = {hit.document.id: hit.document for hit in hits}
        trials = [_read(document, patient, query) for document in documents.values()]
        closed = [trial for trial in trials if trial.status not in OPEN]
        if arguments.get("recruiting"):
            trials = [trial for trial in trials if trial.status in OPEN]
        trials.sort(key=lambda trial: ("does not fit" in trial.fits, trial.status not in OPEN))
        said = [trial.told for trial in trials[: one.top_k]]
        if closed and arguments.get("recruiting"):
            said.append(f"{len(closed)} more take no patients: left out")
        passages = tuple(each for trial in trials[: one.top_k] for each in trial.passages)
        return Observation(passages, tuple(said), () if passages else (one.silo,))


def _read(document: SiloDocument, patient: Patient | None, query: str) -> _Trial:
    """The whole document of a trial, its criteria one by one."""
    wanted = document.fields.get("eligibility", "")
    at = document.text.rfind(wanted) if wanted else -1
    fits: dict[str, list[str]] = {}
    if patient is not None:
        judged = [*limits(document.fields, patient)]
        for one in criteria(wanted):
            fit, why = against(one, patient)
            judged.append((f"{'excluded: ' if one.excludes else ''}{one.text}", fit, why))
        for text, fit, why in judged:
            told = f"“{text[:160]}”" + (f" (case: {why})" if why else "")
            fits.setdefault(fit, []).append(told)
    order = ("does not fit", "fits", "unclear")
    by_fit = {fit: tuple(fits[fit]) for fit in order if fit in fits}
    facts = {"eligibility": "; ".join(f"{fit}: {len(found)}" for fit, found in by_fit.items())}
    body = at if at > 0 else len(document.text)
    start, end = refined(document.text, 0, body, query)
    passages = [observed(document, start, end, facts)]
    if at >= 0:
        end = min(at + len(wanted), at + MOST_CRITERIA)
        passages.append(observed(document, at, end, facts))
    return _Trial(document, by_fit, tuple(passages))


KIND = Kind(
    "registry",
    lambda declared, host: _Registry(declared, host, silos_of(host)),
    missing_silo,
    order=30,
    narrows=True,
)
