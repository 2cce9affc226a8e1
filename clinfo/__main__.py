"""``python -m clinfo`` and the script ``clinfo``."""

import sys


def main() -> None:
    """Run the command line and end the process with its exit status."""
    try:
        from clinfo.cli import run

        status = run()
    except KeyboardInterrupt:  # while the modules are still being loaded
        if sys.stderr is not None:
            print("clinfo: interrupted", file=sys.stderr)
        status = 130
    sys.exit(status)


if __name__ == "__main__":
    main()
