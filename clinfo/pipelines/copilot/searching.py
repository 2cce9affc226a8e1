"""The parts of a question, as a model planned them or a case report lists them; and the calls that
search every silo by its words and fields: what is done without a language model, and where one
calls nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from clinfo.pipelines.copilot.evidence_items import Fields
from clinfo.pipelines.copilot.replies import Plan
from clinfo.pipelines.copilot.tools import OpenTool
from clinfo.records.copilot import CopilotRequest, Planned
from clinfo.text.printable import one_line

SILENT: Final = ("document",)
"""Kinds of tools that need what another found."""
SLOW: Final = ("literature", "chart", "cohort")
"""Kinds of tools that carry out runs of their own: called only where they are named."""
MOST_WORDS: Final = 2_000
MOST_PARTS: Final = 6
Calls = Sequence[tuple[str, Mapping[str, Any]]]


def fields_of(request: CopilotRequest) -> Fields:
    """The fields by which evidence is selected."""
    return Fields(**{name: getattr(request, name) for name in Fields.__dataclass_fields__})


def searches(request: CopilotRequest, tools: Mapping[str, OpenTool]) -> Calls:
    """A call of each tool, of the search one for each silo that no other call asks."""
    return tuple(_searches(request, tools))


def _searches(
    request: CopilotRequest, tools: Mapping[str, OpenTool]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    fields = fields_of(request)
    own = [request.gene, request.variant, request.disease, request.drug]
    words = " ".join(" ".join((request.question, *own, request.case)).split())[:MOST_WORDS]
    registries = {one.declared.silo for one in tools.values() if one.declared.kind == "registry"}
    for name, tool in tools.items():
        kind = tool.declared.kind
        if kind == "gene_drugs":
            if fields:
                yield name, {key: value for key, value in asdict(fields).items() if value}
        elif tool.kind.searches:
            for silo in tool.silos:
                if silo not in registries:
                    yield name, {"silo": silo, "query": words}
        elif kind not in SILENT and (kind not in SLOW or name in request.tools):
            (argument, *_) = tool.kind.arguments.model_fields
            yield name, {argument: words}


def items(text: str) -> list[str]:
    """The lines of a text that begin with a dash, each with the lines below it."""
    found: list[str] = []
    for line in text.splitlines():
        if line.startswith("- "):
            found.append(line[2:].strip())
        elif found and line.strip():
            found[-1] += f" {line.strip()}"
    return found


def parts_of(plan: Plan | None, tools: Mapping[str, Any]) -> tuple[Planned, ...]:
    """The plan of a reply; tools that there are not are left out of it."""
    return tuple(
        Planned(one_line(one.question)[:1_000], tuple(name for name in one.tools if name in tools))
        for one in (plan.parts if plan is not None else ())[:MOST_PARTS]
        if one.question.strip()
    )
