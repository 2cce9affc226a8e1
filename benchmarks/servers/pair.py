"""Both scripted servers with the workload of the speed benchmark, as a process of their own.

    python -m benchmarks.servers.pair '{"first_token": 0.5, "per_token": 0.01, "latency": 0.15, "rate": 3, "faults": {…}}'

Prints one line of JSON, the environment that leads the chain to them, and ends when its standard
input does.
"""  # noqa: E501

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from benchmarks.servers import workload
from benchmarks.servers.eutils import EutilsServer
from benchmarks.servers.faults import Faults
from benchmarks.servers.model import ModelServer

UNLIMITED = 10_000.0


def main(
    first_token: float = 0.0,
    per_token: float = 0.0,
    latency: float = 0.0,
    rate: float | None = None,
    faults: Mapping[str, Any] | None = None,
) -> None:
    shares = faults or {}
    model = ModelServer(
        workload.reply, first_token=first_token, per_token=per_token, faults=Faults(**shares)
    )
    eutils = EutilsServer(
        workload.articles(),
        latency=latency,
        rate=rate,
        faults=Faults(**shares),
        scripted=workload.searches(),
    )
    with model, eutils:
        environment = {
            "OPENAI_API_BASE": model.url,
            "OPENAI_API_KEY": "sk-scripted",
            "CLINFO_EUTILS_URL": eutils.url,
            "CLINFO_EUTILS_RATE": str(rate or UNLIMITED),
        }
        print(json.dumps(environment), flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main(**(json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}))
