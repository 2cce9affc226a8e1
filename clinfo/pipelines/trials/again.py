"""The part of an earlier run that holds for another request, so that only what a change touches is
read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from clinfo.pipelines.trials.events import NumbersRead, PaperRead, PaperRefused, TrialsLog
from clinfo.pipelines.trials.papers import grouped
from clinfo.pipelines.trials.records import TrialsRequest
from clinfo.pipelines.trials.stages import TRIALS
from clinfo.retrieval.documents import Asked
from clinfo.runs.events import Event

_ASKED = ("question", "intervention", "comparator", "outcome", "better")
_APART = (*_ASKED, "studies", "papers")
"""The fields that may change: what is asked, of which papers, and how they are grouped."""


def carried_over(
    before: TrialsLog, request: TrialsRequest, same: Collection[str], started_at: str
) -> list[Event]:
    """The events that a run of ``request`` may begin with, numbered from 0; none where it asks for
    another method or model.

    ``same`` names the papers whose content is as it was. Of a study whose papers and question are
    the same, all that was read and every edit that holds is carried over.
    """
    started, understood = before.started, before.understood
    if started is None or not TRIALS.same_run(_alike(started.request), _alike(request)):
        return []
    read = {event.name: event for event in before.all(PaperRead)}
    kept = [read[name] for name in request.papers if name in read and name in same]
    whole = _whole(before, request, same, kept)
    notices = [*started.notices]
    if whole:
        notices.append(f"Taken over unread, as nothing changed for them: {', '.join(whole)}.")
    changed = (study.name for study in before.studies if study.name not in whole)
    if lost := [name for name in changed if not all(one.undone for one in before.edits(name))]:
        notices.append(f"Corrections by hand were not taken over for: {', '.join(lost)}.")
    first = replace(
        started, request=request, started_at=started_at, notices=tuple(dict.fromkeys(notices))
    )
    alike = all(getattr(request, name) == getattr(started.request, name) for name in _ASKED)
    again = [understood] if understood is not None and alike else []
    of_studies = (
        replace(event, study=new)  # type: ignore[call-arg]
        for old, new in whole.items()
        for event in _of_study(before, old)
    )
    events = [first, *kept, *again, *of_studies]
    return [replace(event, seq=seq, t=0.0) for seq, event in enumerate(events)]


def _alike(request: TrialsRequest) -> TrialsRequest:
    empty = TrialsRequest("", ())
    return replace(request, **{name: getattr(empty, name) for name in _APART})


def _whole(
    before: TrialsLog, request: TrialsRequest, same: Collection[str], kept: list[PaperRead]
) -> dict[str, str]:
    """The studies that are as they were, by their names, with the names that they have now; none
    where a paper was not looked at, so that its study is not known.
    """
    understood = before.understood
    seen = {one.name for one in before.all(PaperRead)}
    seen |= {one.name for one in before.all(PaperRefused)}
    if understood is None or before.all(NumbersRead) or not {*request.papers} <= seen & {*same}:
        return {}
    asked = understood.asked
    if request.intervention and request.outcome:
        asked = Asked(request.question, request.outcome, request.intervention, request.comparator)
    if asked != understood.asked:
        return {}
    names = {study.papers: study.name for study in before.studies}
    now = grouped([event.document for event in kept], request.studies)
    return {names[study.papers]: study.name for study in now if study.papers in names}


def _of_study(before: TrialsLog, name: str) -> Iterator[Event]:
    undone = {edit.seq for edit in before.edits(name) if edit.undone}
    for event in before:
        if getattr(event, "study", "") == name and event.seq not in undone:
            yield event
