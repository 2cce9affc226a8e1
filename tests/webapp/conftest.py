"""Servers, databases and a whole house that every test of the web app may ask for by name."""

from collections.abc import Iterator

import pytest

from tests.webapp.house import whole_house
from tests.webapp.running import Running
from tests.webapp.servers import database_url, postgresql, postgresql_url, redis_server

__all__ = ["database_url", "house", "postgresql", "postgresql_url", "redis_server"]


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One app for all pages of pipelines."""
    with whole_house(tmp_path_factory.mktemp("house")) as app:
        yield app
