"""Visitors: who asks, and which runs they may see and change.

A browser is known by a random id in a signed cookie, of which only the digest is stored; reading
sets none, starting a run from a page does (`remembered`). A user is known by the header
``CLINFO_WEB_USER_HEADER`` alone, and only behind trusted proxies: the proxy must set it on every
request and remove what a visitor sent under that name, and the app must be reachable through the
proxy only, because whoever reaches it directly can write any header.

A program may be known by an access token of the host (``Authorization: Bearer``), which makes it a
user of its own.
"""

import re
import secrets
from hashlib import sha256
from typing import Final

from flask import Response, after_this_request, current_app, g, request
from itsdangerous import BadData, URLSafeSerializer
from werkzeug.datastructures import WWWAuthenticate
from werkzeug.exceptions import BadRequest, Unauthorized

from clinfo.pipelines import DEFAULT
from webapp.hosting.limits import count_wrong_token
from webapp.pipelines import declared
from webapp.records import NotFound, Refused, StoredRun, Visitor
from webapp.services import services
from webapp.storage import tokens

COOKIE: Final = "clinfo"
YEAR: Final = 365 * 24 * 3_600
"""Seconds that a browser is remembered after the last run it started."""
LONGEST_NAME: Final = 200
OF_TOKEN: Final = "token\x1f"
"""Before the name of a token, as the name of its user: no proxy can name one so."""
_ID: Final = re.compile(r"[A-Za-z0-9_-]{16,128}")


def visitor() -> Visitor:
    """Return who sent the present request: its browser's cookie, the user a trusted proxy names,
    the address.

    Sets no cookie; to start a run from a page ask for `remembered`. Raises BadRequest for a user's
    name that cannot be one, Unauthorized for an access token that is none (any longer).
    """
    if "visitor" not in g:
        address = request.remote_addr or ""
        if (name := _token(address)) is not None:
            g.visitor = Visitor(None, OF_TOKEN + name, address)
        else:
            g.visitor = Visitor(_digest(known) if (known := _browser()) else None, _user(), address)
    found: Visitor = g.visitor
    return found


def remembered() -> Visitor:
    """The visitor, whose browser is given an id to be known by from now on, for a year: for a run
    started from a page.
    """
    who, browser = visitor(), _browser()
    if browser is None:
        browser = g.browser = secrets.token_urlsafe(32)
        who = g.visitor = Visitor(_digest(browser), who.user, who.address)
    value = str(_serializer().dumps(browser))

    def keep(response: Response) -> Response:
        if (
            response.status_code >= 400
        ):  # no run was started, so there is nothing to remember the browser for
            return response
        response.set_cookie(
            services().web.cookie(COOKIE),
            value,
            max_age=YEAR,
            secure=services().web.secure,
            httponly=True,
            samesite="Lax",
            path="/",
        )
        return response

    after_this_request(keep)
    return who


def named(who: Visitor) -> str:
    """The name of a visitor in a record that others read: no address, of the network or of
    mail.
    """
    if who.user is None:
        return f"browser {who.browser[:8]}" if who.browser else "a program"
    if who.user.startswith(OF_TOKEN):
        return f"token {who.user.removeprefix(OF_TOKEN)}"
    return f"user {_digest(who.user)[:8]}" if "@" in who.user else f"user {who.user}"


def may_see(who: Visitor, run: StoredRun) -> bool:
    """Whoever has the address of a run may see it, unless it belongs to another user who does not
    share it. One on a patient's record or case or a cohort, only who may change it, while the host
    allows such runs.
    """
    own = declared(run.pipeline)
    if not own.may_be_seen(run.request, services().web):
        return False
    if own.private(run.request):
        return may_change(who, run)
    return run.owner is None or run.shared or run.owner == who.user


def children(run: StoredRun, who: Visitor) -> tuple[StoredRun, ...]:
    """The runs that follow this one up, oldest first: the visitor's own, and shared ones. Others
    are not shown, since whoever has the address of a run may read it.
    """
    return tuple(one for one in services().store.following(run.id) if _is_shown(one, who))


def parent_of(run: StoredRun, who: Visitor) -> StoredRun | None:
    """The run that this one follows up, for whoever asked either and may see it: the address of
    the one is not given away with that of the other.
    """
    parent = services().store.get(run.parent) if run.parent else None
    if parent is None or not may_see(who, parent):
        return None
    return parent if _is_shown(run, who) or _is_shown(parent, who) else None


def _is_shown(run: StoredRun, who: Visitor) -> bool:
    return may_see(who, run) if run.owner else bool(run.visitor and run.visitor == who.browser)


def may_change(who: Visitor, run: StoredRun) -> bool:
    """The user whose run it is, or the browser that started it; a run that a program started,
    anyone who knows its id.
    """
    if run.owner is not None:
        return run.owner == who.user
    return run.visitor is None or run.visitor == who.browser


def stored(run_id: str) -> StoredRun:
    """The run of this id, whoever asks. Raises NotFound, also for what cannot be an id and no
    database should be asked.
    """
    run = services().store.get(run_id) if _ID.fullmatch(run_id) else None
    if run is None:
        raise NotFound("This run does not exist.")
    return run


def visible(run_id: str) -> StoredRun:
    """The run, if the visitor may see it. Raises NotFound."""
    run = stored(run_id)
    if not may_see(visitor(), run):
        raise NotFound("This run does not exist.")
    return run


def with_page(run_id: str, *pipelines: str) -> StoredRun:
    """The run, if the visitor may see it and it is of one of these pipelines (the literature
    chain's where none is named). Raises NotFound.
    """
    run = visible(run_id)
    if run.pipeline not in (pipelines or (DEFAULT,)):
        raise NotFound(
            f"This run has no page. Its answer and its events are at /api/v1/runs/{run.id}."
        )
    return run


def changeable(run_id: str) -> StoredRun:
    """The run, if the visitor may change it. Raises NotFound where it may not even be seen, Refused
    otherwise.
    """
    run = visible(run_id)
    if not may_change(visitor(), run):
        raise Refused("Only the browser or the user that started this run may change it.")
    return run


def _serializer() -> URLSafeSerializer:
    return URLSafeSerializer(current_app.secret_key or "", salt="clinfo browser")


def _browser() -> str | None:
    if "browser" in g:
        made: str = g.browser  # in this request, see `remembered`
        return made
    try:
        value = _serializer().loads(request.cookies.get(services().web.cookie(COOKIE), ""))
    except BadData:
        return None
    return value if isinstance(value, str) else None


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _token(address: str) -> str | None:
    """The name of the access token that was sent; None for none, and for what a proxy that logs
    people in sends along. Raises Unauthorized, Busy.
    """
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    if kind.lower() != "bearer":
        return None
    if (name := tokens.named(services().store.engine, token.strip())) is not None:
        return name
    if not token.startswith(tokens.PREFIX) and _user() is not None:
        return None
    count_wrong_token(address)
    raise Unauthorized(
        "This access token is not valid, or no longer.", www_authenticate=WWWAuthenticate("bearer")
    )


def _user() -> str | None:
    """The user whom a trusted proxy names. A name that cannot be used is refused: to ignore it
    would make a private run public.
    """
    web = services().web
    if web.user_header is None or web.trusted_proxies == 0:
        return None
    raw = request.headers.get(web.user_header, "").strip()
    try:
        name = raw.encode("latin-1").decode("utf-8")  # WSGI hands bytes over as Latin-1
    except UnicodeError:
        name = raw
    if len(name) > LONGEST_NAME or not name.isprintable():
        raise BadRequest("Your user name cannot be used here; please tell the host.")
    return name or None
