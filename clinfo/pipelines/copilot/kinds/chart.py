"""A patient's own record, asked as ``clinfo chart ask`` does; only where the host allows it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from clinfo.lazy_dataclass import dataclass
from clinfo.pipelines.copilot.tools import Host, Kind, Progress, ToolDeclared
from clinfo.records.copilot import Observation, Observed
from clinfo.runs.run_log import RunLog

SILO = "chart"


@dataclass(frozen=True)
class _Chart:
    declared: ToolDeclared
    host: Host

    async def __call__(self, arguments: Mapping[str, Any], progress: Progress) -> Observation:
        import clinfo

        options, question = self.declared.options, arguments["question"]
        async with self.host.set_aside() as money:
            money.spent = money.most or 0.0  # of a run that fails
            answer = await asyncio.to_thread(
                clinfo.chart,
                options["record"],
                question,
                model=self.host.model,
                patient=str(options.get("patient", "")),
                k=self.declared.top_k,
                max_cost=money.most,
            )
            money.spent = RunLog(answer.events).spent_usd
        for event in answer.events:
            progress.put(event)
        found = tuple(
            Observed(SILO, note.id, note.category, span.start, span.end, span.text, date=note.date)
            for note in answer.notes
            for span in note.spans
        )
        return Observation(found, (answer.answer,), () if found else (SILO,))


def missing(declared: ToolDeclared, host: Host) -> str:
    """Why the record cannot be asked, "" where it can."""
    return "" if declared.options.get("record") else "its table names no options.record"


KIND = Kind("chart", _Chart, missing, order=50)
