"""The cohort pipeline in the web app: only over the indexes that the host names."""

from clinfo.runs import named
from webapp.pipelines import Asked, WebPipeline
from webapp.pipelines.cohort import asking
from webapp.watch.page import in_order

_HERE = "webapp.pipelines.cohort"

WEB = WebPipeline(
    name="cohort",
    asks=lambda fields, web, chain, again_of: Asked(asking.checked(fields, web, chain, kept=True)),
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
    sent=asking.CohortRunFields,
    answers=asking.CohortAnswer,
    within="Cohort",
    models=asking.offered_models,
    described=asking.described,
    pages=(f"{_HERE}.pages:pages", f"{_HERE}.pages:api"),
    form="cohort.form",
    title="Cohorts",
    does="Which patients of this site’s records match criteria. Nothing of what is asked is stored "
    "but that it was asked, by whom and when. Not for care.",
    after="after automatic cohort retrieval, Mendel AI, 2024",
    listed=lambda request: f"patients of {request.index}",
    offered=lambda web: bool(web.cohorts),
    seen=asking.may_be_seen,
    private=lambda request: True,
    needs_login=lambda fields: True,
    logged=asking.logged,
    starts="cohort",
    gone=asking.erased,
    sweeper=asking.sweeper,
    hosted=lambda run, packed, web, chain: (
        chain,
        {"folder": asking.folder_of(run.request, web), "log": lambda _: None},
    ),
)
