"""The cohort pipeline in the web app, only over the indexes that the host names: from what somebody
asks of one to a run, within the request, of which nothing is stored, or in the queue. Who asks what
is logged.
"""

import asyncio
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from secrets import token_hex
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from clinfo.errors import (
    BudgetReached,
    FieldError,
    IdentifiersFound,
    ModelError,
    RecordError,
    UsageError,
)
from clinfo.pipelines.cohort import (
    COHORT,
    INDEX_FILE,
    OPTIONS,
    TRANSLATE,
    CohortFound,
    CohortRequest,
    form_schema,
    opened,
    request_of,
)
from clinfo.privacy import refuse_texts
from clinfo.records import EXTRACTIVE
from clinfo.runs import RunLog, ended, named
from clinfo.settings import Settings
from webapp.fields import Fields, Json, Model, Seconds, of_flag, or_null, read, seconds
from webapp.hosting.limits import count_start
from webapp.patients import UNUSABLE, audit, refuse_unknown
from webapp.pipelines import Asked, WebPipeline, declared
from webapp.records import Lease, Visitor
from webapp.services import Services, services
from webapp.settings import WebSettings
from webapp.storage.budget import DatabaseBudget
from webapp.storage.store import Store
from webapp.watch.page import in_order
from webapp.work.retrying import for_visitors

DECLARED: Final = OPTIONS.at("http")
"""The options that a request may set here."""


class CohortFields(Fields):
    """Criteria with a model, a query or a form."""

    index: str = Field("", description="Which records; not given: the first.")
    model: Model = Field(None, description="Puts criteria into a form; it is sent no record.")


class CohortRunFields(CohortFields):
    """Criteria with a model, a query or a form, as a run that is kept; an access token or a login
    is needed.
    """

    max_seconds: Seconds = None


@dataclass(frozen=True)
class CohortAnswer:
    """A shared host gives counts as ranges in words, and no patients."""

    schema: int
    pipeline: Literal["cohort"]
    form: Annotated[dict[str, Any], Field(description=form_schema()["title"])]
    text: str
    translated_by: str
    assumptions: list[str]
    caveats: list[str]
    not_documented: list[str]
    warnings: list[str]
    members: list[dict[str, Any]]
    attrition: list[dict[str, Any]]
    others: list[dict[str, Any]]
    counts: dict[str, int | str]
    boxes: Annotated[
        dict[str, Any], Field(description="The form and its parts: text, joins, count, parts.")
    ]


def described(schemas: dict[str, Json], web: WebSettings, chain: Settings) -> None:
    """The host's indexes are those that may be asked."""
    for kind in (CohortFields, CohortRunFields):
        fields = schemas[kind.__name__]["properties"]
        told = {"description": fields["index"]["description"]}
        fields["index"] = or_null({"enum": list(web.cohorts)} | told)


def offered_models(web: WebSettings, chain: Settings) -> tuple[str, ...]:
    """The language models that visitors may have translate criteria: no record is shown to them."""
    return tuple(name for name in web.offered_models(chain) if name != EXTRACTIVE)


def checked_fields(
    given: Mapping[str, Any], web: WebSettings, chain: Settings, kept: bool = False
) -> CohortRequest:
    """The request that ``given`` makes at this host, where None and "" count as not given; not
    given: the first index, and no model. Its ``index`` is the title of one, its ``least`` the
    host's. A run that is ``kept`` may have a deadline, and nothing that identifies a patient.
    Raises FieldError, IdentifiersFound.
    """
    given = {name: value for name, value in given.items() if value not in (None, "")}
    options = {name: given.pop(name) for name in DECLARED if name in given}
    sent = read(CohortRunFields if kept else CohortFields, given)
    title, model = sent.index or next(iter(web.cohorts)), sent.model
    if title not in web.cohorts:
        raise FieldError("index", "this host has no such records")
    field = next((name for name in ("form", "query", "criteria") if options.get(name)), "")
    if not field:
        raise FieldError("query", "must not be empty")
    if model is not None and model not in (offered := offered_models(web, chain)):
        known = f"choose one of: {', '.join(offered)}" if offered else "there is none"
        raise FieldError("model", f"is not available here; {known}")
    longest = seconds(getattr(sent, "max_seconds", None), web)
    limits = {"max_seconds": longest, "least": web.fewest_shown}
    try:
        request = request_of(chain, title, model, **limits, **options)
    except UsageError as error:
        raise of_flag(error, (), field) from None
    models = request.models if model is not None else {}
    if models and kept:
        refuse_texts({"criteria": request.criteria}, "Nothing was sent or stored.")
    return replace(request, models=models, max_cost=web.run_budget if models else None)


def answered(request: CohortRequest, who: Visitor, export: bool = False) -> dict[str, Any]:
    """The JSON answer, for somebody whom the host knows. Raises FieldError, IdentifiersFound, Busy,
    Unauthorized.
    """
    parts = services()
    refuse_unknown(who, parts.web)
    if request.models:
        count_start(who)
    audit(declared("cohort"), request, who, parts.chain, "export" if export else "cohort")
    return asyncio.run(_ran(request, parts))


async def _ran(request: CohortRequest, parts: Services) -> dict[str, Any]:
    try:
        carrier = COHORT.assemble(
            parts.chain,
            request,
            budget=_budget(request, parts),
            folder=folder_of(request, parts.web),
            log=lambda _: None,
        )
        found: dict[str, Any] = COHORT.handed_out(
            ended([event async for event in carrier.run(request)])
        )
        return found
    except (ModelError, BudgetReached) as error:
        raise FieldError("model", str(error)) from None
    except IdentifiersFound as error:
        told = f"{error} Nothing was sent."
        raise IdentifiersFound(told, where="criteria") from None
    except RecordError:
        raise FieldError("index", UNUSABLE) from None
    except UsageError as error:
        told, _ = for_visitors(type(error).__name__, str(error), False)
        field = "query" if request.query else "criteria" if request.form is None else "form"
        raise FieldError(field, told) from None


def _budget(request: CohortRequest, parts: Services) -> DatabaseBudget | None:
    """The site's budget of the day, where a model is asked."""
    if TRANSLATE.name not in request.models:
        return None
    lease = Lease(f"cohort {token_hex(8)}", "page", 1)
    web, engine = parts.web, parts.store.engine
    return DatabaseBudget(engine, lease, web.daily_budget, request.max_cost, 0.0)


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

    found = log.get(CohortFound, "cohort")
    told: set[Any] = set()
    if found is not None:
        told = {one["id"] for one in (*found.members, *(found.others or ()))}
        told |= set(found.not_documented)
    if not told:
        return False
    with opened(Path(web.cohorts[request.index]), stale=True) as base:
        return not told <= {id for (id,) in base.execute("SELECT id FROM patients")}


_HERE = "webapp.pipelines.cohort"

WEB = WebPipeline(
    name="cohort",
    asks=lambda fields, web, chain: Asked(checked_fields(fields, web, chain, kept=True)),
    live=in_order(
        "cohort",
        "Finding patients",
        {
            "index": ("Records", "opening the records"),
            "criteria": ("Criteria", "reading the criteria"),
            "cohort": ("Patients", "finding patients"),
        },
    ),
    page=named(f"{_HERE}.pages:ended"),
    sent=CohortRunFields,
    answers=CohortAnswer,
    within="Cohort",
    models=offered_models,
    described=described,
    pages=(f"{_HERE}.pages:pages", f"{_HERE}.pages:api"),
    form="cohort.form",
    title="Cohorts",
    does="Which patients of this site’s records match criteria. Nothing of what is asked is stored "
    "but that it was asked, by whom and when. Not for care.",
    after="after automatic cohort retrieval, Mendel AI, 2024",
    listed=lambda request: f"patients of {request.index}",
    offered=lambda web: bool(web.cohorts),
    seen=may_be_seen,
    private=lambda request: True,
    needs_login=lambda fields: True,
    logged=logged,
    starts="cohort",
    gone=erased,
    sweeper=sweeper,
    hosted=lambda run, packed, web, chain: (
        chain,
        {"folder": folder_of(run.request, web), "log": lambda _: None},
    ),
)
