"""Checks of the settings before the app starts: each fault is reported once, in one line.

A setting that only a web process looks at would else be found out by its process alone, which would
be started again for ever.
"""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Final

from clinfo import sources
from clinfo.errors import UsageError
from clinfo.pipelines.literature import default_judge
from clinfo.settings import Settings
from webapp.settings import PATIENTS, WebSettings, variable
from webapp.storage.database import address

SHORTEST_SECRET: Final = 32
"""Characters of SECRET_KEY; 32 hexadecimal digits are 128 bits."""
_PREFIX: Final = "CLINFO_WEB_"


def check(web: WebSettings, chain: Settings) -> None:
    """Raises UsageError that names the variable, in one line, for settings that cannot be used,
    alone or together.

    It opens and makes nothing. Whether SECRET_KEY is set at all is for web processes to ask: see
    `secret`.
    """
    address(web.engine_url)
    if web.secret_key is not None:
        secret(web)
    _redis(web)
    if web.web_concurrency > 1 and web.redis_url is None:
        raise UsageError(
            f"WEB_CONCURRENCY is {web.web_concurrency}, but several web processes can only count "
            "visitors' requests together in Redis: set REDIS_URL, or WEB_CONCURRENCY=1"
        )
    _sources(web, chain)
    default_judge(chain, None)
    if web.user_header and web.trusted_proxies < 1:
        raise UsageError(
            "CLINFO_WEB_USER_HEADER is set, but CLINFO_WEB_TRUSTED_PROXIES is 0: no header would "
            "be trusted and no "
            "run would be private; set CLINFO_WEB_TRUSTED_PROXIES to the number of proxies in front"
        )
    for field, one in WebSettings.model_fields.items():
        if (
            PATIENTS in one.metadata
            and getattr(web, field)
            and not (web.user_header or web.for_this_machine)
        ):
            raise UsageError(
                f"{variable(field)} is set, but others than this machine can reach the site "
                "without a login: patients' records need CLINFO_WEB_USER_HEADER, or "
                "CLINFO_WEB_HOST=127.0.0.1 and no proxy"
            )
    if web.max_seconds > web.longest_seconds:
        raise UsageError(
            f"CLINFO_WEB_MAX_SECONDS is {web.max_seconds:g}, but CLINFO_WEB_LONGEST_SECONDS allows "
            "no more than "
            f"{web.longest_seconds:g}: make the first smaller or the second larger"
        )


def secret(web: WebSettings) -> str:
    """The secret of web processes. Raises UsageError where it is not set, or could be guessed."""
    if web.secret_key is None:
        raise UsageError(
            "SECRET_KEY is not set: set it to a long random text, the same for all web processes "
            "and at each start"
        )
    found = web.secret_key.get_secret_value()
    if len(found) < SHORTEST_SECRET:
        raise UsageError(
            f"SECRET_KEY is too short: give at least {SHORTEST_SECRET} random characters"
        )
    return found


def advice(web: WebSettings) -> str | None:
    """Return what a host should know of settings that work for some, in one line."""
    if web.https is False or web.trusted_proxies or (web.https is None and web.on_loopback):
        return None
    return (
        "visitors must come by https://: over http:// browsers keep no cookie of this site and no "
        "form can be sent. Set CLINFO_WEB_TRUSTED_PROXIES=1 behind a proxy that handles HTTPS and "
        "sends X-Forwarded-Proto, or CLINFO_WEB_HTTPS=false for a site without HTTPS"
    )


def unknown(environment: Mapping[str, str]) -> dict[str, str]:
    """Variables that look like the web app's and are none, each with a line about it; empty ones
    count as not set.
    """
    known = [variable(field) for field in WebSettings.model_fields]
    said = {}
    for name, value in environment.items():
        if name.upper().startswith(_PREFIX) and value and name.upper() not in known:
            # Without what all have in common, which would make all of them alike.
            bare = {each.removeprefix(_PREFIX): each for each in known}
            near = get_close_matches(name.upper().removeprefix(_PREFIX), bare, n=1, cutoff=0.5)
            meant = (
                f"did you mean {bare[near[0]]}?" if near else "docs/hosting.md lists all settings"
            )
            said[name] = f"{ascii(name)[1:-1]} is not a setting and was ignored; {meant}"
    return said


def _redis(web: WebSettings) -> None:
    if web.redis_url is None:
        return
    needed = "it must be an address such as redis://:password@host:6379/0, or rediss://… for TLS"
    if not web.redis_url.startswith(("redis://", "rediss://")):
        raise UsageError(f"REDIS_URL cannot be used: {needed}")
    from redis.connection import parse_url  # takes a moment, and not all have a Redis

    try:
        parse_url(web.redis_url)  # type: ignore[no-untyped-call]
    except ValueError:  # a port that is not a number, an option that cannot be read
        raise UsageError(f"REDIS_URL cannot be used: {needed}") from None


def _sources(web: WebSettings, chain: Settings) -> None:
    names = sources.names()
    if chain.source not in names:
        raise UsageError(
            "the environment variable CLINFO_SOURCE cannot be used: it must be one of: "
            f"{', '.join(names)}"
        )
    for one in sources.source_specs():
        if one.name in web.offered_sources(chain) and (missing := one.missing(chain)):
            named = "CLINFO_WEB_SOURCES" if web.sources else "CLINFO_SOURCE"
            raise UsageError(f"{named} names the source {one.name}, but {missing}")
