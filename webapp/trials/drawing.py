"""Draw the forest plot of a run of trials: its events come in on stdin as lines of JSON, the SVG
goes to stdout.
"""

from __future__ import annotations

import sys

from clinfo.evidence.plot import image
from clinfo.evidence.pooled_plot import pooled_plot
from clinfo.pipelines.trials.answer import outcome
from clinfo.pipelines.trials.declared import TRIALS
from clinfo.pipelines.trials.run_log import TrialsLog


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
