"""The pages on which a question is asked: the form with its prompts, this browser's runs, how it
works.

The form holds text only: `Typed.values` has one for each field (a box that is ticked holds "yes"),
so that whatever was typed, however wrong, can be shown again.
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import MISSING, dataclass, field
from datetime import date
from types import MappingProxyType
from typing import Any, Final

from flask import Blueprint, Response, abort, jsonify, redirect, render_template, request, url_for
from werkzeug.datastructures import MultiDict
from werkzeug.wrappers import Response as BaseResponse

from clinfo import sources
from clinfo.errors import ClinfoError, FieldError, IdentifiersFound, UsageError
from clinfo.pipelines.literature import (
    LITERATURE,
    PROMPTS,
    at,
    checked,
    plain,
    read_strategy,
)
from clinfo.privacy import identifiers, without
from clinfo.records import EXTRACTIVE, GROUPS, MAX_PROMPT
from clinfo.settings import Settings
from clinfo.sources import SourceSpec
from webapp.asking import ask
from webapp.fields import checked_prompt
from webapp.pipelines.literature import documents
from webapp.pipelines.literature.asking import (
    fields_of,
    followable,
    followed,
    question_of,
)
from webapp.pipelines.literature.sources import marked
from webapp.records import Busy, NotFound, StoredRun
from webapp.run_pages import own_runs
from webapp.services import services
from webapp.settings import WebSettings
from webapp.visitors import remembered, visitor, with_page

SHOWN: Final = at("form")
"""The options of the form, the question first, then in the order of the page."""
WHOLE: Final = tuple(name for name, one in SHOWN.items() if one.kind is int)
SWITCHES: Final = tuple(name for name, one in SHOWN.items() if one.kind is bool)
TICKS: Final = tuple(name for name, one in SHOWN.items() if one.several and one.choices)
OPTIONS: Final = tuple(name for name in SHOWN if name != "question")
BESIDE_IT: Final = ("", "question", "limits")
"""What the short form shows; all other fields stand on the page of the advanced ones."""
LABELS: Final[Mapping[str, str]] = {name: one.option.label for name, one in SHOWN.items()} | {
    "api_key": "Your own key",
    "documents": "Your own documents",
}
TICKED: Final = "yes"
BEST_JUDGE: Final = "best"
"""Stands for no judge named: the best that there is for the models chosen."""
TITLES: Final = {
    "question2query": "Queries",
    "kinds": "Kinds of query",
    "pico": "PICO terms",
    "reading": "Relevance and summary",
    "rewrite": "Mending",
    "tldr": "TL;DR",
    "resolve": "Follow-up",
    "verify": "Check",
}
"""Prompts that the page calls otherwise than they are named."""
_ANY_QUESTION: Final = "Does it work?"
"""Stands for a question that cannot be used while the other fields are checked."""


@dataclass
class Typed:
    """Texts by field, and prompts that differ from the default ones by name."""

    values: dict[str, str]
    prompts: dict[str, str] = field(default_factory=dict)


def untouched(web: WebSettings, chain: Settings) -> dict[str, str]:
    """The form as it is first shown."""
    first = {
        name: "" if one.default in (None, (), MISSING) else plain(one.default)
        for name, one in SHOWN.items()
    }
    most = web.most_articles
    return {
        **dict.fromkeys(LABELS, ""),
        **{
            name: TICKED if value is True else "" if value is False else str(value)
            for name, value in first.items()
        },
        **{name: str(min(int(first[name]), most)) for name in ("per_query", "max_articles")},
        "model": web.offered_models(chain)[0],
        "source": web.offered_sources(chain)[0],
        "max_seconds": _number(web.max_seconds),
        "judge": BEST_JUDGE,
    }


def groups() -> list[tuple[str, list[str]]]:
    """The advanced options as their page shows them, by heading. Left out are the model and the
    source, which depend on the host, and what is shown under a choice.
    """
    names = [name for name in OPTIONS[2:] if name not in BESIDE_IT and not SHOWN[name].option.under]
    return [(one, [name for name in names if SHOWN[name].option.group == one]) for one in GROUPS]


def submitted(form: Mapping[str, str], web: WebSettings, chain: Settings) -> Typed:
    """The form as it was sent; a field that is missing is as it was first shown, a box that is
    missing is not ticked.
    """
    values = untouched(web, chain)
    for name in LABELS:
        if name in SWITCHES:
            values[name] = TICKED if form.get(name) else ""
        elif name in TICKS and isinstance(form, MultiDict):
            values[name] = ", ".join(filter(None, form.getlist(name)))
        elif name in form:
            values[name] = _plain(form[name])
    own = (
        {name: _plain(form.get(f"prompt-{name}", "")) for name in PROMPTS.names}
        if web.edit_prompts
        else {}
    )
    return Typed(values, edited(own))


def asked_before(
    fields: Mapping[str, Any], web: WebSettings, chain: Settings
) -> tuple[Typed, list[str]]:
    """The form with what an earlier run was asked (`webapp.asking.fields_of`), and what of it can
    no longer be asked here.
    """
    values, lost = untouched(web, chain), []
    given = {name: value for name, value in fields.items() if value is not None}
    if any(
        LITERATURE.stage_models(chain).get(stage) != name
        for stage, name in given.get("models", {}).items()
    ):
        lost.append(
            "That run used different models for some steps; here one model is used for all of them."
        )
    for name in LABELS:
        if name in SWITCHES and name in given:
            values[name] = TICKED if given[name] else ""
        elif name in given and name != "api_key" and not isinstance(given[name], bytes):
            values[name] = _text(name, given[name])
    for name, offered in (
        ("model", web.offered_models(chain)),
        ("source", web.offered_sources(chain)),
    ):
        if values[name] not in offered:
            lost.append(
                f"The {name} {values[name]} is no longer available here; {offered[0]} is chosen "
                "instead."
            )
            values[name] = offered[0]
    prompts = edited(dict(given.get("prompts") or {}))
    if prompts and not web.edit_prompts:
        lost.append(
            "That run had edited prompts. Prompts cannot be edited here, so the default ones are "
            "used."
        )
        prompts = {}
    return Typed(values, prompts), lost


def with_changes(typed: Typed, arguments: Mapping[str, str]) -> None:
    """Lay what an address names over the form: ``?question=…``, ``?again=ID&queries=5``. No key and
    no prompt comes that way.
    """
    for name in LABELS:
        if name in arguments and name != "api_key":
            text = _plain(arguments[name])
            off = text.strip().lower() in ("", "0", "false", "no", "off")
            typed.values[name] = text if name not in SWITCHES else "" if off else TICKED


def edited(prompts: Mapping[str, str]) -> dict[str, str]:
    """The prompts that say something else than the default ones; blank ones count as the
    default.
    """
    defaults = PROMPTS.defaults()
    return {
        name: text
        for name, text in prompts.items()
        if text.strip() and _plain(text).strip() != defaults.get(name, "").strip()
    }


def fields(typed: Typed, first: Mapping[str, str]) -> dict[str, Any]:
    """Return what `webapp.asking.ask` is given: only what was typed.

    The model that comes ``first`` is not named, so that the models which the host has set for
    single steps hold beside it.
    """
    values = typed.values
    asked: dict[str, Any] = {
        name: text
        for name in LABELS
        if name not in SWITCHES and (text := values[name].strip()) and name != "question"
    }
    asked["question"] = values["question"].strip()
    if asked.get("model") == first["model"]:
        del asked["model"]
    if asked.get("judge") == BEST_JUDGE:
        del asked["judge"]
    asked |= {name: bool(values[name]) for name in SWITCHES}
    asked |= {name: asked[name].replace(",", "") for name in WHOLE if name in asked}
    if "query" in asked:
        asked["query"] = own_queries(values["query"])
    if "drop" in asked:
        asked["drop"] = [pmid for pmid in re.split(r"[\s,;]+", values["drop"]) if pmid]
    if typed.prompts:
        asked["prompts"] = dict(typed.prompts)
    return asked


def own_queries(text: str) -> list[str]:
    """The queries in a text: numbered lines are one strategy, anything else is parted by blank
    lines.
    """
    try:
        strategy = read_strategy(text) is not None
    except UsageError:  # numbered, but wrongly: whoever checks the request says how
        strategy = True
    if strategy:
        return [text.strip()]
    return [part.strip() for part in re.split(r"\n[ \t]*\n", text) if part.strip()]


def faults(typed: Typed, asked: Mapping[str, Any]) -> dict[str, str]:
    """Everything that the chain could not use, in the order of the page: what is wrong, by the id
    of the control on the page ("" where it belongs to none).
    """
    left = {
        name: value
        for name, value in asked.items()
        if name not in ("api_key", "prompts", "allow_identifiers")
    }
    left.setdefault(
        "model", EXTRACTIVE
    )  # none given: whoever starts the run takes the first on offer
    found: dict[str, str] = {}
    while True:
        try:
            checked(**left)
            break
        except FieldError as error:
            if error.field not in left:  # left out already, or never given
                found.setdefault(error.field, error.fault)
                break
            found[error.field] = error.fault
            del left[error.field]
            if error.field == "question":
                left["question"] = _ANY_QUESTION
    order = ("question", *OPTIONS)
    named = sorted(
        found.items(), key=lambda item: order.index(item[0]) if item[0] in order else len(order)
    )
    problems = {name: prompt_problem(name, text) for name, text in typed.prompts.items()}
    return dict(of_field(name, text) for name, text in named) | {
        f"prompt-{name}": text for name, text in problems.items() if text
    }


def of_field(name: str, fault: str) -> tuple[str, str]:
    """The id of a control, and a fault as a sentence that begins with the field's label."""
    label = LABELS.get(name)
    if prompt := name.partition("prompts.")[2]:
        told = fault.replace(f"the prompt {prompt}", f"The prompt “{_title(prompt)}”", 1)
        return f"prompt-{prompt}", told
    if (name, fault) == ("question", "is empty"):
        return name, "Enter a question"
    return name if label else "", f"{label or name}: {fault}"


def prompt_problem(name: str, text: str) -> str | None:
    """Return what is wrong with a prompt, as a sentence that names it as the page does."""
    try:
        checked_prompt(PROMPTS, name, text)
    except FieldError as error:
        return of_field(error.field, error.fault)[1]
    return None


def changed(typed: Typed, first: Mapping[str, str]) -> list[str]:
    """The advanced options that differ from ``first``, by their labels; blank counts as not
    changed, but for a box.
    """
    now = {name: typed.values[name].strip() for name in OPTIONS if name not in BESIDE_IT}
    labels = [
        LABELS[name]
        for name, text in now.items()
        if text != first[name] and (bool(text) or name in SWITCHES)
    ]
    return labels + (["Prompts"] if typed.prompts else [])


def carried(typed: Typed, first: Mapping[str, str]) -> list[tuple[str, str]]:
    """The advanced fields that the short form sends unseen, so that nothing typed is lost."""
    names = [name for name in LABELS if name not in (*BESIDE_IT, "api_key")]
    return [
        (name, text)
        for name in names
        if (text := typed.values[name]) and (name in SWITCHES or text != first[name])
    ] + [(f"prompt-{name}", text) for name, text in typed.prompts.items()]


def line_of(text: str, problem: str) -> int | None:
    """The line, from 1, that holds the placeholder which a prompt's problem names first, if there
    is one.
    """
    named = re.search(r"\{[a-z][a-z0-9_]*\}", problem)
    place = text.find(named[0]) if named else -1
    return text.count("\n", 0, place) + 1 if place >= 0 else None


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _text(name: str, value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ("\n\n" if name == "query" else ", ").join(str(one) for one in value)
    if isinstance(value, date):
        return value.isoformat()
    return _number(value) if isinstance(value, float) else str(value)


def _number(value: float) -> str:
    return f"{value:g}" if value < 1e6 else str(value)


pages = Blueprint("ask", __name__)
documents.set_up(pages)

EXAMPLES = {
    "Does yoga lower blood pressure?": "4 studies",
    "Does yoga improve cardiovascular risk factors?": "10 studies",
    "Do long-acting bronchodilators reduce exacerbations in COPD?": "8 studies",
    "Does zinc shorten the common cold?": "nothing found",
}
"""Questions, with what the demo corpus shows for each; PubMed has studies on all of them."""


MADE_OF: Final = {
    (True, True): "Demo corpus, no language model: shows how Clinfo works, do not base decisions "
    "on it.",
    (True, False): "Demo corpus: shows how Clinfo works, do not base decisions on it.",
    (False, True): "No language model: studies are found and quoted.",
}
"""Said before anybody asks, by whether the source is the demo corpus and whether no language model
is asked.
"""
LATELY: Final = 7 * 86_400
"""Seconds of which the runs tell how long one takes."""


@pages.route("/", methods=["GET", "POST"], endpoint="form", defaults={"advanced": False})
@pages.route("/advanced", methods=["GET", "POST"], endpoint="advanced", defaults={"advanced": True})
def form(advanced: bool) -> tuple[str, int, dict[str, str]] | BaseResponse:
    """The short form, or that with every option, the documents and the prompts; what is sent with
    it becomes a run.
    """
    web, chain = services().web, services().chain
    if request.method == "POST":
        typed = submitted(request.form, web, chain)
        if "go" in request.form:  # to the other page, with what was typed so far
            again, parent = _before()
            return _page(typed, advanced=advanced, again=again, parent=parent)
        return _start(typed, advanced)
    again = request.args.get("again")
    lost: list[str] = []
    if again is None:
        typed = Typed(untouched(web, chain))
    else:
        run = with_page(again)
        asked = fields_of(run) | {"question": question_of(run)}
        typed, lost = asked_before(asked, web, chain)
    with_changes(typed, request.args)
    return _page(typed, advanced=advanced, again=again, lost=lost)


@pages.post("/runs/<run_id>/follow")
def follow(run_id: str) -> tuple[str, int, dict[str, str]] | BaseResponse:
    """A run that follows this one up: another question (``keep`` names what stays of it), or the
    same one with other dates and limits (``change``).
    """
    with_page(run_id)
    sent = request.form
    fields: dict[str, Any] = {"parent": run_id, "keep": sent.getlist("keep")}
    fields |= {
        name: sent[name].strip() or None for name in ("from", "to", "api_key") if name in sent
    }
    if "change" in sent:
        fields["limits"] = sent.getlist("limits") or None
    else:
        fields["question"] = sent.get("question", "").strip()
    asked, parent = followed(fields, visitor())
    shown = {name: value for name, value in asked.items() if not isinstance(value, bytes)}
    typed, lost = asked_before(shown, services().web, services().chain)
    return _ask(typed, asked, parent=parent, lost=lost)


def _before() -> tuple[str | None, StoredRun | None]:
    """The runs that the form repeats and follows up, as far as they can still be."""
    again, parent = request.form.get("again") or None, None
    try:
        if again is not None:
            with_page(again)
    except NotFound:  # deleted since: that run is no longer there to be pointed at
        again = None
    with suppress(FieldError):
        parent = followable(request.form.get("parent"), visitor())
    return again, parent


def _start(typed: Typed, advanced: bool) -> tuple[str, int, dict[str, str]] | BaseResponse:
    """A run of what was typed, or the form again with what is wrong with it."""
    again, parent = _before()
    if instead := request.form.get(
        "instead"
    ):  # the question without what seemed to identify a patient, as it was shown
        typed.values["question"] = instead
    asked = fields(typed, untouched(services().web, services().chain))
    if parent is not None and asked["question"] == parent.request.question:
        asked["question"] = question_of(parent)
    elif parent is not None and asked["question"] != question_of(parent):
        asked["follows"] = question_of(parent)
    if request.form.get("allow_identifiers"):
        asked["allow_identifiers"] = True
    wrong = faults(typed, asked)
    try:
        asked |= documents.of_form(request, again or (parent.id if parent else None))
    except FieldError as error:
        wrong |= [of_field(error.field, error.fault)]
    if wrong:
        of: dict[str, Any] = {"again": again, "parent": parent, "advanced": advanced}
        return _page(typed, **of, wrong=wrong, status=422)
    return _ask(typed, asked, again=again, parent=parent, advanced=advanced)


def _ask(
    typed: Typed, asked: dict[str, Any], **of: Any
) -> tuple[str, int, dict[str, str]] | BaseResponse:
    """A run of the fields ``asked``, or the form with what is wrong with them; ``of`` is for the
    page.
    """
    wrong: dict[str, str] = {}
    shown: dict[str, Any] = {"status": 422, "wrong": wrong}
    try:
        run = ask(asked, remembered(), again_of=of.get("again"), parent=of.get("parent"))
        return redirect(f"{url_for('ask.runs')}/{run.id}", 303)
    except FieldError as error:
        wrong |= [of_field(error.field, error.fault)]
    except IdentifiersFound as error:
        if error.where == "documents":
            wrong |= [of_field("documents", str(error))]
        else:
            shown["held"] = _held(asked, error)
    except Busy as error:
        wrong[""] = str(error)
        shown |= {"status": 429, "retry_after": error.retry_after}
    except ClinfoError as error:
        wrong[""] = str(error)[:1].upper() + str(error)[1:]
    return _page(typed, **of, **shown)


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
        "pieces": marked(text, error.spans),
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
    if kind == "prompt" and which in PROMPTS.names:
        return f"prompt-{which}", f"prompt “{_title(which)}”"
    if kind == "follows":
        return "question", "earlier question"
    return kind, f"own query {which}" if kind == "query" else kind


def _page(
    typed: Typed,
    *,
    advanced: bool = False,
    again: str | None = None,
    parent: StoredRun | None = None,
    lost: list[str] | None = None,
    wrong: Mapping[str, str] = MappingProxyType({}),
    held: dict[str, Any] | None = None,
    status: int = 200,
    retry_after: int | None = None,
) -> tuple[str, int, dict[str, str]]:
    """The short form, or that of the ``advanced`` options where one of them is wrong."""
    web, chain = services().web, services().chain
    first, of_stages = untouched(web, chain), LITERATURE.stage_models(chain)
    values = typed.values
    others = first["model"] == EXTRACTIVE and {*of_stages.values()} - {EXTRACTIVE}
    no_model = values["model"] == EXTRACTIVE and not others  # nor for single steps beside it
    elsewhere = {*wrong, held["control"] if held else ""} - {*BESIDE_IT}
    before = again or (parent.id if parent else None)
    ticked = documents.carried(request, before)
    differs = changed(typed, first)
    differs += [LABELS["documents"]] if ticked or values["documents"] else []
    said = MADE_OF.get((values["source"] == "demo", no_model), f"Answered by {values['model']}.")
    page = render_template(
        "ask.html",
        advanced=advanced or bool(elsewhere),
        typed=values,
        first=first,
        changed=differs,
        carried=carried(typed, first) + ticked,
        kept=documents.count_of(before),
        shown=SHOWN,
        groups=groups(),
        again=again,
        parent=parent,
        lost=lost or [],
        wrong=wrong,
        held=held,
        web=web,
        models=web.offered_models(chain),
        sources=[(one.name, one.heading, one.note) for one in _offered(web, chain)],
        examples=EXAMPLES,
        stage_models=of_stages,
        made_of=said,
        usual=_usual(services().store.usual_seconds(LITERATURE.name, LATELY)),
        prompts=_prompts(typed, wrong) if web.edit_prompts else [],
        bool=bool,
        int=int,
        float=float,
    )
    return page, status, {} if retry_after is None else {"Retry-After": str(retry_after)}


def _usual(seconds: float | None) -> str:
    """The time that runs took lately, in words; "" where there was none."""
    if seconds is None:
        return ""
    about = "a few seconds" if seconds < 10 else f"about {seconds:.0f} seconds"
    return f"Usually {about} (median of this site’s runs)."


def _title(prompt: str) -> str:
    return TITLES.get(prompt, prompt.capitalize())


def _prompts(typed: Typed, wrong: Mapping[str, str]) -> list[dict[str, Any]]:
    """The prompts of the chain in the order in which they are used, each with its default, its edit
    and what is wrong with it.
    """
    defaults = PROMPTS.defaults()
    return [
        {
            "name": name,
            "title": _title(name),
            "variables": PROMPTS.variables[name],
            "default": defaults[name].strip(),
            "text": typed.prompts.get(name, defaults[name]).strip(),
            "edited": name in typed.prompts,
            "problem": wrong.get(f"prompt-{name}"),
        }
        for stage in LITERATURE.stages
        for name in stage.prompts
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
    if name not in PROMPTS.names:
        abort(404)
    if len(text) > MAX_PROMPT:
        return jsonify(
            problem=f"It has {len(text):,} characters; at most {MAX_PROMPT:,} can be used",
            line=None,
        )
    problem = prompt_problem(name, text)
    return jsonify(problem=problem, line=line_of(text, problem) if problem else None)


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
    return [one for name in web.offered_sources(chain) if (one := sources.spec(name)) is not None]
