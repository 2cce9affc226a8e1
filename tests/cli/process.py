"""The command line as a process of its own, in an environment that holds nothing of the person who
runs the tests.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
QUESTION = "Do probiotics prevent antibiotic-associated diarrhea?"
DEMO = ("--model", "extractive", "--source", "demo")


def environment(**more: str) -> dict[str, str]:
    """The environment without settings and keys, and with ``more``."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("CLINFO_", "NCBI_", "S2_", "OPENAI_"))
    }
    return {**kept, "PYTHONPATH": str(ROOT), "CLINFO_CACHE": "off", **more}


def command(*arguments: str) -> list[str]:
    """The command that runs ``clinfo`` with ``arguments``."""
    return [sys.executable, "-m", "clinfo", *arguments]


def clinfo(*arguments: str, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run to the end; ``more`` is put into the environment. What is kept of patients, the log of
    who asks too, lies under ``cwd``.
    """
    if "CLINFO_DATA_DIR" not in more:
        more = {"CLINFO_PATIENTS_DIR": str(cwd / "patients"), **more}
    return subprocess.run(
        command(*arguments),
        cwd=cwd,
        env=environment(**more),
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
