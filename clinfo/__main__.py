"""``python -m clinfo`` and the script ``clinfo``."""

import sys


def main() -> None:
    """Run the command line and end the process with its exit status."""
    from clinfo.cli import run

    sys.exit(run())


if __name__ == "__main__":
    main()
