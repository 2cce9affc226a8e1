"""The plots of a run: rows of effects. Run by itself the module draws one: the event that appraised
the evidence comes in on stdin, the number of the plot is the argument, the SVG goes to stdout.
"""

from __future__ import annotations

import sys

from clinfo.evidence import drawable, effects_plot, image
from clinfo.pipelines.literature import EvidenceAppraised, LiteratureLog, loads
from clinfo.runs import dumps
from webapp.plots import can_draw, drawn, plots, write


def svg(run_id: str, number: int, run_log: LiteratureLog) -> bytes | None:
    """The plot ``number`` (from 1) of a run; None where there is none, or it could not be drawn
    (tried again later).
    """
    found = run_log.get(EvidenceAppraised, "appraised")
    count = len(drawable(found.appraisal.rows)) if found else 0
    if found is None or not 1 <= number <= count or not can_draw():
        return None
    event = dumps(found)
    return plots.kept((run_id, number), lambda: drawn(__name__, event, str(number)))


def main() -> None:
    """Draw what stdin holds."""
    (event,) = loads([sys.stdin.buffer.read().decode()])
    assert isinstance(event, EvidenceAppraised)
    write(image(effects_plot(drawable(event.appraisal.rows)[int(sys.argv[1]) - 1])))


if __name__ == "__main__":
    main()
