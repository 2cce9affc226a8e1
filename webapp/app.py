"""The application factory."""

from pkgutil import resolve_name

from flask import Flask

from clinfo import __version__
from clinfo.settings import Settings, load_settings
from webapp import api, run_pages
from webapp.hosting import admin, errors, headers, limits, logs, operations, starting
from webapp.pipelines import declared, names, offered
from webapp.services import Services
from webapp.settings import WebSettings, load_web_settings
from webapp.storage.database import connect
from webapp.storage.store import Store
from webapp.visitors import visitor
from webapp.watch import live
from webapp.watch.hub import Hub, Places


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
    app.extensions["clinfo"] = Services(web, chain, store, Hub(store), Places(web.streams))
    logs.set_up(app)
    headers.set_up(app)
    errors.set_up(app)
    limits.set_up(app, visitor)
    shown = {
        "site_name": web.site_name,
        "contact": web.contact,
        "version": __version__,
        "pipelines": (on_offer := offered(web)),
        "site_pages": [(one.form, one.title) for one in on_offer],
        "declared": declared,
    }
    app.context_processor(lambda: shown)
    blueprints = {
        one.name: [resolve_name(at) if isinstance(at, str) else at for at in one.pages]
        for one in map(declared, names())
    }
    of_offered = [blueprint for one in on_offer for blueprint in blueprints[one.name]]
    for blueprint in dict.fromkeys(
        (
            *of_offered,
            run_pages.pages,
            live.live,
            live.streams,
            api.api,
            operations.operations,
            *([admin.admin] if web.admin_token else []),
        )
    ):
        app.register_blueprint(blueprint)
    return app
