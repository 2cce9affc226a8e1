"""What a host sets: typed and checked before anything runs, in one line that names the variable."""

from __future__ import annotations

import re
import stat
from pathlib import Path

import pytest

from clinfo.errors import UsageError
from webapp.settings import kept_secret, load_web_settings


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
