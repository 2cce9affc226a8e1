from collections import Counter

import pytest

from benchmarks.servers.faults import FAULTS, Faults


def test_shares_are_kept_and_the_seed_repeats_them() -> None:
    def draws(seed: int) -> list[str]:
        faults = Faults(
            rate_429=0.1, rate_500=0.05, hang=0.02, cut=0.02, empty=0.02, html=0.02, seed=seed
        )
        return [faults.draw() for _ in range(20_000)]

    first = draws(1)
    assert first == draws(1)
    assert first != draws(2)
    counts = Counter(first)
    for fault, share in zip(FAULTS[1:], (0.1, 0.05, 0.02, 0.02, 0.02, 0.02), strict=True):
        assert counts[fault] / 20_000 == pytest.approx(share, abs=0.006)


def test_no_share_means_no_fault_and_a_whole_share_every_time() -> None:
    assert {Faults().draw() for _ in range(10)} == {"none"}
    faults = Faults(html=1.0)
    assert {faults.draw() for _ in range(50)} == {"html"}


def test_impossible_shares_are_refused() -> None:
    with pytest.raises(ValueError, match="at most 1"):
        Faults(rate_429=0.7, cut=0.4)
    with pytest.raises(ValueError, match="negative"):
        Faults(cut=-0.1)
