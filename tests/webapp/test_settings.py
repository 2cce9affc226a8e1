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
    ],
)
def test_what_cannot_be_used_is_named_in_one_line(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(UsageError, match=re.escape(f"the environment variable {name} cannot be used: it must be ")) as raised:
        load_web_settings()
    assert "\n" not in str(raised.value)


def test_prices_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLINFO_WEB_PRICES", '{"openai/some-model": [0.15, 0.6]}')
    assert load_web_settings().prices == {"openai/some-model": (0.15, 0.6)}


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
