"""The pipelines as the web app shows them: a folder each, whose ``declared.py`` says what is its
own, or `webapp.pipelines.plain`; everything else finds them here by name.
"""

import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pkgutil import resolve_name
from typing import Any

from flask import Blueprint

from clinfo.pipelines import PIPELINES, pipeline
from clinfo.runs import AnyRequest, RunLog
from clinfo.settings import Settings
from webapp.fields import Json
from webapp.records import StoredRun, Visitor
from webapp.settings import WebSettings
from webapp.storage.store import Store
from webapp.watch.page import LivePipeline


@dataclass(frozen=True)
class Asked:
    """A request, and what is kept with its run."""

    request: AnyRequest
    packed: bytes | None = None


Asks = Callable[[Mapping[str, Any], WebSettings, Settings], Asked]
"""The check of what a visitor sends: the request that fields make at a host, where None counts as
not given. Raises ClinfoError.
"""


@dataclass(frozen=True, kw_only=True)
class WebPipeline:
    """The part of a pipeline in the web app. Without ``asks`` nobody can start a run of it here,
    without ``live`` and ``page`` its runs have no page.

    - ``page`` makes the page of a run that has ended, from what the pages of all have;
      ``pages`` are its blueprints, the API's too, or each ``MODULE:NAME``, ``form`` is the endpoint
      of its form, ``again`` of what repeats a run as it was asked;
    - ``sent`` and ``answers`` are the types of what a program sends and is answered, the names of
      those within the answer begin with ``within``; ``models`` are those that visitors may choose
      of, and ``described`` puts into the schemas what the types do not say;
    - ``title``, ``does`` and ``after`` tell of it on the site, ``listed`` of a request among
      others; ``of_patients``: a patient's record or case may be handed over;
    - ``offered`` says whether the host has it, ``seen`` whether a stored run may still be seen;
    - ``private``: the run of such a request is seen by whoever started it only, and its question
      is in no log; ``needs_login``: what is asked so needs a login;
    - ``logged`` is whose records a run looks at (`clinfo.patients.PatientStore.audit`), None where
      nobody's; ``starts`` is what the log says of its start;
    - ``gone`` says whether somebody whom a run tells of was erased (RecordError where that cannot
      be told); ``sweeper`` is what a worker does now and then, None where there is nothing;
    - ``hosted``: settings and further arguments for carrying a run out, from what was packed;
    - ``continued``: a request over HTTP that names an earlier run, as fields and what
      `webapp.asking.ask` is told beside them.
    """

    name: str
    asks: Asks | None = None
    live: LivePipeline | None = None
    page: Callable[[StoredRun, dict[str, Any]], str] | None = None
    sent: Any = None
    answers: Any = None
    within: str = ""
    models: Callable[[WebSettings, Settings], tuple[str, ...]] = lambda web, chain: (
        web.offered_models(chain)
    )
    described: Callable[[dict[str, Json], WebSettings, Settings], None] = (
        lambda schemas, web, chain: None
    )
    pages: tuple[str | Blueprint, ...] = ()
    form: str = ""
    again: str = ""
    title: str = ""
    does: str = ""
    after: str = ""
    of_patients: bool = False
    listed: Callable[[Any], str] = lambda request: ""
    offered: Callable[[WebSettings], bool] = lambda web: True
    seen: Callable[[Any, WebSettings], bool] | None = None
    private: Callable[[Any], bool] = lambda request: False
    needs_login: Callable[[Mapping[str, Any]], bool] = lambda fields: False
    logged: Callable[[Any], Mapping[str, str] | None] = lambda request: None
    starts: str = "ask"
    gone: Callable[[Any, RunLog, WebSettings], bool] = lambda request, log, web: False
    sweeper: Callable[
        [WebSettings, Settings, Store, Callable[[], float]], Callable[[], None] | None
    ] = lambda web, chain, store, now: None
    hosted: Callable[
        [StoredRun, bytes | None, WebSettings, Settings], tuple[Settings, dict[str, Any]]
    ] = lambda run, packed, web, chain: (chain, {})
    continued: Callable[[dict[str, Any], Visitor], tuple[dict[str, Any], dict[str, Any]]] = (
        lambda fields, who: (fields, {})
    )

    def may_be_seen(self, request: Any, web: WebSettings) -> bool:
        """Return whether the host still shows a run of this request."""
        return self.offered(web) if self.seen is None else self.seen(request, web)


@cache
def folders() -> frozenset[str]:
    """The pipelines that have a folder here."""
    return frozenset(one.name for one in pkgutil.iter_modules(__path__) if one.ispkg)


def names() -> tuple[str, ...]:
    """The pipelines that have pages, in their order."""
    return tuple(name for name in PIPELINES if name in folders() or pipeline(name).declared)


def declared(name: str) -> WebPipeline:
    """The pipeline of this name; one that is not known here has nothing of its own."""
    if name not in names():
        return WebPipeline(name=name)
    found: WebPipeline
    if name in folders():
        found = resolve_name(f"webapp.pipelines.{name}.declared:WEB")
    else:
        found = resolve_name("webapp.pipelines.plain:web_of")(name)
    return found


def offered(web: WebSettings) -> tuple[WebPipeline, ...]:
    """Those that visitors of this host may ask."""
    return tuple(one for one in map(declared, names()) if one.offered(web))
