"""The trials pipeline as a program calls it: `clinfo.trials`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from clinfo.errors import UsageError
from clinfo.files import file_errors
from clinfo.pipelines.calling import (
    Model,
    PipelineAnswer,
    carried_out,
    door,
    named_model,
)
from clinfo.pipelines.trials import records
from clinfo.pipelines.trials.answer import build_answer, outcome, says_something
from clinfo.pipelines.trials.events import TrialsLog
from clinfo.pipelines.trials.request import request_of
from clinfo.pipelines.trials.stages import TRIALS
from clinfo.runs.events import Event
from clinfo.settings import load_settings


class TrialsAnswer(PipelineAnswer[TrialsLog, records.TrialsAnswer]):
    """The conclusions of studies; the record is `clinfo.pipelines.trials.records.TrialsAnswer`.

    ``studies`` have each its ``direction``, whom it ``favours``, ``spans`` and ``effect``;
    ``pooled`` is None where the numbers of fewer than two give an effect. ``status`` is the exit
    status that the command line would have: 0, or 3 where no study says anything.
    """

    def __init__(self, events: Sequence[Event]) -> None:
        super().__init__(
            TRIALS, build_answer, lambda record: any(map(says_something, record.studies)), events
        )
        self.studies = self.record.studies
        self.pooled = self.record.pooled
        self.warnings = self.record.warnings

    def plot(self, path: str | Path) -> None:
        """Draw the forest plot, as .svg, .png or .pdf. Raises UsageError where matplotlib is
        missing, or no numbers give an effect.
        """
        from clinfo.evidence.plot import image
        from clinfo.evidence.pooled_plot import pooled_plot
        from clinfo.extras import needed

        needed("matplotlib", "plots")
        form: Any = Path(path).suffix.lower().removeprefix(".")
        found = outcome(self._log)
        if found is None or form not in ("svg", "png", "pdf"):
            raise UsageError("no plot: no study's numbers give an effect, or the name has no form")
        with file_errors(f"{path} cannot be written"):
            Path(path).write_bytes(image(pooled_plot(found), form))

    def __repr__(self) -> str:
        told = ", ".join(f"{study.name}: {study.direction}" for study in self.studies)
        return f"<clinfo.TrialsAnswer: {told or 'no study'}>"


@door
def trials(
    question: str,
    papers: Sequence[str | Path] = (),
    *,
    pmcid: Sequence[str] = (),
    studies: Mapping[str, Sequence[str]] | None = None,
    model: Model = None,
    save: str | Path | None = None,
    **options: Any,
) -> TrialsAnswer:
    """Conclude each study from its full-text papers: files, folders, articles of PubMed
    Central.

    ``model`` is as for `stream`, ``save`` as for `aask`; ``studies`` names studies with their
    papers, ``options`` are those of the command line with underscores. Raises the class of
    `clinfo.errors` that carries the exit status the command line would have.
    """
    settings = load_settings()
    request = request_of(settings, question, papers, pmcid, studies, named_model(model), **options)
    return TrialsAnswer(carried_out(TRIALS, settings, request, model, save))
