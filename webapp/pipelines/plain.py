"""The part in the web app of a pipeline that has no folder here, made of its declaration: a form of
its options, the page of a run, its answer, and its place in the HTTP API.
"""

import json
from collections.abc import Mapping
from functools import cache, partial
from typing import Any

from flask import Blueprint, render_template, request
from pydantic import ConfigDict, create_model

from clinfo.errors import FieldError
from clinfo.pipelines import pipeline
from clinfo.privacy import refuse_texts
from clinfo.records import EXTRACTIVE
from clinfo.runs import RunLog
from clinfo.settings import Settings
from webapp.fields import Fields, Model, Seconds, asked_of, one_of, seconds
from webapp.forms import form_page
from webapp.pipelines import Asked, WebPipeline
from webapp.records import StoredRun
from webapp.services import services
from webapp.settings import WebSettings
from webapp.watch.page import in_order


class PlainFields(Fields):
    """A question to a pipeline, with its options."""

    model: Model = None
    max_seconds: Seconds = None


def offered_models(name: str, web: WebSettings, chain: Settings) -> tuple[str, ...]:
    """The models on offer; the extractive one where every stage knows what it says there."""
    by_rule = all(one.by_rule for one in pipeline(name).stages if one.required)
    return tuple(one for one in web.offered_models(chain) if by_rule or one != EXTRACTIVE)


def _asked(name: str, given: Mapping[str, Any], web: WebSettings, chain: Settings) -> Asked:
    """The request that ``given`` makes at this host. Raises FieldError, IdentifiersFound."""
    spec = pipeline(name)
    asked, chosen = asked_of(PlainFields, name, given)
    if not (models := offered_models(name, web, chain)):
        raise FieldError("model", "must be a language model, and none is offered here")
    texts = {one: value for one, value in chosen.items() if isinstance(value, str)}
    refuse_texts(texts, "Nothing was sent or stored.")
    made = spec.options.request(
        models=spec.chosen_models(chain, one_of(models, asked.model)),
        max_seconds=seconds(asked.max_seconds, web),
        **chosen,
    )
    if spec.of_patients(chain, made):
        raise FieldError("question", "is about a patient's record, which is not taken here")
    return Asked(made)


def _pages(name: str) -> Blueprint:
    pages = Blueprint(name, __name__)
    options = {one: held for one, held in pipeline(name).options.items() if one != "question"}

    def fields(before: StoredRun | None) -> dict[str, Any]:
        sent = {one: text.strip() for one, text in request.form.items()}
        found: dict[str, Any] = {one: sent[one] for one in ("question", "model") if sent.get(one)}
        for one, option in options.items():
            if option.kind is bool:
                found[one] = bool(sent.get(one))
            elif text := sent.get(one):
                found[one] = text
        return found

    def typed(run: StoredRun) -> dict[str, Any]:
        before = {one: getattr(run.request, held.field) for one, held in options.items()}
        model = next(iter(run.request.models.values()), "")
        return {"question": run.request.question, "model": model, **before}

    def values(before: StoredRun | None) -> dict[str, Any]:
        models = offered_models(name, services().web, services().chain)
        return {"of": name, "options": options, "models": models}

    form_page(pages, name, fields, typed, values, template="plain/form.html")
    return pages


def _ended(run: StoredRun, values: dict[str, Any]) -> str:
    log = services().store.log(run)
    answer = pipeline(run.pipeline).answer(log) or {}
    told = {
        key: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
        for key, value in answer.items()
    }
    notices = log.started.notices if log.started else ()
    return render_template("plain/answer.html", **values, told=told, notices=notices)


@cache
def web_of(name: str) -> WebPipeline:
    """The pipeline of this name, whose declaration names its options."""
    steps = pipeline(name).steps
    title = name.capitalize()

    def furthest(run_log: RunLog) -> int:
        seen = {event.stage for event in run_log}
        return max((n for n, step in enumerate(steps) if step.name in seen), default=0)

    titles = {one.name: (one.name.capitalize(), one.doing or one.name) for one in steps}
    return WebPipeline(
        name=name,
        asks=lambda fields, web, chain: _asked(name, fields, web, chain),
        live=in_order(name, title, titles, furthest),
        page=_ended,
        sent=create_model(f"{title}Fields", __base__=PlainFields, __doc__=PlainFields.__doc__),
        answers=create_model(f"{title}Answer", __config__=ConfigDict(extra="allow")),
        within=title,
        models=partial(offered_models, name),
        pages=(_pages(name),),
        form=f"{name}.form",
        title=title,
    )
