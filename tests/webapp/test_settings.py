"""Settings of a host: typed and checked before anything runs, in one line that names the variable;
and failures as visitors are told them.
"""

import os
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from clinfo.errors import UsageError
from clinfo.extras import install
from clinfo.settings import Settings
from webapp.hosting.starting import advice, check, unknown
from webapp.settings import WebSettings, kept_secret, load_web_settings
from webapp.work.retrying import OF_DAY, OF_RUN, for_visitors


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CLINFO_WEB_DAILY_BUDGET", "inf"),
        ("CLINFO_WEB_DAILY_BUDGET", "1e12"),  # more nanodollars than the column holds
        ("CLINFO_WEB_RUN_BUDGET", "-1"),
        ("CLINFO_WEB_PRICES", "0.15, 0.60"),
        ("CLINFO_WEB_PRICES", '{"openai/some-model": [0.15]}'),
        ("CLINFO_WEB_PRICES", '{"openai/some-model": [-1, 1]}'),
        ("CLINFO_WEB_PRICES", '{"openai/some-model": [NaN, 1]}'),
        ("CLINFO_WEB_SOURCES", "pubmed, /etc/passwd"),
        ("PORT", "http"),
        ("CLINFO_WEB_LINK_RESOLVER", "javascript:alert(1)//"),
        ("CLINFO_WEB_LINK_RESOLVER", "resolver.example.org/openurl"),
        ("CLINFO_WEB_LINK_RESOLVER", "ftp://resolver.example.org/openurl"),
        ("CLINFO_WEB_LINK_RESOLVER", "https:///openurl"),
        ("CLINFO_WEB_LINK_RESOLVER", "https://resolver.example.org/\nx"),
        ("CLINFO_WEB_USER_HEADER", "X-Remote-User:"),
        ("CLINFO_WEB_USER_HEADER", "X Remote User"),
        ("CLINFO_WEB_USER_HEADER", "X-Remote-User\n"),
        ("CLINFO_WEB_USER_HEADER", "Benutzer-Ä"),
        ("CLINFO_WEB_RETENTION_DAYS", "inf"),
        ("CLINFO_WEB_RETENTION_DAYS", "nan"),
        ("CLINFO_WEB_RETENTION_DAYS", "0"),
        ("CLINFO_WEB_RUNS_RATE", "lots"),
        ("CLINFO_WEB_REQUESTS_RATE", "5 per fortnight"),
        ("WEB_CONCURRENCY", "0"),
        ("WEB_CONCURRENCY", "1.5"),
        ("WEB_CONCURRENCY", "²"),
        ("WEB_CONCURRENCY", "99999999999"),
        ("CLINFO_WEB_ADMIN_TOKEN", "x" * 31),
        ("CLINFO_WEB_CONTACT", "help@example.org\r\nX: y"),
        ("CLINFO_WEB_CONTACT", "help@example.org\x1b[2J"),
    ],
)
def test_what_cannot_be_used_is_named_in_one_line(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(
        UsageError, match=re.escape(f"the environment variable {name} cannot be used: it must be ")
    ) as raised:
        load_web_settings()
    assert "\n" not in str(raised.value)


def test_prices_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLINFO_WEB_PRICES", '{"openai/some-model": [0.15, 0.6]}')
    assert load_web_settings().prices == {"openai/some-model": (0.15, 0.6)}


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        (
            "CLINFO_WEB_LINK_RESOLVER",
            "link_resolver",
            "https://resolver.example.org:8443/openurl?sid=clinfo&x=%20",
        ),
        ("CLINFO_WEB_LINK_RESOLVER", "link_resolver", "HTTP://[2001:db8::1]/openurl"),
        ("CLINFO_WEB_USER_HEADER", "user_header", "X-Remote-User"),
        ("CLINFO_WEB_RETENTION_DAYS", "retention_days", 0.5),
        ("CLINFO_WEB_CONTACT", "contact", "Bücherei, Tel. 1 234, hilfe@example.org"),
    ],
)
def test_what_a_host_may_well_set_is_taken(
    monkeypatch: pytest.MonkeyPatch, name: str, field: str, value: object
) -> None:
    monkeypatch.setenv(name, str(value))
    assert getattr(load_web_settings(), field) == value


def test_the_secret_of_one_machine_is_made_once_and_is_its_owners(tmp_path: Path) -> None:
    secret = kept_secret(tmp_path / "data")
    assert len(secret) >= 48
    assert kept_secret(tmp_path / "data") == secret
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["webapp-secret"]
    assert stat.S_IMODE((tmp_path / "data" / "webapp-secret").stat().st_mode) == 0o600


def test_a_secret_that_a_killed_start_left_empty_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / "webapp-secret").touch()
    secret = kept_secret(tmp_path)
    assert len(secret) >= 48
    assert kept_secret(tmp_path) == secret


# ---- before anything starts


LONG = "x" * 32


def web(**fields: Any) -> WebSettings:
    return WebSettings(
        **{"secret_key": LONG, "database_url": "sqlite:////nowhere/webapp.sqlite"} | fields
    )


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"secret_key": "short"}, "SECRET_KEY"),
        ({"secret_key": "x" * 31}, "SECRET_KEY"),
        ({"redis_url": "nonsense"}, "REDIS_URL"),
        ({"redis_url": "http://x"}, "REDIS_URL"),
        ({"redis_url": "memory://"}, "REDIS_URL"),
        ({"redis_url": "redis://:hidden@host:notaport/0"}, "REDIS_URL"),
        ({"database_url": "nonsense"}, "DATABASE_URL"),
        ({"database_url": "mysql://u:hidden@host/x"}, "DATABASE_URL"),
        ({"database_url": "postgresql://u:hidden@host:notaport/x"}, "DATABASE_URL"),
        ({"database_url": "postgresql+nonsense://u:hidden@host/x"}, "DATABASE_URL"),
        ({"database_url": "sqlite://"}, "DATABASE_URL"),
        ({"database_url": "sqlite+aiosqlite:////x.sqlite"}, "DATABASE_URL"),
        ({"user_header": "X-Remote-User"}, "CLINFO_WEB_TRUSTED_PROXIES"),
        ({"sources": ("demo", "local")}, "CLINFO_INDEX_DIR"),
        ({"max_seconds": 30.0, "longest_seconds": 10.0}, "CLINFO_WEB_LONGEST_SECONDS"),
        ({"longest_seconds": 10.0}, "CLINFO_WEB_MAX_SECONDS"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(fields: dict[str, Any], named: str) -> None:
    check(web(), Settings(source="demo"))
    with pytest.raises(UsageError, match=named) as refused:
        check(web(**fields), Settings(source="demo"))
    assert "\n" not in str(refused.value)
    assert "hidden" not in str(refused.value)


@pytest.mark.parametrize(
    "fields",
    [
        {"redis_url": "redis://127.0.0.1:6379/0"},
        {"redis_url": "rediss://user:password@host"},
        {"database_url": "postgres://u:p@host/x"},
        {"database_url": "postgresql://u:p@host:5432/x?sslmode=require"},
        {"runs_rate": "10 per minute; 100 per day"},
        {"user_header": "X-Remote-User", "trusted_proxies": 1},
        {"max_seconds": 10.0, "longest_seconds": 10.0},
    ],
)
def test_what_can_be_used_is_not_refused(fields: dict[str, Any]) -> None:
    check(web(**fields), Settings(source="demo"))


def test_nothing_is_made(tmp_path: Path) -> None:
    check(
        web(database_url=f"sqlite:///{tmp_path / 'new' / 'webapp.sqlite'}"),
        Settings(source="demo", data_dir=tmp_path / "data"),
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("CLINFO_WEB_MODEL", "CLINFO_WEB_MODELS"),
        ("CLINFO_WEB_DAYLY_BUDGET", "CLINFO_WEB_DAILY_BUDGET"),
        ("clinfo_web_own_key", "CLINFO_WEB_OWN_KEYS"),
        ("CLINFO_WEB_REDIS_URL", "REDIS_URL"),
        ("CLINFO_WEB_SECRET_KEY", "SECRET_KEY"),
        ("CLINFO_WEB_ZZZ", "docs/hosting.md"),
    ],
)
def test_a_variable_that_is_no_setting_is_told_with_the_nearest_one(name: str, meant: str) -> None:
    said = unknown(
        {
            name: "hidden",
            "CLINFO_WEB_MODELS": "extractive",
            "clinfo_web_host": "::1",
            "CLINFO_WEB_TYPO": "",
        }
    )
    assert list(said) == [name]
    assert name in said[name]
    assert f" {meant}" in said[name]
    assert "hidden" not in said[name]


def test_without_its_extra_the_app_names_what_installs_it(tmp_path: Path) -> None:
    (tmp_path / "sqlalchemy.py").write_text("raise ModuleNotFoundError(name='sqlalchemy')")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    done = subprocess.run(
        [sys.executable, "-m", "webapp"], capture_output=True, text=True, env=environment
    )
    assert (done.returncode, done.stdout) == (UsageError.exit_status, "")
    assert done.stderr == f"error: this feature needs the package sqlalchemy; {install('web')}\n"


@pytest.mark.parametrize(
    ("fields", "needed"),
    [
        ({"host": "0.0.0.0"}, True),
        ({"host": "127.0.0.1", "https": True}, True),
        ({"host": "127.0.0.1"}, False),
        ({"host": "0.0.0.0", "https": False}, False),
        ({"host": "0.0.0.0", "trusted_proxies": 1}, False),
    ],
)
def test_who_listens_without_https_and_without_a_proxy_is_told_what_to_set(
    fields: dict[str, Any], needed: bool
) -> None:
    said = advice(web(**fields))
    assert (said is not None) is needed
    assert said is None or "CLINFO_WEB_HTTPS=false" in said


# ---- what visitors are told of failures


@pytest.mark.parametrize(
    ("error", "problem", "retryable", "told"),
    [
        (
            "BudgetReached",
            "today's budget of this site, $1.0000, does not cover this run: $0.9000 spent, and it "
            "is likely to cost $0.2000; the budget is renewed at 0:00 UTC",
            False,
            (OF_DAY, True),
        ),
        (
            "BudgetReached",
            "the budget of $0.1000 does not cover another call: $0.0900 spent, and the next call "
            "might cost $0.0200",
            True,
            (OF_RUN, False),
        ),
        (
            "ModelError",
            "openai/x: the provider's rate limit was reached (429); wait, or lower "
            "CLINFO_CONCURRENCY",
            True,
            ("openai/x: the provider's rate limit was reached (429); wait", True),
        ),
        (
            "ModelError",
            "openai/x: no API key; set OPENAI_API_KEY",
            False,
            ("openai/x: no API key", False),
        ),
        (
            "SourceError",
            "PubMed could not be reached (timed out); check the network",
            True,
            ("PubMed could not be reached (timed out); check the network", True),
        ),
        (
            "IdentifiersFound",
            "the question seems to identify a patient. Nothing was sent. Remove it and ask again, "
            "or allow it (--allow-identifiers).",
            False,
            (
                "the question seems to identify a patient. Nothing was sent. Remove it and ask "
                "again",
                False,
            ),
        ),
        (
            "UsageError",
            "set CLINFO_INDEX_DIR",
            False,
            ("something is not set up on this site; please tell its host", False),
        ),
    ],
)
def test_a_visitor_reads_no_amounts_and_no_advice_for_hosts(
    error: str, problem: str, retryable: bool, told: tuple[str, bool]
) -> None:
    assert for_visitors(error, problem, retryable) == told
