"""The two streams of a process, either of which may be closed, full, or left by whoever read it."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import sys
from collections.abc import Iterator, Mapping
from typing import TextIO

from clinfo.errors import ClinfoError
from clinfo.text.wording import one_line, printable

INTERRUPTED = "interrupted"
_OF_WRITING = (errno.ENOSPC, errno.EIO, errno.EFBIG, errno.EBADF)


_COMMANDS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
"""Characters that terminals take for commands; JSON may hold the later ones as they are."""


def _escaped(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


class Unwritten(ClinfoError):
    """Stdout cannot be written. Nothing is to be said where the reader of a pipe has left: the
    message is then empty.
    """


def take_missing_stderr() -> None:
    """Let what is said on a closed stderr go nowhere."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (for as long as the process)


def is_terminal(stream: TextIO | None) -> bool:
    """Return whether somebody looks at the stream; nobody looks at a closed one."""
    return stream is not None and stream.isatty()


def say(line: str) -> None:
    """A `printable` line on stderr. Where it cannot be written it is lost, and nothing else is."""
    try:
        print(printable(line), file=sys.stderr, flush=True)
    except OSError:
        _give_up(sys.stderr)


def complain(message: str) -> None:
    """One printable line on stderr, whatever the message holds."""

    say(f"clinfo: {one_line(message)}")


def write(text: str | bytes) -> None:
    """To stdout, a text in UTF-8 whatever the machine's own encoding; the reader of a pipe gets it
    at once.

    Raises Unwritten where it cannot be written.
    """
    if sys.stdout is None:
        raise Unwritten("standard output is closed: the answer cannot be written")
    with _writing():
        if isinstance(text, str):
            text = _COMMANDS.sub(_escaped, text).encode(errors="replace")
        left = memoryview(text)
        while (
            left
        ):  # without a buffer (PYTHONUNBUFFERED) a write that a signal interrupts takes a part only
            if (written := sys.stdout.buffer.write(left)) is None:
                raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
            left = left[written:]
        sys.stdout.buffer.flush()


def show(what: Mapping[str, object] | str) -> None:
    """A page to stdout without what would be a command to a terminal, or a form as JSON with its
    schema. Raises Unwritten.
    """
    if isinstance(what, str):
        write(printable(what) + "\n")
    else:
        import json

        write(json.dumps({"schema": 1, **what}, ensure_ascii=False, indent=2) + "\n")


def flush(after: Exception | None = None) -> None:
    """Have written what waits for stdout, ``after`` an error that may have come of writing there.

    Raises Unwritten where it cannot be written.
    """
    if sys.stdout is not None:
        with _writing():
            if isinstance(after, OSError) and after.errno in _OF_WRITING:
                raise after
            sys.stdout.flush()


@contextlib.contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        _give_up(sys.stdout)
        if isinstance(error, BrokenPipeError):
            raise Unwritten("") from None
        raise Unwritten(
            f"standard output could not be written: {error.strerror or 'unknown'}"
        ) from None


def _give_up(stream: TextIO) -> None:
    """Send to nowhere what could not be written, else Python would try again at its end and
    complain.
    """
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, stream.fileno())
    finally:
        os.close(nowhere)
