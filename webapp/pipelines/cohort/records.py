"""The host's indexes of records: which of them may be asked and shown, and runs that tell of
somebody who was erased.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from clinfo.errors import RecordError, UsageError
from clinfo.pipelines.cohort import CohortFound
from clinfo.records import CohortRequest
from clinfo.runs import RunLog
from clinfo.settings import Settings
from webapp.settings import WebSettings
from webapp.storage.store import Store


def may_be_seen(request: CohortRequest, web: WebSettings) -> bool:
    """Return whether what a stored request found is no more than the host shows today."""
    hides = web.fewest_shown
    return request.index in web.cohorts and (hides <= 1 or request.least >= hides)


def folder_of(request: CohortRequest, web: WebSettings) -> Path:
    """The folder of the index that a request has the title of. Raises UsageError where the host
    shows it no longer, or less of it.
    """
    if not may_be_seen(request, web):
        raise UsageError("this site no longer offers these records so; ask again")
    return Path(web.cohorts[request.index])


def logged(request: CohortRequest) -> Mapping[str, str]:
    """Whose records are looked at for what."""
    asked = request.criteria + (json.dumps(request.form) if request.form else "")
    return {"patient": f"cohort {request.index}", "question": asked}


def sweeper(
    web: WebSettings, chain: Settings, store: Store, now: Callable[[], float]
) -> Callable[[], None] | None:
    """Deletes the runs that tell of somebody who was erased."""
    written: dict[str, int] = {}
    return (lambda: forget_erased(store, web, written)) if web.cohorts else None


def forget_erased(store: Store, web: WebSettings, seen: dict[str, int]) -> None:
    """Delete the runs that tell of somebody who was erased, by the command line say. ``seen`` is
    when each index was written, by title: of one that was not written since nothing is read.
    """
    from clinfo.pipelines.cohort import INDEX_FILE

    written = {}
    for title, folder in web.cohorts.items():
        with suppress(OSError):
            written[title] = (Path(folder) / INDEX_FILE).stat().st_mtime_ns
    changed = {title for title, when in written.items() if seen.get(title) != when}
    seen.update(written)
    for run in store.of_pipeline("cohort") if changed else ():
        if run.request.index not in changed:
            continue
        try:
            gone = erased(run.request, store.log(run), web)
        except RecordError:  # it is built again just now, which writes it
            continue
        if gone:
            store.delete(run.id)


def erased(request: CohortRequest, log: RunLog, web: WebSettings) -> bool:
    """Return whether somebody whom a run tells of is no longer in the index. Raises RecordError
    where that cannot be told.
    """
    from clinfo.pipelines.cohort import opened  # with numpy, which other runs do without

    found = log.get(CohortFound, "cohort")
    told: set[Any] = set()
    if found is not None:
        told = {one["id"] for one in (*found.members, *(found.others or ()))}
        told |= set(found.not_documented)
    if not told:
        return False
    with opened(Path(web.cohorts[request.index]), stale=True) as base:
        return not told <= {id for (id,) in base.execute("SELECT id FROM patients")}
