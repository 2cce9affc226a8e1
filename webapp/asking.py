"""From what a visitor asks to a run in the queue: the host's rules, its pipeline's checks.
Form and API call this.
"""

import json
import logging
import math
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, Final

from clinfo.errors import FieldError, UsageError
from clinfo.pipelines import DEFAULT
from clinfo.records import EXTRACTIVE
from clinfo.runs import AnyRequest
from webapp import patients
from webapp.fields import MAX_KEY, refuse
from webapp.hosting.limits import count_start, counted_as
from webapp.pipelines import declared
from webapp.records import Busy, Refused, Repeated, Start, StoredRun, Visitor
from webapp.services import Services, services
from webapp.settings import WebSettings
from webapp.storage.budget import spent_today
from webapp.visitors import stored
from webapp.work.key_encryption import seal

_log = logging.getLogger(__name__)

MAX_IDEMPOTENCY_KEY: Final = 255
"""Characters of an Idempotency-Key."""


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
    """A run of ``fields`` (None counts as not given) of the pipeline ``of``, queued; with an
    ``idempotency_key`` of the last day the run that was started with it. ``parent`` is the run that
    it follows up, ``sent`` the request as it came over HTTP, where ``fields`` may name such a run.

    Not given: the first model and source on offer, the host's deadline, the best judge there is,
    strict true.

    Raises FieldError, IdentifiersFound (before anything is stored), Busy (queue full,
    too many runs started, or no worker for the visitor's key).
    """
    parts = services()
    own = declared(of)
    assert own.asks is not None, "a pipeline that is on offer"
    if own.needs_login(fields):
        patients.refuse_unknown(who, parts.web)
    start = None if idempotency_key is None else _start(idempotency_key, sent or fields, who)
    api_key = fields.get("api_key")
    if start is not None and (begun := _begun(start)) is not None:
        if begun.status == "key_needed" and api_key is not None:  # the first try got no further
            return give_key(begun.id, api_key)
        return begun
    if sent is not None:
        fields, of_earlier = own.continued({**fields}, who)
        again_of, parent = of_earlier.get("again_of"), of_earlier.get("parent")
    asked = own.asks(fields, parts.web, parts.chain)
    request = asked.request
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
            packed=asked.packed,
        )
    except Repeated:
        assert start is not None
        if (begun := _begun(start)) is None:
            raise Refused("The run of this Idempotency-Key has just been deleted.") from None
        return begun
    try:
        patients.audit(own, request, who, parts.chain, own.starts, run.id)
    except UsageError:
        parts.store.delete(run.id)
        raise
    if worker is not None:
        run = _hand_over(run.id, str(api_key), worker)
    said = {
        "run": run.id[:6],
        "source": getattr(request, "source", of),
        "models": sorted(set(request.models.values())),
    }
    if parts.web.log_questions and not own.private(request):
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
    return parts.store.resume(run_id, max_seconds, queue_limit=parts.web.queue_limit)


def give_key(run_id: str, api_key: str) -> StoredRun:
    """Seal a visitor's key for a live worker and queue the run. Raises FieldError, NotFound,
    Refused, Busy.
    """

    parts = services()
    _check_key(api_key, stored(run_id).request, parts.web)
    return _hand_over(run_id, api_key, _worker_for_a_key())


def _check_key(api_key: object, request: AnyRequest, web: WebSettings) -> None:
    """Raise FieldError, which never repeats the key."""
    given = api_key if isinstance(api_key, str) else ""
    refuse(
        (not web.own_keys, "api_key", "visitors' own keys are not accepted here"),
        (
            set(request.models.values()) == {EXTRACTIVE},
            "api_key",
            "the extractive model needs no key; leave it empty",
        ),
        (not given.strip(), "api_key", "must be text"),
        (
            len(given) > MAX_KEY or not all("!" <= character <= "~" for character in given),
            "api_key",
            f"must be at most {MAX_KEY} printable ASCII characters without white space",
        ),
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

    name, public_key = worker
    return services().store.give_key(run_id, name, seal(public_key, api_key))
