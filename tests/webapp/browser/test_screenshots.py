"""The pictures of the documentation can be taken: each step of the script finds what it looks
for.
"""

import importlib.util
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser

from tests.webapp.browser.conftest import World
from tests.webapp.running import ROOT

pytestmark = pytest.mark.slow

LARGEST = 200 * 1024


def test_pictures(browser: Browser, world: World, tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location(
        "take_screenshots", ROOT / "docs" / "take_screenshots.py"
    )
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    script.take(browser, world.app.url, tmp_path, world.pace)
    for name in script.PICTURES:
        for folder in (tmp_path, ROOT / "docs" / "screenshots"):
            path = folder / f"{name}.png"
            assert 10_000 < path.stat().st_size < LARGEST, path
            with Image.open(path) as picture:
                assert len(picture.convert("L").getcolors(256) or []) > 20, (
                    f"{name} shows next to nothing"
                )
