"""Servers and databases that every test of the web app may ask for by name."""

from tests.webapp.servers import database_url, postgresql, postgresql_url, redis_server

__all__ = ["database_url", "postgresql", "postgresql_url", "redis_server"]
