"""Every test here logs who asks in a folder of its own."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def patients(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that holds the log of who asks."""
    place = tmp_path / "who-asks"
    monkeypatch.setenv("CLINFO_PATIENTS_DIR", str(place))
    monkeypatch.setenv("CLINFO_CACHE", "off")
    return place
