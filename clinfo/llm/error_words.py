"""What a server says where a reply should be, and as much of it as may be told: short, free of keys
and of what was sent.
"""

import html
import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final

from clinfo.runs.protocols import ModelRequest

EXCERPT = 200
"""Most characters of a provider's message that are passed on."""
WEB_PAGE: Final = "its address answers with a web page"
_AROUND: Final = ("metadata", "error", "errors", "fault", "innererror")
_SAYING: Final = (
    *("raw", "message", "detail", "msg", "faultstring", "error_description", "error", "title"),
    *("reason", "code"),
)
"""Fields in which servers write an error, and its words; likely ones first."""
_PAGE: Final = re.compile(
    r"\s*<(?:.*?<(?:title|h1|message|code)\b[^<>]*>([^<]*))?", re.DOTALL | re.IGNORECASE
)


def words_of(form: Any, deep: int = 20) -> str:
    """What an answer says that is no reply, however it is written: an object of an error, also of a
    gateway around that of the provider, a list of them, a page, a text; "" where it says nothing.
    """
    if not deep:
        return ""
    if isinstance(form, str):
        if form.lstrip().startswith(("{", "[")):
            with suppress(ValueError, RecursionError):
                return words_of(json.loads(form), deep - 1)
        found = _PAGE.match(form := form[:10_000])
        return html.unescape((found[1] or "") if found else form).strip()
    if isinstance(form, list):
        return "; ".join(filter(None, (words_of(one, deep - 1) for one in form[:3])))
    if not isinstance(form, dict):
        return ""
    inner = (form[name] for name in _AROUND if isinstance(form.get(name), dict | list))
    plain = (form[name] for name in _SAYING if form.get(name))
    every = {id(one): one for one in (*inner, *plain)}.values()  # each once
    return next(filter(None, (words_of(one, deep - 1) for one in every)), "")


def causes(error: BaseException) -> Iterator[BaseException]:
    """``error`` and everything that led to it, each once."""
    every = [error]
    for cause in every:  # which grows
        yield cause
        for one in (
            getattr(cause, "original_exception", None), cause.__cause__, cause.__context__,
        ):  # fmt: skip
            if isinstance(one, BaseException) and not any(one is other for other in every):
                every.append(one)


def scrubbed(text: str, *keys: str | None) -> str:
    """``text`` without ``keys``, without the value of any variable named like a secret and without
    what looks like a key.

    A secret of fewer than `WHOLE_BELOW` characters is looked for as a whole word only.
    """
    secrets = {
        value.strip()
        for variable, value in os.environ.items()
        if variable.upper().endswith(_SECRET_VARIABLES)
    }
    for secret in sorted((one for one in {*keys, *secrets} if one), key=len, reverse=True):
        if len(secret) >= WHOLE_BELOW:
            text = text.replace(secret, "[key]")
        else:
            text = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", "[key]", text)
    return _KEY.sub("[key]", text)


WHOLE_BELOW = 6


_SECRET_VARIABLES = ("_KEY", "_KEY_ID", "_TOKEN", "_SECRET", "_PASSWORD", "_CREDENTIALS")


_KEY = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|hf|r8|nvapi|pplx|AIza|ya29|key)[-_.][\w*.\-]{6,}|\bAIza[\w-]{10,}|"
    r"(?<=Bearer )\S+|\b[0-9a-f]{32,}\b"
)


_PREFIX = re.compile(r"^(?:(?:litellm\.)?\w*(?:Error|Exception)(?: \w+)?(?::| -) )+")


def one_line_of(text: str) -> str:
    return " ".join(text.split("\nTraceback")[0].split())


def excerpt(error: BaseException, request: ModelRequest, api_key: str | None = None) -> str:
    """Return what the provider said, short and free of keys, after a colon: without the words of
    weight of the question and names and numbers that were sent; nothing where it quotes a message.
    """
    from clinfo.text.terms import is_content

    told = words_of_server(error)
    text = one_line_of(scrubbed(told or _PREFIX.sub("", str(error)), api_key))[:EXCERPT].strip(" .")
    every = [word for message in request.messages for word in _words(message.content)]
    asked, held = " ".join(every), {*every}
    words = _words(text)
    quotes = any(" ".join(words[at : at + 4]) in asked for at in range(len(words) - 3))
    if quotes or text.isdecimal():
        return ""
    question = {*_words(str(request.variables.get("question") or request.messages[-1].content))}
    hidden = {
        word
        for word in re.findall(r"\w+", text)
        if word.lower() in (held if word.istitle() or not word.isalpha() else question)
        and (is_content(word.lower()) or not word.isalpha())
    }
    shown = re.sub(r"\w+", lambda one: "…" if one[0] in hidden else one[0], text)
    return f": {shown}" if _words(shown) else ""


def words_of_server(error: BaseException) -> str:
    """What a server said where a call failed, "" where none answered."""
    return next(filter(None, map(words_of, answers(error))), "")


def answers(error: BaseException) -> Iterator[Any]:
    """What servers answered where a call failed, JSON or text."""
    for cause in causes(error):
        with suppress(Exception):  # not an error of HTTP, or its body was not read
            text = cause.response.text  # type: ignore[attr-defined]
            try:
                yield json.loads(text)
            except (ValueError, RecursionError):
                yield text


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())
