"""Both scripted servers with the workload of the speed benchmark, as a process of their own.

    python -m benchmarks.servers.pair '{"first_token": 0.5, "per_token": 0.01, "latency": 0.15, "rate": 3, "faults": {…}}'

Prints one line of JSON, the environment that leads the chain to them, and ends when its standard
input does. ``count`` and ``round`` are those of `workload.articles`.
"""  # noqa: E501

from __future__ import annotations

import json
import sys

from benchmarks.servers import workload
from benchmarks.servers.eutils import EutilsServer
from benchmarks.servers.faults import Faults
from benchmarks.servers.model import ModelServer

UNLIMITED = 10_000.0


def main(options: dict[str, object]) -> None:
    faults = options.get("faults")
    shares = faults if isinstance(faults, dict) else {}
    rate = options.get("rate")
    count, round = options.get("count"), options.get("round")
    size = count if isinstance(count, int) else workload.ARTICLE_COUNT
    model = ModelServer(
        workload.reply,
        first_token=_number(options.get("first_token")),
        per_token=_number(options.get("per_token")),
        faults=Faults(**shares),
    )
    eutils = EutilsServer(
        workload.articles(size, round if isinstance(round, int) else None),
        latency=_number(options.get("latency")),
        rate=_number(rate) or None,
        faults=Faults(**shares),
        scripted=workload.searches(size),
    )
    with model, eutils:
        environment = {
            "OPENAI_API_BASE": model.url,
            "OPENAI_API_KEY": "sk-scripted",
            "CLINFO_EUTILS_URL": eutils.url,
            "CLINFO_EUTILS_RATE": str(_number(rate) or UNLIMITED),
        }
        print(json.dumps(environment), flush=True)
        sys.stdin.read()


def _number(value: object) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0


if __name__ == "__main__":
    main(json.loads(sys.argv[1]) if len(sys.argv) > 1 else {})
