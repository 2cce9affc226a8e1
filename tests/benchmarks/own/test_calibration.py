"""The expected calibration error."""

import pytest

from benchmarks.own.calibration import calibration_error, interval


def test_probabilities_that_come_true_as_often_as_they_say_have_no_error() -> None:
    assert (
        calibration_error(
            [0.25] * 4 + [0.75] * 4, [True, False, False, False, True, True, True, False], bins=2
        )
        == 0.0
    )


def test_the_error_is_the_mean_distance_weighted_by_cases() -> None:
    # By hand: bins of 2 and 2; |0 − 0.2| and |1 − 0.9|, each weighing a half.
    assert calibration_error(
        [0.2, 0.2, 0.9, 0.9], [False, False, True, True], bins=2
    ) == pytest.approx(0.15)


def test_the_interval_holds_the_error() -> None:
    chances, came = [0.1, 0.4, 0.6, 0.9] * 30, [False, True, False, True] * 30
    low, high = interval(chances, came)
    assert low <= calibration_error(chances, came) <= high
