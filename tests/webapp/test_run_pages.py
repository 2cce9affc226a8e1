"""The page of a run over HTTP, from a real database: what it shows in every state, what its values
say, what may be done with it, and its exports.
"""

import json
import re
from dataclasses import replace
from pathlib import Path
from urllib.parse import urldefrag, urljoin
from xml.etree import ElementTree

import pytest
from flask import Flask
from flask.testing import FlaskClient
from lxml import html

import clinfo
from clinfo.pipelines.literature.answer import build_answer, judged_by
from clinfo.pipelines.literature.events import LiteratureLog
from clinfo.records.answer import Answer
from clinfo.records.articles import Article, Effect, Span
from clinfo.runs.events import Event
from clinfo.views.first_line import in_words
from tests.webapp.handmade import (
    handmade,
    judged_by_older_rules,
    many,
    withheld_run,
)
from tests.webapp.handmade import request as asked_by_hand
from tests.webapp.recorded import DEMO_QUESTION, app_in, events_of, request, stored
from webapp.pipelines.literature.ask_pages import EXAMPLES
from webapp.pipelines.literature.read_pages import FORMS, file_name
from webapp.pipelines.literature.reading import changes, copy_text, reading
from webapp.pipelines.literature.sources import article_links, folded, pieces
from webapp.plots import can_draw
from webapp.records import StoredRun

WEB = {"link_resolver": "https://library.example.org/openurl"}


def put(app: Flask, events: list[Event], *more: object, **options: object) -> StoredRun:
    started = LiteratureLog(events).started
    assert started is not None
    return stored(app.extensions["clinfo"].store, started.request, events, *more, **options)


def seen(client: FlaskClient, path: str, status: int = 200):
    response = client.get(path)
    assert response.status_code == status, response.get_data(as_text=True)[:500]
    return html.fromstring(response.get_data(as_text=True))


def words(node) -> str:
    return " ".join(node.text_content().split())


def post(client: FlaskClient, path: str, on: str, **fields: str):
    """Send a form of the page ``on`` as a browser would, with its token."""
    token = seen(client, on).xpath("//input[@name='csrf_token']/@value")[0]
    return client.post(path, data={"csrf_token": token, **fields})


# ---- reading


def test_the_answer_stands_on_the_page_with_all_that_a_medical_page_owes(app, client, demo):
    page = seen(client, f"/runs/{put(app, demo).id}")
    text = words(page)
    answer = build_answer(demo)
    assert words(page.xpath("//h1")[0]) == DEMO_QUESTION
    for owed in (
        "Not medical advice",
        "no language model",
        "demo",
        answer.notices[0],
        answer.notices[1],
        f"clinfo {clinfo.__version__}",
    ):
        assert owed in text
    without_numbers = re.sub(r"\s*\[\d+\]\s*", "", words(page.xpath("//*[@class='tldr-text']")[0]))
    assert without_numbers.startswith(answer.tldr[:20])
    for warning in answer.warnings:
        assert warning in text
    for query in answer.queries:
        assert query.text in text


@pytest.mark.parametrize("name", ["hand", "stopped", "nothing"])
def test_every_link_within_the_page_leads_somewhere(app, client, demo, name, tmp_path):
    events = {"hand": handmade(), "stopped": demo[:38], "nothing": None}[name]
    if events is None:
        events = events_of(request("Does zinc shorten the common cold?"), tmp_path)
    run = put(app, events, "failed" if name == "stopped" else "done")
    here = f"/runs/{run.id}"
    page = seen(client, here)
    others: dict[str, object] = {here: page}
    ids = page.xpath("//@id")
    assert len(ids) == len(set(ids))
    hrefs = [
        href
        for href in page.xpath("//@href")
        if not href.startswith(("https://", "http://localhost"))
    ]
    assert any("#ref-" in href or "/sources/" in href for href in hrefs) or name == "nothing"
    for href in hrefs:
        path, fragment = urldefrag(urljoin(here, href))
        if path not in others:
            response = client.get(path)
            assert response.status_code == 200, path
            others[path] = (
                html.fromstring(response.data) if response.mimetype == "text/html" else None
            )
        if fragment:
            assert others[path].xpath(f"//*[@id='{fragment}']"), href


def test_every_citation_leads_to_its_reference_which_quotes_the_passage_of_that_sentence(
    app, client, demo
):
    for events in (demo, handmade()):
        run, marked = put(app, events), 0
        page = seen(client, f"/runs/{run.id}")
        articles = {one.n: one for one in build_answer(events).references}
        texts = {
            article.id: f"{article.title}\n{article.abstract}"
            for article in LiteratureLog(events).articles
        }
        cites = page.xpath("//*[contains(@class, 'sentence')]//a[@class='cite']")
        assert cites
        for cite in cites:
            n, sentence = cite.get("data-n"), cite.get("data-sentence")
            reference = page.xpath(f"//*[@id='{cite.get('href')[1:]}']")[0]
            assert cite.get("href") == f"#ref-{n}"
            assert cite.text == f"[{n}]"
            alone = seen(client, reference.xpath("th//a/@href")[0])
            assert alone.xpath(f"//p[@class='for small']/a[contains(@href, '#{sentence}')]")
            card = seen(client, f"/runs/{run.id}/sources/{n}?card=1&sentence={sentence}")
            assert card.get("data-sentence") == sentence
            assert len(card.xpath(".//p[@class='for small']")) == 1
            for mark in card.xpath(".//mark"):
                assert mark.text in texts[articles[int(n)].id]
            marked += len(card.xpath(".//mark"))
        assert marked
    assert client.get(f"/runs/{run.id}/sources/99").status_code == 404


def test_verdicts_say_what_is_wrong_in_words_and_supported_sentences_say_nothing(app, client):
    page = seen(client, f"/runs/{put(app, handmade()).id}")
    marks = [words(mark) for mark in page.xpath("//p//a[contains(@class, 'verdict')]")]
    assert marks == [
        "○ not supported",
        "≠ contradicted by its source",
        "– without a citation",
    ]
    reasons = [words(item) for item in page.xpath("//ul[@class='reasons']/li")]
    assert reasons[0] == "○ Not supported: [3] does not speak of quality of life. Sentence 3"
    assert "1 sentence was removed" in words(page)
    assert "added from the evidence table" in words(page)
    for mark in page.xpath(
        "//p//a[contains(@class, 'verdict')]"
    ):  # at a line's start it would seem to be of the next sentence
        sentence = mark.getprevious()
        assert "in-doubt" in sentence.get("class")
        assert sentence.tail == "\N{NO-BREAK SPACE}"


def test_every_count_leads_to_exactly_what_it_counts(app, client, demo):
    for events in (demo, handmade(), many(30)):
        page = seen(client, f"/runs/{put(app, events).id}")
        links = page.xpath("//ol[@class='funnel']//a | //p[contains(@class, 'not-used')]//a")
        assert len(links) >= 5
        for link in links:
            count = int(words(link).split()[0].replace(",", ""))
            listed = seen(client, link.get("href"))
            assert len(listed.xpath("//ol[@class='found']/li")) == count
            assert words(listed.xpath("//h1")[0]).startswith(f"{count} article")


def test_a_page_of_32_references_weighs_at_most_100_kb(app, client):
    page = client.get(f"/runs/{put(app, many(68)).id}").data
    assert len(html.fromstring(page).xpath("//tr[starts-with(@id, 'ref-')]")) == 32
    assert len(page) <= 100_000


# ---- states


def test_a_failed_run_says_what_happened_what_was_kept_and_goes_on_from_there(app, client, demo):
    run = put(app, demo[:38], "failed", problem="The model did not answer.", retryable=True)
    page = seen(client, f"/runs/{run.id}")
    text = words(page)
    assert "The model did not answer." in text
    assert "kept" in text
    assert page.xpath("//table[contains(@class, 'evidence')]//tbody/tr")
    response = post(client, f"/runs/{run.id}/resume", f"/runs/{run.id}")
    assert response.status_code == 303
    assert app.extensions["clinfo"].store.get(run.id).status == "queued"
    assert post(client, f"/runs/{run.id}/resume", f"/runs/{run.id}").status_code == 409


def test_nothing_found_shows_the_queries_and_a_button_for_each_way_to_widen(app, client, tmp_path):
    run = put(app, events_of(request("Does zinc shorten the common cold?"), tmp_path))
    page = seen(client, f"/runs/{run.id}")
    assert "Nothing relevant was found" in words(page)
    assert "0 hits" in words(page)
    assert "--" not in words(page.xpath("//section[@class='nothing']")[0])
    ways = page.xpath("//ul[@class='widen']//button/@value")
    assert ways == ["pubmed", "per-query"]
    written = page.xpath("//ul[@class='widen']//a/@href")
    assert [href.partition("#")[2] for href in written] == ["question", "query"]
    assert all(f"again={run.id}" in href for href in written)
    exported = page.xpath("//ul[@class='exports']/li/a/text()")
    office = ["Word", "Excel"] if "docx" in FORMS else []  # the extra office
    assert exported == ["Markdown", "Text", "JSON", "PRISMA-S", *office]
    assert "Copy TL;DR" not in words(page)
    response = post(client, f"/runs/{run.id}/again", f"/runs/{run.id}", widen="per-query")
    assert response.status_code == 303
    new = app.extensions["clinfo"].store.get(response.headers["Location"].rpartition("/")[2])
    assert new.request.per_query == 32
    assert new.again_of == run.id
    assert new.request.question == run.request.question
    wrong = post(client, f"/runs/{run.id}/again", f"/runs/{run.id}", widen="__class__")
    assert wrong.status_code == 422


# ---- what may be done


def test_delete_asks_first_and_leaves_nothing(app, client, demo):
    run = put(app, demo)
    page = seen(client, f"/runs/{run.id}/delete")
    assert "cannot be undone" in words(page)
    assert app.extensions["clinfo"].store.get(run.id) is not None
    response = post(client, f"/runs/{run.id}/delete", f"/runs/{run.id}/delete")
    assert response.status_code == 303
    assert app.extensions["clinfo"].store.get(run.id) is None
    for path in ("", ".md", ".svg", "/articles", "/delete"):
        assert client.get(f"/runs/{run.id}{path}").status_code == 404


# ---- plots


@pytest.mark.skipif(not can_draw(), reason="matplotlib is not installed")
def test_the_plot_is_drawn_elsewhere_with_the_same_figures_in_a_table(app, client):
    run = put(app, handmade())
    page = seen(client, f"/runs/{run.id}")
    (image,) = page.xpath("//main//img")
    assert "Hazard ratio (HR)" in image.get("alt")
    response = client.get(image.get("src"))
    assert response.content_type == "image/svg+xml"
    svg = ElementTree.fromstring(response.data)
    assert svg.tag.endswith("svg")
    figures = [words(cell) for cell in page.xpath("//figure//tbody/tr/td[last()]")]
    assert figures[0].startswith("HR 1.12")
    assert all(figure.split("(")[0].split()[1].encode() in response.data for figure in figures)
    assert client.get(f"/runs/{run.id}-2.svg").status_code == 404


# ---- what the checks could not tell, and what they were told


def test_a_withheld_answer_is_said_to_be_withheld_and_its_text_is_folded_and_marked(app, client):
    run = put(app, withheld_run())
    page = seen(client, f"/runs/{run.id}")
    assert "Withheld: too little of the answer is supported" in words(page)
    assert not page.xpath("//section[@class='tldr' or @class='synthesis']")
    folded = page.xpath("//details[contains(., 'do not rely on it')]")[0]
    assert "open" not in folded.attrib
    assert "○ not supported" in words(folded)


def test_an_older_run_is_shown_as_recorded_and_marked_with_the_version_that_judged(app, client):
    run = put(app, judged_by_older_rules())
    notice = judged_by({"version": "0.1.0"})
    page = seen(client, f"/runs/{run.id}")
    assert notice.rstrip(".") in words(page.xpath("//p[@class='caveat']")[0])
    assert not page.xpath("//form[contains(@action, 'check')]")
    for suffix in ("md", "txt"):
        written = client.get(f"/runs/{run.id}.{suffix}").get_data(as_text=True)
        assert notice in " ".join(written.replace("\\", "").split())
    assert client.get(f"/runs/{run.id}.json").get_json()["notices"][0] == notice
    assert client.get(f"/api/v1/runs/{run.id}").get_json()["answer"]["notices"][0] == notice


# ---- verdicts, balance, counts


@pytest.mark.parametrize(
    ("effect", "words"),
    [
        (("RR", "ratio", 1.3, 1.1, 1.5), "30 % higher risk"),
        (("OR", "ratio", 0.5, None, None), "50 % lower odds"),
        (("HR", "ratio", 0.9, 0.7, 1.0), "no clear difference"),
        (("MD", "difference", -3.0, -5.0, 1.0), "no clear difference"),
        (("MD", "difference", -3.0, -5.0, -1.0), ""),
        (("RR", "ratio", 2.4, 1.2, 4.0), ""),
        (("RR", "ratio", 1.001, None, None), ""),
        (("%", "values", 8.0, None, None), ""),
    ],
)
def test_effects_in_words_never_say_more_than_their_figures(effect, words):
    measure, scale, estimate, low, high = effect
    made = Effect(measure, scale, estimate, low, high, 95.0, None, Span(1, "abstract", 0, 1))
    assert in_words(made) == words


@pytest.mark.parametrize("question", EXAMPLES)
def test_every_example_shows_what_it_says_on_the_demo_corpus(question, tmp_path):
    events = events_of(request(question), tmp_path)
    read, answer = reading(LiteratureLog(events)), build_answer(events)
    found = f"{answer.counts.relevant} studies" if answer.tldr else "nothing found"
    assert found == EXAMPLES[question]
    assert answer.quoted is bool(answer.tldr)
    assert bool(read.unanswered) is not bool(answer.tldr)


def test_any_prefix_of_a_run_can_be_read(demo):
    for events in (demo, handmade()):
        for end in range(1, len(events) + 1):
            assert reading(LiteratureLog(events[:end])).question


# ---- links


def test_no_identifier_can_turn_a_link_into_something_else():
    hostile = Article("s2:javascript:alert(1)", "T", doi='10.1/"><script>alert(1)</script>')
    for link in article_links(hostile, "https://library.example.org/openurl"):
        assert link.url.startswith("https://")
        assert not set('"<> ') & set(link.url)
    assert (
        article_links(Article("s2:../../x?y#z", "T"))[0].url
        == "https://www.semanticscholar.org/paper/..%2F..%2Fx%3Fy%23z"
    )


# ---- what else stands on the page


def test_what_is_copied_holds_the_tldr_its_sources_the_date_and_the_address():
    answer: Answer = build_answer(handmade())
    text = copy_text(answer, "https://clinfo.example.org/runs/abc")
    assert answer.tldr in text
    assert "20 November 2026" in text
    assert "https://clinfo.example.org/runs/abc" in text
    assert [f"[{n}] " in text for n in (1, 2, 3, 4)] == [True, True, True, False]
    assert "https://pubmed.ncbi.nlm.nih.gov/102/" in text
    assert "Not medical advice" in text


def test_limits_and_own_queries_can_be_lifted(tmp_path: Path):
    asked = request(
        "Does zinc shorten the common cold?",
        query=["zinc AND cold"],
        filter="english[la]",
        **{"from": "2001", "to": "2009"},
    )
    read = reading(LiteratureLog(events_of(asked, tmp_path)), offered=("demo",))
    ways = {way.name: way.text for way in read.widenings}
    assert ways["limits"] == "remove the limits set by the first date, the last date and the filter"
    assert "generated" in ways
    assert changes("time", replace(asked, max_seconds=20.0), 50) == {"max_seconds": 50}
    assert changes("limits", asked, 600) == {
        "filter": None,
        "limits": None,
        "from": None,
        "to": None,
    }


def test_control_characters_and_turned_text_are_not_shown():
    said = " \u202eevil\u202c \x1b[31mred \x00null"
    read = reading(LiteratureLog(handmade(said=said, noticed=said)))
    shown = repr(read)
    assert "\\u202e" not in shown
    assert "\\x1b" not in shown
    assert "\\x00" not in shown


# ---- exports


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[FlaskClient, dict[str, str]]:
    folder = tmp_path_factory.mktemp("exports")
    app = app_in(folder)
    store = app.extensions["clinfo"].store
    demo = events_of(request(), folder)
    ids = {
        "demo": stored(store, request(), demo).id,
        "hand": stored(store, asked_by_hand(), handmade()).id,
        "stopped": stored(
            store, request(), demo[:32], "failed", problem="The model did not answer."
        ).id,
        "running": stored(store, request(), demo[:30], "running").id,
    }
    ids["new"] = store.create(request()).id
    return app.test_client(), ids


def got(runs: tuple[FlaskClient, dict[str, str]], name: str, suffix: str, **options: object):
    client, ids = runs
    return client.get(f"/runs/{ids[name]}{suffix}", **options)


@pytest.mark.parametrize("suffix", FORMS)
@pytest.mark.parametrize("name", ["demo", "hand", "stopped", "running"])
def test_every_form_has_its_media_type_a_safe_name_and_an_etag(runs, name, suffix):
    response = got(runs, name, f".{suffix}")
    assert response.status_code == 200
    assert response.content_type == FORMS[suffix].media_type
    how, filename = re.fullmatch(
        r'(inline|attachment); filename="([a-z0-9.-]+)"', response.headers["Content-Disposition"]
    ).groups()
    assert filename.endswith(f".{suffix}")
    assert ("unfinished" in filename) == (name in ("stopped", "running"))
    assert how == ("inline" if suffix == "txt" else "attachment")
    if suffix in ("docx", "xlsx"):
        assert response.data.startswith(b"PK")
    else:
        assert response.data.decode("utf-8").strip() or "unfinished" in filename
    again = got(runs, name, f".{suffix}", headers={"If-None-Match": response.headers["ETag"]})
    assert again.status_code == 304
    assert again.data == b""


def test_json_is_the_answer_as_it_was_recorded(runs):
    answer = json.loads(got(runs, "demo", ".json").data)
    assert answer["schema"] == 2
    assert answer["question"] == request().question
    assert "finished" not in answer
    stopped = json.loads(got(runs, "stopped", ".json").data)
    assert stopped["finished"] is False
    assert stopped["counts"]["found"] == 5
    assert stopped["synthesis"] == ""


def test_a_run_that_has_not_begun_and_one_that_is_not_there_have_no_exports(runs):
    client, _ = runs
    for suffix in (*FORMS, "svg"):
        assert got(runs, "new", f".{suffix}").status_code == 404
        assert client.get(f"/runs/{'a' * 24}.{suffix}").status_code == 404
    assert got(runs, "demo", ".exe").status_code == 404
    assert got(runs, "demo", ".md.md").status_code == 404


def test_a_list_of_references_can_only_be_asked_to_include_what_there_is(runs):
    response = got(runs, "hand", ".ris?include=everything")
    assert response.status_code == 422
    assert "cited, relevant, all" in response.get_data(as_text=True)


@pytest.mark.parametrize(
    "question",
    [
        '"; filename="evil.exe',
        "a\r\nSet-Cookie: x=1\r\n",
        "../../etc/passwd",
        "нитраты?",
        "CON",
        "x" * 4_000,
        "🫀" * 40,
        "<script>",
    ],
)
def test_no_question_can_make_a_name_or_a_header_of_its_own(question, tmp_path: Path):
    answer = replace(build_answer(handmade()), question=question, searched_on="2026-11-20\r\nX: 1")
    name = file_name(answer, "md", finished=True)
    assert re.fullmatch(r"clinfo-[a-z0-9-]+\.md", name)
    assert len(name) < 100


def test_the_best_source_is_never_behind_a_number_of_further_citations() -> None:
    cut = folded(pieces("Seven [1][2][3][4][5] agree [6].", range(9)), 6)
    assert [one.n for one in cut if one.n is not None] == [1, 2, 3, 6]
    assert [one.more for one in cut if one.more] == [(4, 5)]
