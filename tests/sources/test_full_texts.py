"""Full texts of PubMed Central, asked over real HTTP of the scripted E-utilities server."""

import asyncio
from pathlib import Path

import pytest

from benchmarks.servers.eutils import EutilsServer
from benchmarks.servers.faults import Faults
from clinfo.cache import Cache
from clinfo.errors import RecordError, SourceUnavailable
from clinfo.retrieval.readers import read_document
from clinfo.sources.entrez import Eutils
from clinfo.sources.full_texts import FullTexts, read_pmcid

LICENCE = "https://creativecommons.org/licenses/by/4.0/"


def article(number: str, text: str) -> bytes:
    """An article as db=pmc gives it; "" for a text that the publisher keeps."""
    body = f"<body><sec><title>Results</title><p>{text}</p></sec></body>" if text else ""
    return f"""<article article-type="research-article"><front><article-meta>
<article-id pub-id-type="pmc">{number}</article-id>
<article-id pub-id-type="pmid">{number}1</article-id>
<title-group><article-title>Trial {number}</article-title></title-group>
<permissions><license xmlns:x="http://www.w3.org/1999/xlink" x:href="{LICENCE}"/></permissions>
<abstract><p>Zinc cream and placebo were compared.</p></abstract></article-meta></front>
{body}</article>""".encode()


TEXTS = {number: article(number, f"Itching fell {number} times.") for number in ("11", "12", "13")}


def texts(server: EutilsServer, cache: Cache | None = None, **options: float) -> FullTexts:
    return FullTexts(lambda: Eutils(server.url, rate=1000, **options), cache)  # type: ignore[arg-type]


def test_an_article_is_read_once_and_kept(tmp_path: Path) -> None:
    async def run() -> None:
        with EutilsServer(full_texts=TEXTS) as server:
            cache = Cache(tmp_path / "cache.sqlite")
            found = [await texts(server, cache).article("PMC11") for _ in range(2)]
            document = read_document(found[1], "PMC11")
            assert found[0] == found[1]
            assert (document.id, document.licence) == ("pmcid:PMC11", LICENCE)
            assert "Itching fell 11 times." in document.text
            (asked,) = server.requests("efetch")
            assert (asked.params["db"], asked.params["id"]) == ("pmc", "11")

    asyncio.run(run())


def test_what_the_publisher_keeps_is_said_to_be_lost() -> None:
    with EutilsServer(full_texts={"14": article("14", "")}) as server:
        raw = asyncio.run(texts(server).article("PMC14"))
    assert read_document(raw, "PMC14").lost == (
        "no full text in the file: only title and abstract",
    )


def test_no_such_article_is_no_failure_of_the_service() -> None:
    with EutilsServer(full_texts=TEXTS) as server, pytest.raises(RecordError, match="PMC99"):
        asyncio.run(texts(server).article("PMC99"))


def test_a_service_that_stays_down_is_told_as_passing() -> None:
    with (
        EutilsServer(full_texts=TEXTS, faults=Faults(rate_500=1.0)) as server,
        pytest.raises(SourceUnavailable) as caught,
    ):
        asyncio.run(texts(server, overall=1.0).article("PMC11"))
    assert caught.value.retryable


@pytest.mark.parametrize(
    ("text", "pmcid"),
    [
        ("PMC3006432", "PMC3006432"),
        (" pmc3006432.1 ", "PMC3006432"),
        ("pmcid: PMC12", "PMC12"),
        ("12", "PMC12"),
        ("PMC0", None),
        ("paper.xml", None),
        ("", None),
    ],
)
def test_pmcids_as_they_are_written(text: str, pmcid: str | None) -> None:
    assert read_pmcid(text) == pmcid
