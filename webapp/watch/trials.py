"""How runs of the trials pipeline are shown while they go on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from clinfo.pipelines.trials.answer import build_answer
from clinfo.pipelines.trials.events import PaperRead, PaperRefused, PassagesChosen
from clinfo.pipelines.trials.run_log import TrialsLog
from clinfo.records.trials import TrialsRequest
from clinfo.runs.events import CostIncurred, Warned
from clinfo.runs.usage import usage_of
from clinfo.views import counts
from clinfo.views.steps import Step, StepState
from clinfo.views.trials import study_view
from clinfo.views.wording import number
from webapp.records import Head
from webapp.watch.shown import Listed, LivePipeline, Shown, Status, ending

_ENOUGH: Final = 2
"""Studies that must have been read before their speed tells how long the others take."""


def _steps(run_log: TrialsLog, request: TrialsRequest) -> list[Step]:
    """The steps: papers, the question's parts, studies."""
    papers, seen = len(request.papers), _papers_seen(run_log)
    studies, done = len(run_log.studies), len(run_log.concluded)
    over = "answer" in run_log

    def step(name: str, title: str, said: str, done: bool, begun: bool) -> Step:
        state: StepState = "done" if done or over else "now" if begun else "to come"
        return Step(name, title, f"{name}-part", state, said)

    read = f"{seen:,} of {papers:,} read"
    asked, grouped = run_log.understood is not None, "grouped" in run_log
    said = f"{done:,} of {studies:,} read" if grouped else ""
    all_read = grouped and done >= studies
    started = run_log.started is not None
    return [
        step("papers", "Papers", read, grouped, started),
        step("asked", "Question", "understood" if asked else "", asked, started),
        step("studies", "Studies", said, all_read, grouped),
    ]


def _papers_seen(run_log: TrialsLog) -> int:
    return len(run_log.all(PaperRead)) + len(run_log.all(PaperRefused))


def _parts(run_log: TrialsLog, request: TrialsRequest, run_id: str) -> Iterator[Shown | Listed]:
    answer = build_answer(run_log) if run_log.started else None
    yield Shown("asked", "asked", answer.pico if answer and run_log.understood else None)
    cards: dict[str, object] = {}
    for place, study in enumerate(answer.studies if answer else ()):
        assert answer is not None
        reading = f"passages {study.name}" in run_log
        read = study.read
        cards[f"study-{place}"] = (study_view(study, answer), read, reading)
    yield Listed("studies", "study", cards)
    refused = [event.reason for event in run_log.all(PaperRefused)]
    told = [*refused, *(event.text for event in run_log.all(Warned))]
    yield Listed("notes", "note", {f"note-{n}": text for n, text in enumerate(told)})
    calls = run_log.all(CostIncurred)
    yield Shown("used", "used", counts.used(usage_of(calls)) if calls else "")
    yield Shown("notices", "plain_notices", run_log.started.notices if run_log.started else ())


def _status(run_log: TrialsLog, request: TrialsRequest, head: Head) -> Status:
    studies, done = len(run_log.studies), len(run_log.concluded)
    share = 0 if run_log.started is None else 10
    if studies:
        share = 20 + 78 * done // studies
    kept = f"Kept so far: {number(done, 'conclusion')}." if done else ""
    if (said := ending(head, kept, share)) is not None:
        return said
    if "answer" in run_log:
        return Status("done", "The answer is ready", done=100)
    if run_log.started is None:
        return Status("running", "Starting …", done=0)
    if not studies:
        line = f"{_papers_seen(run_log):,} of {number(len(request.papers), 'paper')} read"
        return Status("running", line, done=share)
    line = f"{done:,} of {number(studies, 'study', 'studies')} read"
    return Status("running", line, done=share)


def _seconds_left(run_log: TrialsLog) -> float | None:
    """Estimate how long reading still takes, from this run alone: the time since passages were
    first chosen, times the studies that are left over those that are read. None before two are
    read.
    """
    chosen = run_log.all(PassagesChosen)
    done, studies = len(run_log.concluded), len(run_log.studies)
    if not chosen or done < _ENOUGH or done >= studies:
        return None
    return (run_log.last_t - chosen[0].t) * (studies - done) / done


LIVE: Final = LivePipeline(
    "trials",
    "watch/trials.html",
    "watch/trials_parts.html",
    {"studies": ("ol", "articles"), "notes": ("ul", "notes")},
    _steps,
    _parts,
    _status,
    _seconds_left,
)
