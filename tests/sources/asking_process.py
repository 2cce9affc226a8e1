"""A process that asks for as long as it is told, for tests of what processes share: URL FOLDER RATE
SECONDS THREADS.

It prints a line when it is ready and begins with the line it is then sent. At the end it prints as
JSON the times (`time.monotonic`, one clock for all processes of a machine) at which its limiter
gave it leave to ask, one for each answer.
"""

import json
import sys
import threading
import time
from pathlib import Path

from clinfo.sources import limiter
from clinfo.sources.entrez import Eutils


def main(url: str, folder: str, rate: str, seconds: str, threads: str) -> None:
    client = Eutils(url, rate=float(rate), limits_dir=Path(folder))
    granted: list[float] = []
    answers: list[str] = []
    following = limiter.following

    def noted(moment: float, now: float, space: float) -> float:
        granted.append(now)
        return following(moment, now, space)

    limiter.following = noted
    print("ready", flush=True)
    sys.stdin.readline()
    until = time.monotonic() + float(seconds)

    def ask() -> None:
        while time.monotonic() < until:
            answers.append(client.esearch("sleep", 1)["count"])

    asking = [threading.Thread(target=ask) for _ in range(int(threads))]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    assert len(answers) == len(granted)
    print(json.dumps(granted))


if __name__ == "__main__":
    main(*sys.argv[1:])
