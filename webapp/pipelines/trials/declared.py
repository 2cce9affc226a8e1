"""The trials pipeline in the web app, and a run of it while it goes on."""

from collections.abc import Iterator
from typing import Final

from clinfo.pipelines.trials import (
    PaperRead,
    PaperRefused,
    PassagesChosen,
    TrialsAnswer,
    TrialsLog,
    TrialsRequest,
    build_answer,
)
from clinfo.render import study_view
from clinfo.runs import named
from clinfo.views import Step, StepState, number
from webapp.pipelines import WebPipeline
from webapp.pipelines.trials import asking
from webapp.records import Head
from webapp.watch.page import NOTES, Listed, LivePipeline, Shown, Status, ending, told

_ENOUGH: Final = 2
"""Studies that must have been read before their speed tells how long the others take."""


def _steps(run_log: TrialsLog, request: TrialsRequest) -> list[Step]:
    """The steps: papers, the question's parts, studies."""
    studies, read = len(run_log.studies), len(run_log.concluded)
    over = "answer" in run_log

    def step(name: str, title: str, said: str, done: bool, begun: bool) -> Step:
        state: StepState = "done" if done or over else "now" if begun else "to come"
        return Step(name, title, f"{name}-part", state, said)

    asked, grouped = run_log.understood is not None, "grouped" in run_log
    said = f"{read:,} of {studies:,} read" if grouped else ""
    started = run_log.started is not None
    seen = f"{_papers_seen(run_log):,} of {len(request.papers):,} read"
    return [
        step("papers", "Papers", seen, grouped, started),
        step("asked", "Question", "understood" if asked else "", asked, started),
        step("studies", "Studies", said, grouped and read >= studies, grouped),
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
        cards[f"study-{place}"] = (study_view(study, answer), study.read, reading)
    yield Listed("studies", "study", cards)
    yield from told(run_log, [event.reason for event in run_log.all(PaperRefused)])


def _status(run_log: TrialsLog, request: TrialsRequest, head: Head) -> Status:
    studies, done = len(run_log.studies), len(run_log.concluded)
    share = 0 if run_log.started is None else 10
    if studies:
        share = 20 + 78 * done // studies
    kept = f"Kept so far: {number(done, 'conclusion')}." if done else ""
    if (said := ending(head, kept, share, run_log)) is not None:
        return said
    line = f"{_papers_seen(run_log):,} of {number(len(request.papers), 'paper')} read"
    if studies:
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
    "trials/watch.html",
    "watch/plain_parts.html",
    {"studies": ("ol", "articles"), **NOTES},
    _steps,
    _parts,
    _status,
    _seconds_left,
)


_HERE = "webapp.pipelines.trials"

WEB = WebPipeline(
    name="trials",
    asks=asking.asks,
    live=LIVE,
    page=named(f"{_HERE}.pages:ended"),
    sent=asking.TrialsFields,
    answers=TrialsAnswer,
    within="Of",
    described=asking.described,
    pages=(f"{_HERE}.pages:pages", f"{_HERE}.pages:api"),
    form="trials.form",
    title="Trials",
    does="What each trial concludes, from full-text papers that you hand over, with a forest plot. "
    "The papers are kept with the run and deleted with it. Of 174 numbers that rules read from "
    "held-out papers 91 were wrong.",
    after="after URCA and CochraneForest, 2025",
    listed=lambda request: f"{len(request.papers)} papers",
    hosted=lambda run, packed, web, chain: (
        chain,
        {"read": asking.reader(packed), "guarded": True},
    ),
    continued=named(f"{_HERE}.pages:continued"),
)
