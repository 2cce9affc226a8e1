"""The README: its sample is what its command prints, and what it links to is there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from tests.cli.process import clinfo

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_sample_is_what_its_command_prints(tmp_path: Path) -> None:
    block = README.split("```text\n$ clinfo ", 1)[1].split("```", 1)[0]
    command, sample = block.split("\n", 1)
    done = clinfo(*shlex.split(command), cwd=tmp_path)
    assert done.returncode == 0
    printed = " ".join(done.stdout.split())
    parts = [" ".join(part.split()) for part in sample.split("…")]
    assert len(parts) > 5
    assert [part for part in parts if part not in printed] == []


def test_it_is_short_and_its_links_lead_somewhere() -> None:
    assert len(README.splitlines()) <= 120
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")):
        for link in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / link).exists(), (page.name, link)


def test_headings_that_pages_link_to_are_there() -> None:
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        text = page.read_text(encoding="utf-8")
        for path, anchor in re.findall(r"\]\((?!https?:)([^)#]*)#([^)]+)\)", text):
            headings = re.findall(
                r"^#+ (.*)", (page.parent / (path or page.name)).read_text("utf-8"), re.MULTILINE
            )
            names = {re.sub(r"[^\w -]", "", one.lower()).replace(" ", "-") for one in headings}
            assert anchor in names, (page.name, path, anchor)
