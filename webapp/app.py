"""The application factory."""

from __future__ import annotations

from flask import Flask

from clinfo import __version__
from clinfo.settings import Settings, load_settings
from webapp import api
from webapp.hosting import compression, errors, headers, limits, logs, operations, starting
from webapp.pipelines.chart import pages as chart_pages
from webapp.pipelines.cohort import pages as cohort_pages
from webapp.pipelines.copilot import pages as copilot_pages
from webapp.pipelines.literature import ask_pages as ask_pages
from webapp.pipelines.literature import documents
from webapp.pipelines.literature import read_pages as run_pages
from webapp.pipelines.trials import pages as trials_pages
from webapp.services import Services
from webapp.settings import WebSettings, load_web_settings
from webapp.storage.database import connect
from webapp.storage.store import Store
from webapp.visitors import visitor
from webapp.watch import event_streams, live
from webapp.watch.hub import Hub
from webapp.work.wake_up import Waker


def create_app(web: WebSettings | None = None, chain: Settings | None = None) -> Flask:
    """The web app, its database at the newest migration or /readyz says so. Raises UsageError for
    settings that cannot be used.
    """
    chain = chain or load_settings()
    web = web or load_web_settings()
    starting.check(web, chain)
    app = Flask(__name__)
    app.secret_key = starting.secret(web)
    app.config["MAX_CONTENT_LENGTH"] = web.largest_body
    app.config["MAX_FORM_MEMORY_SIZE"] = web.largest_body
    store = Store(connect(web.engine_url))
    app.extensions["clinfo"] = Services(web, chain, store, Hub(store), Waker(web))
    documents.set_up(app)
    logs.set_up(app)
    compression.set_up(app)
    headers.set_up(app)
    errors.set_up(app)
    limits.set_up(app, visitor)
    shown = {
        "site_name": web.site_name,
        "contact": web.contact,
        "version": __version__,
        "chart": web.chart,
        "cohorts": bool(web.cohorts),
        "copilot": web.copilot,
    }
    app.context_processor(lambda: shown)
    for blueprint in (
        ask_pages.pages,
        run_pages.pages,
        trials_pages.pages,
        live.live,
        event_streams.streams,
        api.api,
        operations.operations,
        *([chart_pages.pages] if web.chart else []),
        *([cohort_pages.pages] if web.cohorts else []),
        *([copilot_pages.pages] if web.copilot else []),
    ):
        app.register_blueprint(blueprint)
    return app
