"""What holds for every test."""

import signal

from hypothesis import settings

# The same examples on every machine, so that what passes here passes in CI; `--hypothesis-profile=explore` looks for new ones.
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("explore", max_examples=1_000, deadline=None)
settings.load_profile("same")

# A shell that runs the tests in the background has them ignore Ctrl-C, and so would the processes that tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
