"""What a visitor is told when something goes wrong: a page, or an RFC 9457 problem for programs."""

from __future__ import annotations

from flask import Flask


def set_up(app: Flask) -> None:
    """Put it into an app that is being made."""
