"""Classifies failed model calls from the exceptions of litellm and its dependencies, and says which
are made again.

litellm's own classes mislead: a missing key and a refused connection both arrive as
InternalServerError with status 500. So the causes are looked at first, and the status only where a
server really answered.
"""

import json
import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception,
    wait_exponential,
    wait_random,
)

from clinfo.llm.error_words import WEB_PAGE, answers, causes, excerpt, one_line_of, words_of_server
from clinfo.llm.model_names import key_variable
from clinfo.runs.clock import seconds_until
from clinfo.runs.protocols import ModelRequest

TRIES = 8
FEW_TRIES = 3
"""For what is likely to fail again at once: a server that cannot be reached, an error nobody
knows.
"""


@dataclass(frozen=True)
class Failure:
    """One failed attempt: what happened and what to do about it, in one line without the model's
    name.

    ``tries`` is how often a call is worth making that fails so each time (1: not again);
    ``retry_after`` are the seconds that the server asked to wait. ``overload``: fewer calls at a
    time may help. ``begun``: the model may have worked, and be paid.
    """

    line: str
    tries: int = 1
    retry_after: float | None = None
    overload: bool = False
    begun: bool = False

    @property
    def retryable(self) -> bool:
        """Return whether the same call may succeed later."""
        return self.tries > 1


class AttemptFailed(Exception):
    """A call failed this once; ``cost_usd`` is what the attempt had cost all the same, or may have
    where not ``certain``.
    """

    def __init__(self, failure: Failure, cost_usd: float = 0.0, *, certain: bool = True) -> None:
        super().__init__(failure.line)
        self.failure = failure
        self.cost_usd = cost_usd
        self.certain = certain


EMPTY = Failure("the reply was empty", tries=4)
CUT = Failure("the reply was interrupted", tries=TRIES)
ALL_THOUGHT = Failure(
    (
        "all output tokens were used before any text was written; allow more with "
        "CLINFO_MAX_OUTPUT_TOKENS, or choose a lower "
        "--reasoning-effort"
    ),
    tries=2,
)
ONLY_THOUGHT = Failure(
    "the model only thought and wrote no answer; choose a lower --reasoning-effort, allow more "
    "with CLINFO_MAX_OUTPUT_TOKENS, or see that its server parts thoughts from answers"
)
BLOCKED: Final = "the provider's content filter withheld the reply"
REFUSED: Final = "the model refused to answer"


_REFUSED = {
    401: (
        "the provider refused the API key (401); check that it is right and belongs to this "
        "provider{said}"
    ),
    403: "the provider does not allow this key to use this model (403){said}",
    404: "the provider has no such model (404); check the name and the address "
    "(of most own servers it ends in /v1){said}",
}
"""The failure for a status that needs no further look."""


def timed_out(seconds: float, what: str, *, again: bool = True) -> Failure:
    """There was no answer in time; ``what`` says what was waited for. A server on this machine is
    still at work on it, so that asking ``again`` would only add to its queue."""
    variable = (
        "CLINFO_MODEL_FIRST_TOKEN_TIMEOUT" if what == "first token" else "CLINFO_MODEL_TIMEOUT"
    )
    return Failure(
        f"no {what} within {seconds:g} s; {variable} sets how long",
        TRIES if again else 1,
        overload=True,
        begun=True,
    )


def failure_of(
    error: BaseException, name: str, request: ModelRequest, api_key: str | None = None
) -> Failure:
    """Return what ``error``, raised by a call to the model ``name``, comes down to."""
    chain = list(causes(error))
    kinds = {kind.__name__ for cause in chain for kind in type(cause).__mro__}
    text = " ".join(str(cause) for cause in chain)
    status = _status(chain)
    said = excerpt(error, request, api_key)
    if "overloaded" in text.lower():
        line = f"the provider is overloaded{said}; try again later"
        return Failure(line, TRIES, retry_after(error), overload=True)
    if WEB_PAGE in text:  # of a sign-in: an answer with status 200
        return Failure(
            f"{WEB_PAGE}{said.removeprefix(f': {WEB_PAGE}')}; check the address", tries=2
        )
    if status is None:
        if _MISSING_KEY.search(text):
            named = re.search(r"\b[A-Z][A-Z0-9_]*_API_KEY\b", text)
            variable = key_variable(name) or (named and named[0]) or "the key of its provider"
            return Failure(f"no API key; set {variable}")
        if "ConnectError" in kinds or "ClientConnectorError" in kinds:
            return Failure(
                (
                    f"its server cannot be reached ({_unreachable(text)}); check the address and "
                    "the network"
                ),
                FEW_TRIES,
            )
        if kinds & {"TimeoutException", "APITimeoutError", "Timeout", "TimeoutError"}:
            return Failure(
                "there was no answer in time; CLINFO_MODEL_TIMEOUT sets how long",
                TRIES,
                overload=True,
                begun=True,
            )
        if kinds & {
            "NetworkError",
            "RemoteProtocolError",
            "ClientPayloadError",
            "ServerDisconnectedError",
            "ConnectionError",
        }:
            return Failure("the connection was lost", TRIES, begun=True)
        if missing := next((cause for cause in chain if isinstance(cause, ImportError)), None):
            return Failure(
                "its provider needs a Python package that is not installed "
                f"({one_line_of(str(missing))})"
            )
        if "LiteLLMUnknownProvider" in kinds or "LLM Provider NOT provided" in text:
            return Failure(
                "no such provider; name the model as PROVIDER/MODEL, for example openai/gpt-4o-mini"
            )
    if _too_long(error, kinds):
        return Failure(
            "the text is longer than the model's context window; use fewer articles or another "
            f"model{said}"
        )
    if status is None and (malformed := _malformed(text, kinds)) is not None:
        return malformed
    status = status or getattr(error, "status_code", None)
    if status == 402 or (status != 401 and _NO_CREDIT.search(f"{text} {[*answers(error)]}")):
        return Failure(f"the account with the provider has no credit left{said}")
    if status in _REFUSED:
        return Failure(_REFUSED[status].replace("{said}", said))
    if is_torn(error):
        return Failure(f"the provider could not read what the model wrote{said}", FEW_TRIES)
    if status in (400, 405, 410, 413, 415, 422):
        return Failure(f"the provider rejected the request ({status}){said}")
    if status == 429:
        line = "the provider's rate limit was reached (429); wait, or lower CLINFO_CONCURRENCY"
        return Failure(f"{line}{said}", TRIES, retry_after(error), overload=True)
    if status is not None and (status >= 500 or status in (408, 409, 425)):
        busy = status in (503, 529)
        return Failure(
            f"its server failed ({status}){said}; try again later",
            TRIES,
            retry_after(error),
            overload=busy,
        )
    return Failure(f"the call failed ({type(error).__name__}){said}", FEW_TRIES, retry_after(error))


def is_blocked(error: BaseException) -> bool:
    """Return whether the provider's content filter refused the request."""
    named = any(type(cause).__name__ == "ContentPolicyViolationError" for cause in causes(error))
    return named or _BLOCKING.search(json.dumps([*answers(error)])) is not None


def is_torn(error: BaseException) -> bool:
    """Return whether the provider itself could not read the JSON or the call that its model wrote:
    a fault of one reply, not of the request.
    """
    return _TORN.search(f"{error} {[*answers(error)]}") is not None


def refused_parameter(error: BaseException, sent: Collection[str]) -> str | None:
    """Return which of the parameters ``sent`` the provider refused, None if the error is about
    something else.
    """
    chain = list(causes(error))
    kinds = {kind.__name__ for cause in chain for kind in type(cause).__mro__}
    status = _status(chain) or getattr(error, "status_code", None)
    said = str(error)
    named = is_torn(error) or any(one in said.lower() for one in _FORMAT)
    form = "response_format" in sent and named
    if _too_long(error, kinds):
        return None
    if status not in (400, 422) and not (form and status in (500, 501)):  # as llama.cpp does
        return None
    for cause in chain:
        body = getattr(cause, "body", None)
        if isinstance(body, dict) and body.get("param") in sent:
            return str(body["param"])
    if form:
        return "response_format"
    return next((name for name in sent if re.search(rf"\b{name}\b", said)), None)


def wants_max_completion_tokens(error: BaseException) -> bool:
    """Return whether the provider, refusing ``max_tokens``, asked for its newer name."""
    return any("max_completion_tokens" in str(cause) for cause in causes(error))


def retry_after(error: BaseException) -> float | None:
    """Seconds that the server asked to wait: a number or an HTTP date (RFC 9110, 10.2.3), or
    Google's ``retryDelay``; None where it did not say.
    """
    for cause in causes(error):
        response = getattr(cause, "response", None)
        for headers in (
            getattr(cause, "litellm_response_headers", None),
            getattr(response, "headers", None),
        ):
            if headers is not None and (value := headers.get("retry-after")):
                return seconds_until(str(value))
    delay = _DELAY.search(json.dumps([*answers(error)]))
    return float(delay[1]) if delay else None


_FORMAT = (
    *("response_format", "json_schema", "json_object", "response_schema", "responseschema"),
    *("output_format", "output_config", "grammar", "additionalproperties", "json schema"),
    *("json-schema", "guided"),
)
_NO_REPLY = ("Empty or invalid response", "converting to valid response", "unexpected response")


_NO_CREDIT = re.compile(r"insufficient_(?:quota|balance)|billing_\w+|credit balance|in arrears")
_BLOCKING = re.compile(
    r'"(?:code|type|reason)": "(?:content_(?:filter|policy_violation)|data_inspection_failed|'
    r'ResponsibleAIPolicyViolation|SAFETY)"'
)
_TORN = re.compile(
    r"failed_generation|json_validate_failed|tool_use_failed|invalid_(?:model_output|tool_generation)"
    r"|generated invalid json|failed to parse tool call",
    re.IGNORECASE,
)
"""Codes of providers: an account without money, a filter that withheld a reply, a reply of a model
that its own provider could not read.
"""
_DELAY = re.compile(r'"retryDelay": "(\d+(?:\.\d+)?)s"')
_OVERFLOW = re.compile(
    r"(?:maximum|max|available|of only .*) context (?:length|size|window)|context (?:length|size"
    r"|window|limit)\b.*\b(?:\d+|exceed\w*)|prompt is too long|exceed\w* .*\bcontext\b",
    re.IGNORECASE | re.DOTALL,
)

_MISSING_KEY = re.compile(
    r"missing (?:credentials|\w* ?api[ _]key)|api_?key client option must be set|no api[ _]key"
    r"|api[ _]key (?:is )?(?:not set|missing|required)"
    r"|(?:set|provide|pass) (?:the |an? |your )?`?(?:\w+_API_KEY|api[ _]key)",
    re.IGNORECASE,
)


def _too_long(error: BaseException, kinds: Collection[str]) -> bool:
    """Return whether a server refused a request for its length; litellm knows some of the words."""
    return (
        "ContextWindowExceededError" in kinds
        or _OVERFLOW.search(words_of_server(error)) is not None
    )


def _status(chain: list[BaseException]) -> int | None:
    """The HTTP status that a server really answered with."""
    for cause in chain:
        if type(cause).__name__ == "HTTPStatusError":
            return int(cause.response.status_code)  # type: ignore[attr-defined]
    return None


def _malformed(text: str, kinds: set[str]) -> Failure | None:
    """Return what happened where no server gave an error status and yet litellm got no reply out of
    what it was sent.
    """
    if "repeating the same chunk" in text:
        return Failure("it kept repeating itself", FEW_TRIES)
    if any(said in text for said in _NO_REPLY) or kinds & {
        "APIResponseValidationError",
        "JSONDecodeError",
    }:
        return Failure("its server sent something other than a model's reply", TRIES)
    if kinds & {"InternalServerError", "ServiceUnavailableError", "APIConnectionError", "APIError"}:
        # litellm's words for everything it does not expect, an error event in a stream among them.
        return (
            Failure("its server sent an unreadable reply", TRIES)
            if "BadRequestError" not in kinds
            else None
        )
    return None


_UNREACHABLE = {
    "its certificate was not accepted": ("certificate", "[ssl:", "ssl.ssl"),
    "its name was not found": (
        *("name or service not known", "getaddrinfo", "nodename", "temporary failure in name"),
        "no address",
    ),
    "connection refused": ("refused", "connect call failed"),
}
"""Reasons why a server is not reached, with what is said of them, in small letters."""


def _unreachable(text: str) -> str:
    text = text.lower().replace("ssl:<ssl", "")
    found = (why for why, said in _UNREACHABLE.items() if any(one in text for one in said))
    return next(found, "no connection")


_SYSTEM = re.compile(
    r"(?:system|developer)[ -]?(?:role|message|prompt|instruction)s?\b.{0,60}"
    r"\b(?:not|unsupported)\b|support\w*.{0,40}\bsystem\b|\bno system\b|roles must alternate"
    r"|only user and assistant roles|first message must be"
    r"|role.{0,30}\bsystem\b.{0,40}\b(?:not|invalid|unknown|unsupported)\b",
    re.IGNORECASE | re.DOTALL,
)


def refuses_system(error: BaseException) -> bool:
    """Return whether the provider refused a request for its message of the role system."""
    status = _status(list(causes(error))) or getattr(error, "status_code", None)
    return status in (400, 404, 422, 500) and _SYSTEM.search(str(error)) is not None


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
