"""What is asked over real HTTP, what is kept of it, and what a failing service comes to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from clinfo.errors import SourceError, SourceUnavailable
from pubmedrs.build.asking import Answers
from pubmedrs.build.citing import Cited
from pubmedrs.build.service import Service
from tests.pubmedrs.build.reviews import full_text, review
from tests.pubmedrs.build.servers import Front, local_eutils

pytest.importorskip("tantivy")
pytest.importorskip("waitress")

QUERY = "acne[tiab] AND systematic[sb]"


@pytest.fixture(scope="module")
def behind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    records = [review(pmid, printed=f"<Year>{2000 + pmid}</Year>", electronic=None) for pmid in range(1, 8)]
    with local_eutils(tmp_path_factory.mktemp("asked"), records) as address:
        yield address


def _service(front: Front) -> Service:
    return Service(front.url, timeout=5, overall=15)


def test_pages_of_a_search_newest_first_and_asked_for_once(behind: str, tmp_path: Path) -> None:
    for requests in (3, 0):
        with Front(behind) as front, Answers(_service(front), tmp_path, page=2) as answers:
            found = answers.search(QUERY, 5)
            assert (found.count, found.pmids) == (7, ("7", "6", "5", "4", "3"))
            assert front.count("esearch") == requests


def test_records_in_batches_each_asked_for_once(behind: str, tmp_path: Path) -> None:
    with Front(behind) as front, Answers(_service(front), tmp_path, batch=2) as answers:
        list(answers.records(["1", "2"]))
        batches = list(answers.records(["1", "2", "3", "5", "4"]))
        assert [[one.pmid for one in batch] for batch in batches] == [["1", "2"], ["3", "5"], ["4"]]
        assert all("<ArticleTitle>Does zinc" in one.xml and not one.fault for batch in batches for one in batch)
        assert front.count("efetch") == 3


def test_what_is_asked_for_is_said_in_the_singular_too(behind: str, tmp_path: Path) -> None:
    said: list[str] = []
    with Front(behind, {"1": []}) as front, Answers(_service(front), tmp_path, say=said.append) as answers:
        list(answers.records(["1"]))
        answers.linked(["1"])
    assert said == ["asking for 1 record", "asking for the references of 1 review (ELink)"]


def test_a_record_that_pubmed_does_not_have_is_asked_for_twice_and_then_known(behind: str, tmp_path: Path) -> None:
    for requests in (2, 0):
        with Front(behind) as front, Answers(_service(front), tmp_path) as answers:
            [batch] = answers.records(["1", "999"])
            assert [(one.pmid, one.fault) for one in batch] == [("1", ""), ("999", "PubMed did not send the record")]
            assert front.count("efetch") == requests


def test_no_record_at_all_is_a_fault_of_the_service_and_not_kept(behind: str, tmp_path: Path) -> None:
    with Front(behind, faults={0: "none", 1: "none"}) as front, Answers(_service(front), tmp_path) as answers:
        with pytest.raises(SourceUnavailable, match="none of 2 records"):
            list(answers.records(["1", "2"]))
        [batch] = answers.records(["1", "2"])
        assert [one.fault for one in batch] == ["", ""]


@pytest.mark.parametrize("fault", ["500", "cut", "empty", "html"])
def test_a_fault_that_passes_is_asked_again(behind: str, tmp_path: Path, fault: str) -> None:
    texts = {"8": full_text("8", [("11", "10.1000/a")])}
    faults = {0: fault, 2: fault, 4: fault, 6: fault}
    with Front(behind, {"1": ["11", "12"]}, texts, faults) as front, Answers(_service(front), tmp_path) as answers:
        assert answers.search(QUERY, 7).count == 7
        [[one]] = answers.records(["1"])
        assert one.xml.endswith("</PubmedArticle>")
        assert answers.linked(["1"]) == {"1": (Cited("11"), Cited("12"))}
        assert answers.in_full_text(["8", "9"]) == {"8": (Cited("11", "10.1000/a"),), "9": ()}
        assert len(front.asked) == 8


def test_a_service_that_stays_down_is_one_line_of_status_4(behind: str, tmp_path: Path) -> None:
    with Front(behind, faults=dict.fromkeys(range(100), "500")) as front:
        service = Service(front.url, timeout=1, overall=2)
        with Answers(service, tmp_path) as answers:
            for call in (lambda: answers.search(QUERY, 7), lambda: answers.in_full_text(["8"])):
                with pytest.raises(SourceError) as caught:
                    call()
                assert caught.value.exit_status == 4
                assert "\n" not in str(caught.value)


def test_the_key_never_stands_in_an_address(behind: str, tmp_path: Path) -> None:
    with Front(behind) as front:
        service = Service(front.url, "secret-key", "me@example.org", timeout=5, overall=15)
        with Answers(service, tmp_path) as answers:
            answers.in_full_text(["8"])
            answers.search(QUERY, 1)
        assert all(("api_key", "secret-key") in fields and ("email", "me@example.org") in fields for _, fields in front.asked)
    assert not any(b"secret" in path.read_bytes() for path in tmp_path.iterdir())


def test_records_are_told_apart_by_their_own_pmid(behind: str, tmp_path: Path) -> None:
    with Front(behind) as front, Answers(_service(front), tmp_path) as answers:
        [batch] = answers.records(["5", "1", "3"])
        assert [(one.pmid, f'Version="1">{one.pmid}<' in one.xml) for one in batch] == [("5", True), ("1", True), ("3", True)]
