"""Draw the forest plot of a run of trials: its events come in on stdin as lines of JSON, the SVG
goes to stdout.
"""

from __future__ import annotations

import sys

from clinfo.evidence import image
from clinfo.evidence import plot_of_pool as pooled_plot
from clinfo.pipelines.trials import TRIALS, TrialsLog, outcome


def main() -> int:
    """Exit status 1 where the run has nothing to draw."""
    lines = sys.stdin.buffer.read().decode().splitlines()
    found = outcome(TrialsLog(TRIALS.events.loads(lines)))
    if found is None:
        return 1
    with open(sys.stdout.fileno(), "wb", closefd=False) as out:
        out.write(image(pooled_plot(found)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
