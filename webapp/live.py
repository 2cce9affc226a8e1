"""The page of a run while it is carried out: what its events change on it."""

from __future__ import annotations

from flask import Blueprint

live = Blueprint("live", __name__)
