"""The pages on which a question is asked: the form with its prompts, this browser's runs, how it
works.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Response, abort, jsonify, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from clinfo.claims import judge_specs
from clinfo.errors import ClinfoError, FieldError, IdentifiersFound, PromptError
from clinfo.pipelines.literature import LITERATURE, PROMPT_TEXTS, PROMPTS
from clinfo.privacy import identifiers, without
from clinfo.records import EXTRACTIVE, MAX_PROMPT
from clinfo.settings import Settings
from clinfo.sources import SourceSpec
from webapp import library
from webapp.asking import ask
from webapp.pipelines.literature import documents
from webapp.pipelines.literature import form as ask_form
from webapp.pipelines.literature.asking import LEAVE_OUT, FaultyPrompt, fields_of
from webapp.pipelines.literature.following import followable, followed
from webapp.pipelines.literature.form import Fault, Typed
from webapp.records import Busy, NotFound, StoredRun
from webapp.run_pages import own_runs
from webapp.services import services
from webapp.settings import WebSettings
from webapp.visitors import remembered, visitor, with_page

pages = Blueprint("ask", __name__)
documents.set_up(pages)

EXAMPLES = {
    "Does yoga lower blood pressure?": "5 studies",
    "Does yoga improve cardiovascular risk factors?": "6 studies",
    "Do long-acting bronchodilators reduce exacerbations in COPD?": "9 studies",
    "Does zinc shorten the common cold?": "nothing found",
}
"""Questions, with what the demo corpus shows for each; PubMed has studies on all of them."""


MADE_OF = (
    (
        True,
        True,
        "Demo corpus, no language model: shows how Clinfo works, do not base decisions on it.",
    ),
    (True, False, "Demo corpus: shows how Clinfo works, do not base decisions on it."),
    (False, True, "No language model: sentences are chosen by rule."),
)
"""(whether the source is the demo corpus, whether no language model is asked, what is said of that
before anybody asks).
"""


@pages.route("/", methods=["GET", "POST"])
def form() -> tuple[str, int, dict[str, str]] | BaseResponse:
    """The form; what is sent with it becomes a run."""
    web, chain = services().web, services().chain
    if request.method == "POST":
        return _start(ask_form.submitted(request.form, web, chain))
    again = request.args.get("again")
    lost: list[str] = []
    if again is None:
        typed = Typed(ask_form.untouched(web, chain))
    else:
        typed, lost = ask_form.asked_before(fields_of(with_page(again)), web, chain)
    ask_form.with_changes(typed, request.args)
    return _page(typed, again=again, lost=lost)


@pages.post("/runs/<run_id>/follow")
def follow(run_id: str) -> tuple[str, int, dict[str, str]] | BaseResponse:
    """A run that follows this one up: another question (``keep`` names what stays of it), or the
    same one with other dates and limits (``change``).
    """
    with_page(run_id)
    sent = request.form
    fields: dict[str, Any] = {"parent": run_id, "keep": sent.getlist("keep")}
    fields |= {
        name: sent[name].strip() or None
        for name in ("question", "from", "to", "api_key")
        if name in sent
    }
    if "change" in sent:
        fields["limits"] = sent.getlist("limits") or None
    asked, parent = followed(fields, visitor())
    shown = {name: value for name, value in asked.items() if not isinstance(value, bytes)}
    typed, lost = ask_form.asked_before(shown, services().web, services().chain)
    return _ask(typed, asked, parent=parent, lost=lost)


def _start(typed: Typed) -> tuple[str, int, dict[str, str]] | BaseResponse:
    """A run of what was typed, or the form again with what is wrong with it."""
    again, parent = request.form.get("again") or None, None
    try:
        if again is not None:
            with_page(again)
    except NotFound:  # deleted since: that run is no longer there to be pointed at
        again = None
    with suppress(FieldError):
        parent = followable(request.form.get("parent"), visitor())
    if instead := request.form.get(
        "instead"
    ):  # the question without what seemed to identify a patient, as it was shown
        typed.values["question"] = instead
    asked = ask_form.fields(typed, ask_form.untouched(services().web, services().chain))
    if request.form.get("allow_identifiers"):
        asked["allow_identifiers"] = True
    given, faulty = documents.of_form(request, again or (parent.id if parent else None))
    asked |= given
    leave_out = bool(request.form.get(LEAVE_OUT))
    if wrong := [*ask_form.faults(typed, asked), *faulty]:
        return _page(typed, again=again, parent=parent, faults=wrong, status=422)
    return _ask(typed, asked | {LEAVE_OUT: leave_out}, again=again, parent=parent)


def _ask(
    typed: Typed, asked: dict[str, Any], **of: Any
) -> tuple[str, int, dict[str, str]] | BaseResponse:
    """A run of the fields ``asked``, or the form with what is wrong with them; ``of`` is for the
    page.
    """
    try:
        run = ask(asked, remembered(), again_of=of.get("again"), parent=of.get("parent"))
    except FieldError as error:
        return _page(typed, **of, faults=[ask_form.of_field(error.field, error.fault)], status=422)
    except FaultyPrompt as error:
        problem = ask_form.problem_in_words(error.prompt, error)
        return _page(typed, **of, faults=[Fault(f"prompt-{error.prompt}", problem)], status=422)
    except IdentifiersFound as error:
        if error.where == "documents":
            fault = ask_form.of_field("documents", str(error))
            return _page(typed, **of, faults=[fault], status=422)
        return _page(typed, **of, held=_held(asked, error), status=422)
    except Busy as error:
        return _page(
            typed,
            **of,
            faults=[Fault("", str(error))],
            status=429,
            retry_after=error.retry_after,
        )
    except ClinfoError as error:
        return _page(typed, **of, faults=[Fault("", _sentence(str(error)))], status=422)
    return redirect(f"{url_for('ask.runs')}/{run.id}", 303)


def _held(asked: dict[str, Any], error: IdentifiersFound) -> dict[str, Any]:
    """Return what the page says of a text that seems to identify a patient: where, the stretches
    marked, what could be asked instead.
    """
    text = _text_of(asked, error.where)
    instead = None
    if error.where == "question":
        instead = without(text, identifiers(text))
        instead = instead if instead.strip() and instead != text else None
    control, name = _place_of(error.where)
    return {
        "name": name,
        "control": control,
        "kinds": list(dict.fromkeys(error.kinds)),
        "pieces": _marked(text, error.spans, error.kinds),
        "instead": instead,
        "may_send": services().chain.identifiers != "refuse",
    }


def _text_of(asked: dict[str, Any], where: str) -> str:
    kind, _, which = where.partition(" ")
    if kind == "query":
        return str(asked["query"][int(which) - 1])
    if kind == "prompt":
        return str(asked["prompts"][which])
    return str(asked[kind])


def _place_of(where: str) -> tuple[str, str]:
    """(id of the control, its name in words) of a text that `clinfo.errors.IdentifiersFound`
    names.
    """
    kind, _, which = where.partition(" ")
    if kind == "prompt" and which in PROMPT_TEXTS:
        return f"prompt-{which}", f"prompt “{PROMPT_TEXTS[which].title}”"
    return kind, f"own query {which}" if kind == "query" else kind


@dataclass(frozen=True)
class Marked:
    """A piece of a text; ``kind`` says in words why it is marked, None where it is not."""

    text: str
    kind: str | None = None


def _marked(text: str, spans: Sequence[tuple[int, int]], kinds: Sequence[str]) -> list[Marked]:
    """``text`` in pieces, those at ``spans`` (code points) marked with ``kinds``; what overlaps or
    lies outside is cut to fit.
    """
    pieces, end = [], 0
    for (start, stop), kind in sorted(zip(spans, kinds, strict=True)):
        start, stop = max(start, end), min(stop, len(text))
        if start >= stop:
            continue
        if start > end:
            pieces.append(Marked(text[end:start]))
        pieces.append(Marked(text[start:stop], kind))
        end = stop
    if end < len(text):
        pieces.append(Marked(text[end:]))
    return pieces


def _page(
    typed: Typed,
    *,
    again: str | None = None,
    parent: StoredRun | None = None,
    lost: list[str] | None = None,
    faults: list[Fault] | None = None,
    held: dict[str, Any] | None = None,
    status: int = 200,
    retry_after: int | None = None,
) -> tuple[str, int, dict[str, str]]:
    web, chain = services().web, services().chain
    first, of_stages = ask_form.untouched(web, chain), LITERATURE.stage_models(chain)
    wrong = {fault.field: fault.text for fault in faults or []}
    page = render_template(
        "ask.html",
        typed=typed.values,
        first=first,
        changed=ask_form.changed(typed, first),
        shown=ask_form.SHOWN,
        groups=ask_form.groups(),
        again=again,
        parent=parent,
        lost=lost or [],
        faults=faults or [],
        wrong=wrong,
        held=held,
        web=web,
        models=web.offered_models(chain),
        sources=[(one.name, one.heading, one.note) for one in _offered(web, chain)],
        judges=[(one.name, one.title, one.note) for one in judge_specs()],
        examples=EXAMPLES,
        stage_models=of_stages,
        made_of=MADE_OF,
        no_model=_no_model(first["model"], of_stages),
        steps=_steps(typed, wrong) if web.edit_prompts else [],
        option_names=ask_form.OPTIONS,
        bool=bool,
        int=int,
        float=float,
    )
    return page, status, {} if retry_after is None else {"Retry-After": str(retry_after)}


def _no_model(first: str, stage_models: Mapping[str, str]) -> str:
    """The model with which no language model is asked; "" where single steps have language models
    of their own beside it.
    """
    others = first == EXTRACTIVE and set(stage_models.values()) - {EXTRACTIVE}
    return "" if others else EXTRACTIVE


def _steps(typed: Typed, wrong: dict[str, str]) -> list[dict[str, Any]]:
    """The prompts of the chain in the order in which they are used, each with its default, its edit
    and what is wrong with it.
    """
    defaults = PROMPTS.defaults()
    return [
        {
            "name": name,
            "step": step,
            "variables": [
                (variable, step.variables[variable]) for variable in PROMPTS.variables[name]
            ],
            "default": defaults[name].strip(),
            "text": typed.prompts.get(name, defaults[name]).strip(),
            "edited": name in typed.prompts,
            "problem": wrong.get(f"prompt-{name}"),
        }
        for name, step in PROMPT_TEXTS.items()
        if name in defaults
    ]


@pages.post("/prompts/check")
def check_prompt() -> Response:
    """Return what is wrong with a prompt while it is typed: ``{"name", "text"}`` in, ``{"problem",
    "line"}`` out, null for nothing.
    """
    if not services().web.edit_prompts:
        abort(404)
    body = request.get_json(silent=True)
    if (
        not isinstance(body, dict)
        or not isinstance(body.get("name"), str)
        or not isinstance(body.get("text"), str)
    ):
        abort(400)
    name, text = body["name"], body["text"]
    if name not in PROMPTS.variables:
        abort(404)
    if len(text) > MAX_PROMPT:
        return jsonify(
            problem=f"It has {len(text):,} characters; at most {MAX_PROMPT:,} can be used",
            line=None,
        )
    try:
        PROMPTS.parse(name, text)
    except PromptError as error:
        problem = ask_form.problem_in_words(name, error)
        return jsonify(problem=problem, line=ask_form.line_of(text, problem))
    return jsonify(problem=None, line=None)


@pages.get("/runs")
def runs() -> str:
    """The runs that this browser, or the user who is logged in, has started; those looked for."""
    who = visitor()
    found = own_runs(who, request.args)
    return render_template("runs.html", **found, user=who.user, web=services().web)


@pages.get("/how")
def how() -> str:
    """Return how an answer is made, what its marks mean, its limits, and what happens to what is
    typed.
    """
    web, chain = services().web, services().chain
    return render_template(
        "how.html",
        web=web,
        models=web.offered_models(chain),
        sources=_offered(web, chain),
        may_send_identifiers=chain.identifiers != "refuse",
    )


def _offered(web: WebSettings, chain: Settings) -> list[SourceSpec]:
    return [
        one for name in web.offered_sources(chain) if (one := library.spec(web, name)) is not None
    ]


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
