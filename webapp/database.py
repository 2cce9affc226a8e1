"""The connection to the database: SQLite by default, PostgreSQL for more than one machine."""

from __future__ import annotations

from sqlalchemy import Engine


def connect(url: str) -> Engine:
    """An engine; nothing is connected yet. A SQLite file is made readable by its owner only."""
    raise NotImplementedError
