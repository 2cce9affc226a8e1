"""How often one address and one user may ask."""

from __future__ import annotations

from flask import Flask

from webapp.records import Visitor


def set_up(app: Flask) -> None:
    """Put it into an app that is being made."""


def count_start(who: Visitor) -> None:
    """Count a run that is about to be started. Raises Busy where that is one too many."""
