"""The benchmarks: ``python -m benchmarks speed`` and ``python -m benchmarks quality``."""

from __future__ import annotations

import sys
from importlib import import_module

COMMANDS = {"speed": "benchmarks.speed", "quality": "benchmarks.quality"}


def main() -> None:
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name not in COMMANDS:
        sys.exit(f"usage: python -m benchmarks {{{','.join(COMMANDS)}}} [options]; each has --help")
    import_module(COMMANDS[name]).main(sys.argv[2:])


if __name__ == "__main__":
    main()
