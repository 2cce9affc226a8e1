"""``clinfo search``: hits, warnings with their places, strategies, whole exports, and exports that
go on after a kill.
"""

import csv
import io
import json
from dataclasses import replace
from datetime import date, timedelta

import pytest
import rispy
from Bio import Medline

from benchmarks.servers.citation_xml import render_set
from benchmarks.servers.eutils import EutilsServer
from clinfo.records.articles import Article, Correction, DateInterval
from tests.cli.process import clinfo

DEMO = ("--source", "demo")


@pytest.mark.slow
def test_hits_translation_and_every_warning_with_its_place(tmp_path):
    done = clinfo("search", "yoga AND blood[foo] and pressure", *DEMO, cwd=tmp_path)
    assert done.returncode == 0
    assert "hits in demo on" in done.stdout
    assert 'Read as: ("yoga"[All Fields]' in done.stdout
    assert "(characters 10–19)" in done.stdout or "(characters 15–19)" in done.stdout
    form = json.loads(
        clinfo("search", "yoga AND blood[foo] and pressure", *DEMO, "--json", cwd=tmp_path).stdout
    )
    assert form["schema"] == 2
    assert form["count"] == len(form["ids"]) == len(form["articles"])
    assert {"unknown-tag", "lower-case-operator"} <= {one["code"] for one in form["remarks"]}


@pytest.fixture(scope="module")
def citations(tmp_path_factory):
    """A file of citations: one of 2012, one of 2020, one without a date."""
    dated = {
        number: DateInterval(day, day, f"{day:%Y %b %d}")
        for number, day in ((1, date(2012, 6, 1)), (2, date(2020, 3, 1)))
    }
    articles = [
        Article(f"pmid:{number}", "Zinc " * number, str(number), published=dated.get(number))
        for number in (1, 2, 3)
    ]
    file = tmp_path_factory.mktemp("citations") / "zinc.xml"
    file.write_bytes(render_set(articles))
    return file


@pytest.mark.slow
def test_what_lies_outside_the_dates_is_left_out_and_told(citations, tmp_path):
    asked = ("search", "zinc", "--source", str(citations), "--from", "2020")
    form = json.loads(clinfo(*asked, "--json", cwd=tmp_path).stdout)
    assert form["count_of_wider_dates"]
    assert sorted(form["ids"]) == sorted(one["id"] for one in form["articles"]) == ["pmid:2"]
    assert [one["id"] for one in form["excluded"]] == ["pmid:3"]
    assert form["count"] == 2
    page = clinfo(*asked, cwd=tmp_path).stdout
    assert "2 hits in" in page
    assert "(counted for a wider range than the requested dates)" in page
    assert "1 hit left out: 1 undated" in page
    export = clinfo(*asked, "--all", "--format", "csv", cwd=tmp_path)
    assert sorted(row["pmid"] for row in csv.DictReader(io.StringIO(export.stdout))) == ["2"]
    assert "1 hit left out: 1 undated" in export.stderr
    one = json.loads(clinfo(*asked, "--limit", "1", "--json", cwd=tmp_path).stdout)
    assert [article["id"] for article in one["articles"]] == ["pmid:2"]
    assert [left["id"] for left in one["excluded"]] == [
        "pmid:3"
    ]  # the best match, so that a further one was asked for
    none = clinfo("search", "zinc", "--source", str(citations), "--from", "2022", cwd=tmp_path)
    assert (none.returncode, "1 hit left out" in none.stdout) == (3, True)
    assert (
        "left out" not in clinfo("search", "zinc", "--source", str(citations), cwd=tmp_path).stdout
    )
    with EutilsServer(
        citations.read_bytes()
    ) as server:  # PubMed is asked from the first of the year
        page = clinfo(
            "search", "zinc", "--from", "2020-03-15", cwd=tmp_path, CLINFO_EUTILS_URL=server.url
        ).stdout
    assert "1 hit left out: 1 published outside the given dates." in page


@pytest.mark.slow
def test_what_is_retracted_is_flagged_in_the_listing_and_in_every_export(tmp_path):
    link = Correction("RetractionIn", "J Tests. 2021;1:1", "99")
    articles = [
        Article(
            "pmid:1",
            "Zinc one",
            "1",
            corrections=(link, Correction("ErratumIn", "J Tests. 2020;1:1", "98")),
        ),
        Article("pmid:2", "Zinc two", "2"),
        Article("pmid:3", "Zinc three", "3", references=("1",)),
        Article("pmid:4", "Zinc four", "4"),
    ]
    file, data = tmp_path / "zinc.xml", tmp_path / "data"
    file.write_bytes(render_set(articles))
    (tmp_path / "listed.txt").write_text("4\n")
    clinfo("retractions", "load", "listed.txt", cwd=tmp_path, CLINFO_DATA_DIR=str(data))

    def asked(*more):
        return clinfo(
            "search", "zinc", "--source", str(file), *more, cwd=tmp_path, CLINFO_DATA_DIR=str(data)
        ).stdout

    flags = {
        "1": ["retracted", "erratum"],
        "2": [],
        "3": ["cites retracted articles"],
        "4": ["retracted"],
    }
    form = json.loads(asked("--json"))
    assert {one["pmid"]: one["flags"] for one in form["articles"]} == flags
    assert {(one["id"], one["reported_by"]) for one in form["article_notices"]} >= {
        ("pmid:4", "the retraction list")
    }
    page = asked()
    assert '[retracted; erratum] "Zinc one' in page
    assert page.count("[") == sum(map(bool, flags.values())) + page.count(
        "[All Fields]"
    ) + page.count("[MeSH Terms]")
    rows = csv.DictReader(io.StringIO(asked("--all", "--format", "csv")))
    assert {row["pmid"]: row["flags"] for row in rows} == {
        pmid: "; ".join(words) for pmid, words in flags.items()
    }
    records = list(Medline.parse(io.StringIO(asked("--all"))))
    assert {one["PMID"]: one.get("OT", []) for one in records} == flags
    assert {one["PMID"]: "".join(one.get("GN", [])) for one in records} == {
        pmid: "; ".join(words) for pmid, words in flags.items()
    }
    records = rispy.loads(asked("--all", "--format", "ris"))
    assert {one["accession_number"]: one.get("keywords", []) for one in records} == flags


@pytest.mark.slow
def test_an_unknown_tag_is_told_once(tmp_path):
    (tmp_path / "strategy.txt").write_text("#1 yoga[foo]\n#2 #1 AND pressure\n")
    for query in ("yoga[foo]", "@strategy.txt"):
        page = clinfo("search", query, *DEMO, cwd=tmp_path).stdout
        assert "as if it had no tag" not in page
        assert page.count("characters 5–9)") == 1
        assert page.count("PubMed has no field") == 1
    asked = (("foo", 1), ("bar", 0))  # the one server tells what it does not know, the other not
    said = {f"zinc[{one}]": {"errorlist": {"fieldsnotfound": [one][:told]}} for one, told in asked}
    with EutilsServer(_articles(1), scripted=said) as server:
        page = clinfo("search", "zinc[foo]", cwd=tmp_path, CLINFO_EUTILS_URL=server.url).stdout
        silent = clinfo("search", "zinc[bar]", cwd=tmp_path, CLINFO_EUTILS_URL=server.url).stdout
    assert page.count("foo") == page.count("zinc[foo]") + 1
    assert "no field [bar]" in silent


def test_nothing_found_is_an_answer_of_its_own(tmp_path):
    done = clinfo("search", "zzzz AND yoga", *DEMO, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (3, "")
    assert "0 hits in demo" in done.stdout


@pytest.mark.slow
def test_a_strategy_has_a_count_a_line(tmp_path):
    (tmp_path / "strategy.txt").write_text("#1 yoga\n#2 pressure\n#3 #1 AND #2\n")
    form = json.loads(clinfo("search", "@strategy.txt", *DEMO, "--json", cwd=tmp_path).stdout)
    counts = [line["count"] for line in form["lines"]]
    assert [line["number"] for line in form["lines"]] == [1, 2, 3]
    assert 0 < counts[2] <= min(counts[:2])
    assert form["sent"] == "(yoga) AND (pressure)"
    page = clinfo("search", "@strategy.txt", *DEMO, cwd=tmp_path).stdout
    assert page.startswith("#1 ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("",), "QUERY"),
        (("@nothing.txt",), "cannot be read"),
        (("yoga", "--format", "ris"), "need --all"),
        (("yoga", "--all", "--json"), "cannot be combined with --json"),
        (("yoga", "--limit", "-1"), "--limit"),
        (("yoga", "--from", "tomorrow"), "--from"),
        (("yoga", "--source", "elsewhere"), "--source"),
        (("yoga", "--all", "--out", "nowhere/hits.nbib", "--quiet"), "cannot be written"),
        (("yoga", "--source", "local"), "CLINFO_INDEX_DIR"),
    ],
)
def test_wrong_usage_is_one_line(arguments, said, tmp_path):
    arguments = arguments if "--source" in arguments else (*arguments, *DEMO)
    done = clinfo("search", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert said in done.stderr
    assert done.stderr.removeprefix("getting every hit from demo …\n").count("\n") == 1


@pytest.mark.slow
def test_every_hit_is_exported_in_three_formats(tmp_path):
    export = ("search", "yoga", *DEMO, "--all", "--format")
    count = json.loads(
        clinfo("search", "yoga", *DEMO, "--json", "--limit", "0", cwd=tmp_path).stdout
    )["count"]
    assert count > 3
    pmids = {
        record["PMID"]
        for record in Medline.parse(io.StringIO(clinfo(*export, "nbib", cwd=tmp_path).stdout))
    }
    assert len(pmids) == count
    assert {
        entry["accession_number"]
        for entry in rispy.loads(clinfo(*export, "ris", cwd=tmp_path).stdout)
    } == pmids
    assert {
        row["pmid"]
        for row in csv.DictReader(io.StringIO(clinfo(*export, "csv", cwd=tmp_path).stdout))
    } == pmids
    done = clinfo(*export, "csv", "--out", "hits.csv", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    assert f"{count} records written" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["hits.csv"]
    assert clinfo(*export, "csv", "--out", "hits.csv", cwd=tmp_path).returncode == 2


def test_an_export_without_a_record_leaves_no_file(tmp_path):
    export = ("search", "zzqx", "--all", "--source", "demo", "--format", "csv", "--out", "none.csv")
    done = clinfo(*export, cwd=tmp_path)
    assert (done.returncode, list(tmp_path.iterdir())) == (3, []), done.stderr


def _articles(count):
    plain = Article("pmid:1", "Zinc and colds", "1", languages=("eng",))
    days = [date(2001, 1, 1) + timedelta(days=number % 300) for number in range(count)]
    return [
        replace(
            plain,
            id=f"pmid:{number}",
            pmid=str(number),
            entered=day,
            published=DateInterval(day, day, str(day)),
        )
        for number, day in enumerate(days, 1)
    ]
