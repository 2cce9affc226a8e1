"""Packages of an extra: used when there, named with what installs them when not."""

import json

import pytest

from clinfo.errors import UsageError
from clinfo.extras import needed


def test_a_package_that_is_there_is_given() -> None:
    assert needed("json", "index") is json


def test_a_missing_one_is_told_with_commands_for_a_package_and_for_a_checkout() -> None:
    with pytest.raises(UsageError, match=r'no_such_package\b.* "clinfo\[index\]".* "\.\[index\]"'):
        needed("no_such_package.part", "index")
