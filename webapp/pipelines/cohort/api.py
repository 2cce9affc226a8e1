"""Finding a cohort at once, over HTTP."""

from __future__ import annotations

from flask import Response

from webapp.api import api, as_json, fresh, json_object
from webapp.api_types import SCHEMA
from webapp.operation import Reply, operation
from webapp.pipelines.cohort import asking as cohorts
from webapp.visitors import visitor


@api.post("/cohort")
@operation(
    "findCohort",
    "cohort",
    {200: Reply("The cohort.", cohorts.CohortAnswer)},
    *(400, 401, 403, 404, 413, 415, 422, 429),
    body=cohorts.CohortFields,
    pipeline="cohort",
)
def cohort() -> Response:
    """Find patients.

    Which patients of an index match criteria, at once; nothing is stored. An access token or a
    login is needed.
    """
    return fresh(as_json({"schema": SCHEMA, **cohorts.asked(json_object(), visitor())}))
