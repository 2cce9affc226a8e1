"""From what a visitor asks to a run in the queue: the host's rules, the chain's checks, the
Form and API call this.
"""

from __future__ import annotations

import json
import logging
import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import sha256
from typing import Any, Final

from clinfo.errors import FieldError, PromptError, UsageError
from clinfo.pipelines import DEFAULT
from clinfo.pipelines.literature import (
    JUDGE_STAGE,
    LITERATURE,
    OPTIONS,
    PROMPTS,
    at,
    checked,
    default_judge,
    plain,
)
from clinfo.privacy import of_request, refuse_texts
from clinfo.records import EXTRACTIVE, RunRequest, TrialsRequest
from clinfo.runs import AnyRequest, Event
from clinfo.settings import Settings
from clinfo.sources import GIVEN as NAME
from clinfo.sources import refuse_unusable
from webapp import patients
from webapp.hosting.limits import count_start, counted_as
from webapp.pipelines.chart import asking as records
from webapp.pipelines.cohort import asking as cohorts
from webapp.pipelines.copilot import asking as copilot
from webapp.pipelines.literature import documents
from webapp.pipelines.literature.plots import plots
from webapp.pipelines.trials import asking as papers
from webapp.records import Busy, Refused, Repeated, Start, StoredRun, Visitor
from webapp.services import Services, services
from webapp.settings import WebSettings
from webapp.storage.budget import spent_today
from webapp.visitors import CHART, COHORT, COPILOT, of_patient

_log = logging.getLogger(__name__)

LEAVE_OUT: Final = "leave_out"
"""The field that lets a run go on without the documents that seem to identify a patient."""
FIELDS = frozenset(at("http")) | {"api_key"}
"""The fields of a request over HTTP: the options declared for it, and the visitor's own key."""

MAX_KEY: Final = 500
"""Characters of a visitor's key."""
MAX_IDEMPOTENCY_KEY: Final = 255
"""Characters of an Idempotency-Key."""
MAX_LISTED: Final = 1_000
"""Articles that may be dropped."""
MAX_OWN_QUERIES: Final = 20

_ARTICLES: Final = ("max_articles", "per_query")
"""The fields that the host's limit on articles applies to."""
_LIKE: Final = "local"
"""The source by whose rules one of the host's collections is asked."""
_NOTHING_STORED: Final = "Nothing was sent or stored."
_UNLESS_DEFAULT: Final = RunRequest(question="")


def offered(web: WebSettings) -> tuple[str, ...]:
    """The pipelines that visitors of this host may ask."""
    switched = {CHART: web.chart, COPILOT: web.copilot, COHORT: bool(web.cohorts)}
    return tuple(name for name in _CHECKS if switched.get(name, True))


class FaultyPrompt(PromptError):
    """An edited prompt that cannot be used; ``prompt`` is its name."""

    def __init__(self, prompt: str, message: str) -> None:
        super().__init__(message)
        self.prompt = prompt


def ask(
    fields: Mapping[str, Any],
    who: Visitor,
    *,
    of: str = DEFAULT,
    again_of: str | None = None,
    parent: StoredRun | None = None,
    idempotency_key: str | None = None,
    sent: Mapping[str, Any] | None = None,
) -> StoredRun:
    """A run of ``fields`` (None counts as not given) of the pipeline ``of``, queued, its worker
    woken; with an ``idempotency_key`` of the last day the run that was started with it. ``parent``
    is the run that it follows up, ``sent`` the request as it came, where that is not ``fields``.

    Not given: the first model and source on offer, the host's deadline, the best judge there is,
    strict true.

    Raises FieldError, PromptError, IdentifiersFound (before anything is stored), Busy (queue full,
    too many runs started, or no worker for the visitor's key).
    """
    parts = services()
    if of in (CHART, COHORT) or (of == COPILOT and fields.get("case")):
        patients.refuse_unknown(who, parts.web)
    start = None if idempotency_key is None else _start(idempotency_key, sent or fields, who)
    api_key = fields.get("api_key")
    if start is not None and (begun := _begun(start)) is not None:
        if begun.status == "key_needed" and api_key is not None:  # the first try got no further
            return give_key(begun.id, api_key)
        return begun
    held = documents.read(fields.get("documents")) if of == DEFAULT else None
    if of == DEFAULT and LEAVE_OUT in fields:
        leave_out, fields = fields[LEAVE_OUT], {**fields}
        del fields[LEAVE_OUT]
        if leave_out not in (None, True, False):
            raise FieldError(LEAVE_OUT, "must be true or false")
        held = held.without_identified() if held is not None and leave_out else held
    if held is not None:
        fields = {**fields, "documents": held.ids}
    request: AnyRequest = _CHECKS[of](fields, parts.web, parts.chain)
    if held is not None and isinstance(request, RunRequest):
        request = held.asked(request)
        if not request.allow_identifiers:
            held.refuse_identifiers(_NOTHING_STORED)
    packed = None if held is None else documents.pack(held)
    before: list[Event] = []
    if isinstance(request, TrialsRequest):
        texts = fields.get("papers") or {}
        packed = papers.pack(texts)
        before = papers.carried(again_of, request, texts) if again_of else []
    worker = None
    if api_key is not None:
        _check_key(api_key, request, parts.web)
        worker = _worker_for_a_key()
    elif set(request.models.values()) - {EXTRACTIVE}:
        _refuse_beyond_budget(parts)
    count_start(who)
    try:
        run = parts.store.create(
            request,
            visitor=who.browser,
            owner=who.user,
            own_key=worker is not None,
            pipeline=of,
            again_of=again_of,
            parent=parent.id if parent else None,
            queue_limit=parts.web.queue_limit,
            start=start,
            packed=packed,
            begun=before,
        )
    except Repeated:
        assert start is not None
        if (begun := _begun(start)) is None:
            raise Refused("The run of this Idempotency-Key has just been deleted.") from None
        return begun
    if of in (CHART, COHORT):
        try:
            did = "ask" if of == CHART else "cohort"
            patients.audit(run.request, who, parts.chain, did, run.id)
        except UsageError:
            parts.store.delete(run.id)
            raise
    if worker is not None:
        run = _hand_over(run.id, str(api_key), worker)
    parts.waker.wake()
    said = {
        "run": run.id[:6],
        "source": getattr(request, "source", of),
        "models": sorted(set(request.models.values())),
    }
    if parts.web.log_questions and of not in (CHART, COHORT) and not of_patient(run):
        said["question"] = run.request.question
    _log.info("run started", extra=said)
    return run


def _start(key: str, fields: Mapping[str, Any], who: Visitor) -> Start:
    """Raises FieldError for a key that cannot be one."""
    if not 0 < len(key) <= MAX_IDEMPOTENCY_KEY or not all("!" <= one <= "~" for one in key):
        needed = f"must be 1 to {MAX_IDEMPOTENCY_KEY} printable ASCII characters without spaces"
        raise FieldError("Idempotency-Key", needed)
    whose = f"browser {who.browser}" if who.browser and not who.user else counted_as(who)
    asked = json.dumps(fields, sort_keys=True, default=repr)  # documents of an earlier run: bytes
    return Start(*(sha256(text.encode()).hexdigest() for text in (f"{whose}\n{key}", asked)))


def begun(key: str, sent: Mapping[str, Any], who: Visitor) -> StoredRun | None:
    """The run that this request has begun before under this Idempotency-Key, or None. Raises
    FieldError.
    """
    return _begun(_start(key, sent, who))


def _begun(start: Start) -> StoredRun | None:
    """The run that was started with this key, if any. Raises FieldError where something else was
    asked.
    """
    found = services().store.started(start.key)
    if found is not None and found[1] != start.asked:
        raise FieldError("Idempotency-Key", "was used for another request within the last day")
    return None if found is None else found[0]


def resume(run_id: str, who: Visitor, max_seconds: float | None = None) -> StoredRun:
    """Queue a run that failed or was cancelled to resume from its events, which counts as a start.

    ``max_seconds`` is its new deadline. Raises NotFound, Refused, Busy.
    """
    count_start(who)
    parts = services()
    run = parts.store.resume(run_id, max_seconds, queue_limit=parts.web.queue_limit)
    if run.status == "queued":
        parts.waker.wake()
    return run


def delete(run_id: str) -> bool:
    """Delete a run with its events, and what this process drew of it. False where there was
    none.
    """
    found = services().store.delete(run_id)
    plots.forget(run_id)
    return found


def give_key(run_id: str, api_key: str) -> StoredRun:
    """Seal a visitor's key for a live worker and queue the run. Raises FieldError, NotFound,
    Refused, Busy.
    """
    from webapp.visitors import stored

    parts = services()
    _check_key(api_key, stored(run_id).request, parts.web)
    run = _hand_over(run_id, api_key, _worker_for_a_key())
    parts.waker.wake()
    return run


def checked_fields(fields: Mapping[str, Any], web: WebSettings, chain: Settings) -> RunRequest:
    """The request that a visitor's ``fields`` make at this host; nothing is stored or sent.

    Raises FieldError, PromptError (with the prompt's name in ``prompt``), IdentifiersFound.
    """
    for name in fields:
        if name not in FIELDS:
            raise FieldError(_printable(name), "unknown field")
    given = {
        name: value for name, value in fields.items() if value is not None and name != "api_key"
    }
    if given.get("prompts") and not web.edit_prompts:
        raise FieldError("prompts", "cannot be edited here; the host has disabled it")
    if given.get("allow_identifiers") is True and chain.identifiers == "refuse":
        raise FieldError(
            "allow_identifiers", "cannot be used here: the host does not send patient identifiers"
        )
    for name, most in (("query", MAX_OWN_QUERIES), ("drop", MAX_LISTED)):
        if isinstance(given.get(name), (list, tuple)) and len(given[name]) > most:
            raise FieldError(
                name, f"has {len(given[name]):,} entries; at most {most:,} can be used"
            )

    given = _with_defaults(given, web, chain)
    title = given["source"] if given["source"] in list(web.collections) else None
    if title is not None:
        given["source"] = _LIKE
    request = _checked_here(given, web)
    if title is not None:
        request = replace(request, source=title)
    _check_choices(request, web, chain)
    if "prompts" in given:
        request = replace(request, prompts=_edited(request.prompts))
    _refuse_identifiers(request, chain)
    return request


def fields_of(run: StoredRun) -> dict[str, Any]:
    """Return what was asked, as `ask` takes it, for "run again" and "run again with changes"; never
    a key.
    """
    request = run.request
    model = Counter(request.models.values()).most_common(1)[0][0]
    others = {stage: name for stage, name in request.models.items() if name != model}
    fields = {name: plain(getattr(request, one.field)) for name, one in at("http").items()}
    fields |= {
        "model": model,
        "models": others,
        "allow_identifiers": request.allow_identifiers or None,
    }
    if request.documents:
        fields["per_query"] = None
        fields["documents"] = [one.removeprefix("pmid:") for one in request.documents]
        if request.source == NAME:
            fields |= {"documents": services().store.documents(run.id), "source": None}
    return {name: value for name, value in fields.items() if value not in (None, [], {})}


def _checked_here(given: Mapping[str, Any], web: WebSettings) -> RunRequest:
    """The request, within the host's limits. Raises FieldError, which names the host's limit, not
    the chain's wider one.
    """
    try:
        request = checked(**given)
    except FieldError as error:
        needed = {"max_seconds": f"a number above 0 and at most {web.longest_seconds:,g}"}
        for name in _ARTICLES:
            bounds = OPTIONS[name].option
            needed[name] = (
                f"a whole number from {bounds.least} to "
                f"{min(int(bounds.most), web.most_articles):,}"
            )
        if error.field not in needed:
            raise
        told = f"must be {needed[error.field]} here, not {_printable(given[error.field])}"
        raise FieldError(error.field, told) from None
    for name in _ARTICLES:
        if getattr(request, name) > web.most_articles:
            raise FieldError(
                name, f"must be at most {web.most_articles:,} here, not {getattr(request, name):,}"
            )
    if request.max_seconds is not None and request.max_seconds > web.longest_seconds:
        raise FieldError(
            "max_seconds",
            f"must be at most {web.longest_seconds:,g} here, not {request.max_seconds:g}",
        )
    return request


def _with_defaults(given: Mapping[str, Any], web: WebSettings, chain: Settings) -> dict[str, Any]:
    """The fields with the host's choices where a visitor made none.

    Naming no model at all brings the models that the environment sets for single stages, as on the
    command line.
    """
    fields: dict[str, Any] = {
        "source": web.offered_sources(chain)[0],
        "max_seconds": min(web.max_seconds, web.longest_seconds),
    }
    fields |= {
        name: min(getattr(_UNLESS_DEFAULT, name), web.most_articles)
        for name in _ARTICLES
        if getattr(_UNLESS_DEFAULT, name) > web.most_articles
    }
    if "model" not in given:
        fields["model"] = web.offered_models(chain)[0]
        if "models" not in given:
            fields["models"] = LITERATURE.stage_models(chain)
    fields |= dict(given)
    models = fields.get("models")
    reader = models.get(JUDGE_STAGE) if isinstance(models, Mapping) else None
    return {"judge": default_judge(chain, reader or fields.get("model"))} | fields


def _check_choices(request: RunRequest, web: WebSettings, chain: Settings) -> None:
    """Only models and sources that the host offers, in combinations that the chain can carry
    out.
    """
    offered = web.offered_models(chain)
    for stage, name in request.models.items():
        if name not in offered and LITERATURE.stage_models(chain).get(stage) != name:
            field = "model" if len(set(request.models.values())) == 1 else "models"
            raise FieldError(
                field,
                f"“{_printable(name)}” is not available here; choose one of: {', '.join(offered)}",
            )
    sources = web.offered_sources(chain)
    if request.source not in sources:
        raise FieldError(
            "source", f"{request.source} is not available here; choose one of: {', '.join(sources)}"
        )
    if request.models.get(JUDGE_STAGE) == EXTRACTIVE:
        raise FieldError(
            "judge",
            "the extractive model cannot judge sentences; choose a language model, or nobody",
        )
    try:
        refuse_unusable(request.source, request.filter)
    except UsageError as error:
        raise FieldError("filter", str(error).removeprefix("filter: ")) from None


@cache
def _defaults() -> dict[str, str]:
    return {name: PROMPTS.parse(name, text).text for name, text in PROMPTS.defaults().items()}


def _edited(prompts: Mapping[str, str]) -> dict[str, str]:
    """The prompts that differ from the default ones, with newlines as ``\\n``, each checked. Raises
    FaultyPrompt.

    A browser sends newlines of its own kind and may lose some at the ends, which is not an edit.
    """
    edited = {}
    for name, text in prompts.items():
        try:
            prompt = PROMPTS.parse(name, text)
        except PromptError as error:
            raise FaultyPrompt(name, str(error)) from None
        if prompt.text.strip() != _defaults().get(name, "").strip():
            edited[name] = prompt.text
    return edited


def _refuse_identifiers(request: RunRequest, chain: Settings) -> None:
    """Also where nothing would leave the house: what is asked is stored here, and read by whoever
    has the address of the run.
    """
    if request.allow_identifiers:
        return
    way_out = "Remove it and ask again."
    if chain.identifiers == "ask":
        way_out = "Remove it and ask again, or allow sending it (allow_identifiers)."
    refuse_texts(of_request(request), f"{_NOTHING_STORED} {way_out}")


def _check_key(api_key: object, request: AnyRequest, web: WebSettings) -> None:
    """Raise FieldError, which never repeats the key."""
    if not web.own_keys:
        raise FieldError("api_key", "visitors' own keys are not accepted here")
    if set(request.models.values()) == {EXTRACTIVE}:
        raise FieldError("api_key", "the extractive model needs no key; leave it empty")
    if not isinstance(api_key, str) or not api_key.strip():
        raise FieldError("api_key", "must be text")
    if len(api_key) > MAX_KEY or not all("!" <= character <= "~" for character in api_key):
        raise FieldError(
            "api_key", f"must be at most {MAX_KEY} printable ASCII characters without white space"
        )


def _refuse_beyond_budget(parts: Services) -> None:
    """Raise Busy where the day's budget is spent; what is set aside may come free, and runs wait
    for it.
    """
    limit = parts.web.daily_budget
    if limit is None or spent_today(parts.store.engine, settled=True) < limit:
        return
    now = datetime.now(UTC)
    midnight = datetime.combine(now.date() + timedelta(days=1), datetime.min.time(), UTC)
    said = (
        "The daily budget of this site is used up. The budget is renewed at 00:00 UTC; the "
        "extractive model costs nothing."
    )
    raise Busy(said, math.ceil((midnight - now).total_seconds()))


def _worker_for_a_key() -> tuple[str, bytes]:
    parts = services()
    worker = parts.store.live_worker(parts.web.lease_seconds)
    if worker is None:
        raise Busy(
            "No worker is available for your key. It was not stored; please try again in a minute.",
            60,
        )
    return worker


def _hand_over(run_id: str, api_key: str, worker: tuple[str, bytes]) -> StoredRun:
    """Give the key to the one worker that can open it; what is stored meanwhile is sealed."""
    from webapp.work.key_encryption import seal

    name, public_key = worker
    return services().store.give_key(run_id, name, seal(public_key, api_key))


def _printable(text: object) -> str:
    """A short form of a name from outside that can be shown in one line."""
    clean = "".join(character if character.isprintable() else "�" for character in str(text))
    return clean if len(clean) <= 60 else clean[:59] + "…"


_CHECKS: Final[Mapping[str, Callable[..., AnyRequest]]] = {
    DEFAULT: checked_fields,
    "trials": papers.checked_fields,
    CHART: records.checked_fields,
    COPILOT: copilot.checked_fields,
    COHORT: cohorts.checked_fields,
}
"""What makes a request of a visitor's fields, by pipeline."""
