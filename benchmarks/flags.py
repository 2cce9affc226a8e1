"""The flags and the output that benchmarks over a folder of data have in common."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from clinfo.console import streams
from clinfo.errors import Cancelled, ClinfoError, UsageError
from clinfo.text.wording import one_line

DATA: Final = "CLINFO_BENCH_DATA"
Flags = Mapping[str, Mapping[str, Any]]
"""The arguments of ``add_argument`` by flag."""


@contextmanager
def ending(name: str, interrupted: str) -> Iterator[None]:
    """End the process with the status of an error, told in lines that begin with the command's
    name; ``interrupted`` is what Ctrl-C is told by.
    """
    streams.take_missing_stderr()
    try:
        yield
        return
    except ClinfoError as error:
        lines = [*getattr(error, "listing", list)(), *str(error).splitlines()]
        status = error.exit_status
    except OSError as error:
        if isinstance(error, BrokenPipeError):  # whoever read stdout has seen enough
            raise
        lines = [f"{error.filename or 'a file'}: {error.strerror or 'cannot be read or written'}"]
        status = UsageError.exit_status
    except KeyboardInterrupt:
        lines, status = [f"interrupted; {interrupted}"], Cancelled.exit_status
    for line in lines:
        streams.say(f"python -m benchmarks {name}: {one_line(line)}")
    sys.exit(status)


def positive(text: str) -> int:
    """A whole number of 1 or more."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return value


LIMIT: Final[Flags] = {
    "--limit": {
        "type": positive,
        "metavar": "N",
        "help": "only the first N questions of the subset",
    },
}


def add(to: Any, flags: Flags) -> None:
    """Give a parser, or a group of one, these flags."""
    for flag, how in flags.items():
        to.add_argument(flag, **how)


def read(
    name: str,
    about: str,
    needs: str,
    arguments: Sequence[str] | None,
    flags: Flags,
    usual: Path | None = None,
) -> tuple[argparse.ArgumentParser, argparse.Namespace]:
    """The parser of ``python -m benchmarks NAME`` and the options read: --data, --json and
    ``flags``. ``data`` is the folder given, else the ``usual`` one, or the folder of the
    benchmark's name in it; wrong usage where it holds nothing that matches ``needs``.
    """
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks {name}", description=about)
    given = os.environ.get(DATA) or usual
    common: Flags = {
        "--data": {
            "type": Path, "default": Path(given) if given else None,
            "help": f"a folder with {needs}, or with a folder {name} of them [${DATA}]",
        },
        "--json": {"action": "store_true", "help": "one JSON object of measures"},
    }  # fmt: skip
    add(parser, {**common, **flags})
    options = parser.parse_args(arguments)
    inner = options.data / name.split(".")[0] if options.data is not None else None
    for folder in filter(None, (inner, options.data)):
        if any(folder.glob(needs)):
            options.data = folder
            break
    else:
        parser.error(f"give --data or {DATA} a folder with {needs}")
    return parser, options


def tell(found: Mapping[str, Any], as_json: bool, digits: int | None = 4) -> None:
    """Print measures: one JSON object with floats of so many digits (None: all), or a line each."""
    if as_json:
        whole = digits is None
        rounded = {
            name: round(value, digits) if isinstance(value, float) and not whole else value
            for name, value in found.items()
        }
        print(json.dumps(rounded))
        return
    for name, value in found.items():
        number = isinstance(value, (int, float))
        shown = f"{value:9,.3f}" if number and value % 1 else f"{value:9,.0f}" if number else value
        print(f"{name:34} {shown!s:>9}")
