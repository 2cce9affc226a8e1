"""What is said on stderr."""

from __future__ import annotations

import sys


def complain(message: str) -> None:
    """One printable line on stderr, whatever the message holds."""
    from clinfo.render.printable import one_line

    print(f"clinfo: {one_line(message)}", file=sys.stderr, flush=True)
