"""Settings of the host of a web app, typed and checked once. Those of the chain are in
`clinfo.settings`.
"""

import json
import os
import secrets
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from limits import parse_many
from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from clinfo import sources
from clinfo.errors import UsageError
from clinfo.records import EXTRACTIVE
from clinfo.settings import Settings

Names = Annotated[tuple[str, ...], NoDecode]
Dollars = Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)]

PATIENTS = "patients' records"
"""Marks a setting that opens them: it needs a login, or a site for this machine only."""
_RATES = "rates such as “30 per hour” or “10 per minute; 100 per day”"
_UNPREFIXED = ("database_url", "redis_url", "secret_key", "port", "web_concurrency")


class WebSettings(BaseSettings):
    """Read from ``CLINFO_WEB_`` and the field's name in capitals; five come without that prefix.
    Empty counts as not set.

    Lists are written with commas. Money is US dollars, times are seconds unless the name says
    otherwise.
    """

    model_config = SettingsConfigDict(
        env_prefix="CLINFO_WEB_",
        frozen=True,
        extra="ignore",
        env_ignore_empty=True,
        hide_input_in_errors=True,
    )

    database_url: str | None = Field(default=None, validation_alias="database_url")
    """SQLAlchemy's form, or Heroku's ``postgres://…``; not set: a SQLite file in clinfo's data
    folder.
    """
    redis_url: str | None = Field(default=None, validation_alias="redis_url")
    secret_key: SecretStr | None = Field(default=None, validation_alias="secret_key")
    port: int = Field(
        default=8000, ge=0, le=65_535, validation_alias="port", description="a port, 0 to 65535"
    )
    web_concurrency: int = Field(
        default=1,
        ge=1,
        le=1_000,
        validation_alias="web_concurrency",
        description="a whole number from 1 to 1,000",
    )
    """Web processes, which gunicorn itself reads, as its documentation says."""
    host: str = "127.0.0.1"

    site_name: str = Field(default="Clinfo", max_length=80, description="at most 80 characters")
    contact: str | None = Field(
        default=None,
        pattern=r"^[^\p{Cc}\p{Zl}\p{Zp}]*$",
        description="text without control characters",
    )
    """An e-mail address or a page where readers reach the host; shown at the foot."""
    models: Names = ()
    """The models that visitors may choose, the first by default; not set: CLINFO_MODEL, else the
    extractive one.
    """
    sources: Names = ()
    """The sources that visitors may choose, the first by default; not set: CLINFO_SOURCE and all
    that are set up.
    """
    edit_prompts: bool = Field(default=True, description="true or false")
    own_keys: bool = Field(default=False, description="true or false")
    """True where visitors may bring a provider's key of their own."""
    chart: Annotated[bool, PATIENTS] = Field(default=False, description="true or false")
    """True where patients' records may be asked: on a site with a login, or on this machine
    only.
    """
    cohorts: Annotated[dict[str, str], NoDecode, PATIENTS] = Field(
        default_factory=dict,
        description='JSON such as {"Our clinic": "/srv/cohort"}: titles, each with a folder',
    )
    """Indexes of ``clinfo cohort build`` that may be asked on /cohort, under the rules of
    ``chart``.
    """
    cohort_least: int | None = Field(
        default=None, ge=0, le=1_000, description="a whole number from 0 to 1,000"
    )
    """Counts on /cohort are shown in ranges of so many numbers, and no patients; 0: exact ones with
    their patients. Not set: 11 behind a login, 0 on this machine.
    """
    copilot: bool = Field(default=False, description="true or false")
    """True where visitors may ask the copilot; a patient's case only with a login, or on this
    machine.
    """
    admin_token: SecretStr | None = Field(
        default=None, min_length=32, description="at least 32 random characters"
    )
    """What the host shows to see /admin; not set: there is no such page."""
    log_questions: bool = Field(default=False, description="true or false")

    max_seconds: float = Field(
        default=180.0, gt=0, le=3_600, description="seconds, above 0 and at most 3,600"
    )
    """The deadline of a run that asks for none: a model reads twenty articles within it, and a run
    without one needs a few seconds.
    """
    longest_seconds: float = Field(
        default=600.0, gt=0, le=86_400, description="seconds, above 0 and at most 86,400"
    )
    """The longest deadline a visitor may ask for."""
    most_articles: int = Field(
        default=200, ge=1, le=10_000, description="a whole number from 1 to 10,000"
    )

    daily_budget: Dollars | None = Field(default=None, description="US dollars, 0 to 1,000,000")
    """Most that all runs of a day (UTC) may cost together; what a visitor's own key pays does not
    count.
    """
    run_budget: Dollars | None = Field(default=None, description="US dollars, 0 to 1,000,000")
    prices: Annotated[dict[str, tuple[Dollars, Dollars]], NoDecode] = Field(
        default_factory=dict,
        description=(
            'JSON such as {"openai/some-model": [0.15, 0.60]}: US dollars a million tokens in and '
            "out"
        ),
    )

    runs_rate: str = Field(default="30 per hour", description=_RATES)
    """Runs that one address, and one user, may start."""
    requests_rate: str = Field(default="600 per minute", description=_RATES)
    queue_limit: int = Field(default=200, ge=1, description="a whole number, 1 or more")
    runs_at_a_time: int = Field(
        default=8, ge=1, le=1_000, description="a whole number from 1 to 1,000"
    )
    """Runs that a worker carries out side by side."""
    streams: int = Field(
        default=250, ge=1, le=10_000, description="a whole number from 1 to 10,000"
    )
    """Event streams that a web process serves at a time."""
    largest_body: int = Field(default=600_000, ge=10_000, description="bytes, 10,000 or more")

    hosts: Names = ()
    """Names that the site is reached under; not set: those of this machine where it listens on
    loopback only and no proxy is trusted, else any.
    """
    trusted_proxies: int = Field(default=0, ge=0, le=10, description="a whole number from 0 to 10")
    """The number of proxies in front that are trusted to tell a visitor's address, scheme and host.
    """
    user_header: str | None = Field(
        default=None,
        pattern=r"^[!#$%&'*+.^_`|~0-9A-Za-z-]+$",
        description="the name of a header, such as X-Remote-User",
    )
    """The header in which a trusted proxy names the user who is logged in; runs are then private to
    that user.
    """
    https: bool | None = Field(default=None, description="true or false")
    """True where visitors come by HTTPS (secure cookies, HSTS); not set: true, but for ``python -m
    webapp`` on loopback.
    """

    retention_days: float | None = Field(
        default=None, gt=0, le=1_000_000, description="days, above 0 and at most 1,000,000"
    )
    # Readers are sent there by a link, so nothing that a browser would run may stand in it.
    link_resolver: str | None = Field(
        default=None,
        pattern=r"^(?i:https?)://[^\s/?#\\]+[^\s\x00-\x1f\x7f]*$",
        description="an address that begins with http:// or https://",
    )
    """The library's OpenURL resolver, e.g. ``https://resolver.example.org/openurl``."""

    lease_seconds: float = Field(default=15.0, ge=0.2, le=600, description="seconds, 0.2 to 600")
    """Seconds for which a run stays with a worker that no longer responds."""

    @field_validator("models", "sources", "hosts", mode="before")
    @classmethod
    def _names(cls, value: object) -> object:
        return (
            tuple(part for each in value.split(",") if (part := each.strip()))
            if isinstance(value, str)
            else value
        )

    @field_validator("prices", "cohorts", mode="before")
    @classmethod
    def _json(cls, value: object) -> object:
        return json.loads(value) if isinstance(value, str) else value

    @field_validator("runs_rate", "requests_rate")
    @classmethod
    def _rates(cls, value: str) -> str:
        parse_many(value)
        return value

    @field_validator("sources")
    @classmethod
    def _known_sources(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not set(value) <= set(sources.names()):
            raise ValueError
        return value

    @property
    def engine_url(self) -> str:
        """The database's address as SQLAlchemy wants it."""
        if self.database_url is None:
            return f"sqlite:///{Settings().data_dir / 'webapp.sqlite'}"
        scheme, separator, rest = self.database_url.partition("://")
        return (
            f"postgresql+psycopg://{rest}"
            if scheme in ("postgres", "postgresql") and separator
            else self.database_url
        )

    @property
    def secure(self) -> bool:
        """Return whether visitors come by HTTPS."""
        return self.https is not False

    def cookie(self, name: str) -> str:
        """The name of a cookie: its prefix, which browsers honour over HTTPS only, keeps
        neighbouring hosts from setting it.
        """
        return f"__Host-{name}" if self.secure else name

    @property
    def on_loopback(self) -> bool:
        """Return whether only this machine can reach the site."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    @property
    def fewest_shown(self) -> int:
        """The width of the ranges that counts of patients are shown in; 0 for exact counts."""
        if self.cohort_least is not None:
            return self.cohort_least
        return 0 if self.for_this_machine else 11

    @property
    def for_this_machine(self) -> bool:
        """Return whether nobody from elsewhere can reach the site, by a proxy either."""
        return self.on_loopback and not self.trusted_proxies

    def reached_as(self, host: str) -> bool:
        """Return whether a request may ask for a host, "clinfo.example:443".

        Else a page of another site could reach a loopback app under a name of its own (DNS
        rebinding).
        """
        try:
            name = (urlsplit(f"//{host}").hostname or "").rstrip(".")
        except ValueError:
            return False
        if not name:  # a header that no name can be read from
            return False
        if self.hosts:
            return name in {one.lower().rstrip(".") for one in self.hosts}
        if not self.on_loopback or self.trusted_proxies:
            return True
        return name in ("localhost", "127.0.0.1", "::1", self.host) or name.endswith(".localhost")

    def offered_models(self, chain: Settings) -> tuple[str, ...]:
        return self.models or (chain.model or EXTRACTIVE,)

    def offered_sources(self, chain: Settings) -> tuple[str, ...]:
        if self.sources:
            return self.sources
        ready = [
            one.name
            for one in sources.source_specs()
            if one.name in sources.names() and not one.missing(chain)
        ]
        first = [chain.source] if chain.source in sources.names() else []
        return tuple(dict.fromkeys([*first, *ready]))


def load_web_settings() -> WebSettings:
    """The web app's settings of this process. Raises UsageError that names the variable whose value
    cannot be used.
    """
    try:
        return WebSettings()
    except ValidationError as error:
        field = str(
            error.errors(include_url=False, include_context=False, include_input=False)[0]["loc"][0]
        )
        needed = WebSettings.model_fields[field].description or "text in UTF-8"
        if field == "sources":
            needed = f"names, with commas between them, out of: {', '.join(sources.names())}"
        raise UsageError(
            f"the environment variable {variable(field)} cannot be used: it must be {needed}"
        ) from None


def variable(field: str) -> str:
    """The environment variable that a field of `WebSettings` is read from."""
    return field.upper() if field in _UNPREFIXED else f"CLINFO_WEB_{field.upper()}"


def kept_secret(folder: Path) -> str:
    """The secret key of a web app for one machine, made once and kept in ``folder``, readable by
    its owner only.
    """
    path = folder / "webapp-secret"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(FileNotFoundError):
        if kept := path.read_text(encoding="ascii").strip():
            return kept
    # Whole or not at all: a start that was killed here must not leave an empty secret behind.
    fresh = path.with_name(f"{path.name}-{secrets.token_hex(4)}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(secrets.token_urlsafe(48))
    fresh.replace(path)
    return path.read_text(encoding="ascii").strip()
