"""A web app in this process, over a real database file, for tests that look at its answers rather
than at its processes.
"""

import re
from pathlib import Path
from typing import Any

from flask import Flask

from clinfo.settings import Settings
from webapp.app import create_app
from webapp.services import Services
from webapp.settings import WebSettings
from webapp.storage.database import migrate

SECRET = "a secret for tests only, of no worth elsewhere"
QUESTION = "Does yoga lower blood pressure?"
SCRIPTED = "openai/scripted"


def small_app(folder: Path, chain: dict[str, Any] | None = None, **web: Any) -> Flask:
    """An app of the extractive and a language model, with the demo corpus and PubMed on offer,
    unless ``web`` says otherwise.
    """
    settings: dict[str, Any] = {
        "database_url": f"sqlite:///{folder / 'webapp.sqlite'}",
        "secret_key": SECRET,
        "https": False,
        "models": ("extractive", SCRIPTED),
        "sources": ("demo", "pubmed", "semantic-scholar"),
        "runs_rate": "100000 per hour",
        "requests_rate": "100000 per minute",
    }
    made = WebSettings(**settings | web)
    migrate(made.engine_url)
    return create_app(made, Settings(**{"cache": "off", "data_dir": folder} | (chain or {})))


def parts(app: Flask) -> Services:
    """Return what the app is made of."""
    found: Services = app.extensions["clinfo"]
    return found


def count(app: Flask) -> int:
    """The runs that are stored."""
    return sum(parts(app).store.counts().values())


def form_fields(page: str) -> dict[str, str]:
    """The fields of the form on a page of the small app, with its token against other sites."""
    found = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', page)
    assert found is not None
    return {
        "csrf_token": found[1],
        "question": QUESTION,
        "model": "extractive",
        "source": "demo",
    }
