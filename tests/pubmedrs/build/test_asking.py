"""What is asked over real HTTP, what is kept of it, and what a failing service comes to."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from benchmarks.servers.eutils import EutilsServer
from pubmedrs.build.asking import Answers, Service
from pubmedrs.build.citing import Cited
from tests.pubmedrs.build.reviews import full_text, full_texts, not_available, review
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


def test_pages_of_a_search_newest_first_and_asked_for_once(behind: str, tmp_path: Path) -> None:
    for requests in (3, 0):
        with Front(behind) as front, closing(Answers(_service(front), tmp_path, page=2)) as answers:
            found = answers.search(QUERY, 5)
            assert (found.count, found.pmids) == (7, ("7", "6", "5", "4", "3"))
            assert front.count("esearch") == requests


def test_records_in_batches_each_asked_for_once(behind: str, tmp_path: Path) -> None:
    with Front(behind) as front, closing(Answers(_service(front), tmp_path, batch=2)) as answers:
        list(answers.records(["1", "2"]))
        batches = list(answers.records(["1", "2", "3", "5", "4"]))
        assert [[one.pmid for one in batch] for batch in batches] == [["1", "2"], ["3", "5"], ["4"]]
        assert all(
            "<ArticleTitle>Does zinc" in one.xml and not one.fault
            for batch in batches
            for one in batch
        )
        assert front.count("efetch") == 3


def test_a_record_that_pubmed_does_not_have_is_asked_for_twice_and_then_known(
    behind: str, tmp_path: Path
) -> None:
    for requests in (2, 0):
        with Front(behind) as front, closing(Answers(_service(front), tmp_path)) as answers:
            [batch] = answers.records(["1", "999"])
            assert [(one.pmid, one.fault) for one in batch] == [
                ("1", ""),
                ("999", "PubMed did not send the record"),
            ]
            assert front.count("efetch") == requests


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


def test_a_short_page_of_a_search_is_asked_for_again(tmp_path: Path) -> None:
    page = {"count": "3", "retmax": "3", "retstart": "0", "querytranslation": QUERY}
    with EutilsServer() as server, closing(Answers(_service(server), tmp_path)) as answers:
        for ids in (["3", "1"], ["3", "2", "1"]):
            server.queue(200, json.dumps({"header": {}, "esearchresult": page | {"idlist": ids}}))
        assert answers.search(QUERY, 5).pmids == ("3", "2", "1")


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


def test_full_texts_that_take_too_long_together_are_asked_for_apart(tmp_path: Path) -> None:
    error = "External viewer error: Empty Response; Message: ; Status: Timeout; Output: 0"
    slow = f"<eFetchResult><ERROR>{error}</ERROR></eFetchResult>"
    with EutilsServer() as server, closing(Answers(_service(server), tmp_path)) as answers:
        for _ in range(2):
            server.queue(400, slow)
        for number in ("8", "9"):
            server.queue(200, full_texts(full_text(number, [(f"1{number}", "")])))
        assert answers.in_full_text(["8", "9"]) == {"8": (Cited("18"),), "9": (Cited("19"),)}
        assert _ids_asked(server, "efetch") == [["8", "9"], ["8", "9"], ["8"], ["9"]]


def test_a_full_text_that_pmc_does_not_have_is_known_at_once_and_one_left_out_is_asked_for_again(
    tmp_path: Path,
) -> None:
    with EutilsServer() as server, closing(Answers(_service(server), tmp_path)) as answers:
        server.queue(200, full_texts(full_text("7", [("11", "")]), not_available("8")))
        server.queue(200, full_texts(full_text("9", [("12", "")])))
        assert answers.in_full_text(["7", "8", "9"]) == {
            "7": (Cited("11"),),
            "8": (),
            "9": (Cited("12"),),
        }
        assert _ids_asked(server, "efetch") == [["7", "8", "9"], ["9"]]
        server.queue(200, full_texts(not_available("4")))
        assert answers.in_full_text(["4"]) == {"4": ()}
