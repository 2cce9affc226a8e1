"""The PubMedRS-200 benchmark and the project's own ones by name: ``python -m benchmarks run``,
``score``, …, ``speed``, …; each has ``--help``."""

from __future__ import annotations

import sys
from importlib import import_module

from clinfo.console import streams
from clinfo.pipelines import DEFAULT, PIPELINES

PUBMEDRS = {
    "run": "benchmarks.pubmedrs200.running.command",
    "score": "benchmarks.pubmedrs200.scoring.command",
    "report": "benchmarks.pubmedrs200.reporting.command",
    "reproduce": "benchmarks.pubmedrs200.published.command",
    "full": "benchmarks.pubmedrs200.full",
}
OWN = (
    "speed",
    "quality",
    "integrity",
    "guard",
    "claims",
    "retrieval",
    "index",
    "web-load",
    "tokens",
    "latencies",
)
OTHERS = {name: f"benchmarks.{name}.command" for name in PIPELINES if name != DEFAULT} | {
    "clinical": "benchmarks.clinical"
}
COMMANDS = PUBMEDRS | {name: f"benchmarks.own.{name.replace('-', '_')}" for name in OWN} | OTHERS
USAGE = f"""usage: python -m benchmarks COMMAND [options]; each has --help

PubMedRS-200 (docs/pubmedrs-200.md):
  run        questions × systems × regimes; resumes where it was stopped
  score      predictions or a run into scores, with intervals and tests
  report     scores into tables, plots and one HTML file
  reproduce  the published scores from the published texts, value by value
  full       a local index, run, score and report, as one command

Other published systems (docs/benchmarks.md):
  {", ".join(OTHERS)}

What this project measures itself with (docs/benchmarks.md):
  {", ".join(OWN)}"""


def main() -> None:
    """Run the command; a reader of a pipe that has seen enough, as ``head`` has, ends it quietly
    with status 1.
    """
    try:
        try:
            _run()
        finally:
            streams.flush()
    except streams.Unwritten as error:
        if str(error):
            streams.say(f"python -m benchmarks: {error}")
        sys.exit(error.exit_status)
    except BrokenPipeError:
        streams.say("python -m benchmarks: whoever read what it writes has left")
        sys.exit(1)


def _run() -> None:
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name in ("-h", "--help"):
        streams.write(USAGE + "\n")
        return
    if name not in COMMANDS:
        print(
            USAGE if not name else f"python -m benchmarks: no command {name!r}\n\n{USAGE}",
            file=sys.stderr,
        )
        sys.exit(2)
    import_module(COMMANDS[name]).main(sys.argv[2:])


if __name__ == "__main__":
    main()
