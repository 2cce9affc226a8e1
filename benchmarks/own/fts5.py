"""SQLite FTS5 answering the same plans, as the yardstick for the local index.

The same words in the same stores: text stores are columns of one FTS5 table, key stores columns
whose keys are single tokens, first days of dates an ordinary table. Relevance is FTS5's own bm25. A
date inside of a query goes into SQL where it stands beside everything else under AND; a plan with a
date anywhere else cannot be asked of FTS5 and raises `NotAskable`.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable
from pathlib import Path

from clinfo.pubmed.document import KEY_STORES, Document
from clinfo.pubmed.plan import (
    All,
    AnyOf,
    Days,
    Everything,
    Keys,
    Near,
    Nothing,
    Numbers,
    Phrase,
    Plan,
    Unscored,
    Without,
)

TEXTS = ("ti", "ab", "tx", "ax", "ad", "cn")
KEYS = tuple(store for store in KEY_STORES if store not in ("refs", "pmid"))
_BREAK = " zzbreakzz "
"""A word between two texts of a store, so that no phrase reaches across."""


class NotAskable(Exception):
    """FTS5's query language cannot say this."""


class Fts5:
    """An FTS5 table in the file ``path``."""

    def __init__(self, path: Path) -> None:
        self._base = sqlite3.connect(path)

    def load(self, documents: Iterable[Document]) -> int:
        """Put documents in; gives how many. The table is made anew and optimised at the end."""
        columns = [*TEXTS, *(f"k_{store}" for store in KEYS)]
        base = self._base
        base.executescript(
            "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
            "DROP TABLE IF EXISTS records; DROP TABLE IF EXISTS days;"
            f"CREATE VIRTUAL TABLE records USING fts5({', '.join(columns)}, content='', "
            "tokenize=\"ascii tokenchars '_'\");"
            "CREATE TABLE days (id INTEGER, store TEXT, first INTEGER, last INTEGER);"
        )
        loaded = 0
        for document in documents:
            loaded += 1
            pmid = int(document.id.removeprefix("pmid:"))
            texts = [_BREAK.join(document.texts.get(store, ())) for store in TEXTS]
            keys = [" ".join(map(_token, document.keys.get(store, ()))) for store in KEYS]
            marks = ", ".join("?" * (len(columns) + 1))
            base.execute(
                f"INSERT INTO records(rowid, {', '.join(columns)}) VALUES ({marks})",
                (pmid, *texts, *keys),
            )
            days = [
                (pmid, store, first.toordinal(), last.toordinal())
                for store, intervals in document.days.items()
                for first, last in intervals
            ]
            base.executemany("INSERT INTO days VALUES (?, ?, ?, ?)", days)
        base.execute("INSERT INTO records(records) VALUES ('optimize')")
        base.execute("CREATE INDEX by_id ON days(id, store, first, last)")
        base.commit()
        return loaded

    def best(self, plan: Plan, limit: int) -> list[str]:
        """The best ids by bm25. Raises NotAskable."""
        match, dates = _split(plan)
        where, values = ["records MATCH ?"], [_match(match)]
        for days in dates:
            stores = ", ".join(f"'{store}'" for store in days.stores)
            where.append(
                f"EXISTS (SELECT 1 FROM days WHERE id = records.rowid AND store IN ({stores}) AND "
                "first <= ? AND last >= ?)"
            )
            values += [days.last.toordinal(), days.first.toordinal()]  # type: ignore[list-item]
        sql = f"SELECT rowid FROM records WHERE {' AND '.join(where)} ORDER BY rank LIMIT ?"
        return [f"pmid:{row[0]}" for row in self._base.execute(sql, (*values, limit))]

    def close(self) -> None:
        self._base.close()


def _token(key: str) -> str:
    """A key as one word. Everything that is not a word character becomes an underscore."""
    return re.sub(r"[^0-9a-z\x80-\U0010ffff]+", "_", key)


def _split(plan: Plan) -> tuple[Plan, list[Days]]:
    """The plan without the dates that stand beside everything else under AND, and those dates."""
    dates: list[Days] = []
    parts: list[Plan] = []
    pending: list[Plan] = [plan]
    while pending:
        one = pending.pop()
        bare = one.plan if isinstance(one, Unscored) else one
        if isinstance(bare, All):
            pending += bare.parts
        elif isinstance(bare, Days):
            dates.append(bare)
        else:
            parts.append(bare)
    return All(tuple(reversed(parts))), dates


def _match(plan: Plan) -> str:
    """The plan in FTS5's query language."""
    if isinstance(plan, Unscored):
        return _match(plan.plan)
    if isinstance(plan, Phrase):
        stores = " ".join(store for store in plan.stores if store in TEXTS)
        if not stores:
            raise NotAskable(f"stores {plan.stores}")
        return f'{{{stores}}} : "{" ".join(plan.words)}"{"*" if plan.prefix else ""}'
    if isinstance(plan, Near):
        stores = " ".join(store for store in plan.stores if store in TEXTS)
        quoted = " ".join(f'"{word}"' for word in plan.words)
        return f"{{{stores}}} : NEAR({quoted}, {plan.between})"
    if isinstance(plan, Keys):
        if plan.store not in KEYS or not plan.keys:
            raise NotAskable(f"keys of {plan.store}")
        any_key = " OR ".join(
            f'"{_token(key)}"{"*" if plan.prefix else ""}' for key in sorted(plan.keys)
        )
        return f"k_{plan.store} : ({any_key})"
    if isinstance(plan, (All, AnyOf)):
        parts = [_match(part) for part in plan.parts]
        if not parts:
            raise NotAskable("nothing to look for")
        return (
            parts[0]
            if len(parts) == 1
            else f"({(' AND ' if isinstance(plan, All) else ' OR ').join(parts)})"
        )
    if isinstance(plan, Without):
        return f"({_match(plan.plan)} NOT {_match(plan.excluded)})"
    assert isinstance(plan, (Days, Numbers, Everything, Nothing))
    raise NotAskable(type(plan).__name__)
