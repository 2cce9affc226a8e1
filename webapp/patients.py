"""Runs on records of patients: who may ask for one, what of it may still be seen, who looked."""

from typing import Any, Final

from werkzeug.datastructures import WWWAuthenticate
from werkzeug.exceptions import Unauthorized

from clinfo.errors import RecordError
from clinfo.patients import PatientStore
from clinfo.settings import Settings
from webapp.pipelines import WebPipeline, declared
from webapp.records import NotFound, Refused, StoredRun, Visitor
from webapp.services import services
from webapp.settings import WebSettings

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


def audit(
    own: WebPipeline, request: Any, who: Visitor, chain: Settings, did: str, run: str = ""
) -> None:
    """Log who does what with whose records, where a request of this pipeline looks at any. Raises
    UsageError where it cannot be logged.
    """
    if (about := own.logged(request)) is not None:
        user = (who.user or f"browser {str(who.browser)[:12]}").replace("\x1f", " ")
        PatientStore.of(chain).audit(user=user, run=run, did=did, **about)


def looked_at(run: StoredRun, who: Visitor, did: str) -> Any:
    """The run log of any run, for somebody who may see it; the look at one on records
    of patients is logged.

    Of somebody who was erased nothing is told: NotFound, and the run goes too. Refused where that
    cannot be looked up now.
    """
    parts, own = services(), declared(run.pipeline)
    log = parts.store.log(run)
    try:
        gone = own.gone(run.request, log, parts.web)
    except RecordError:
        raise Refused(f"This run cannot be shown: its records {UNUSABLE}.") from None
    if gone:
        parts.store.delete(run.id)
        raise NotFound("A patient of this run was erased, and the run with it.")
    audit(own, run.request, who, parts.chain, did, run.id)
    return log
