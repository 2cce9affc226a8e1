"""The copilot as a program calls it: `clinfo.copilot`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from clinfo.pipelines.calling import (
    Model,
    PipelineAnswer,
    carried_out,
    door,
    named_model,
)
from clinfo.pipelines.copilot import records
from clinfo.pipelines.copilot.answer import build_answer, trace_text
from clinfo.pipelines.copilot.events import CopilotLog
from clinfo.pipelines.copilot.request import request_of
from clinfo.pipelines.copilot.stages import COPILOT, PROMPTS
from clinfo.runs.events import Event
from clinfo.settings import load_settings


class CopilotAnswer(PipelineAnswer[CopilotLog, records.CopilotAnswer]):
    """The answer to a question in checked claims of what tools brought; its record is
    `clinfo.pipelines.copilot.records.CopilotAnswer`.

    ``answer`` are the claims that stand, a line each with its sources' numbers, "" where none
    does; ``claims`` have each ``silo``, ``document``, ``span``, ``level``, ``date`` and
    ``verdict``. ``status`` is the exit status that the command line would have: 0, or 3 where no
    claim stands.
    """

    def __init__(self, events: Sequence[Event]) -> None:
        super().__init__(COPILOT, build_answer, lambda one: one.claims or one.bottom_line, events)
        self.answer = self.record.answer
        self.claims = self.record.claims
        self.warnings = self.record.warnings

    @property
    def trace(self) -> str:
        """Plan, thoughts, calls and passages, as ``--trace`` writes them."""
        return trace_text(self._log)

    def __repr__(self) -> str:
        return f"<clinfo.CopilotAnswer: {len(self.claims)} claims>"


@door
def copilot(
    question: str,
    *,
    case: str = "",
    model: Model = None,
    judge: str | None = None,
    save: str | Path | None = None,
    **options: Any,
) -> CopilotAnswer:
    """The answer to a question, with the text of a case or without, looked up in silos by tools.

    ``model`` is as for `stream`, ``save`` as for `aask`; ``options`` are those of the command line
    with underscores (``gene``, ``variant``, ``disease``, ``drug`` select evidence without a model),
    ``tools`` a list. Raises the class of `clinfo.errors` that carries the exit status the command
    line would have; NotForPatients where a model may not see a case.
    """
    settings = load_settings()
    if isinstance(prompts := options.pop("prompts", {}), str | Path):
        prompts = PROMPTS.read_folder(prompts)
    request = request_of(
        settings, question, named_model(model), judge, case=case, prompts=prompts, **options
    )
    return CopilotAnswer(carried_out(COPILOT, settings, request, model, save))
