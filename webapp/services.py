"""Services shared by the parts of a web process; built once by `webapp.app.create_app`."""

from dataclasses import dataclass

from flask import current_app

from clinfo.settings import Settings
from webapp.settings import WebSettings
from webapp.storage.store import Store
from webapp.watch.hub import Hub, Places


@dataclass(frozen=True)
class Services:
    """``web`` is what the host sets, ``chain`` what the chain reads; the rest is behind the
    pages.
    """

    web: WebSettings
    chain: Settings
    store: Store
    hub: Hub
    places: Places


def services() -> Services:
    """The services of the app that answers the present request."""
    found: Services = current_app.extensions["clinfo"]
    return found
