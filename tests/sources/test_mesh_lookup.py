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
from clinfo.sources.mesh_lookup import KEPT_SECONDS, MeshLookup
from clinfo.terms.mesh import Mesh
from clinfo.terms.mesh_table import write_table
from clinfo.text.words import key

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
        """The records that one of the parts joined by OR names."""
        wanted = {key(part.removesuffix('"[MeSH Terms]')) for part in term.split(" OR ")}
        return [
            uid
            for uid, record in self.records.items()
            if wanted & set(map(key, record["ds_meshterms"]))
        ]

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


@pytest.fixture(scope="module")
def old(tmp_path_factory):
    """A table that has one heading alone."""
    path = tmp_path_factory.mktemp("old") / "mesh.sqlite"
    write_table(path, DESCRIPTORS[5:6], lambda: (2020, "x", "0"))
    return Mesh(path)


def asked(lookup: MeshLookup, *texts: str, fresh: bool = False) -> dict[str, MeshMatch]:
    return dict(asyncio.run(lookup.match(texts, fresh)))


def test_headings_entry_terms_and_neither(server, eutils, old):
    texts = ["HYPERTENSION", "high blood pressure", "benzo a pyrene", "cardiac function", "Female"]
    matches = asked(MeshLookup(old, eutils), *texts, "Cardiac function tests")
    assert list(matches) == [*texts, "Cardiac function tests"]
    assert matches["HYPERTENSION"] == MeshMatch("HYPERTENSION", "heading", DESCRIPTORS[0])
    assert matches["high blood pressure"] == MeshMatch(
        "high blood pressure", "entry term", DESCRIPTORS[0]
    )
    assert matches["benzo a pyrene"] == MeshMatch("benzo a pyrene", "heading", DESCRIPTORS[3])
    assert matches["Female"] == MeshMatch("Female", "heading", DESCRIPTORS[6])
    # What neither has comes with the nearest headings of the table; what that has is not asked.
    assert matches["cardiac function"] == MeshMatch(
        "cardiac function", "unknown", None, ("Heart Function Tests",), 2020
    )
    assert server.count() == {"esearch.fcgi": 1, "esummary.fcgi": 1}
    assert server.asked[0][1]["term"].count(" OR ") == 4


def test_what_is_no_text_is_not_asked(server, eutils, old):
    long = "hypertension " * 100
    lookup = MeshLookup(old, eutils)
    assert {match.kind for match in asked(lookup, "", " ?! ", long).values()} == {"unknown"}
    assert server.asked == []
    strange = "migraine\ud800\0 &x=1#"
    assert asked(lookup, strange)[strange].kind == "unknown"


def test_marks_of_the_query_language_stay_out_of_the_query(server, eutils, old):
    texts = ['"migraine"', "migraine[mh]", "migra*", "“migraine”", 'x" OR "hypertension']
    matches = asked(MeshLookup(old, eutils), *texts)
    assert matches['"migraine"'].kind == matches["“migraine”"].kind == "entry term"
    assert matches['x" OR "hypertension'].kind == "unknown"
    term = server.asked[0][1]["term"]
    assert all(
        re.fullmatch(r'"[^"\[\]*]+"\[MeSH Terms\]', part) for part in re.split(r"(?<=\]) OR ", term)
    )


def test_answers_are_kept_for_thirty_days(tmp_path, server, eutils, old):
    cache = Cache(tmp_path / "cache.sqlite")
    lookup = MeshLookup(old, eutils, cache)
    first = asked(lookup, "Migraine", "cardiac function")
    calls = len(server.asked)
    again = asked(lookup, "migraine", "cardiac function")
    assert len(server.asked) == calls
    assert again["migraine"] == MeshMatch("migraine", "entry term", first["Migraine"].descriptor)
    assert again["cardiac function"] == first["cardiac function"]
    asked(lookup, "migraine", fresh=True)
    assert len(server.asked) == calls + 2
    for change, value in (("stored", time.time() - KEPT_SECONDS - 1), ("value", b"{}")):
        cache._open().execute(f"UPDATE entries SET {change} = ?", (value,))
        cache._open().commit()
        calls = len(server.asked)
        assert asked(lookup, "migraine")["migraine"].kind == "entry term"
        assert len(server.asked) == calls + 2
    cache.close()


@pytest.mark.parametrize("call", [0, 1])
def test_a_passing_fault_is_mended_and_one_that_stays_is_told(tmp_path, server, eutils, old, call):
    term = {"db": "mesh", "term": '"migraine"[MeSH Terms]'}
    good = [server.answer("esearch.fcgi", term)] if call else []
    server.asked.clear()
    server.replies = [*good, (500, "Internal Server Error")]
    assert asked(MeshLookup(old, eutils), "migraine")["migraine"].kind == "entry term"
    assert len(server.asked) == 3
    error = '{"esearchresult":{"ERROR":"Invalid db name specified: mesh"}}'
    server.replies = [(200, error)]
    cache = Cache(tmp_path / "cache.sqlite")
    with pytest.raises(SourceError) as raised:
        asked(MeshLookup(old, eutils, cache), "a private question")
    assert "private" not in str(raised.value)
    assert asked(MeshLookup(old, eutils, cache), "migraine")["migraine"].kind == "entry term"
    cache.close()


def test_a_table_that_cannot_be_read_is_a_source_error(tmp_path):
    with pytest.raises(SourceError, match="mesh load FILE"):
        asked(MeshLookup(Mesh(tmp_path / "none.sqlite")), "asthma")
