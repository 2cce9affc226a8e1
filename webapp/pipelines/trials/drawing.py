"""The forest plot of a run of trials. Run by itself the module draws it: the run's events come in
on stdin as lines of JSON, the SVG goes to stdout; exit status 1 where there is nothing to draw.
"""

from __future__ import annotations

import sys

from clinfo.evidence import image
from clinfo.evidence import plot_of_pool as pooled_plot
from clinfo.pipelines.trials import TRIALS, TrialsLog, outcome
from webapp.plots import write

if __name__ == "__main__":
    lines = sys.stdin.buffer.read().decode().splitlines()
    found = outcome(TrialsLog(TRIALS.events.loads(lines)))
    if found is None:
        sys.exit(1)
    write(image(pooled_plot(found)))
