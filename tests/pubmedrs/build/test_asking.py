"""Requests over real HTTP, what is kept of answers, and what a failing service comes to."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from benchmarks.servers.eutils import EutilsServer
from pubmedrs.build.asking import Answers, Service
from pubmedrs.build.citing import Cited
from tests.pubmedrs.build.reviews import full_text, review
from tests.pubmedrs.build.servers import Front, local_eutils

pytest.importorskip("tantivy")
pytest.importorskip("waitress")

QUERY = "acne[tiab] AND systematic[sb]"


@pytest.fixture(scope="module")
def behind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    records = [
        review(pmid, printed=f"<Year>{2000 + pmid}</Year>", electronic=None) for pmid in range(1, 8)
    ]
    with local_eutils(tmp_path_factory.mktemp("asked"), records) as address:
        yield address


def _service(front: Front | EutilsServer) -> Service:
    return Service(front.url, timeout=30, overall=90)


def _links(*sets: str) -> str:
    return f'<?xml version="1.0"?>\n<eLinkResult>{"".join(sets)}</eLinkResult>'


def _linked(pmid: str, cites: Sequence[int | str]) -> str:
    links = "".join(f"<Link><Id>{cited}</Id></Link>" for cited in cites)
    listed = (
        f"<LinkSetDb><DbTo>pubmed</DbTo><LinkName>pubmed_pubmed_refs</LinkName>{links}</LinkSetDb>"
        if cites
        else ""
    )
    return f"<LinkSet><DbFrom>pubmed</DbFrom><IdList><Id>{pmid}</Id></IdList>{listed}</LinkSet>"


def _ids_asked(server: EutilsServer, utility: str) -> list[list[str]]:
    asked = server.requests(utility)
    return [
        [id for name, value in one.fields if name == "id" for id in value.split(",")]
        for one in asked
    ]


@pytest.mark.parametrize("fault", ["500", "cut", "empty", "html"])
def test_a_fault_that_passes_is_asked_again(behind: str, tmp_path: Path, fault: str) -> None:
    texts = {"8": full_text("8", [("11", "10.1000/a")])}
    faults = {0: fault, 2: fault, 4: fault, 6: fault}
    with (
        Front(behind, {"1": ["11", "12"]}, texts, faults) as front,
        closing(Answers(_service(front), tmp_path)) as answers,
    ):
        assert answers.search(QUERY, 7).count == 7
        [[one]] = answers.records(["1"])
        assert one.xml.endswith("</PubmedArticle>")
        assert answers.linked(["1"]) == {"1": (Cited("11"), Cited("12"))}
        assert answers.in_full_text(["8", "9"]) == {"8": (Cited("11", "10.1000/a"),), "9": ()}
        assert len(front.asked) == 8


def test_the_key_never_stands_in_an_address(behind: str, tmp_path: Path) -> None:
    with Front(behind) as front:
        service = Service(front.url, "secret-key", "me@example.org", timeout=30, overall=90)
        with closing(Answers(service, tmp_path)) as answers:
            answers.in_full_text(["8"])
            answers.search(QUERY, 1)
        assert all(
            ("api_key", "secret-key") in fields and ("email", "me@example.org") in fields
            for _, fields in front.asked
        )
    assert not any(b"secret" in path.read_bytes() for path in tmp_path.iterdir())


def test_an_error_deep_in_an_answer_of_elink_is_no_empty_list(tmp_path: Path) -> None:
    failed = (
        "<LinkSet><DbFrom>pubmed</DbFrom><IdList><Id>2</Id></IdList><ERROR>the address table is "
        "empty.</ERROR></LinkSet>"
    )
    many = range(100_000, 100_200)  # so that the error does not stand at the beginning
    with EutilsServer() as server, closing(Answers(_service(server), tmp_path)) as answers:
        server.queue(200, _links(_linked("1", many), failed, _linked("3", [])))
        server.queue(200, _links(_linked("2", [11])))
        found = answers.linked(["1", "2", "3"])
        assert (found["1"], found["2"], found["3"]) == (
            tuple(Cited(str(one)) for one in many),
            (Cited("11"),),
            (),
        )
        assert _ids_asked(server, "elink") == [["1", "2", "3"], ["2"]]


def test_what_elink_leaves_out_twice_is_unanswered_and_not_empty(tmp_path: Path) -> None:
    for requests in (2, 0):
        with EutilsServer() as server, closing(Answers(_service(server), tmp_path)) as answers:
            server.queue(200, _links(_linked("1", [11])))
            server.queue(200, _links())
            assert answers.linked(["1", "2"]) == {"1": (Cited("11"),), "2": None}
            assert len(server.log) == requests
