"""Structured logs without question text, unless the host switches it on."""

from __future__ import annotations

from flask import Flask


def set_up(app: Flask) -> None:
    """Put it into an app that is being made."""
