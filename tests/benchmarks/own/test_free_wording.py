"""The reader and the report of sentences in free wording, on a file made here; the judge that is
asked is the real one.
"""

import json
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.own import claims, free_wording, quality
from benchmarks.own.claim_sources import read_articles
from benchmarks.own.free_wording import (
    FALSE,
    TRUE,
    Free,
    counted,
    read_free,
    report,
    verdicts,
    wrong,
)
from clinfo.records.articles import Article, Section
from tests.shared_data import SHARED, needs_shared

ARTICLE = Article(
    "pmid:2",
    "Naproxen for pain",
    pmid="2",
    sections=(Section("Naproxen reduced pain by 12 mm in 80 adults.", "RESULTS"),),
)


def row(
    id: str,
    truth: bool,
    kind: str = "paraphrase",
    sentence: str = "Naproxen reduced pain by 12 mm in 80 adults",
) -> Free:
    return Free(id, sentence, ARTICLE, truth, kind)


def test_true_and_false_ones_are_counted_apart_and_held_to_their_bars() -> None:
    results = [
        (row("1", True), "supported", ""),
        (row("2", True), "contradicted", "why"),
        (row("3", True), "not_verified", ""),
        (row("4", False, "dose"), "supported", "why"),
        (row("5", False, "dose"), "not_verified", ""),
    ]
    assert counted(results)[TRUE] == Counter(supported=1, contradicted=1, not_verified=1)
    assert counted(results)["false: dose"] == Counter(supported=1, not_verified=1)
    text = report(results)
    assert f"{TRUE}, n = 3" in text
    assert "(1/3, 95 % CI 6.1 to 79.2)  bar <= 5 % MISSED" in text
    assert f"{FALSE}, n = 2" in text
    assert "(1/2, 95 % CI 9.5 to 90.5)  bar <= 10 % MISSED" in text
    assert [told.split(":")[0] for told in wrong(results)] == ["2", "4"]


def test_the_judge_reads_the_sentence_with_its_citation() -> None:
    (copied, verdict, _), (_, other, _) = verdicts(
        [row("1", True), row("2", False, "figure", "Naproxen reduced pain by 47 mm")]
    )
    assert copied.id == "1"
    assert verdict == "supported"
    assert other != "supported"


@pytest.mark.slow
@needs_shared
def test_rows_of_one_half_are_read_with_their_articles(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    articles = [article for article, _ in read_articles(None, SHARED)][:8]
    rows = [
        {
            "id": f"f{place}",
            "pmid": article.pmid,
            "sentence": f"Number {place} was seen [1].",
            "truth": place % 2 == 0,
            "kind": "k",
        }
        for place, article in enumerate(articles)
    ]
    file = tmp_path / "free.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    found = read_free(file, "even", SHARED)
    assert [one.article.pmid for one in found] == [
        one["pmid"] for one in rows if int(str(one["pmid"])) % 2 == 0
    ]
    assert all(one.sentence.endswith("was seen") for one in found)
    free_wording.main(["--file", str(file), "--data", str(SHARED), "--json"])
    named = json.loads(capsys.readouterr().out)
    assert named["n"] == 8
    assert named["free_wording_true_n"] == named["free_wording_false_n"] == 4


def test_no_data_is_wrong_usage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLINFO_BENCH_DATA", str(tmp_path / "none"))
    for main in (quality.main, claims.main):
        with pytest.raises(SystemExit) as ended:
            main([])
        assert ended.value.code == 2
    assert "CLINFO_BENCH_DATA" in capsys.readouterr().err
    with pytest.raises(SystemExit) as ended:
        quality.main(["--only", "guard", "--json", "--data", str(tmp_path)])
    assert ended.value.code == 2
