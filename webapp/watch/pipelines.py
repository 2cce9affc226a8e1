"""How runs of each pipeline are shown while they go on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from clinfo.pipelines.copilot import CopilotLog
from clinfo.pipelines.literature import LiteratureLog
from clinfo.pipelines.trials import PaperRead, PaperRefused, PassagesChosen, TrialsLog, build_answer
from clinfo.records import CopilotRequest, RunRequest, TrialsRequest
from clinfo.runs import CostIncurred, RunLog, Warned, usage_of
from clinfo.views import (
    Step,
    StepState,
    number,
    run_steps,
    step_views,
    study_view,
    tldr,
    used,
    writing,
)
from clinfo.views import reading as reading_so_far
from webapp.pipelines.literature import live as parts
from webapp.records import Head
from webapp.watch.shown import Listed, LivePipeline, Shown, Status, ending

_ENOUGH: Final = 2
"""Studies that must have been read before their speed tells how long the others take."""
_NOTES: Final = {"notes": ("ul", "notes")}


def _told(run_log: RunLog, before: Sequence[str] = ()) -> Iterator[Shown | Listed]:
    """What most pages have: what was warned of, what was used, the notices."""
    told = [*before, *(event.text for event in run_log.all(Warned))]
    yield Listed("notes", "note", {f"note-{n}": text for n, text in enumerate(told)})
    calls = run_log.all(CostIncurred)
    yield Shown("used", "used", used(usage_of(calls)) if calls else "")
    started = run_log.begun
    yield Shown("notices", "plain_notices", started.notices if started else ())


def _state(place: int, now: int) -> StepState:
    return "done" if place < now else "now" if place == now else "to come"


# ---- pipelines of a few steps, one after the other


def _in_order(pipeline: str, titles: Mapping[str, tuple[str, str]]) -> LivePipeline:
    """A pipeline whose steps have a title and what is done in words, by the key of the event that
    ends each.
    """
    doing = [words for _, words in titles.values()]

    def done(run_log: RunLog) -> int:
        return next((at for at, key in enumerate(titles) if key not in run_log), len(titles))

    def states(run_log: RunLog, request: Any) -> list[Step]:
        now = done(run_log)
        return [
            Step(key, title, f"{pipeline}-part", _state(at, now), "")
            for at, (key, (title, _)) in enumerate(titles.items())
        ]

    def status(run_log: RunLog, request: Any, head: Head) -> Status:
        now = done(run_log)
        share = 100 * now // len(titles)
        if (said := ending(head, "", share, run_log)) is not None:
            return said
        return Status("running", f"{doing[now].capitalize()} …", done=share)

    return LivePipeline(
        pipeline,
        f"watch/{pipeline}.html",
        "watch/trials_parts.html",
        _NOTES,
        states,
        lambda run_log, request, run_id: _told(run_log),
        status,
    )


# ---- copilot


def _rounds(run_log: CopilotLog) -> int:
    """How many of the two steps are done."""
    return 0 if run_log.ended is None else 1 if run_log.written is None else 2


def _copilot_steps(run_log: CopilotLog, request: CopilotRequest) -> list[Step]:
    now, calls, written = _rounds(run_log), len(run_log.calls), run_log.written
    looked = number(calls, "call") if calls else ""
    claims = number(len(written.claims), "claim") if written else ""
    return [
        Step("trace", "Looking up", "trace-part", _state(0, now), looked),
        Step("claims", "Answer", "claims-part", _state(1, now), claims),
    ]


def _copilot_parts(
    run_log: CopilotLog, request: CopilotRequest, run_id: str
) -> Iterator[Shown | Listed]:
    written = run_log.written
    yield Listed("trace", "round", {f"round-{one.step}": one for one in step_views(run_log)})
    claims = None
    if written is not None:
        claims = (*((written.bottom_line,) if written.bottom_line else ()), *written.claims)
    yield Shown("claims", "claims", claims)
    yield from _told(run_log)


def _copilot_status(run_log: CopilotLog, request: CopilotRequest, head: Head) -> Status:
    now = _rounds(run_log)
    rounds = len({one.step for one in run_log.calls})
    share = (5 + 65 * min(rounds, request.max_steps) // request.max_steps, 75, 98)[now]
    kept = f"Kept so far: {number(len(run_log.calls), 'call')}." if run_log.calls else ""
    if (said := ending(head, kept, share, run_log)) is not None:
        return said
    doing = "Writing and checking the answer" if now else "Looking up"
    if not now and rounds:
        doing += f", round {rounds} of at most {request.max_steps}"
    return Status("running", f"{doing} …", done=share)


# ---- trials


def _trials_steps(run_log: TrialsLog, request: TrialsRequest) -> list[Step]:
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


def _trials_parts(
    run_log: TrialsLog, request: TrialsRequest, run_id: str
) -> Iterator[Shown | Listed]:
    answer = build_answer(run_log) if run_log.started else None
    yield Shown("asked", "asked", answer.pico if answer and run_log.understood else None)
    cards: dict[str, object] = {}
    for place, study in enumerate(answer.studies if answer else ()):
        assert answer is not None
        reading = f"passages {study.name}" in run_log
        cards[f"study-{place}"] = (study_view(study, answer), study.read, reading)
    yield Listed("studies", "study", cards)
    yield from _told(run_log, [event.reason for event in run_log.all(PaperRefused)])


def _trials_status(run_log: TrialsLog, request: TrialsRequest, head: Head) -> Status:
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


# ---- literature


def _parts(run_log: LiteratureLog, request: RunRequest, run_id: str) -> Iterator[Shown | Listed]:
    short = tldr(run_log)
    reading = reading_so_far(run_log)
    yield Shown("tldr", "tldr", (short, parts.sentence_pieces(run_log, short.sentences, "t")))
    yield Shown("synthesis-state", "synthesis_state", writing(run_log))
    kind, pieces = parts.synthesis(run_log)
    yield Listed("synthesis", "piece", {one.name: one for one in pieces}, kind)
    yield Shown("reading", "reading", (reading, f"{run_id}/articles?which="))
    yield Shown("best", "best", parts.best(run_log, request))
    yield Shown("articles-head", "articles_head", reading)
    cards = parts.cards(run_log, request)
    yield Listed("articles", "article", {f"article-{card.place}": card for card in cards})
    yield Shown("found", "found", parts.found(run_log))
    yield Shown("understood", "understood", parts.understood(run_log, request))
    queries = parts.queries(run_log, request)
    yield Listed("queries", "query", {f"query-{one.number}": one for one in queries})
    for name, places in parts.NOTES.items():
        said = parts.notes(run_log, places)
        yield Listed(name, "note", {f"{name}-{n}": text for n, text in enumerate(said)})
    yield Shown("notices", "notices", parts.notices(run_log))
    yield Shown("used", "used", parts.used(run_log))


LIVE: Final = {
    "literature": LivePipeline(
        "literature",
        "watch/literature.html",
        "watch/parts.html",
        {
            "synthesis": ("div", "reading synthesis"),
            "articles": ("ol", "articles"),
            "queries": ("ol", "queries"),
            **dict.fromkeys(parts.NOTES, ("ul", "notes")),
        },
        run_steps,
        _parts,
        parts.status,
        parts.reading_left,
    ),
    "trials": LivePipeline(
        "trials",
        "watch/trials.html",
        "watch/trials_parts.html",
        {"studies": ("ol", "articles"), **_NOTES},
        _trials_steps,
        _trials_parts,
        _trials_status,
        _seconds_left,
    ),
    "chart": _in_order(
        "chart",
        {
            "record": ("Record", "reading the record"),
            "question": ("Question", "reading the question"),
            "found": ("Notes", "finding notes"),
            "written": ("Answer", "writing the answer"),
        },
    ),
    "cohort": _in_order(
        "cohort",
        {
            "index": ("Records", "opening the records"),
            "criteria": ("Criteria", "reading the criteria"),
            "cohort": ("Patients", "finding patients"),
        },
    ),
    "copilot": LivePipeline(
        "copilot",
        "watch/copilot.html",
        "watch/copilot_parts.html",
        {"trace": ("ol", "copilot-trace"), **_NOTES},
        _copilot_steps,
        _copilot_parts,
        _copilot_status,
    ),
}
"""By name; their runs can be watched on a page."""
