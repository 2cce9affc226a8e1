"""Writes docs/cli.md from the help pages of the command line; with --check it only says whether that would change it."""

import os
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).with_name("cli.md")
COMMANDS: tuple[list[str], ...] = (
    [], ["ask"], ["search"], ["verify"], ["stance"], ["integrity"], ["retractions"], ["retractions", "load"], ["index"],
    ["index", "build"], ["index", "search"], ["index", "info"], ["index", "snapshots"], ["eutils"], ["mesh"], ["mesh", "load"],
    ["mesh", "show"], ["mesh", "status"], ["doctor"],
)  # fmt: skip
HEAD = "# The command line\n\nWritten by `python docs/write_cli.py` from the program's own help.\n"


def page() -> str:
    parts = [HEAD]
    for command in COMMANDS:
        asked = [sys.executable, "-m", "clinfo", *command, "--help"]
        environment = {**os.environ, "COLUMNS": "110", "TERMINAL_WIDTH": "110"}
        told = subprocess.run(asked, capture_output=True, text=True, check=True, env=environment, encoding="utf-8")
        name = " ".join(["clinfo", *command])
        parts.append(f"## {name}\n\n```text\n{told.stdout.strip()}\n```\n")
    return "\n".join(parts)


def main() -> int:
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(page(), encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text("utf-8") != page():
        print("docs/cli.md is not what --help says: run python docs/write_cli.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
