"""Write the flags of ``clinfo ask`` from the declared request, and docs/cli.md from the help pages.

With --check it only says whether that would change them.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

PAGE = Path(__file__).with_name("cli.md")
FLAGS = PAGE.parents[1] / "clinfo" / "cli" / "ask_flags.json"
COMMANDS: tuple[list[str], ...] = (
    [],
    ["ask"],
    ["trials"],
    ["chart"],
    ["chart", "ask"],
    ["chart", "erase"],
    ["cohort"],
    ["cohort", "build"],
    ["cohort", "find"],
    ["copilot"],
    ["copilot", "load"],
    ["copilot", "ask"],
    ["search"],
    ["verify"],
    ["integrity"],
    ["retractions"],
    ["retractions", "load"],
    ["index"],
    ["index", "build"],
    ["index", "search"],
    ["index", "info"],
    ["index", "snapshots"],
    ["mcp"],
    ["eutils"],
    ["mesh"],
    ["mesh", "load"],
    ["mesh", "show"],
    ["mesh", "status"],
    ["doctor"],
)
HEAD = "# The command line\n\nWritten by `python docs/write_cli.py` from the program's own help.\n"


def flags() -> str:
    """The options of a request that the command line has, as JSON that `clinfo.cli.ask` reads."""
    sys.path.insert(0, str(PAGE.parents[1]))
    from clinfo.pipelines.literature.request import at

    kinds = {str: "text", int: "int", float: "float", bool: "bool"}
    made: list[dict[str, Any]] = []
    for name, one in at("cli").items():
        if name == "question":
            continue
        option, kind = one.option, "texts" if one.several else kinds.get(one.kind, "text")
        shown = option.default or (
            str(one.default) if kind == "int" or (one.choices and one.default) else ""
        )
        made.append(
            {
                "field": name,
                "flag": option.flag or f"--{name.replace('_', '-')}",
                "off": option.flag.startswith("--no-"),
                "kind": kind,
                "help": f"{option.help} [{shown}]" if shown else option.help,
                "group": option.group,
                "metavar": option.metavar,
                "default": one.default if kind == "bool" else None,
            }
        )
    return json.dumps(made, ensure_ascii=False, indent=1) + "\n"


def page() -> str:
    parts = [HEAD]
    for command in COMMANDS:
        asked = [sys.executable, "-m", "clinfo", *command, "--help"]
        environment = {**os.environ, "COLUMNS": "110", "TERMINAL_WIDTH": "110"}
        told = subprocess.run(
            asked, capture_output=True, text=True, check=True, env=environment, encoding="utf-8"
        )
        name = " ".join(["clinfo", *command])
        parts.append(f"## {name}\n\n```text\n{told.stdout.strip()}\n```\n")
    return "\n".join(parts)


def main() -> int:
    wrong = []
    for path, written in ((FLAGS, flags), (PAGE, page)):  # the help pages are made of the flags
        if "--check" not in sys.argv[1:]:
            path.write_text(written(), encoding="utf-8")
        elif not path.exists() or path.read_text("utf-8") != written():
            wrong.append(path.name)
    if wrong:
        print(
            f"{' and '.join(wrong)} must be written again: run python docs/write_cli.py",
            file=sys.stderr,
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
