"""The site's state in numbers, for its host: no row of it names a run, a visitor or a question.

Runs that are kept are counted, by when they were started; a deleted one is in the sums of the days'
spending only. Days are those of UTC.
"""

import time
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from sqlalchemy import text

from webapp.storage.budget import NANO
from webapp.storage.database import reading
from webapp.storage.store import Store

DAYS: Final = 7
"""Days that are looked at, today among them."""
_RUNS: Final = """
SELECT pipeline, status, count(*) FILTER (WHERE created_at >= :today), count(*)
FROM runs WHERE created_at >= :first GROUP BY 1, 2 ORDER BY 4 DESC, 1, 2"""
_FAILURES: Final = """
SELECT coalesce({error}, ''), count(*) FILTER (WHERE r.created_at >= :today), count(*)
FROM runs r LEFT JOIN events e ON run_id = id AND seq = last_seq AND type = 'run_failed'
WHERE r.created_at >= :first AND status = 'failed' GROUP BY 1 ORDER BY 3 DESC, 1"""
_MODELS: Final = """
SELECT model, coalesce(sum(usd) FILTER (WHERE at >= :today), 0), coalesce(sum(usd), 0),
       count(*) - count(usd)
FROM (SELECT {model} AS model, CAST({cost_usd} AS double precision) AS usd, r.created_at AS at
      FROM runs r JOIN events e ON run_id = id AND type = 'cost'
      WHERE r.created_at >= :first AND NOT own_key) calls
GROUP BY 1 ORDER BY 3 DESC, 1"""
_SPENT: Final = "SELECT day, spent, reserved FROM spending WHERE day >= :day"
_OLDEST: Final = "SELECT min(created_at) FROM runs WHERE status = 'queued'"
_WORKERS: Final = "SELECT count(*) FROM workers WHERE seen_at >= :since"
_FIELD: Final = {
    "sqlite": "json_extract(body, '$.{0}')",
    # which reads nothing of JSON that holds NUL, as a reply of a model may
    "postgresql": r"CAST(replace(body, '\u0000', '\ufffd') AS json) ->> '{0}'",
}


def overview(store: Store, lease_seconds: float) -> dict[str, Any]:
    """The state at this moment: rows, the largest first, whose last numbers are of today and of
    `DAYS`, ``runs`` by pipeline and status, ``failures`` by the error's class ("" where no event
    tells it), ``models`` in US dollars of the host's, with the number of calls without a known
    price beside them.

    ``spent`` and ``reserved`` are US dollars of today, ``week`` those spent within `DAYS`;
    ``oldest`` the seconds for which the first run in the queue has waited; ``counts`` are all runs
    by status, ``workers`` those that are alive.
    """
    now = time.time()
    at = datetime.fromtimestamp(now, UTC)
    today = at.replace(hour=0, minute=0, second=0, microsecond=0)
    first = today - timedelta(days=DAYS - 1)
    since = {"today": today.timestamp(), "first": first.timestamp()}
    fields = {
        name: _FIELD[store.engine.dialect.name].format(name)
        for name in ("error", "model", "cost_usd")
    }
    with reading(store.engine) as connection:
        runs, failures, models = (
            connection.execute(text(query.format(**fields)), since).all()
            for query in (_RUNS, _FAILURES, _MODELS)
        )
        days = connection.execute(text(_SPENT), {"day": f"{first:%Y-%m-%d}"}).all()
        oldest = connection.execute(text(_OLDEST)).scalar_one()
        alive = connection.execute(text(_WORKERS), {"since": now - lease_seconds}).scalar_one()
    spent, reserved = next((row[1:] for row in days if row.day == f"{today:%Y-%m-%d}"), (0, 0))
    return {
        "at": at,
        "runs": runs,
        "failures": failures,
        "models": models,
        "spent": spent / NANO,
        "reserved": reserved / NANO,
        "week": sum(row.spent for row in days) / NANO,
        "oldest": None if oldest is None else max(0.0, now - oldest),
        "counts": store.counts(),
        "workers": alive,
    }
