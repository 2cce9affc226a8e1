"""How often one address and one user may ask."""

from __future__ import annotations

from flask import Flask


def set_up(app: Flask) -> None:
    """Put it into an app that is being made."""
