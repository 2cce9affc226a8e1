"""The page on which papers are handed over, and what is shown of a run of the trials pipeline."""

import math
import re
from typing import Any, Final

from flask import Blueprint, Response, abort, redirect, render_template, request, url_for
from werkzeug.datastructures import FileStorage, MultiDict
from werkzeug.wrappers import Response as BaseResponse

from clinfo.errors import FieldError, IdentifiersFound
from clinfo.evidence import (
    POOL,
    PooledOutcome,
    limits,
    metafor_csv,
    plain_csv,
    plot_of_pool,
    revman_csv,
)
from clinfo.pipelines.trials import PaperRead, TrialsLog, build_answer, outcome
from clinfo.render import pooled, study_view, tally, trials_page, written
from clinfo.sources import read_pmcid
from clinfo.text import one_line
from webapp.api import CHANGING, SENDING, api, edited, json_object
from webapp.api_types import EditedRun, Reply, operation
from webapp.forms import Files, begun, export_page, form_page
from webapp.pipelines.trials import editing
from webapp.pipelines.trials.declared import (
    LONGEST_NAME,
    MOST_BYTES,
    MOST_PAPERS,
    MOST_PDF_BYTES,
    PARTS,
    fields_of,
    of_file,
    reads_pdf,
    unpack,
)
from webapp.plots import can_draw, drawn
from webapp.records import ENDED, Refused, StoredRun, Visitor
from webapp.services import services
from webapp.visitors import changeable, remembered, visible, visitor, with_page

pages = Blueprint("trials", __name__)

METHODS: Final = {
    "numbers": "Direction and numbers",
    "urca": "Direction only (URCA)",
    "urca-global": "Direction from the best passages of all papers (URCA)",
    "rag": "Best passages of all papers (RAG)",
    "rag-uniform": "Equal number of passages from each paper (RAG)",
    "abstracts": "Abstracts only",
    "no-rag": "First part of each paper only",
    "raptor": "Passages summarised in groups (RAPTOR)",
    "instruct-rag": "Passages weighed by the model first (InstructRAG)",
}


def _pooled(run_log: TrialsLog) -> PooledOutcome:
    if (found := outcome(run_log)) is None:
        abort(404, "No study's numbers give an effect, so there is nothing to export.")
    return found


EXPORTS: Final[Files] = {
    "csv": (
        "studies.csv",
        "text/csv",
        "CSV",
        "the studies’ numbers and effects",
        lambda run_log: plain_csv(_pooled(run_log).analysis),
    ),
    "metafor": (
        "studies.metafor.csv",
        "text/csv",
        "metafor CSV",
        "as R’s metafor reads them",
        lambda run_log: metafor_csv(_pooled(run_log).analysis),
    ),
    "revman": (
        "studies.revman.csv",
        "text/csv",
        "RevMan CSV",
        "as RevMan reads them",
        lambda run_log: revman_csv(_pooled(run_log)),
    ),
    "txt": (
        "studies.txt",
        "text/plain",
        "Text",
        "the whole page",
        lambda run_log: written(trials_page(build_answer(run_log))),
    ),
}
_OVERHEAD: Final = 200_000
"""Bytes of a form besides its papers."""


def _values(run: StoredRun | None) -> dict[str, Any]:
    papers = papers_of(services().store.log(run)) if run else []
    chosen = request.form.getlist("study_of")
    if len(chosen) == len(papers):  # as typed, where something else was wrong
        papers = [
            (name, title, typed) for (name, title, _), typed in zip(papers, chosen, strict=True)
        ]
    return {
        "papers": papers,
        "methods": METHODS,
        "models": services().web.offered_models(services().chain),
        "most_papers": MOST_PAPERS,
        "most_mb": MOST_BYTES // 1_000_000,
        "pdf_mb": MOST_PDF_BYTES // 1_000_000 if reads_pdf() else 0,
    }


@pages.post("/runs/<run_id>/edits")
def edit(run_id: str) -> tuple[str, int] | BaseResponse:
    """Change what the run read of a study; what is wrong with that is said beside it."""
    with_page(run_id, "trials")
    run, sent = changeable(run_id), dict(request.form.items())
    try:
        editing.edit(run, editing.of_form(sent), remembered())
    except (FieldError, IdentifiersFound) as error:
        fault = error.fault if isinstance(error, FieldError) else str(error)
        wrong = {"study": sent.get("study", ""), "fault": fault, "sent": sent}
        values = {"run": run, "mine": True, "question": one_line(run.request.question)}
        return ended(run, {**values, "wrong": wrong}), 422
    return _to_study(run, sent["study"])


@pages.post("/runs/<run_id>/edits/<int:seq>/undo")
def undo(run_id: str, seq: int) -> BaseResponse:
    """Undo an edit, named by its event."""
    with_page(run_id, "trials")
    run = changeable(run_id)
    editing.undo(run, seq, remembered())
    return _to_study(run, request.form.get("study", ""))


EDITED: Final = Reply("The run with its new answer.", EditedRun)


@api.post("/runs/<run_id>/edits")
@operation("editStudy", "runs", {201: EDITED}, *SENDING, body=editing.EditFields)
def edit_study(run_id: str) -> Response:
    """Correct what a study's papers say.

    Of a run of trials that is done: gives other numbers of a study, or keeps it out of the pool.
    The answer changes with it. What was read stays in the answer, the edit with who, why and when
    is an event of the run.
    """
    run = _of_trials(run_id)
    return edited(editing.edit(run, json_object(), visitor()), 201)


@api.delete("/runs/<run_id>/edits/<int:edit>")
@operation("undoEdit", "runs", {200: EDITED}, *CHANGING, 422)
def undo_edit(run_id: str, edit: int) -> Response:
    """Undo an edit.

    The edit stays in the run, marked as undone, and no longer counts.
    """
    return edited(editing.undo(_of_trials(run_id), edit, visitor()))


def _of_trials(run_id: str) -> StoredRun:
    run = changeable(run_id)
    if run.pipeline != "trials":
        raise Refused("Only what a run of trials read can be edited.")
    return run


def _to_study(run: StoredRun, name: str) -> BaseResponse:
    names = [study.name for study in services().store.log(run).studies]
    anchor = f"study-{names.index(name)}" if name in names else None
    return redirect(url_for("run.page", run_id=run.id, _anchor=anchor), 303)


def ended(run: StoredRun, values: dict[str, Any]) -> str:
    """The page of a run that has ended."""
    run_log: TrialsLog = services().store.log(run)
    if run_log.started is None:
        return render_template("trials/answer.html", **values, answer=None)
    answer, found = build_answer(run_log), outcome(run_log)
    values |= {
        "answer": answer,
        "studies": [(one, study_view(one, answer)) for one in answer.studies],
        "tally": tally(answer),
        "pooled": pooled(answer),
        "plot": found is not None and can_draw(),
        "narrow": narrow_plot(found) if found is not None else None,
        "exports": EXPORTS if found is not None else {"txt": EXPORTS["txt"]},
        "methods": METHODS,
        "plain": lambda value: f"{value:.12g}",
    }
    return render_template("trials/answer.html", **values)


export_page(pages, "trials", "studies/<name>", EXPORTS)


@pages.get("/runs/<run_id>/forest.svg")
def forest(run_id: str) -> Response:
    """The forest plot of a run, drawn by a process of its own."""
    run = with_page(run_id, "trials")
    run_log: TrialsLog = begun(run)
    svg = None
    if run.status in ENDED and (found := outcome(run_log)) is not None and can_draw():
        svg = drawn(run.id, run.last_seq, plot_of_pool(found))
    if svg is None:
        abort(404, "This plot does not exist: no study's numbers give an effect.")
    return Response(svg, content_type="image/svg+xml")


def fields(
    sent: MultiDict[str, str], files: MultiDict[str, FileStorage], before: StoredRun | None
) -> dict[str, Any]:
    """Return what was typed and handed over, as `checked_fields` takes it; the
    papers of the run ``before`` are read again beside new ones. Raises FieldError.
    """
    papers = unpack(services().store.documents(before.id)) if before else {}
    new: set[str] = set()
    for upload in files.getlist("papers"):
        name = one_line(upload.filename or "").replace("\\", "/").rpartition("/")[2]
        name = name.replace(" ", "_")[-LONGEST_NAME:]  # a line of studies parts names by blanks
        if not name:
            continue
        if name in new:
            raise FieldError("papers", f"two papers are called {name}; give one another name")
        new.add(name)
        papers[name] = of_file(upload.stream.read())
    names = ("question", *PARTS, "better", "method", "model")
    found: dict[str, Any] = {name: sent[name] for name in names if sent.get(name, "").strip()}
    studies = _grouping(sent, before)
    typed = re.split(r"[\s,;]+", sent.get("pmcids", "").strip())
    numbers = [read_pmcid(one) or one for one in typed if one]
    return found | {"papers": papers, "pmcids": numbers} | ({"studies": studies} if studies else {})


def continued(given: dict[str, Any], who: Visitor) -> tuple[dict[str, Any], dict[str, Any]]:
    """A request that may name a ``parent``: what that run asked, papers handed over included, with
    the changes; and its id. Raises FieldError, NotFound.
    """
    changes = {name: value for name, value in given.items() if value is not None}
    if (before := changes.pop("parent", None)) is None:
        return changes, {}
    if not isinstance(before, str):
        raise FieldError("parent", "must be the id of a run")
    run = visible(before)
    if run.pipeline != "trials":
        raise FieldError("parent", "must be a run of trials")
    kept = fields_of(run.request) | {"papers": unpack(services().store.documents(run.id))}
    return kept | changes, {"again_of": run.id}


def _grouping(sent: MultiDict[str, str], before: StoredRun | None) -> dict[str, list[str]]:
    """The papers of each study as the form says: line by line, or beside each paper of the run
    ``before``; one that nobody names a study for is put where it belongs. Raises FieldError.
    """
    studies: dict[str, list[str]] = {}
    for line in sent.get("studies", "").splitlines():
        study, colon, files = line.partition(":")
        if not line.strip():
            continue
        if not colon or not files.split():
            raise FieldError("studies", "each line must be NAME: FILE FILE")
        studies[study.strip()] = files.split()
    if before is None:
        return studies
    run_log: TrialsLog = services().store.log(before)
    typed = dict(zip(sent.getlist("paper"), sent.getlist("study_of"), strict=False))
    if all(typed.get(name, study) == study for name, _, study in papers_of(run_log)):
        return {name: [*files] for name, files in before.request.studies.items()}
    for paper, study in typed.items():
        if name := " ".join(study.split()):
            studies.setdefault(name, []).append(paper)
    return studies


def papers_of(run_log: TrialsLog) -> list[tuple[str, str, str]]:
    """Each paper that was read, by its name in the request, with its title and its study."""
    study_of = {paper: study.name for study in run_log.studies for paper in study.papers}
    return [
        (event.name, event.document.title, study_of.get(event.document.id, ""))
        for event in run_log.all(PaperRead)
    ]


def typed_before(run: StoredRun) -> dict[str, Any]:
    """The form as it made ``run``, with the parts of the question as the run read them."""
    typed = fields_of(run.request)
    asked = services().store.log(run).understood
    if asked is not None:
        read = {name: getattr(asked.asked, name) for name in PARTS}
        typed |= read | {"better": asked.better or ""}
    return typed | {"studies": "", "pmcids": " ".join(typed.get("pmcids", ()))}


def narrow_plot(outcome: PooledOutcome) -> dict[str, Any]:
    """The plot of an analysis that has effects, for a narrow screen: its title, the place of no
    effect on the axis, and of each study and the pool the effect in words and its place, from 0 to
    100; an interval that goes on beyond the axis ends with it.
    """
    plot = plot_of_pool(outcome)
    drawn = [row for row in plot.rows if row.mark]
    names = [one.comparison.study for one in outcome.analysis.effects[: len(drawn)]]
    scaled = math.log if plot.ratio else float
    studies = [row.at for row in drawn if row.at and row.mark == "study"]
    low, high = map(scaled, limits(studies, plot.ratio))

    def place(value: float) -> float:
        return round(min(max(100 * (scaled(value) - low) / (high - low), 0.0), 100.0), 1)

    rows = []
    for name, row in zip([*names, POOL], drawn, strict=False):
        start, at, end = map(place, row.at or (0.0, 0.0, 0.0))
        own = {"name": name, "words": row.words, "low": start, "at": at, "high": end}
        rows.append(own | {"pooled": row.mark == "pool"})
    return {"title": plot.title, "none": place(1.0 if plot.ratio else 0.0), "rows": rows}


form_page(
    pages,
    "trials",
    lambda run: fields(request.form, request.files, run),
    typed_before,
    _values,
    MOST_BYTES + MOST_PDF_BYTES + _OVERHEAD,
)
