"""What a server says where a reply should be."""

import html
import json
import re
from contextlib import suppress
from typing import Any, Final

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
