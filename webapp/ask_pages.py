"""The pages on which a question is asked: the form with its prompts, this browser's runs, how it works."""

from __future__ import annotations

from flask import Blueprint

pages = Blueprint("ask", __name__)
