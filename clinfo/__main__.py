"""``python -m clinfo`` and the script ``clinfo``."""

import os
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
    loading = sys.modules.get("clinfo.llm.litellm_loading")
    if loading is not None and loading.under_way():
        # Python would wait for that thread, or end it within an import whose lock it then keeps;
        # all output is written by now.
        os._exit(status)
    sys.exit(status)


if __name__ == "__main__":
    main()
