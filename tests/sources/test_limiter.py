import threading
import time

from clinfo.sources.limiter import MARGIN, Limiter, shared_limiter


def test_requests_of_many_threads_are_evenly_spaced() -> None:
    limiter, times, lock = Limiter(50), [], threading.Lock()

    def ask() -> None:
        for _ in range(4):
            limiter.wait()
            with lock:
                times.append(time.monotonic())

    threads = [threading.Thread(target=ask) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    times.sort()
    assert len(times) == 20
    assert times[-1] - times[0] >= 19 / 50
    for first, fourth in zip(times, times[3:], strict=False):
        assert fourth - first >= 3 / 50 - 0.03  # a thread may wake late, which brings its neighbour nearer


def test_a_pause_asked_for_holds_for_everybody() -> None:
    limiter = Limiter(1000)
    limiter.hold(0.2)
    start = time.monotonic()
    limiter.wait()
    limiter.wait()
    assert time.monotonic() - start >= 0.2


def test_waiting_ends_when_told_to_stop() -> None:
    limiter, stop = Limiter(0.1), threading.Event()
    limiter.wait()
    threading.Timer(0.1, stop.set).start()
    start = time.monotonic()
    limiter.wait(stop)
    assert time.monotonic() - start < 2


def test_a_turn_beyond_the_deadline_is_not_waited_for_and_not_used_up() -> None:
    limiter = Limiter(1000)
    limiter.hold(0.3)
    start = time.monotonic()
    assert not any(limiter.wait(deadline=start + 0.1) for _ in range(1000))
    assert time.monotonic() - start < 0.1
    assert limiter.wait(deadline=start + 1)
    assert 0.3 <= time.monotonic() - start < 0.8


def test_one_limiter_a_service_and_the_slowest_rate_holds() -> None:
    first = shared_limiter("test one", 10)
    assert shared_limiter("test one", 20) is first
    assert first.space == (1 + MARGIN) / 10
    assert shared_limiter("test one", 5) is first
    assert first.space == (1 + MARGIN) / 5
    assert shared_limiter("test two", 10) is not first
