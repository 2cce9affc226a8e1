"""What a server says where a reply should be."""

from __future__ import annotations

import html
import json
import re
from contextlib import suppress
from typing import Any, Final

EXCERPT = 200
"""Most characters of a provider's message that are passed on."""
_AROUND: Final = ("metadata", "error", "errors", "fault", "innererror")
_SAYING: Final = (
    *("raw", "message", "detail", "msg", "faultstring", "error_description", "error", "title"),
    *("reason", "code"),
)
"""Fields in which servers write an error, and its words; likely ones first."""
_PAGE: Final = re.compile(
    r"\s*<(?:.*?<(?:title|h1|message|code)\b[^>]*>\s*([^<]*[^<\s]))?.*", re.DOTALL | re.IGNORECASE
)


def words_of(form: Any) -> str:
    """What an answer says that is no reply, however it is written: an object of an error, also of a
    gateway around that of the provider, a list of them, a page, a text; "" where it says nothing.
    """
    if isinstance(form, str):
        if form.lstrip().startswith(("{", "[")):
            with suppress(ValueError, RecursionError):
                return words_of(json.loads(form))
        return html.unescape(found[1]) if (found := _PAGE.match(form)) else form.strip()
    if isinstance(form, list):
        return "; ".join(filter(None, map(words_of, form[:3])))
    if not isinstance(form, dict):
        return ""
    inner = (form[name] for name in _AROUND if isinstance(form.get(name), dict | list))
    plain = (form[name] for name in _SAYING if form.get(name))
    return next(filter(None, map(words_of, (*inner, *plain))), "")
