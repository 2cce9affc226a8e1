"""Cohorts as a tool: patients of this house who match a query, only where the host allows it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from pydantic import Field

from clinfo.pipelines.cohort.api import cohort
from clinfo.pipelines.tools import Arguments, Host, Kind, Progress, ToolDeclared
from clinfo.records.observations import Observation, Observed

SILO = "cohort"


class Query(Arguments):
    query: str = Field(
        min_length=1,
        description="condition NAME, drug NAME, procedure NAME, allergy NAME, value hba1c > 7 "
        "within 6 months, age >= 18, female, gene EGFR change L858R; joined by and, or, not, "
        "before, parentheses",
    )


async def _found(
    declared: ToolDeclared, host: Host, arguments: Mapping[str, Any], progress: Progress
) -> Observation:
    query, index = arguments["query"], declared.options["index"]
    found = await asyncio.to_thread(cohort, index, query=query)
    members, counts = found["members"], found["counts"]
    passages = tuple(
        Observed(
            SILO, f"{one['id']} {span['note']}", criterion["text"],
            span["start"], span["end"], span["quote"], date=span["date"],
        )
        for one in members[: declared.top_k]
        for criterion in one["criteria"]
        for span in criterion["spans"][:1]
    )  # fmt: skip
    told = (
        f"{len(members)} of {counts['patients']} patients match, "
        f"{counts['not_documented']} are undocumented"
    )
    return Observation(passages, (told,), () if members else (SILO,))


def _missing(declared: ToolDeclared, host: Host) -> str:
    """The reason why no cohort can be found, "" where one can."""
    return "" if declared.options.get("index") else "its table names no options.index"


KIND = Kind("cohort", Query, _found, _missing, runs=True, of_patients=True)
