"""The page of an answer from the literature, to be read and checked; its articles and files."""

import re
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, Final

from flask import Blueprint, Response, abort, redirect, render_template, request, url_for
from werkzeug.utils import secure_filename
from werkzeug.wrappers import Response as BaseResponse

from clinfo.errors import FieldError
from clinfo.evidence import drawable, effects_plot
from clinfo.pipelines.literature import EvidenceAppraised, LiteratureLog, build_answer
from clinfo.records import Answer
from clinfo.references import IEEE, csv_rows, styles
from clinfo.render import EVIDENCE_HEAD, INCLUDES, Form, Include, evidence_table, export_forms
from clinfo.text import one_line
from clinfo.views import number
from webapp.api_types import Reply, operation, parameter
from webapp.asking import ask
from webapp.forms import begun
from webapp.pipelines.literature.asking import fields_of, follow_up
from webapp.pipelines.literature.reading import changes, reading, since
from webapp.pipelines.literature.sources import (
    COUNTS,
    found_articles,
)
from webapp.pipelines.literature.sources import source as source_of
from webapp.plots import can_draw, drawn
from webapp.records import StoredRun
from webapp.services import services
from webapp.visitors import (
    remembered,
    visitor,
    with_page,
)


def _evidence(run_log: LiteratureLog, include: Include, style: str) -> str:
    return csv_rows([EVIDENCE_HEAD, *evidence_table(build_answer(run_log), run_log.articles)])


EVIDENCE_CSV: Final = Form(
    "evidence-csv",
    "Studies, CSV",
    "a line a study, with what its abstract states",
    "evidence.csv",
    "text/csv; charset=utf-8",
    _evidence,
)
FORMS: Final = {
    form.suffix: form
    for form in (*export_forms(), EVIDENCE_CSV)
    if not form.package or find_spec(form.package)
}
"""By the end of the address, in the order in which a page offers them."""
LONGEST_NAME: Final = 60
"""Characters of the question that a file's name holds."""


def file_name(answer: Answer, suffix: str, finished: bool) -> str:
    """``clinfo-does-yoga-lower-blood-pressure-2026-11-22.md``, plain ASCII without a quotation
    mark, a slash or a control character; what is not finished says so.
    """
    words = re.sub("[^a-z0-9]+", "-", secure_filename(answer.question).lower()).strip("-")
    if len(words) > LONGEST_NAME:
        words = words[:LONGEST_NAME].rpartition("-")[0] or words[:LONGEST_NAME]
    day = re.sub(r"[^0-9-]", "", answer.searched_on)
    parts = ["clinfo", words or "answer", day, "" if finished else "unfinished"]
    return "-".join(part for part in parts if part) + f".{suffix}"


pages = Blueprint("read", __name__)


def ended(run: StoredRun, values: dict[str, Any]) -> str:
    """The page of a run that has ended, to be read and checked."""
    run_log: LiteratureLog = services().store.log(run)
    address = url_for("run.page", run_id=run.id, _external=True)
    web, chain = services().web, services().chain
    read = None
    if run_log.started is not None:
        offered = web.offered_sources(chain)
        only = request.args.get("rows", "").split(",")
        read = reading(
            run_log, resolver=web.link_resolver, address=address, offered=offered, only=only
        )
    return render_template(
        "run.html",
        **values,
        read=read,
        since=since(run, run_log) if read else None,
        follow=follow_up(run, run_log, visitor()),
        address=address,
        forms=FORMS.values() if read else (),
        plots=read.plots if read and can_draw() else (),
    )


@pages.get("/runs/<run_id>/sources/<int:n>")
def source(run_id: str, n: int) -> str:
    """Reference ``n`` with its abstract and the passages of ``sentence``: a page of its own, or
    with ``card`` the card alone.
    """
    run = with_page(run_id)
    run_log = begun(run)
    found = source_of(
        build_answer(run_log),
        {article.id: article for article in run_log.articles},
        n,
        request.args.get("sentence", ""),
        services().web.link_resolver,
    )
    if found is None:
        abort(404, "The answer has no source of this number.")
    template = "read/source.html" if "card" in request.args else "read/source_page.html"
    question = one_line(run.request.question)
    return render_template(template, run=run, source=found, question=question)


@pages.get("/runs/<run_id>/articles")
def articles(run_id: str) -> str:
    """The articles that one of the page's counts counts (``which``), each with what became of
    it.
    """
    run = with_page(run_id)
    which = request.args.get("which", "found")
    if which not in COUNTS:
        abort(404, "This list of articles does not exist.")
    run_log: LiteratureLog = services().store.log(run)
    every: list[dict[str, Any]] = []
    if run_log.started is not None:
        every = found_articles(run_log, build_answer(run_log), services().web.link_resolver)
    by_count = {name: [one for one in every if name in one["in_counts"]] for name in COUNTS}
    return render_template(
        "read/articles.html",
        run=run,
        question=one_line(run.request.question),
        which=which,
        counts=COUNTS,
        sizes={name: len(those) for name, those in by_count.items()},
        title=f"{number(len(by_count[which]), 'article')} {COUNTS[which][0]}",
        found=by_count[which],
    )


def _exported(run_id: str, suffix: str) -> Response:
    """The run in one of the forms; ``include`` says which articles a list of references holds,
    ``style`` how references are written.
    """
    run = with_page(run_id)
    include = request.args.get("include", "cited")
    if include not in INCLUDES:
        raise FieldError("include", f"must be one of: {', '.join(INCLUDES)}")
    style = request.args.get("style", IEEE)
    if style not in styles():
        raise FieldError("style", f"must be one of: {', '.join(styles())}")
    run_log, form = begun(run), FORMS[suffix]
    made = form.write(run_log, include, style)
    content = made if isinstance(made, bytes) else made.encode("utf-8", errors="replace")
    response = Response(content, content_type=form.media_type)
    name = file_name(build_answer(run_log), suffix, finished="answer" in run_log)
    how = "inline" if form.shown else "attachment"
    response.headers["Content-Disposition"] = f'{how}; filename="{name}"'
    return _tagged(response)


@pages.get("/runs/<run_id>.svg", defaults={"number": 1})
@pages.get("/runs/<run_id>-<int(min=2):number>.svg")
def plot(run_id: str, number: int) -> Response:
    """A plot of the run: ``ID.svg`` the first, ``ID-2.svg`` the second, on."""
    run = with_page(run_id)
    found = begun(run).get(EvidenceAppraised, "appraised")
    groups = drawable(found.appraisal.rows) if found and can_draw() else ()
    svg = None
    if number <= len(groups):
        svg = drawn(run.id, number, effects_plot(groups[number - 1]))
    if svg is None:
        abort(
            404,
            (
                "This plot does not exist: too few abstracts state an effect with its interval, or "
                "plots cannot be drawn here."
            ),
        )
    response = Response(svg, content_type="image/svg+xml")
    response.headers["Content-Disposition"] = f'inline; filename="clinfo-plot-{number}.svg"'
    return _tagged(response)


def _described(suffix: str) -> Callable[[Callable[..., Response]], Callable[..., Response]]:
    """An answer as a file, for people and programs: what goes wrong is a page unless JSON is asked
    for.
    """
    form = FORMS[suffix]
    media = form.media_type.partition(";")[0]
    kind: Any = {"type": "string"}
    if suffix == "json":
        kind = Answer
    elif media.endswith("json"):
        kind = {"type": "array", "items": {"type": "object"}}
    elif form.package:
        kind = {"type": "string", "format": "binary"}
    return operation(
        f"export_{re.sub('[.-]', '_', suffix)}",
        "runs",
        {200: Reply("The file.", kind, media)},
        *(400, 401, 404, 409, 422, 429),
        parameters=(
            parameter(
                "include",
                "Which articles a list of references holds.",
                schema={"enum": list(INCLUDES), "default": INCLUDES[0]},
            ),
            parameter(
                "style",
                "Citation style of the references.",
                schema={"enum": list(styles()), "default": IEEE},
            ),
        ),
        pages=True,
        told=f"The answer as {form.title}.\n\n{form.note[0].upper()}{form.note[1:]}. While the "
        "run continues, what exists so far.",
    )


# ``csl.json`` and ``prisma-s.md`` must be met before ``json`` and ``md``.
for _suffix in sorted(FORMS, key=len, reverse=True):
    pages.add_url_rule(
        f"/runs/<run_id>.{_suffix}",
        f"export_{re.sub('[^a-z]', '_', _suffix)}",
        _described(_suffix)(lambda run_id, suffix=_suffix: _exported(run_id, suffix)),
        methods=["GET"],
    )


@pages.post("/runs/<run_id>/again")
def again(run_id: str) -> BaseResponse:
    """A new run of the same request, which searches anew; ``widen`` names a way to ask more
    widely.
    """
    run = with_page(run_id)
    fields = fields_of(run) | {"fresh": True}
    if name := request.form.get("widen"):
        changed = changes(name, run.request, services().web.longest_seconds)
        if changed is None:
            raise FieldError("widen", "unknown way to ask again")
        fields |= changed
    new = ask(fields, remembered(), again_of=run.id)
    return redirect(url_for("run.page", run_id=new.id), 303)


def _tagged(response: Response) -> Response:
    """With an ETag, so that a program that has the same file already is told so."""
    response.add_etag()
    response.make_conditional(request)
    return response
