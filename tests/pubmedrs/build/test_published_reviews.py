"""The source reviews of the published data set put through the build."""

import gzip
import json
import subprocess
from pathlib import Path

import pytest

from clinfo.pubmed.xml import read_file
from clinfo.records.articles import Article
from pubmedrs.build.screening import Draft, screened
from tests.cli.process import environment
from tests.pubmedrs.build.servers import Front, local_eutils, pubmedrs
from tests.shared_data import SHARED, needs_shared

pytest.importorskip("tantivy")
pytest.importorskip("waitress")

REVIEWS = SHARED / "citations" / "pubmedrs200_source_reviews.xml.gz"
# The shared records have neither language nor type, which PubMed's have and the searches ask for.
_LACKING = (
    '<Language>eng</Language><PublicationTypeList><PublicationType UI="D000078182">Systematic '
    "Review</PublicationType>"
    "</PublicationTypeList>"
)


@needs_shared
def test_every_published_review_passes_the_screening() -> None:
    articles = [article for article in read_file(REVIEWS) if isinstance(article, Article)]
    assert len(articles) == 209
    assert [article.pmid for article in articles if not isinstance(screened(article), Draft)] == []


@needs_shared
def test_the_published_reviews_are_found_by_the_searches_and_built(tmp_path: Path) -> None:
    text = gzip.decompress(REVIEWS.read_bytes()).decode()
    records = [
        f"<PubmedArticle>{part}"
        for part in text.split("</PubmedArticleSet>")[0].split("<PubmedArticle>")[1:]
    ]
    records = [record.replace("</Abstract>", f"</Abstract>{_LACKING}") for record in records]
    with local_eutils(tmp_path, records) as behind, Front(behind) as front:
        done = subprocess.run(
            pubmedrs("build", "--out", "out", "--eutils-url", front.url),
            cwd=tmp_path,
            env=environment(),
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    flow = json.loads((tmp_path / "out" / "flow.json").read_bytes())
    assert flow["topics"] == 197
    assert flow["distinct"] == flow["accepted"] >= 190
