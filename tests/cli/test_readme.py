"""The README: its sample is what its command prints, and what pages link to is there."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

from benchmarks.servers.model import ModelServer
from tests.cli.process import clinfo

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md"))
NO = "AAD developed in 21 participants with S boulardii and in 19 with placebo (P = .87)"
FEW = "4 of 103 participants given Lactobacillus (3.9%) compared with 8 of 111 given placebo (7.2%)"
HABITS = "48.5% (50/103) against 31.5% (35/111) with placebo (P=0.01)"
STUDY = {"relevant": "yes", "answer": "no", "result": "no clear difference", "usefulness": 9}
REPLIES: dict[str, Any] = {
    "": (
        "TL;DR: Not shown: in two trials of adults, probiotics did not clearly lower "
        "antibiotic-associated diarrhea [1][2].\n\n"
        "With Lactobacillus diarrhea was seen in 4 of 103 adults, with placebo in 8 of 111, which "
        "was not a significant difference [1]. Bowel habits stayed closer to usual with it, 48.5% "
        "against 31.5% [1]. In hospital patients diarrhea developed in 21 participants with S "
        "boulardii and in 19 with placebo [2]."
    ),
    "doubts": {"doubts": []},
    "verify": {
        "verdicts": [
            {"label": label, "verdict": "supported", "quotes": quotes}
            for label, quotes in (
                ("S1", [{"article": 1, "words": FEW}, {"article": 2, "words": NO}]),
                ("S2", [{"article": 1, "words": FEW}]),
                ("S3", [{"article": 1, "words": HABITS}]),
                ("S4", [{"article": 2, "words": NO}]),
            )
        ],
        "answers": "yes",
    },
}


def a_reader(body: dict[str, Any]) -> str:
    """What a careful reader of the two trials says in the model's place."""
    text = body["messages"][-1]["content"]
    stage = (body.get("response_format") or {"json_schema": {"name": ""}})["json_schema"]["name"]
    if stage == "reading":
        quote = NO if NO in text else FEW
        found = STUDY | {"finding": quote, "outcome": "diarrhea", "quotes": [quote]}
        return json.dumps(found if quote in text else {"relevant": "no", "reason": "other aim"})
    if stage == "" and "Studies, each" not in text:
        return "probiotics AND antibiotic-associated diarrhea"
    return REPLIES[stage] if stage == "" else json.dumps(REPLIES[stage])


def test_the_sample_is_what_its_command_prints(tmp_path: Path) -> None:
    block = README.split("```text\n$ clinfo ", 1)[1].split("```", 1)[0]
    command, sample = block.split("\n", 1)
    with ModelServer(a_reader) as server:
        where = {"OPENAI_API_BASE": server.url, "OPENAI_API_KEY": "none"}
        done = clinfo(*shlex.split(command), cwd=tmp_path, **where)
    assert done.returncode == 0, done.stderr
    printed = " ".join(done.stdout.split())
    parts = [" ".join(part.split()) for part in sample.split("…")]
    assert len(parts) == 3
    assert [part for part in parts if part not in printed] == []


def test_it_is_short_and_links_lead_somewhere() -> None:
    assert len(README.splitlines()) <= 90
    assert len(PAGES) <= 15
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for path, anchor in re.findall(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)", text):
            target = page.parent / (path or page.name)
            assert target.exists(), (page.name, path)
            if anchor:
                headings = re.findall(r"^#+ (.*)", target.read_text("utf-8"), re.MULTILINE)
                names = {re.sub(r"[^\w -]", "", one.lower()).replace(" ", "-") for one in headings}
                assert anchor in names, (page.name, path, anchor)
