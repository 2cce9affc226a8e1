"""Access tokens that the host gives out: a program that sends one is a user of its own.

A token is 256 random bits, shown once; the database holds its SHA-256 only. That is enough: nobody
can guess so many bits, so a slow hash would add nothing, and what is looked up is a digest whose
bits the asker cannot choose, so that the time it takes tells nothing of a token.
"""

import re
import secrets
import time
from hashlib import sha256
from typing import Any, Final

from sqlalchemy import Engine, delete, insert, or_, select
from sqlalchemy.exc import IntegrityError

from clinfo.errors import UsageError
from webapp.storage.database import reading, writing
from webapp.storage.tables import tokens

PREFIX: Final = "clinfo_"
"""By which scanners of published code know a token."""
_DAY: Final = 86_400.0
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}", re.ASCII)
_TOKEN: Final = re.compile(rf"{PREFIX}[A-Za-z0-9_-]{{43}}", re.ASCII)


def create(engine: Engine, name: str, days: float | None = None) -> str:
    """A new token, which expires after ``days``. Raises UsageError for a name that cannot be one or
    is taken.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(
            "the name of a token has 1 to 60 letters, digits, dots, dashes and underscores, and "
            "begins with a letter or digit"
        )
    made, now = PREFIX + secrets.token_urlsafe(32), time.time()
    expires_at = None if days is None else now + days * _DAY
    row = {"name": name, "digest": _digest(made), "created_at": now, "expires_at": expires_at}
    try:
        with writing(engine) as connection:
            connection.execute(insert(tokens).values(**row))
    except IntegrityError:
        raise UsageError(f"the token {name} already exists; revoke it first") from None
    return made


def revoke(engine: Engine, name: str) -> bool:
    """Delete a token. False where there was none. Its runs stay; a new one of its name has them."""
    with writing(engine) as connection:
        return connection.execute(delete(tokens).where(tokens.c.name == name)).rowcount > 0


def every(engine: Engine) -> list[Any]:
    """Name, start and end (seconds since 1970, None: never) of all tokens, by name, those that have
    expired included.
    """
    columns = select(tokens.c.name, tokens.c.created_at, tokens.c.expires_at)
    with reading(engine) as connection:
        return [*connection.execute(columns.order_by(tokens.c.name))]


def named(engine: Engine, token: str) -> str | None:
    """The name of a token that is valid now, else None."""
    if not _TOKEN.fullmatch(token):
        return None
    valid = or_(tokens.c.expires_at.is_(None), tokens.c.expires_at > time.time())
    found = select(tokens.c.name).where(tokens.c.digest == _digest(token), valid)
    with reading(engine) as connection:
        return connection.execute(found).scalar_one_or_none()


def _digest(token: str) -> str:
    return sha256(token.encode()).hexdigest()
