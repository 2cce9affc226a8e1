"""``python -m pubmedrs``: the PubMedRS-200 data set on the command line."""

import sys


def main() -> None:
    """Run the command line and end the process with its exit status."""
    try:
        from pubmedrs.cli import run

        sys.exit(run())
    except KeyboardInterrupt:  # while the modules are still being loaded
        if sys.stderr is not None:
            print("pubmedrs: interrupted", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
