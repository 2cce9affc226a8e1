"""``clinfo eutils`` over an index made in the test, and a server in front of it that adds PMC and
ELink, and can fail.
"""

import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import urlopen

from benchmarks.servers.scripted import Received, Reply, ScriptedServer
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


DOWN = b"<!DOCTYPE html><html><body>We are down for maintenance</body></html>"
FAULTS = {
    "500": Reply(500, b""),
    "empty": Reply(200, b""),
    "html": Reply(200, DOWN),
    "gone": Reply(404, DOWN),
    "none": Reply(200, b"<PubmedArticleSet></PubmedArticleSet>"),
}
"""Answers of a server that is not well; "none" is a well-formed one with nothing in it."""


class Front(ScriptedServer):
    """Passes requests on to ``behind``, all but those of PMC and ELink, which it answers itself.

    ``links`` maps a PMID to what it cites, None to be left out of the answer, ``texts`` a number in
    PMC to its article, others being refused as PMC does; ``faults`` the place of a request
    (from 0) to "cut" or one of `FAULTS`; ``delay`` seconds before each answer.
    """

    PATH = "/entrez/eutils/"

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
        self._at = dict(faults or {})
        super().__init__(latency=delay, port=port)

    @property
    def port(self) -> int:
        """Return where it listens."""
        return int(self._server.server_address[1])

    @property
    def asked(self) -> list[Asked]:
        """The requests as they came."""
        return [(_utility(one), tuple(one.fields)) for one in self.log]

    def count(self, utility: str, db: str = "pubmed") -> int:
        """Return how many requests there were of this utility and database."""
        return sum(
            name == utility and dict(fields).get("db", "pubmed") == db
            for name, fields in self.asked
        )

    def answer(self, asked: Received) -> Reply:
        place = next(n for n, one in enumerate(self.log) if one is asked)
        fault = self._at.get(place, "")
        if fault in FAULTS:
            return FAULTS[fault]
        return replace(self._told(asked), broken="cut" if fault == "cut" else None)

    def _told(self, asked: Received) -> Reply:
        ids = [id for name, value in asked.fields if name == "id" for id in value.split(",")]
        if _utility(asked) == "efetch" and asked.params.get("db") == "pmc":
            return Reply(200, full_texts(*(self._texts.get(id) or not_available(id) for id in ids)))
        if _utility(asked) == "elink":
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
            return Reply(200, f"<eLinkResult>{sets}</eLinkResult>".encode())
        behind = self._behind + asked.path.rpartition("/")[2]
        with urlopen(behind, urlencode(asked.fields).encode(), timeout=30) as reply:
            return Reply(reply.status, reply.read())


def _utility(asked: Received) -> str:
    return asked.path.rpartition("/")[2].removesuffix(".fcgi")


def pubmedrs(*arguments: str) -> list[str]:
    """The command that runs ``python -m pubmedrs`` with these arguments."""
    return [sys.executable, "-m", "pubmedrs", *arguments]
