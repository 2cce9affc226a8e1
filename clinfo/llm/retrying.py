"""Rules for retrying a model call."""

from collections import Counter

from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception,
    wait_exponential,
    wait_random,
)

from clinfo.llm.failures import FEW_TRIES, TRIES, AttemptFailed, Failure

FIRST_WAIT = 0.25
LONGEST_WAIT = 20.0
QUICK_WAIT = 0.3
"""Seconds; the last is for what is tried a few times only, because it seldom mends itself."""


def attempts(seconds: float) -> AsyncRetrying:
    """The attempts of one call: an AttemptFailed is tried again while that makes sense and begins
    within ``seconds``.

    Waits grow from a quarter of a second, with jitter; a server that says when to come back is
    obeyed, and not asked again if that would be too late.
    """
    met: Counter[str] = Counter()

    def enough(state: RetryCallState) -> bool:
        failure = _failure(state)
        met[failure.line] += 1
        out_of_time = (state.seconds_since_start or 0.0) + state.upcoming_sleep > seconds
        return met[failure.line] >= failure.tries or state.attempt_number >= TRIES or out_of_time

    return AsyncRetrying(
        retry=retry_if_exception(
            lambda error: isinstance(error, AttemptFailed) and error.failure.retryable
        ),
        stop=enough,
        wait=_wait,
        reraise=True,
    )


_jitter = wait_random(0, FIRST_WAIT)
_backoff = wait_exponential(multiplier=FIRST_WAIT, max=LONGEST_WAIT) + _jitter


def _wait(state: RetryCallState) -> float:
    failure = _failure(state)
    if failure.retry_after is not None:
        # All calls that met the limit are told the same moment; jitter keeps them from coming back
        # as one.
        return failure.retry_after + _jitter(state)
    return QUICK_WAIT if failure.tries <= FEW_TRIES else _backoff(state)


def _failure(state: RetryCallState) -> Failure:
    error = state.outcome.exception() if state.outcome is not None else None
    assert isinstance(error, AttemptFailed)
    return error.failure
