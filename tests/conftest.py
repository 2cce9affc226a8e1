"""The rules for every test."""

import signal
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

from tests import warm

QUICK = (
    "claims",
    "evidence",
    "extractive",
    "integrity",
    "privacy",
    "references",
    "render",
    "runs",
    "terms",
    "text",
    "test_bootstrap.py",
    "test_extras.py",
    "test_house.py",
    "test_settings.py",
)
"""Folders and modules of tests/ that need no process and no server: what is not slow of them is
quick.

Without pubmed/, which needs none either, but much time."""

# The same examples on every machine, so that what passes here passes in CI;
# `--hypothesis-profile=explore` looks for new ones.
settings.register_profile("same", max_examples=25, derandomize=True, deadline=None)
settings.register_profile("explore", max_examples=1_000, deadline=None)
settings.load_profile("same")
# Nor do they depend on the modules that a process of the tests happens to have imported, whose
# constants hypothesis looks for in their sources, at some seconds a process.
providers._get_local_constants = lambda: providers._local_constants

warm.use()

# A shell that runs the tests in the background has them ignore Ctrl-C, and so would the processes
# that tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With ``-m quick`` the other folders are not even imported."""
    return True if config.option.markexpr == "quick" and not _quick(collection_path) else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if _quick(item.path) and item.get_closest_marker("slow") is None:
            item.add_marker("quick")


def _quick(path: Path) -> bool:
    parts = path.relative_to(Path(__file__).parent).parts
    return not parts or parts[0] in (*QUICK, "__init__.py")
