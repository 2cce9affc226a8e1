import threading
import time

import pytest

from clinfo.sources import limiter as moments
from clinfo.sources.limiter import MARGIN, Limiter, shared_limiter


def test_requests_of_many_threads_are_evenly_spaced(monkeypatch: pytest.MonkeyPatch) -> None:
    limiter, times, served = Limiter(50), [], []

    def noted(moment: float, now: float, space: float) -> float:
        times.append(now)  # when the place was given out; the thread that has it may run much later
        return following(moment, now, space)

    following = moments.following
    monkeypatch.setattr(moments, "following", noted)

    def ask() -> None:
        for _ in range(4):
            served.append(limiter.wait())

    threads = [threading.Thread(target=ask) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert served == [True] * 20
    assert len(times) == 20
    assert times[-1] - times[0] >= 19 / 50
    for first, fourth in zip(times, times[3:], strict=False):
        assert (
            fourth - first >= 3 / 50 - moments.LATE
        )  # a thread may wake late, which brings its neighbour nearer


def test_a_pause_asked_for_holds_for_everybody() -> None:
    limiter = Limiter(1000)
    limiter.hold(0.2)
    start = time.monotonic()
    limiter.wait()
    limiter.wait()
    assert time.monotonic() - start >= 0.2


def test_waiting_ends_when_told_to_stop() -> None:
    limiter, stop = Limiter(0.0001), threading.Event()
    limiter.wait()
    threading.Timer(0.1, stop.set).start()
    asked = time.monotonic()
    limiter.wait(stop)
    assert time.monotonic() - asked < limiter.space, "until the next place is free"


def test_a_turn_beyond_the_deadline_is_not_waited_for_and_not_used_up() -> None:
    limiter = Limiter(1)
    limiter.hold(600)
    start = time.monotonic()
    assert not any(limiter.wait(deadline=start + 300) for _ in range(1000))
    assert time.monotonic() - start < 100, "waiting to the deadline would have taken 300 s"
    held = Limiter(1)
    held.hold(0.3)
    start = time.monotonic()
    assert not any(held.wait(deadline=start) for _ in range(1000))
    assert held.wait(deadline=start + 300)
    assert 0.3 <= time.monotonic() - start < 100, (
        "had the places been used up, it would have taken 1,100 s"
    )


def test_one_limiter_a_service_and_the_slowest_rate_holds() -> None:
    first = shared_limiter("test one", 10)
    assert shared_limiter("test one", 20) is first
    assert first.space == (1 + MARGIN) / 10
    assert shared_limiter("test one", 5) is first
    assert first.space == (1 + MARGIN) / 5
    assert shared_limiter("test two", 10) is not first
