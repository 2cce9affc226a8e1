"""A request of the chart pipeline from what a person gives: a record, a question, a model."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clinfo.errors import UsageError
from clinfo.patients.times import day_span
from clinfo.pipelines.chart.declared import CHART
from clinfo.pipelines.chart.stages import ANSWER, VERIFY
from clinfo.records.chart import STAGES, ChartRequest
from clinfo.records.request import EXTRACTIVE, refuse_longer

if TYPE_CHECKING:
    from clinfo.settings import Settings


def request_of(
    settings: Settings,
    record: Iterable[str | Path] | str | Path,
    question: str,
    model: str | None = None,
    judge_model: str | None = None,
    **fields: Any,
) -> ChartRequest:
    """The request; ``record`` are files and folders, ``fields`` those of `ChartRequest`. ``model``
    holds for every stage, whatever the settings say, but for the judge's: there ``judge_model`` and
    the settings' go before it. Without a model named anywhere none is asked, so that nothing of a
    record leaves the program by default.

    Raises UsageError.
    """
    if not question.strip():
        raise UsageError("a question is missing")
    refuse_longer("question", question)
    paths = [record] if isinstance(record, str | Path) else list(record)
    named = CHART.stage_models(settings)
    everywhere = model or settings.model or EXTRACTIVE
    models = {
        one.name: everywhere if model is not None else named.get(one.name, everywhere)
        for one in CHART.stages
    }
    if models[ANSWER.name] == EXTRACTIVE:
        models[VERIFY.name] = EXTRACTIVE
    else:
        models[VERIFY.name] = judge_model or named.get(VERIFY.name, models[ANSWER.name])
    try:
        request = ChartRequest(
            question.strip(),
            tuple(map(str, paths)),
            models=models,
            **fields,
        )
    except TypeError:
        unknown = sorted(set(fields) - set(ChartRequest.__dataclass_fields__))
        raise UsageError(f"unknown options: {', '.join(unknown)}") from None
    if request.stage not in ("ordered", "published", *STAGES):
        raise UsageError(f"--stage must be ordered, published or one of: {', '.join(STAGES)}")
    if not (1 <= request.k <= 1000 and 1 <= request.threshold <= 1000):
        raise UsageError("--k and --threshold need 1 to 1,000")
    for name, date in (("--from", request.since), ("--to", request.until)):
        if date and day_span(date) is None:
            raise UsageError(f"{name} must be a date as 2010, 2010-01 or 2010-01-31, not {date!r}")
    return request
