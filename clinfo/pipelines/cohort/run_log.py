"""The JSON answer of the cohort pipeline as a pure fold over its run log."""

from __future__ import annotations

from typing import Any, Final

from clinfo.pipelines.cohort.events import CohortFound, CriteriaRead, IndexOpened, RunStarted
from clinfo.runs.events import CostIncurred, StageTimed
from clinfo.runs.run_log import RunLog
from clinfo.runs.usage import usage_of

SCHEMA: Final = 1


def folded(run_log: RunLog) -> dict[str, Any] | None:
    """The JSON answer of a run, None before it has found its cohort."""
    return answer_json(run_log) if run_log.get(CohortFound, "cohort") else None


def answer_json(run_log: RunLog) -> dict[str, Any]:
    """The JSON answer (docs/cohort.md) of a run that has found its cohort. Raises ValueError for
    one that has not.
    """
    import msgspec

    started, index = run_log.get(RunStarted, "run"), run_log.get(IndexOpened, "index")
    read, found = run_log.get(CriteriaRead, "criteria"), run_log.get(CohortFound, "cohort")
    if started is None or index is None or found is None:
        raise ValueError("the run has found no cohort yet")
    request = started.request
    answer = {
        "schema": SCHEMA,
        "pipeline": "cohort",
        "question": request.question,
        "asked_on": started.started_at[:10],
        "system": request.system,
        "form": read.form if read else None,
        "text": read.text if read else request.question,
        "translated_by": read.translated_by if read else "",
        "assumptions": read.assumptions if read else (),
        "caveats": found.caveats,
        "members": found.members,
        "not_documented": found.not_documented,
        "attrition": found.attrition,
        "counts": found.counts,
        **({"boxes": found.boxes} if found.boxes is not None else {}),
        **({"others": found.others} if found.others is not None else {}),
        "notices": started.notices,
        "warnings": run_log.warnings,
        "usage": usage_of(run_log.all(CostIncurred)),
        "timings": {one.where: one.seconds for one in run_log.all(StageTimed)}
        | {"total": run_log.last_t},
        "settings": {**started.settings, **index.about},
    }
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(answer))
    return plain
