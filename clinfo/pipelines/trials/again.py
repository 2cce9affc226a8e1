"""What of an earlier run holds for another request, so that only what a change touches is read."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from clinfo.pipelines.trials.events import (
    EvidenceExtracted,
    NumbersRead,
    PaperRead,
    PaperRefused,
    PassagesChosen,
    PassagesClustered,
    StudyConcluded,
    StudyEdited,
)
from clinfo.pipelines.trials.grouping import grouped
from clinfo.pipelines.trials.run_log import TrialsLog
from clinfo.records.trials import TrialsRequest
from clinfo.retrieval.documents import Asked
from clinfo.runs.events import Event

_CORRECTED = ("question", "intervention", "comparator", "outcome", "better", "studies")
_WITH_PAPERS = ("papers", "texts", "max_cost", "max_seconds")
_OF_A_STUDY = (
    PassagesChosen,
    PassagesClustered,
    EvidenceExtracted,
    StudyConcluded,
    StudyEdited,
)


def carried_over(
    before: TrialsLog, request: TrialsRequest, same: Collection[str], started_at: str
) -> list[Event]:
    """The events that a run of ``request`` may begin with, numbered from 0; none where it asks for
    another method or model.

    ``same`` names the papers whose content is as it was. Of a study whose papers and question are
    the same, all that was read and every edit that holds is carried over.
    """
    started = before.started
    if started is None or _apart(started.request) != _apart(request):
        return []
    read = {event.name: event for event in before.all(PaperRead)}
    kept = [read[name] for name in request.papers if name in read and name in same]
    found: list[Event] = []
    whole: list[str] = []
    if _all_known(before, request, same):
        found, whole = _studies(before, request, kept)
    notices = [*started.notices]
    if whole:
        notices.append(f"Taken over unread, as nothing changed for them: {', '.join(whole)}.")
    changed = (study.name for study in before.studies if study.name not in whole)
    if lost := [name for name in changed if not all(one.undone for one in before.edits(name))]:
        notices.append(f"Corrections by hand were not taken over for: {', '.join(lost)}.")
    first = replace(
        started, request=request, started_at=started_at, notices=tuple(dict.fromkeys(notices))
    )
    understood = before.understood
    asked_alike = all(
        getattr(request, name) == getattr(started.request, name) for name in _CORRECTED[:5]
    )
    again = [understood] if understood is not None and asked_alike else []
    events = [first, *kept, *again, *found]
    return [replace(event, seq=seq, t=0.0) for seq, event in enumerate(events)]


def _apart(request: TrialsRequest) -> TrialsRequest:
    """A request without what may change: what is asked, of which papers, and how they are
    grouped.
    """
    empty = TrialsRequest("", ())
    changed = {name: getattr(empty, name) for name in (*_CORRECTED, *_WITH_PAPERS)}
    return replace(request, **changed)


def _all_known(before: TrialsLog, request: TrialsRequest, same: Collection[str]) -> bool:
    """Return whether every paper was looked at before, so that its study is known."""
    seen = {event.name for event in before.all(PaperRead)}
    seen |= {event.name for event in before.all(PaperRefused)}
    return all(name in seen and name in same for name in request.papers)


def _studies(
    before: TrialsLog, request: TrialsRequest, kept: list[PaperRead]
) -> tuple[list[Event], list[str]]:
    """The events of the studies that are as they were, under their present names, and the names
    that these studies had.
    """
    understood = before.understood
    if understood is None or before.all(NumbersRead):  # read by rules, by an older version
        return [], []
    asked = understood.asked
    if request.intervention and request.outcome:
        asked = Asked(request.question, request.outcome, request.intervention, request.comparator)
    if asked != understood.asked:
        return [], []
    names = {study.papers: study.name for study in before.studies}
    found: list[Event] = []
    whole: list[str] = []
    for study in grouped([event.document for event in kept], request.studies):
        if (old := names.get(study.papers)) is not None:
            whole.append(old)
            for event in _of_study(before, old):
                found.append(replace(event, study=study.name))  # type: ignore[call-arg]
    return found, whole


def _of_study(before: TrialsLog, name: str) -> Iterator[Event]:
    undone = {edit.seq for edit in before.edits(name) if edit.undone}
    for kind in _OF_A_STUDY:
        for event in before.all(kind):
            if getattr(event, "study", "") == name and event.seq not in undone:
                yield event
