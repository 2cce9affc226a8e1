"""A small data set, a source that holds its reviews and 24 trials, and the command, here or as a
process of its own.
"""

import contextlib
import csv
import hashlib
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from benchmarks.pubmedrs200.running.command import main
from benchmarks.servers import workload
from benchmarks.servers.citation_xml import render_set
from clinfo.records.articles import Article, DateInterval, Section
from tests.pubmedrs.sample import HEADER

ROOT = Path(__file__).resolve().parents[4]
COMMAND = (sys.executable, "-m", "benchmarks", "run")
REVIEWS = {
    "30000001": ("Does vitamin D prevent falls in older people?", "3/4/2021"),
    "30000002": ("Does aspirin prevent falls in older people?", "6/1/2019"),
    "30000003": ("Is vitamin D better than placebo in older people who fall?", "12/31/2022"),
}


def written_data(path: Path) -> Path:
    """The data set, in the published form."""
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.DictWriter(file, HEADER)
        out.writeheader()
        for pmid, (question, day) in REVIEWS.items():
            texts = {
                "Title": f"{question} A review.",
                "Introduction": "Falls.",
                "Results": "Fewer fell.",
                "Conclusion": "It may.",
            }
            answer = "Fewer people fell.\n\nThe effect is small."
            lists = {"Ref_PMIDs": "['1002', '1004']", "Ref_DOIs": "[]"}
            row = {
                "specialty": "geriatrics",
                "SubTopic": "falls",
                "Abstract": "Fewer fell.",
                "Methods": "We searched.",
                **texts,
            }
            out.writerow(
                {
                    **row,
                    **lists,
                    "PMID": pmid,
                    "questions": question,
                    "PublishedDate": day,
                    "HumanAnswer": answer,
                }
            )
    return path


def articles() -> list[Article]:
    """24 trials, half of 2020 and half of 2018, and the reviews."""
    trials = workload.articles()[:24]
    old = DateInterval(date(2018, 1, 1), date(2018, 12, 31), "2018")
    trials = [
        replace(one, published=old) if number % 4 < 2 else one for number, one in enumerate(trials)
    ]
    reviews = [
        Article(
            id=f"pmid:{pmid}",
            pmid=pmid,
            title=f"{question} A systematic review of vitamin D and aspirin",
            sections=(
                Section(
                    "In older people vitamin D prevented falls, aspirin did not prevent falls.",
                    "RESULTS",
                ),
            ),
            published=DateInterval(date(2017, 1, 1), date(2017, 1, 1), "2017 Jan 1"),
            doi=f"10.5555/review.{pmid[-1]}",
        )
        for pmid, (question, _) in REVIEWS.items()
    ]
    return [*trials, *reviews]


@dataclass
class Runner:
    """Runs the command with a data set and a source, in an environment of its own."""

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def data(self) -> Path:
        return self.folder / "reviews.csv"

    @property
    def source(self) -> Path:
        return self.folder / "trials.xml"

    def arguments(self, out: str, *flags: str) -> list[str]:
        return [
            "--data",
            str(self.data),
            "--source",
            str(self.source),
            "--out",
            str(self.folder / out),
            *flags,
        ]

    def start(self, out: str, *flags: str) -> subprocess.Popen[str]:
        environment = {**os.environ, **self.environment, "PYTHONPATH": str(ROOT)}
        command = [*COMMAND, *self.arguments(out, *flags)]
        pipe = subprocess.PIPE
        return subprocess.Popen(
            command, cwd=self.folder, env=environment, stdout=pipe, stderr=pipe, text=True
        )

    def __call__(self, out: str, *flags: str, status: int = 0) -> tuple[str, str]:
        """Standard output and error of a run that ends with ``status``; begun in this process,
        which saves loading all anew.
        """
        told, errors = io.StringIO(), io.StringIO()
        with (
            mock.patch.dict(os.environ, self.environment),
            contextlib.chdir(self.folder),
            contextlib.redirect_stdout(told),
            contextlib.redirect_stderr(errors),
            pytest.raises(SystemExit) as ended,
        ):
            main(self.arguments(out, *flags))
        assert ended.value.code == status, (
            f"{ended.value.code}: {told.getvalue()}\n{errors.getvalue()}"
        )
        return told.getvalue(), errors.getvalue()

    def apart(self, out: str, *flags: str, status: int = 0) -> tuple[str, str]:
        """The same as a process of its own."""
        process = self.start(out, *flags)
        stdout, stderr = process.communicate(timeout=120)
        assert process.returncode == status, f"{process.returncode}: {stdout}\n{stderr}"
        return stdout, stderr

    def refusal(self, capsys: pytest.CaptureFixture[str], out: str, *flags: str) -> str:
        """The one line on standard error of a run, in this process, that is refused."""
        with pytest.raises(SystemExit) as ended:
            main(self.arguments(out, *flags))
        assert ended.value.code == 2
        (line,) = capsys.readouterr().err.splitlines()
        return line

    def kill(self, process: subprocess.Popen[str], when: Callable[[], bool]) -> None:
        """Kill the process the hard way as soon as ``when`` holds."""
        deadline = time.monotonic() + 60
        while not when():
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.communicate()

    def records(self, out: str) -> dict[tuple[str, str, int, str], dict[str, Any]]:
        found = {}
        for path in sorted((self.folder / out).glob("records/*/*/*/*.json")):
            form = json.loads(path.read_text(encoding="utf-8"))
            cell = form["cell"]
            found[cell["system"], cell["regime"], cell["repeat"], cell["id"]] = form
        return found

    def lines(self, out: str, name: str) -> list[dict[str, Any]]:
        return [
            json.loads(line)
            for line in (self.folder / out / name).read_text(encoding="utf-8").splitlines()
        ]

    def count(self, out: str) -> int:
        return len(list((self.folder / out).glob("records/*/*/*/*.json")))

    def hashes(self, out: str) -> dict[str, str]:
        """SHA-256 by path of all files but timings."""
        root = self.folder / out
        files = [
            path
            for path in sorted(root.rglob("*"))
            if path.is_file() and not path.name.startswith("timings")
        ]
        return {
            str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in files
        }

    def write(self, name: str, text: str) -> str:
        (self.folder / name).write_text(text, encoding="utf-8")
        return str(self.folder / name)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runner:
    monkeypatch.setenv("CLINFO_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("CLINFO_DATA_DIR", str(tmp_path / "data"))
    written_data(tmp_path / "reviews.csv")
    (tmp_path / "trials.xml").write_bytes(render_set(articles()))
    return Runner(tmp_path)
