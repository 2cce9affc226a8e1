"""What is wrong with the settings is known before anything starts, and said in one line that names
the variable.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from clinfo.errors import UsageError
from clinfo.extras import install
from clinfo.settings import Settings
from webapp.hosting.starting import advice, check, unknown
from webapp.settings import WebSettings

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
        ({"runs_rate": "lots"}, "CLINFO_WEB_RUNS_RATE"),
        ({"requests_rate": "5 per fortnight"}, "CLINFO_WEB_REQUESTS_RATE"),
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


@pytest.mark.parametrize("value", ["0", "-1", "abc", "1.5", "²", "99999999999"])
def test_a_number_of_processes_that_is_none(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("WEB_CONCURRENCY", value)
    with pytest.raises(UsageError, match="WEB_CONCURRENCY"):
        check(web(redis_url="redis://127.0.0.1"), Settings(source="demo"))


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
