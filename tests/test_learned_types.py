"""Several threads may be the first to read JSON as the same type."""

import subprocess
import sys

AT_ONCE = """
import sys, threading
from dataclasses import make_dataclass
import msgspec
{learned}
sys.setswitchinterval(1e-6)
for _ in range(300):
    Inner = make_dataclass("Inner", [("y", list[str]), ("z", dict[str, int])])
    Outer = make_dataclass("Outer", [("w", int), ("x", Inner), ("v", Inner)])
    go = threading.Barrier(4)
    def one():
        go.wait()
        given = {{"w": 1, "x": {{"y": [], "z": {{}}}}, "v": {{"y": [], "z": {{}}}}}}
        assert msgspec.convert(given, learned(Outer)).x.y == []
    threads = [threading.Thread(target=one) for _ in range(4)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
print("fine")
"""


def _run(learned: str) -> str:
    """The output of a process that reads new types in four threads at once; it may die of it."""
    done = subprocess.run(
        [sys.executable, "-c", AT_ONCE.format(learned=learned)], capture_output=True, text=True
    )
    return done.stdout.strip()


def test_threads_that_read_a_type_first_do_not_kill_the_process() -> None:
    assert _run("from clinfo.learned_types import learned") == "fine"
