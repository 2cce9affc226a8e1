"""MeSH for the stages: from a table, and asked over real HTTP of a server that answers db=mesh as
NCBI does.
"""

from __future__ import annotations

import asyncio
import json
import re
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest

from clinfo.cache import Cache
from clinfo.errors import SourceError
from clinfo.records.articles import MeshDescriptor, MeshMatch
from clinfo.sources.entrez import Eutils
from clinfo.sources.mesh_lookup import KEPT_SECONDS, EutilsLookup, TableLookup
from clinfo.sources.protocols import MeshLookup
from clinfo.terms.mesh import Mesh
from clinfo.terms.mesh_table import write_table
from clinfo.text.words import key, words

DESCRIPTORS = [
    MeshDescriptor(
        "D006973", "Hypertension", ("Blood Pressure, High", "High Blood Pressure"), ("C14.907.489",)
    ),
    MeshDescriptor("D006977", "Hypertension, Renal", (), ("C12.777.419.331", "C14.907.489.631")),
    MeshDescriptor(
        "D008881", "Migraine Disorders", ("Migraine", "Sick Headache"), ("C10.228.140.546.399.750",)
    ),
    MeshDescriptor(
        "D001564", "Benzo(a)pyrene", ("3,4-Benzopyrene",), ("D02.455.426.559.847.799.306.300",)
    ),
    MeshDescriptor("D006331", "Heart Diseases", ("Cardiac Diseases",), ("C14.280",)),
    MeshDescriptor(
        "D006334", "Heart Function Tests", ("Cardiac Function Tests",), ("E01.370.370",)
    ),
    MeshDescriptor("D005260", "Female"),
]
NOT_DESCRIPTORS = {
    # db=mesh holds qualifiers and supplementary concepts beside the descriptors.
    "67000001": {
        "uid": "67000001",
        "ds_recordtype": "supplementary-record",
        "ds_meshui": "C000001",
        "ds_meshterms": ["cardiac"],
    },
    "81000188": {
        "uid": "81000188",
        "ds_recordtype": "qualifier",
        "ds_meshui": "Q000188",
        "ds_meshterms": ["function"],
    },
}


def summary(uid: str, one: MeshDescriptor) -> dict:
    return {
        "uid": uid,
        "ds_scopenote": "…",
        "ds_meshui": one.ui,
        "ds_recordtype": "descriptor",
        "ds_meshterms": [one.heading, *one.entry_terms],
        "ds_idxlinks": [
            {"parent": 68000000, "treenum": place, "children": [68000001]}
            for place in one.tree_numbers
        ],
    }


class MeshServer:
    """ESearch and ESummary of db=mesh; ``replies`` are given first, as (status, body), ``hidden``
    uids get no summary.
    """

    def __init__(self) -> None:
        self.records = {
            f"68{one.ui[1:]}": summary(f"68{one.ui[1:]}", one) for one in DESCRIPTORS
        } | NOT_DESCRIPTORS
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.replies: list[tuple[int, str]] = []
        self.hidden: set[str] = set()
        self.lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._answer(urlsplit(self.path).query)

            def do_POST(self) -> None:
                self._answer(self.rfile.read(int(self.headers["Content-Length"])).decode())

            def _answer(self, fields: str) -> None:
                utility = urlsplit(self.path).path.rpartition("/")[2]
                status, body = server.answer(
                    utility, {name: values[0] for name, values in parse_qs(fields).items()}
                )
                data = body.encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None: ...

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    def answer(self, utility: str, fields: dict[str, str]) -> tuple[int, str]:
        with self.lock:
            self.asked.append((utility, fields))
            if self.replies:
                return self.replies.pop(0)
        assert fields["db"] == "mesh"
        if utility == "esearch.fcgi":
            found = self.found(fields["term"])
            start, most = int(fields.get("retstart", 0)), int(fields.get("retmax", 20))
            result = {
                "count": str(len(found)),
                "retmax": str(most),
                "retstart": "0",
                "idlist": found[start : start + most],
            }
            result |= {"translationset": [], "querytranslation": fields["term"]}
            return 200, json.dumps(
                {"header": {"type": "esearch", "version": "0.3"}, "esearchresult": result}
            )
        uids = fields["id"].split(",")
        shown = {uid: {"uid": uid, "error": "cannot get document summary"} for uid in uids}
        shown |= {
            uid: self.records[uid] for uid in uids if uid in self.records and uid not in self.hidden
        }
        return 200, json.dumps(
            {"header": {"type": "esummary", "version": "0.3"}, "result": {"uids": uids, **shown}}
        )

    def found(self, term: str) -> list[str]:
        """Parts joined by OR: a quoted one is a whole name, in others every word must be in one of
        the names.
        """
        hits = []
        for part in term.split(" OR "):
            quoted = re.fullmatch(r'"([^"]*)"\[MeSH Terms\]', part)
            for uid, record in self.records.items():
                names = record["ds_meshterms"]
                if quoted:
                    fits = key(quoted[1]) in map(key, names)
                else:
                    fits = set(words(part)) <= {word for name in names for word in words(name)}
                if fits and uid not in hits:
                    hits.append(uid)
        return hits

    def count(self) -> Counter[str]:
        return Counter(utility for utility, _ in self.asked)


@pytest.fixture
def server():
    running = MeshServer()
    threading.Thread(
        target=running.http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
    ).start()
    yield running
    running.http.shutdown()
    running.http.server_close()


@pytest.fixture
def eutils(server):
    client = Eutils(
        f"http://127.0.0.1:{server.http.server_port}/entrez/eutils",
        rate=1000,
        timeout=30,
        overall=60,
    )
    yield client
    client.close()


def asked(lookup: MeshLookup, *texts: str, fresh: bool = False) -> dict[str, MeshMatch]:
    return dict(asyncio.run(lookup.match(texts, fresh)))


def test_headings_entry_terms_and_neither(server, eutils):
    matches = asked(
        EutilsLookup(eutils),
        "HYPERTENSION",
        "high blood pressure",
        "benzo a pyrene",
        "cardiac function",
        "Female",
    )
    assert list(matches) == [
        "HYPERTENSION",
        "high blood pressure",
        "benzo a pyrene",
        "cardiac function",
        "Female",
    ]
    assert matches["HYPERTENSION"] == MeshMatch("HYPERTENSION", "heading", DESCRIPTORS[0])
    assert matches["high blood pressure"] == MeshMatch(
        "high blood pressure", "entry term", DESCRIPTORS[0]
    )
    assert matches["benzo a pyrene"] == MeshMatch("benzo a pyrene", "heading", DESCRIPTORS[3])
    assert matches["Female"] == MeshMatch("Female", "heading", DESCRIPTORS[6])
    assert matches["cardiac function"] == MeshMatch(
        "cardiac function", "unknown", None, ("Heart Function Tests",)
    )
    # All texts in one search and one summary, then as many for the one that is unknown.
    assert server.count() == {"esearch.fcgi": 2, "esummary.fcgi": 2}
    assert server.asked[0][1]["term"].count(" OR ") == 4


def test_a_table_and_the_service_agree(tmp_path, server, eutils):
    write_table(tmp_path / "mesh.sqlite", DESCRIPTORS, lambda: (2025, "x", "0"))
    table: MeshLookup = TableLookup(Mesh(tmp_path / "mesh.sqlite"))
    remote: MeshLookup = EutilsLookup(eutils)
    texts = [name for one in DESCRIPTORS for name in (one.heading, *one.entry_terms)] + [
        "cardiac function",
        "",
        "?",
    ]
    assert asked(table, *texts) == asked(remote, *texts)


def test_what_is_no_text_is_not_asked(server, eutils):
    long = "hypertension " * 100
    matches = asked(EutilsLookup(eutils), "", " ?! ", long)
    assert [match.kind for match in matches.values()] == ["unknown"] * 3
    assert server.asked == []
    assert (
        asked(EutilsLookup(eutils), "migraine\ud800\0 &x=1#")["migraine\ud800\0 &x=1#"].kind
        == "unknown"
    )


def test_marks_of_the_query_language_stay_out_of_the_query(server, eutils):
    texts = ['"migraine"', "migraine[mh]", "migra*", "“migraine”", 'x" OR "hypertension']
    matches = asked(EutilsLookup(eutils), *texts)
    assert matches['"migraine"'].kind == matches["“migraine”"].kind == "entry term"
    assert matches['x" OR "hypertension'].kind == "unknown"
    term = server.asked[0][1]["term"]
    assert all(
        re.fullmatch(r'"[^"\[\]*]+"\[MeSH Terms\]', part) for part in re.split(r"(?<=\]) OR ", term)
    )


def test_answers_are_kept_for_thirty_days(tmp_path, server, eutils):
    cache = Cache(tmp_path / "cache.sqlite")
    first = asked(EutilsLookup(eutils, cache), "Migraine", "cardiac function")
    calls = len(server.asked)
    again = asked(EutilsLookup(eutils, cache), "migraine", "cardiac function")
    assert len(server.asked) == calls
    assert again["migraine"] == MeshMatch("migraine", "entry term", first["Migraine"].descriptor)
    assert again["cardiac function"] == first["cardiac function"]
    asked(EutilsLookup(eutils, cache), "migraine", fresh=True)
    assert len(server.asked) == calls + 2
    cache._open().execute("UPDATE entries SET stored = ?", (time.time() - KEPT_SECONDS - 1,))
    cache._open().commit()
    asked(EutilsLookup(eutils, cache), "migraine")
    assert len(server.asked) == calls + 4
    cache._open().execute("UPDATE entries SET value = ?", (b"{}",))
    cache._open().commit()
    assert asked(EutilsLookup(eutils, cache), "migraine")["migraine"].kind == "entry term"
    cache.close()


@pytest.mark.parametrize(
    "reply",
    [
        (429, '{"error":"API rate limit exceeded","api-key":"127.0.0.1","count":"4","limit":"3"}'),
        (200, "<!DOCTYPE html><html><body>Service outage</body></html>"),
        (500, "Internal Server Error"),
        (200, ""),
        (
            200,
            (
                '{"header":{"type":"esearch"},"esearchresult":{"ERROR":"Search Backend failed: try '
                'again"}}'
            ),
        ),
    ],
)
@pytest.mark.parametrize("call", [0, 1])
def test_a_passing_fault_is_mended(server, eutils, reply, call):
    good = (
        []
        if call == 0
        else [server.answer("esearch.fcgi", {"db": "mesh", "term": '"migraine"[MeSH Terms]'})]
    )
    server.asked.clear()
    server.replies = [*good, reply]
    assert asked(EutilsLookup(eutils), "migraine")["migraine"].kind == "entry term"
    assert len(server.asked) == 3


def test_an_error_that_stays_is_a_source_error_and_nothing_is_kept(tmp_path, server, eutils):
    cache = Cache(tmp_path / "cache.sqlite")
    error = (
        '{"header":{"type":"esearch"},"esearchresult":{"ERROR":"Invalid db name specified: mesh"}}'
    )
    server.replies = [(200, error)]
    with pytest.raises(SourceError) as raised:
        asked(EutilsLookup(eutils, cache), "a private question")
    assert "private" not in str(raised.value)
    assert asked(EutilsLookup(eutils, cache), "migraine")["migraine"].kind == "entry term"
    cache.close()


def test_a_table_that_cannot_be_read_is_a_source_error(tmp_path):
    with pytest.raises(SourceError, match="mesh load FILE"):
        asked(TableLookup(Mesh(tmp_path / "none.sqlite")), "asthma")
