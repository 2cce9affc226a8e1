"""A process that asks for as long as it is told, for tests of what processes share: URL FOLDER RATE UNTIL THREADS.

``UNTIL`` is a time of `time.time`. Prints how many answers it got.
"""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

from clinfo.sources.entrez import Eutils


def main(url: str, folder: str, rate: str, until: str, threads: str) -> None:
    client = Eutils(url, rate=float(rate), limits_dir=Path(folder))
    answers = []

    def ask() -> None:
        while time.time() < float(until):
            answers.append(client.esearch("sleep", 1)["count"])

    asking = [threading.Thread(target=ask) for _ in range(int(threads))]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    print(len(answers))


if __name__ == "__main__":
    main(*sys.argv[1:])
