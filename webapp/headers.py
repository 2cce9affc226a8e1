"""Security headers, cookies, cross-site request forgery, proxies."""

from __future__ import annotations

from flask import Flask


def set_up(app: Flask) -> None:
    """Put it into an app that is being made."""
