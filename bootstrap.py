"""Sets everything up beside this file and then does one of four things. Needs Python 3.11+ and pip,
no more.

    python3 bootstrap.py ask ["QUESTION"] [flags of clinfo ask]   answers it, from the demo corpus unless flags say otherwise
    python3 bootstrap.py test [arguments of pytest]               runs all tests that are not slow, in parallel, or those named
    python3 bootstrap.py test --quick|--slow|--all                runs the quick ones (a minute), the slow ones, or all of them
    python3 bootstrap.py web [arguments of python -m webapp]      serves the web form on this machine, demo corpus first
    python3 bootstrap.py benchmarks [its arguments]               python -m benchmarks: PubMedRS-200, without neural metrics

Packages go into a virtual environment in .venv, at the versions of constraints.txt. What is set up
already is used as it is.
"""  # noqa: E501

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
NEEDED_PYTHON = (3, 11)
QUESTION = "Does yoga lower blood pressure?"
DEMO = {"--model": "extractive", "--source": "demo"}
WEB_SOURCES = "demo,pubmed,semantic-scholar"
TESTS = {"--quick": "quick", "--slow": "slow", "--all": ""}
"""The marks of pytest that each flag of ``test`` selects; without a flag and other arguments, what
is not slow.
"""
EXTRAS = {
    "ask": set(),
    "test": {"dev"},
    "web": {"web", "plots", "office"},
    "benchmarks": {"index", "metrics", "plots"},
}


class SetupError(Exception):
    """The reason why nothing could be set up, in one line."""


def main(arguments: list[str]) -> int:
    command, rest = (arguments[0], arguments[1:]) if arguments else ("", [])
    if command not in EXTRAS:
        print(__doc__.strip(), file=sys.stderr)
        return 0 if command in ("-h", "--help") else 2
    try:
        if sys.version_info < NEEDED_PYTHON:
            raise SetupError(
                f"Python {_dotted(NEEDED_PYTHON)} or newer is needed; this is "
                f"{_dotted(sys.version_info[:2])}"
            )
        python = set_up(EXTRAS[command])
    except SetupError as error:
        print(f"bootstrap: {error}", file=sys.stderr)
        return 1
    if command == "test":
        return _call([python, "-m", "pytest", *_tested(rest)], cwd=HERE)
    if command == "web":
        return _call(
            [python, "-m", "webapp", *rest], env={"CLINFO_WEB_SOURCES": WEB_SOURCES, **os.environ}
        )
    if command == "benchmarks":
        return _call([python, "-m", "benchmarks", *rest])
    return _call([python.with_name("clinfo" + python.suffix), "ask", *_asked(rest)])


def _asked(rest: list[str]) -> list[str]:
    """The arguments of ``clinfo ask``: a question and the demo's flags stand in where there are
    none.
    """
    given = {flag.partition("=")[0] for flag in rest}
    if given & {"--replay", "--help"}:
        return rest
    question = [] if rest and not rest[0].startswith("-") else [QUESTION]
    return [
        *question,
        *rest,
        *(part for flag, value in DEMO.items() if flag not in given for part in (flag, value)),
    ]


def _tested(rest: list[str]) -> list[str]:
    """The arguments of pytest: a flag of TESTS, or none, selects by mark and runs in parallel."""
    if rest and rest[0] not in TESTS:
        return rest
    marks = TESTS[rest[0]] if rest else "not slow"
    # Each process has a stretch of the tests, so that what a module sets up is set up once, and
    # takes from the others' stretches when it has done its own.
    return ["-n", "auto", "--dist", "worksteal", "-m", marks, *rest[1:]]


def set_up(extras: set[str]) -> Path:
    """The Python of a virtual environment that holds the project with ``extras``. Raises
    SetupError.
    """
    folder = _folder()
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    stamp = folder / "clinfo-setup.json"
    fingerprint = _fingerprint()
    done = _read(stamp)
    if (
        _works(python)
        and done.get("fingerprint") == fingerprint
        and extras <= set(done.get("extras", []))
    ):
        return python
    print("Setting up in .venv, once; this takes a minute or two …", file=sys.stderr, flush=True)
    if not _works(python):
        _make(folder)
    wanted = sorted(extras | set(done.get("extras", [])))
    project = f"{HERE}[{','.join(wanted)}]" if wanted else str(HERE)
    stamp.unlink(missing_ok=True)
    installing = [
        *_pip(python),
        "install",
        "-qq",
        "--constraint",
        str(HERE / "constraints.txt"),
        "--editable",
        project,
    ]
    if _call(installing, stdout=sys.stderr, env=_pip_environment()) != 0:
        raise SetupError(
            "the packages could not be installed; pip's own words stand above (is a package index "
            "reachable?)"
        )
    stamp.write_text(json.dumps({"fingerprint": fingerprint, "extras": wanted}) + "\n")
    return python


def _folder() -> Path:
    """``.venv`` beside this file; in the user's cache where the project's folder cannot be
    written.
    """
    beside = HERE / ".venv"
    if os.access(beside if beside.exists() else HERE, os.W_OK):
        return beside
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(cache) / "clinfo" / f"venv-{hashlib.sha256(str(HERE).encode()).hexdigest()[:12]}"


def _fingerprint() -> str:
    """Changes when the packages asked for do, or the Python that they were installed for."""
    digest = hashlib.sha256(f"{HERE} {_dotted(sys.version_info[:2])}".encode())
    for name in ("pyproject.toml", "constraints.txt"):
        digest.update((HERE / name).read_bytes())
    return digest.hexdigest()


def _read(stamp: Path) -> dict:
    try:
        found = json.loads(stamp.read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _works(python: Path) -> bool:
    """Return whether the environment's Python runs and is of this version."""
    try:
        asked = [python, "-c", "import sys; print(*sys.version_info[:2])"]
        told = subprocess.run(asked, capture_output=True, text=True, check=True)
    except (OSError, subprocess.SubprocessError):
        return False
    return told.stdout.split() == [str(part) for part in sys.version_info[:2]]


def _make(folder: Path) -> None:
    # Without pip, because Debian's Python cannot put it there; a pip from outside can install into
    # any environment.
    made = subprocess.run(
        [sys.executable, "-m", "venv", "--clear", "--without-pip", folder],
        capture_output=True,
        text=True,
    )
    if made.returncode != 0:
        why = (made.stderr or made.stdout).strip().splitlines() or ["unknown"]
        raise SetupError(f"the virtual environment {folder} could not be made: {why[-1]}")


def _pip(python: Path) -> list[str]:
    """The command that installs into the environment of ``python``."""
    if importlib.util.find_spec("pip"):
        return [sys.executable, "-m", "pip", "--python", str(python)]
    if (
        importlib.util.find_spec("ensurepip")
        and _call([python, "-m", "ensurepip"], stdout=subprocess.DEVNULL) == 0
    ):
        return [str(python), "-m", "pip"]
    raise SetupError(
        "pip is missing: install it for this Python (on Debian and Ubuntu: apt install python3-pip)"
    )


def _pip_environment() -> dict[str, str]:
    return {
        **os.environ,
        "PIP_USER": "0",
        "PIP_ROOT_USER_ACTION": "ignore",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }


def _call(command: list, **more: object) -> int:
    """The exit status of a command; Ctrl-C reaches the command itself, which ends in its own
    way, and a signal to end is passed on.
    """
    process = subprocess.Popen([str(part) for part in command], **more)
    signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            continue


def _dotted(version: tuple) -> str:
    return ".".join(map(str, version))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
