"""The answer of the trials pipeline as a pure fold over a run's events, its JSON form, and
`clinfo.trials`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from clinfo.errors import UsageError
from clinfo.evidence.meta_analysis.analysis import Analysis, PooledOutcome
from clinfo.evidence.meta_analysis.values import MODEL, Better, Comparison
from clinfo.files import file_errors
from clinfo.pipelines.calling import (
    Model,
    PipelineAnswer,
    carried_out,
    door,
    named_model,
)
from clinfo.pipelines.trials import records
from clinfo.pipelines.trials.effects import (
    InForce,
    comparison,
    direction_of,
    effect,
    favoured,
    in_force,
    pooled,
)
from clinfo.pipelines.trials.effects import flags as flags_of
from clinfo.pipelines.trials.events import PaperRefused, PassagesChosen, TrialsLog
from clinfo.pipelines.trials.quoting import block_at
from clinfo.pipelines.trials.records import (
    Effect,
    Paper,
    Pico,
    PooledEffect,
    Quote,
    Span,
    StudyNumbers,
    StudyPapers,
    StudyResult,
)
from clinfo.pipelines.trials.request import request_of
from clinfo.pipelines.trials.stages import TRIALS
from clinfo.retrieval.chunking import around
from clinfo.retrieval.documents import Document
from clinfo.runs.events import Answered, Event, plain
from clinfo.settings import load_settings

SCHEMA = 2
_UNSAID = (None, "not_stated")


def build_answer(run_log: TrialsLog) -> records.TrialsAnswer:
    """The answer as far as the run got. Raises ValueError before it began."""
    common, understood, papers = run_log.common(_told(run_log)), run_log.understood, run_log.papers
    asked = understood.asked if understood else None
    analysis = _analysis(run_log)
    weights = _weights(analysis)
    return records.TrialsAnswer(
        **(common | {"timings": run_log.timings | {"total": _seconds(run_log)}}),
        read_on=run_log.started.started_at[:10] if run_log.started else "",
        pico=Pico(asked.intervention, asked.comparator, asked.outcome, understood.better)
        if asked and understood
        else Pico(),
        papers=tuple(
            Paper(
                one.id,
                one.file,
                one.title,
                one.date or None,
                one.licence or None,
                one.registrations,
                one.lost,
            )
            for one in papers.values()
        ),
        studies=tuple(
            _study(study, run_log, papers, understood.better if understood else None, weights)
            for study in run_log.studies
        ),
        pooled=_pooled(analysis),
    )


def folded(run_log: TrialsLog) -> dict[str, Any]:
    """The JSON answer of a run, as far as it got."""
    return {"schema": SCHEMA, "pipeline": "trials", **plain(build_answer(run_log))}


def recorded(run_log: TrialsLog, answer: dict[str, Any]) -> dict[str, Any]:
    """The JSON answer as it was recorded, folded anew where people changed it afterwards."""
    event = run_log.get(Answered, "answer")
    return answer if event is not None and run_log.last_seq == event.seq else folded(run_log)


def says_something(study: StudyResult) -> bool:
    """Return whether a study has a direction or, where nobody was asked for one, passages that name
    the outcome.
    """
    if study.direction is None:
        return bool(study.candidates)
    return study.direction != "not_stated"


def outcome(run_log: TrialsLog) -> PooledOutcome | None:
    """The analysis with the words that it is shown with; None where no numbers give an effect."""
    analysis, understood = _analysis(run_log), run_log.understood
    if analysis is None or understood is None:
        return None
    asked = understood.asked
    return PooledOutcome(
        analysis,
        asked.outcome,
        asked.intervention,
        asked.comparator or "control",
        understood.better,
        _unit(run_log),
    )


def _unit(run_log: TrialsLog) -> str:
    """The unit of all numbers, where there is but one."""
    units = {one.unit for one in run_log.numbers.values()}
    return units.pop() if len(units) == 1 else ""


def _analysis(run_log: TrialsLog) -> Analysis | None:
    """The studies pooled as they stand now, edits included."""
    known = {study.name: _held(study.name, run_log) for study in run_log.studies}
    return pooled(
        [_comparison(name, held, run_log) for name, held in known.items()],
        {name: held.excluded for name, held in known.items() if held.excluded},
        [held.numbers.unit for held in known.values() if held.numbers],
    )


def _held(study: str, run_log: TrialsLog) -> InForce:
    return in_force(run_log.numbers.get(study), run_log.edits(study))


def _comparison(study: str, held: InForce, run_log: TrialsLog) -> Comparison:
    concluded = run_log.concluded.get(study)
    conclusion = concluded.conclusion if concluded else None
    reading = concluded.reading if concluded else None
    cluster = reading is not None and bool(reading.cluster_randomised)
    return comparison(study, held.numbers, conclusion, held.notes, cluster)


def _seconds(run_log: TrialsLog) -> float:
    """The duration of the run up to its answer, which is the same however the answer is shown."""
    answered = run_log.get(Answered, "answer")
    timings = answered.answer.get("timings", {}) if answered else {}
    return float(timings.get("total", run_log.last_t))


def _study(
    study: StudyPapers,
    run_log: TrialsLog,
    papers: Mapping[str, Document],
    better: Better | None,
    weights: Mapping[str, float],
) -> StudyResult:
    chosen = run_log.get(PassagesChosen, f"passages {study.name}")
    concluded = run_log.concluded.get(study.name)
    known = [
        f"{papers[one.id].file or one.id}: {one.text} (Reported by {one.reported_by}.)"
        for one in run_log.notices
        if one.id in study.papers
    ]
    if concluded is None:
        return StudyResult(study.name, study.papers, study.why, flags=tuple(known))
    conclusion, read = concluded.conclusion, run_log.numbers.get(study.name)
    edits, held = run_log.edits(study.name), _held(study.name, run_log)
    numbers, found = held.numbers, effect(_comparison(study.name, held, run_log))
    by_numbers = direction_of(found) if found else None
    said = conclusion.direction
    if chosen and chosen.outcome:
        known.append(f"The papers call the outcome {chosen.outcome}.")
    flags = [*known, *(numbers.flags if numbers else ())]
    flags += [*(found.notes if found else held.notes), *filter(None, [held.excluded])]
    flags += flags_of(study, said, concluded.reading, found)
    by_hand = any(edit.numbers is not None and not edit.undone for edit in edits)
    direction = by_numbers if by_numbers and by_hand else said
    return StudyResult(
        study.name,
        study.papers,
        study.why,
        direction,
        favoured(direction, better),
        "numbers" if by_numbers and by_hand else None if said in _UNSAID else "text",
        conclusion.reason,
        tuple(_span(quote, papers[quote.paper]) for quote in conclusion.quotes),
        tuple(dict.fromkeys(flags)),
        said,
        numbers,
        Effect(found.measure, found.estimate, found.low, found.high, weights.get(study.name))
        if found
        else None,
        passages_read=len(chosen.passages) if chosen else 0,
        passages_found=chosen.found if chosen else 0,
        candidates=tuple(_span(one, papers[one.paper]) for one in concluded.candidates)
        if direction in _UNSAID
        else (),
        number_spans=_places(read, papers) if read else (),
        numbers_read=read if numbers != read else None,
        excluded=bool(held.excluded),
        edits=edits,
        read=True,
        numbers_direction=by_numbers,
        reading=replace(concluded.reading, numbers=None) if concluded.reading else None,
    )


def _places(read: StudyNumbers, papers: Mapping[str, Document]) -> tuple[Span, ...]:
    """The rows of tables and the sentences that the numbers of a study stand in."""
    numbers = [
        number
        for arm in (read.intervention, read.comparator)
        for number in (arm.events, arm.mean, arm.sd, arm.total, arm.median, arm.q1, arm.q3)
        if number is not None and number.document in papers
    ]
    found: dict[Span, None] = {}
    for number in numbers:
        paper = papers[number.document]
        start, end = around(paper, number.start, number.end)
        found.setdefault(_span(Quote(paper.id, start, end), paper))
    return tuple(found)


def _weights(analysis: Analysis | None) -> dict[str, float]:
    if analysis is None or analysis.pooled is None:
        return {}
    names = (one.comparison.study for one in analysis.effects)
    return dict(zip(names, analysis.pooled.weights, strict=True))


def _pooled(analysis: Analysis | None) -> PooledEffect | None:
    """The pooled effect of at least two studies."""
    if analysis is None or analysis.pooled is None:
        return None
    found = analysis.pooled
    return PooledEffect(
        found.measure,
        MODEL,
        found.estimate,
        found.low,
        found.high,
        found.p,
        found.tau2,
        found.i2,
        found.prediction,
        len(analysis.effects),
        {one.comparison.study: one.reason for one in analysis.left_out},
    )


def _span(quote: Quote, paper: Document) -> Span:
    block, text = block_at(paper, quote.start), paper.text[quote.start : quote.end]
    return Span(quote.paper, quote.start, quote.end, text, block.section if block else ())


def _told(run_log: TrialsLog) -> list[str]:
    """What a reader must know of the papers."""
    refused = [event.reason for event in run_log.all(PaperRefused)]
    lost = (f"{paper.file}: {one}" for paper in run_log.papers.values() for one in paper.lost)
    return [*refused, *lost]


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
        from clinfo.evidence.forest import pooled_plot
        from clinfo.evidence.plot import image
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
