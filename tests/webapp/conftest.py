"""Servers, databases, a small app and a whole house that every test of the web app may ask for by
name.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from clinfo.runs.events import Event
from tests.webapp.house import whole_house
from tests.webapp.recorded import events_of
from tests.webapp.recorded import request as asked
from tests.webapp.running import Running
from tests.webapp.servers import database_url, postgresql, postgresql_url, redis_server
from tests.webapp.serving import served
from tests.webapp.small_app import small_app

__all__ = ["database_url", "postgresql", "postgresql_url", "redis_server"]


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One app for all pages of pipelines."""
    with whole_house(tmp_path_factory.mktemp("house")) as app:
        yield app


@pytest.fixture
def app(request: pytest.FixtureRequest, tmp_path: Path) -> Flask:
    """A small app with the settings that the test's module names in WEB."""
    return small_app(tmp_path, **getattr(request.module, "WEB", {}))


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture
def url(app: Flask) -> Iterator[str]:
    """The address of the small app behind a real server."""
    with served(app) as address:
        yield address


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> list[Event]:
    """The events of a real run on the demo corpus."""
    return events_of(asked(), tmp_path_factory.mktemp("demo"))
