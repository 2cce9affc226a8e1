"""What a test needs and this machine may lack: without it the test is skipped, or fails where
CLINFO_TEST_REQUIRE names it ("postgresql,redis").
"""

import os
from typing import NoReturn

import pytest


def required(name: str) -> bool:
    """Return whether what has this name must be there."""
    names = os.environ.get("CLINFO_TEST_REQUIRE", "").split(",")
    return name in [each.strip() for each in names]


def absent(name: str, reason: str) -> NoReturn:
    """Skip the test, or fail it where what is absent must be there."""
    if required(name):
        pytest.fail(f"{reason}, and CLINFO_TEST_REQUIRE names it")
    pytest.skip(reason)
