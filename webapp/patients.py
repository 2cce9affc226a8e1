"""Runs on records of patients: who may ask for one, what of it may still be seen, who looked."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from werkzeug.datastructures import WWWAuthenticate
from werkzeug.exceptions import Unauthorized

from clinfo.errors import RecordError, UsageError
from clinfo.patients import PatientStore
from clinfo.pipelines.cohort import CohortFound
from clinfo.records import ChartRequest, CohortRequest
from clinfo.runs import RunLog
from clinfo.settings import Settings
from webapp.records import NotFound, Refused, StoredRun, Visitor
from webapp.services import services
from webapp.settings import WebSettings
from webapp.storage.store import Store

UNUSABLE: Final = "cannot be asked now: its index is not finished, out of date or damaged"


def refuse_unknown(who: Visitor, web: WebSettings) -> None:
    """Raise Unauthorized for somebody whom the host does not know: by an access token or a login,
    on a site that only this machine reaches by the browser.
    """
    if who.user is None and not (web.for_this_machine and who.browser is not None):
        raise Unauthorized(
            "Patients' records need an access token or a login.",
            www_authenticate=WWWAuthenticate("bearer"),
        )


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


def audit(
    request: ChartRequest | CohortRequest, who: Visitor, chain: Settings, did: str, run: str = ""
) -> None:
    """Log who does what with whose records. Raises UsageError where it cannot be logged."""
    if isinstance(request, ChartRequest):
        about = {"hashed": request.patient, "question": request.question}
    else:
        asked = request.criteria + (json.dumps(request.form) if request.form else "")
        about = {"patient": f"cohort {request.index}", "question": asked}
    user = (who.user or f"browser {str(who.browser)[:12]}").replace("\x1f", " ")
    PatientStore.of(chain).audit(user=user, run=run, did=did, **about)


def looked_at(run: StoredRun, who: Visitor, did: str) -> Any:
    """What any run wrote down (a run log), for somebody who may see it; the look at one on records
    of patients is logged.

    Of somebody who was erased nothing is told: NotFound, and the run goes too. Refused where that
    cannot be looked up now.
    """
    parts = services()
    log = parts.store.log(run)
    if isinstance(run.request, CohortRequest):
        try:
            gone = _erased(run.request, log, parts.web)
        except RecordError:
            raise Refused(f"This run cannot be shown: its records {UNUSABLE}.") from None
        if gone:
            parts.store.delete(run.id)
            raise NotFound("A patient of this run was erased, and the run with it.")
    if isinstance(run.request, ChartRequest | CohortRequest):
        audit(run.request, who, parts.chain, did, run.id)
    return log


def forget_erased(store: Store, web: WebSettings, seen: dict[str, int]) -> None:
    """Delete the runs that tell of somebody who was erased, by the command line say. ``seen`` is
    when each index was written, by title: of one that was not written since nothing is read.
    """
    from clinfo.pipelines.cohort import INDEX_FILE as FILE

    written = {}
    for title, folder in web.cohorts.items():
        with suppress(OSError):
            written[title] = (Path(folder) / FILE).stat().st_mtime_ns
    changed = {title for title, when in written.items() if seen.get(title) != when}
    seen.update(written)
    for run in store.of_pipeline("cohort") if changed else ():
        if run.request.index not in changed:
            continue
        try:
            gone = _erased(run.request, store.log(run), web)
        except RecordError:  # it is built again just now, which writes it
            continue
        if gone:
            store.delete(run.id)


def _erased(request: CohortRequest, log: RunLog, web: WebSettings) -> bool:
    """Return whether somebody whom a run tells of is no longer in the index. Raises RecordError
    where that cannot be told.
    """
    from clinfo.pipelines.cohort import opened

    found = log.get(CohortFound, "cohort")
    told: set[Any] = set()
    if found is not None:
        told = {one["id"] for one in (*found.members, *(found.others or ()))}
        told |= set(found.not_documented)
    if not told:
        return False
    with opened(Path(web.cohorts[request.index]), stale=True) as base:
        return not told <= {id for (id,) in base.execute("SELECT id FROM patients")}
