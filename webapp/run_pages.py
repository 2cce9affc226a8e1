"""The page of a run, to be watched, read and checked, its exports, and what may be done with it."""

from __future__ import annotations

from flask import Blueprint

pages = Blueprint("run", __name__)
