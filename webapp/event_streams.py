"""Server-sent events: the raw events of a run for programs, and the changes of its page for browsers."""

from __future__ import annotations

from flask import Blueprint

streams = Blueprint("streams", __name__)
