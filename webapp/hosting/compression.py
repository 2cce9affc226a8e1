"""gzip for what is text, where the browser takes it.

Not for an address with a query: what a stranger writes there may stand in the page, and beside a
secret of the page the size of both, compressed together, tells whether they are alike (BREACH).
Nor where another site led the browser here, which may have chosen what the page holds.
"""

from __future__ import annotations

import gzip
from typing import Final

from flask import Flask, Response, request

LEAST: Final = 1_000
"""Bytes; less fits into one packet as it is."""
_TEXTS: Final = ("application/json", "application/javascript", "image/svg+xml")


def set_up(app: Flask) -> None:
    """Put it into an app that is being made, before what adds headers."""

    @app.after_request
    def _compress(response: Response) -> Response:
        mimetype = response.mimetype or ""
        of_file = request.endpoint == "static"  # whose address has the digest of the file as query
        if (
            response.status_code != 200
            or request.method not in ("GET", "HEAD")
            or (response.is_streamed and not of_file)
            or not (mimetype.startswith("text/") or mimetype in _TEXTS)
        ):
            return response
        response.vary.update(("Accept-Encoding", "Sec-Fetch-Site"))
        led = request.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin")
        if not request.accept_encodings["gzip"] or ((request.args or led) and not of_file):
            return response
        response.direct_passthrough = False
        whole = response.get_data()
        if len(whole) < LEAST or "Content-Encoding" in response.headers:
            return response
        response.set_data(gzip.compress(whole, 6, mtime=0))
        response.headers["Content-Encoding"] = "gzip"
        response.headers.pop("Accept-Ranges", None)
        tag, weak = response.get_etag()
        if tag and not weak:  # the same text in other bytes
            response.set_etag(tag, weak=True)
        return response
