"""Security headers, cookies, cross-site request forgery, proxies.

``CLINFO_WEB_TRUSTED_PROXIES`` hops are believed when they tell the address, the scheme and the
host; none is by default. Forms carry a token (Flask-WTF); the API takes none, and like every
address that changes something it refuses what a page of another site sends. Nothing of a run is
cached; files under /static/ are, under addresses that carry a digest of the file.
"""

from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from flask import Flask, Response, abort, current_app, request
from flask_wtf.csrf import CSRFProtect
from werkzeug.middleware.proxy_fix import ProxyFix

from webapp.api import api
from webapp.services import services
from webapp.settings import WebSettings

POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        # No text becomes markup by script, but what watch.js gets from this site's own templates.
        "require-trusted-types-for 'script'",
        "trusted-types clinfo",
    )
)
HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",  # the address of a run is what gives access to it
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=(), clipboard-write=(self)",  # noqa: E501
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
HSTS: Final = "max-age=31536000"
_PLAIN: Final = ("ask.form", "ask.how")
"""Pages that hold nothing of a run: a browser may keep them, and what was typed into them, for its
Back button.
"""
_STATIC: Final = Path(__file__).parents[1] / "static"
_SAFE: Final = ("GET", "HEAD", "OPTIONS", "TRACE")


PROBES = ("/healthz", "/readyz")
"""Asked by a load balancer, which names the machine by its address."""


def set_up(app: Flask) -> None:
    """Put it into an app that is being made."""
    web: WebSettings = app.extensions["clinfo"].web
    app.config.update(
        SESSION_COOKIE_NAME=web.cookie("clinfo-form"),
        SESSION_COOKIE_SECURE=web.secure,
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_PATH="/",
        WTF_CSRF_TIME_LIMIT=None,  # as long as the session: a form may stay open over a ward round
        # it wants the Referer, which these pages do not send; see _refuse_other_sites
        WTF_CSRF_SSL_STRICT=False,
    )
    if hops := web.trusted_proxies:
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=hops, x_proto=hops, x_host=hops)  # type: ignore[method-assign]

    @app.before_request
    def _refuse_other_names() -> None:
        if request.path not in PROBES and not web.reached_as(request.host):
            abort(400, "This site is not reached under that name (CLINFO_WEB_HOSTS).")

    app.context_processor(lambda: {"plain_http": over_plain_http})
    app.before_request(_refuse_other_sites)
    CSRFProtect(app).exempt(api)
    app.url_defaults(_versioned)

    @app.after_request
    def _add(response: Response) -> Response:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        if web.secure:
            response.headers["Strict-Transport-Security"] = HSTS
        if request.endpoint == "static" and response.status_code in (200, 206, 304):
            _keep(response)
        elif "Cache-Control" not in response.headers:
            plain = (
                request.method == "GET"
                and request.endpoint in _PLAIN
                and not request.args
                and response.status_code == 200
            )
            response.headers["Cache-Control"] = "private, no-cache" if plain else "no-store"
        return response


def over_plain_http() -> bool:
    """Return whether a browser has come by http:// to a site that is set to HTTPS: it keeps none of
    the site's cookies, so no form can be sent.

    Behind a proxy that is not trusted every request seems to come so. Then the cookie is there, or
    what browsers send over HTTPS (and to this machine itself) only, or the proxy's word.
    """
    return not (
        not services().web.secure
        or request.is_secure
        or current_app.config["SESSION_COOKIE_NAME"] in request.cookies
        or "Sec-Fetch-Site" in request.headers
        or request.headers.get("X-Forwarded-Proto") == "https"
    )


def _refuse_other_sites() -> None:
    """Refuse a request that changes something and that a page of another site sent; programs send
    neither header.
    """
    if request.method in _SAFE:
        return
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        other = site not in ("same-origin", "none")
    else:
        origin = request.headers.get("Origin")
        # A form of ours sends "null", because of the referrer policy; its token says that it is
        # ours.
        other = (
            origin is not None
            and _netloc(origin) != request.host
            and not (origin == "null" and request.blueprint != "api")
        )
    if other:
        abort(403, "This request came from a page of another site, so it was not carried out.")


def _netloc(origin: str) -> str:
    try:
        parts = urlsplit(origin)
        usual = {"http": ":80", "https": ":443"}.get(parts.scheme, "")
        return parts.netloc.removesuffix(usual) if usual else parts.netloc
    except ValueError:
        return ""


def _versioned(endpoint: str, values: dict[str, Any]) -> None:
    """Give ``url_for("static", …)`` the file's digest, so that a new version has a new address."""
    if endpoint == "static" and "filename" in values and (digest := _digest(values["filename"])):
        values.setdefault("v", digest)


def _keep(response: Response) -> None:
    """A year where the address names the version that the file has, else ask each time whether it
    has changed.
    """
    digest = _digest((request.view_args or {}).get("filename", ""))
    current = digest is not None and request.args.get("v") == digest
    response.headers["Cache-Control"] = (
        "public, max-age=31536000, immutable" if current else "no-cache"
    )


@lru_cache(maxsize=256)
def _digest(name: str) -> str | None:
    try:
        return sha256((_STATIC / name).read_bytes()).hexdigest()[:12]
    except (OSError, ValueError):
        return None
