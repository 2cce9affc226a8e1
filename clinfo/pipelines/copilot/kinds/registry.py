"""The registry of trials: found by their abstractions, then given with status, date and the whole
of their criteria of eligibility.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pydantic import Field

from clinfo.pipelines.copilot.kinds.silo import found, missing_silo, observed
from clinfo.pipelines.tools import Arguments, Host, Kind, Progress, ToolDeclared, in_thread
from clinfo.records.observations import Observation, Observed
from clinfo.retrieval.silos import SiloDocument, SiloHit

OPEN: Final = frozenset(("RECRUITING", "ENROLLING_BY_INVITATION", "AVAILABLE"))
MOST_CRITERIA: Final = 4_000
"""Characters of a trial's criteria that are shown."""


class Wanted(Arguments):
    query: str = Field(min_length=1, description="condition, alteration, treatment in a few words")
    recruiting: bool = Field(False, description="only trials that take patients now")


def _searched(
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


KIND = Kind("registry", Wanted, in_thread(_searched), missing_silo)
