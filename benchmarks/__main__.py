"""The benchmarks by name: ``python -m benchmarks speed``, ``quality``, ``index-build`` …; each has ``--help``."""

from __future__ import annotations

import sys
from importlib import import_module

NAMES = (
    "speed", "quality", "repairs", "query-speed", "xml-speed", "mesh-speed", "citations", "index-build", "index-queries", "claims",
    "integrity", "stance", "guard", "evidence", "web-load",
)  # fmt: skip
COMMANDS = {name: f"benchmarks.{name.replace('-', '_')}" for name in NAMES}


def main() -> None:
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name not in COMMANDS:
        sys.exit(f"usage: python -m benchmarks {{{','.join(COMMANDS)}}} [options]; each has --help")
    import_module(COMMANDS[name]).main(sys.argv[2:])


if __name__ == "__main__":
    main()
