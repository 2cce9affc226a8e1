"""``clinfo eutils`` over an index made in the test, and a server in front of it that adds PMC and
ELink, and can fail.
"""

import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Self
from urllib.parse import parse_qsl, urlsplit
from urllib.request import Request, urlopen

from clinfo.pubmed.index import build
from tests.cli.process import command, environment
from tests.pubmedrs.build.reviews import citations, full_texts, not_available

Asked = tuple[str, tuple[tuple[str, str], ...]]
"""A request as it came: the utility and its parameters."""


@contextmanager
def local_eutils(folder: Path, records: Sequence[str]) -> Iterator[str]:
    """The address of ``clinfo eutils`` over these records, a process of its own."""
    build([citations(folder / "records.xml", records)], folder / "index")
    started = subprocess.Popen(
        command("eutils", "index", "--port", "0"), cwd=folder, env=environment(), text=True,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        assert started.stdout is not None
        yield started.stdout.readline().strip()
    finally:
        started.kill()
        started.communicate()


class Front:
    """Passes requests on to ``behind``, all but those of PMC and ELink, which it answers itself.

    ``links`` maps a PMID to what it cites, None to be left out of the answer, ``texts`` a number in
    PMC to its article, others being refused as PMC does; ``faults`` the place of a request
    (from 0) to "500", "cut", "empty", "html", "gone" (404) or "none";
    ``delay`` seconds before each answer. ``asked`` are the requests as they came.
    """

    def __init__(
        self,
        behind: str,
        links: Mapping[str, Sequence[str] | None] | None = None,
        texts: Mapping[str, str] | None = None,
        faults: Mapping[int, str] | None = None,
        delay: float = 0,
        port: int = 0,
    ) -> None:
        self._behind, self._links, self._texts = behind, links or {}, texts or {}
        self._faults, self._delay = dict(faults or {}), delay
        self.asked: list[Asked] = []
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", port), self._handler())
        self._server.daemon_threads = True

    @property
    def port(self) -> int:
        """Return where it listens."""
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}/entrez/eutils/"

    def count(self, utility: str, db: str = "pubmed") -> int:
        """Return how many requests there were of this utility and database."""
        return sum(
            name == utility and dict(fields).get("db", "pubmed") == db
            for name, fields in self.asked
        )

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _answer(
        self, utility: str, fields: list[tuple[str, str]], path: str, body: bytes
    ) -> tuple[int, bytes]:
        ids = [id for name, value in fields if name == "id" for id in value.split(",")]
        if utility == "efetch" and dict(fields).get("db") == "pmc":
            return 200, full_texts(*(self._texts.get(id) or not_available(id) for id in ids))
        if utility == "elink":
            sets = "".join(
                (
                    f"<LinkSet><DbFrom>pubmed</DbFrom><IdList><Id>{id}</Id></IdList><LinkSetDb><DbTo>pubmed</DbTo>"
                    "<LinkName>pubmed_pubmed_refs</LinkName>"
                )
                + "".join(f"<Link><Id>{cited}</Id></Link>" for cited in cites)
                + "</LinkSetDb></LinkSet>"
                for id in ids
                if (cites := self._links.get(id, ())) is not None
            )
            return 200, f"<eLinkResult>{sets}</eLinkResult>".encode()
        request = Request(self._behind + path.rpartition("/")[2], data=body or None)
        with urlopen(request, timeout=30) as reply:
            return reply.status, reply.read()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        front = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._reply(b"")

            def do_POST(self) -> None:
                self._reply(self.rfile.read(int(self.headers.get("Content-Length", 0))))

            def _reply(self, body: bytes) -> None:
                parts = urlsplit(self.path)
                fields = parse_qsl(body.decode() or parts.query)
                utility = parts.path.rpartition("/")[2].removesuffix(".fcgi")
                with front._lock:
                    place = len(front.asked)
                    front.asked.append((utility, tuple(fields)))
                time.sleep(front._delay)
                fault = front._faults.get(place, "")
                status, answer = (
                    (500, b"")
                    if fault == "500"
                    else front._answer(utility, fields, self.path, body)
                )
                if fault == "none":  # a well-formed answer with nothing in it
                    answer = b"<PubmedArticleSet></PubmedArticleSet>"
                status = 404 if fault == "gone" else status
                if fault in ("html", "gone"):
                    answer = b"<!DOCTYPE html><html><body>We are down for maintenance</body></html>"
                if fault == "empty":
                    answer = b""
                self.send_response(status)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                if fault == "cut":
                    self.wfile.write(answer[: len(answer) // 2])
                    self.close_connection = True
                    return
                self.wfile.write(answer)

            def log_message(self, format: str, *args: object) -> None:
                """Nothing: the tests read ``asked``."""

        return Handler


def pubmedrs(*arguments: str) -> list[str]:
    """The command that runs ``python -m pubmedrs`` with these arguments."""
    return [sys.executable, "-m", "pubmedrs", *arguments]
