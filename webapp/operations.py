"""What those who run the app look at: /healthz, /readyz, /metrics, /openapi.json."""

from __future__ import annotations

from flask import Blueprint

operations = Blueprint("operations", __name__)
