"""A build end to end: ``python -m pubmedrs build`` against ``clinfo eutils``, interrupted and
not.
"""

import json
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.process import environment
from tests.pubmedrs.build.reviews import SECTIONS, full_text, review
from tests.pubmedrs.build.servers import Front, local_eutils, pubmedrs

pytest.importorskip("tantivy")
pytest.importorskip("waitress")

RETRACTED = (
    "<CommentsCorrectionsList><CommentsCorrections "
    'RefType="RetractionIn"><RefSource>x</RefSource><PMID Version="1">900</PMID>'
    "</CommentsCorrections></CommentsCorrectionsList>"
)
RECORDS = [
    review(1, cites=[("11", "10.1000/a"), ("1", ""), ("11", "")], pmcid="PMC8", doi="10.1000/own"),
    review(2, "Is zinc good for acne and psoriasis? A systematic review.", entered=None),
    review(3, "Zinc against acne: a systematic review."),
    review(4, sections=[("", "Acne. Twelve studies were included.")]),
    review(5, sections=[*SECTIONS[:2], ("RESULTS", "None."), ("CONCLUSIONS", "Uncertain.")]),
    review(6, types=("Systematic Review", "Retracted Publication"), corrections=RETRACTED),
    review(7, "Does acne need zinc? A trial.", types=("Journal Article",)),
    review(8, "Is psoriasis worse in winter? =HYPERLINK(1) review.", doi="10.1000/psoriasis"),
]
LINKS: dict[str, list[str] | None] = {"1": ["12", "11", "1"], "2": []}
TEXTS = {"8": full_text("8", [("12", "10.1000/b"), ("", "10.1000/C"), ("", "10.1000/OWN")])}
TOPICS = ("--specialty", "acne", "--specialty", "papulosquamous disorders")
FILES = (
    "build.json",
    "candidates.jsonl",
    "details.jsonl",
    "flow.json",
    "flow.md",
    "rejected.jsonl",
)


@pytest.fixture(scope="module")
def behind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with local_eutils(tmp_path_factory.mktemp("built"), RECORDS) as address:
        yield address


def _run(front: Front, cwd: Path, *more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        pubmedrs("build", "--out", "out", "--eutils-url", front.url, *TOPICS, *more),
        cwd=cwd,
        env=environment(),
        timeout=120,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _bytes(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in FILES}


def test_from_the_searches_to_the_files(behind: str, tmp_path: Path) -> None:
    with Front(behind, LINKS, TEXTS) as front:
        done = _run(front, tmp_path)
        assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
        asked = len(front.asked)
        again = _run(front, tmp_path)
        assert (again.returncode, again.stdout, len(front.asked)) == (0, done.stdout, asked)
    out = tmp_path / "out"
    reviews = {row["pmid"]: row for row in _rows(out / "candidates.jsonl")}
    assert set(reviews) == {"1", "2", "8"}
    one = reviews["1"]
    assert (one["question"], one["title_question"]) == ("Does zinc help against acne?",) * 2
    assert one["answer"].endswith("to 0.62).\nZinc reduces acne lesions.")
    assert (one["published"], one["entered"], reviews["2"]["entered"]) == (
        "2021-06-22",
        "2021-06-23",
        None,
    )
    assert (one["references"], one["dois"]) == (
        ["11", "12"],
        ["10.1000/a", "10.1000/b", "10.1000/C"],
    )
    assert (one["specialty"], one["subtopic"]) == ("dermatology", "acne")
    details = {row["pmid"]: row for row in _rows(out / "details.jsonl")}
    assert details["1"]["references"] == [
        {"pmid": "11", "doi": "10.1000/a", "origins": ["record", "elink"]},
        {"pmid": "12", "doi": "10.1000/b", "origins": ["elink", "pmc"]},
        {"pmid": "", "doi": "10.1000/C", "origins": ["pmc"]},
    ]
    # The second stands under both topics, and the first of the file keeps it.
    assert [topic["subtopic"] for topic in details["2"]["topics"]] == [
        "papulosquamous disorders",
        "acne",
    ]
    assert reviews["2"]["subtopic"] == "papulosquamous disorders"
    assert {(row["pmid"], row["step"], row["reason"]) for row in _rows(out / "rejected.jsonl")} == {
        ("3", "question", "no question in the title"),
        ("4", "abstract", "abstract without labelled sections"),
        ("5", "results", "too short"),
        ("6", "retraction", "retracted"),
    }
    flow = json.loads((out / "flow.json").read_bytes())
    assert (flow["taken"], flow["duplicates"], flow["distinct"], flow["accepted"]) == (9, 2, 7, 3)
    assert done.stdout == (out / "flow.md").read_text(encoding="utf-8")
    manifest = json.loads((out / "build.json").read_bytes())
    assert [search["hits"] for search in manifest["searches"]] == [2, 7]
    assert all("systematic[sb]" in search["query"] for search in manifest["searches"])


@pytest.mark.parametrize("kills", [1, 3])
def test_killed_and_resumed_it_ends_in_the_same_bytes_and_asks_nothing_twice(
    behind: str, tmp_path: Path, kills: int
) -> None:
    with Front(behind, LINKS, TEXTS) as front:
        whole = tmp_path / "whole"
        whole.mkdir()
        assert _run(front, whole, "--batch", "1").returncode == 0
        needed, port = list(front.asked), front.port
    broken = tmp_path / "broken"
    broken.mkdir()
    with Front(behind, LINKS, TEXTS, delay=0.08, port=port) as front:
        for kill in range(kills):
            before = len(front.asked)
            started = subprocess.Popen(
                pubmedrs(
                    "build", "--out", "out", "--eutils-url", front.url, *TOPICS, "--batch", "1"
                ),
                cwd=broken,
                env=environment(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            deadline = time.monotonic() + 60
            while (
                len(front.asked) < before + 3
                and started.poll() is None
                and time.monotonic() < deadline
            ):
                time.sleep(0.01)
            assert started.poll() is None, f"not killed in the middle the {kill + 1}. time"
            started.kill()
            assert started.wait(timeout=30) == -signal.SIGKILL
            assert not (broken / "out" / "candidates.jsonl").exists()
        done = _run(front, broken, "--batch", "1")
        assert done.returncode == 0, done.stderr
        asked = list(front.asked)
    assert _bytes(broken / "out") == _bytes(whole / "out")
    # Only what was under way when a kill came is asked again.
    assert len(asked) <= len(needed) + kills
    assert set(asked) == set(needed)


def test_a_dry_run_prints_queries_and_counts_and_writes_nothing(
    behind: str, tmp_path: Path
) -> None:
    with Front(behind) as front:
        done = _run(front, tmp_path, "--dry-run")
        assert {utility for utility, _ in front.asked} == {"esearch"}
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    assert [line[:3] for line in lines] == [
        ["2", "dermatology", "papulosquamous disorders"],
        ["7", "dermatology", "acne"],
    ]
    assert all("systematic[sb]" in line[3] for line in lines)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--from", "2021"), "--from: 2021 is not a date"),
        (("--from", "2021-02-01", "--to", "2021-01-01"), "--to lies before --from"),
        (("--per-topic", "0"), "--per-topic must be from 1 to 9,999"),
        (("--batch", "201"), "--batch must be from 1 to 200"),
        (("--max", "0"), "--max must be 1 or more"),
        (("--specialty", "acnee"), 'there is no "acnee"; near it: acne'),
        (("--eutils-url", "ftp://x"), "address must begin with http"),
    ],
)
def test_wrong_usage_is_one_line_of_status_2(
    tmp_path: Path, flags: tuple[str, ...], said: str
) -> None:
    done = subprocess.run(
        pubmedrs("build", "--out", "out", *flags),
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert said in done.stderr
