"""The run log of the cohort pipeline, and the JSON answer as a pure fold over it."""

from __future__ import annotations

from typing import Any, Final

from clinfo.pipelines.cohort.events import CohortFound, CriteriaRead, IndexOpened, RunStarted
from clinfo.runs.events import CostIncurred, StageTimed, Warned
from clinfo.runs.run_log import RunLog
from clinfo.runs.usage import usage_of

SCHEMA: Final = 1


class CohortLog(RunLog):
    """The events of one run, each key once."""

    @property
    def started(self) -> RunStarted | None:
        return self.get(RunStarted, "run")

    @property
    def index(self) -> IndexOpened | None:
        return self.get(IndexOpened, "index")

    @property
    def criteria(self) -> CriteriaRead | None:
        return self.get(CriteriaRead, "criteria")

    @property
    def found(self) -> CohortFound | None:
        return self.get(CohortFound, "cohort")


def answer_json(run_log: CohortLog) -> dict[str, Any]:
    """The JSON answer (docs/cohort.md) of a run that has found its cohort. Raises ValueError for
    one that has not.
    """
    import msgspec

    started, index, found = run_log.started, run_log.index, run_log.found
    if started is None or index is None or found is None:
        raise ValueError("the run has found no cohort yet")
    request, read = started.request, run_log.criteria
    answer = {
        "schema": SCHEMA,
        "pipeline": "cohort",
        "question": request.criteria,
        "asked_on": started.started_at[:10],
        "system": request.system,
        "form": read.form if read else None,
        "text": read.text if read else request.criteria,
        "translated_by": read.translated_by if read else "",
        "members": found.members,
        "not_documented": found.not_documented,
        "attrition": found.attrition,
        "counts": found.counts,
        **({"others": found.others} if found.others is not None else {}),
        "notices": started.notices,
        "warnings": [one.text for one in run_log.all(Warned)],
        "usage": usage_of(run_log.all(CostIncurred)),
        "timings": {one.where: one.seconds for one in run_log.all(StageTimed)}
        | {"total": run_log.last_t},
        "settings": {**started.settings, **index.about},
    }
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(answer))
    return plain
