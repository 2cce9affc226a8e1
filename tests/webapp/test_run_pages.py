"""The page of a run over HTTP, from a real database: what it shows in every state, and what may be
done with it.
"""

from __future__ import annotations

import re
from urllib.parse import urldefrag, urljoin
from xml.etree import ElementTree

import pytest
from flask import Flask
from flask.testing import FlaskClient
from lxml import html

import clinfo
from clinfo.claims.edition import judged_by
from clinfo.pipelines.literature.answer_building import build_answer
from clinfo.pipelines.literature.run_log import LiteratureLog
from clinfo.runs.events import Event
from tests.webapp.handmade import (
    handmade,
    judged_by_older_rules,
    many,
    withheld_run,
)
from tests.webapp.recorded import DEMO_QUESTION, app_in, events_of, request, stored
from webapp.pipelines.literature.exports import FORMS
from webapp.plots import can_draw, plots
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
            alone = seen(client, reference.xpath("th/a/@href")[0])
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
        "◐ supported in part",
        "○ not supported",
        "≠ contradicted by its source",
        "– without a citation",
    ]
    reasons = [words(item) for item in page.xpath("//ul[@class='reasons']/li")]
    assert reasons[1] == "○ Not supported: [3] does not speak of quality of life. Sentence 3"
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
        links = page.xpath(
            "//ol[@class='funnel']//a | //p[starts-with(normalize-space(), 'Left on the way')]//a"
        )
        assert len(links) >= 6
        for link in links:
            count = int(words(link).split()[0].replace(",", ""))
            listed = seen(client, link.get("href"))
            assert len(listed.xpath("//ol[@class='found']/li")) == count
            assert words(listed.xpath("//h1")[0]).startswith(f"{count} article")


def test_queries_lead_to_pubmed_and_articles_to_pubmed_doi_pmc_and_the_library(app, client):
    page = seen(client, f"/runs/{put(app, handmade()).id}")
    hrefs = page.xpath("//@href")
    assert "https://pubmed.ncbi.nlm.nih.gov/?term=drug%20A%20AND%20mortality" in hrefs
    for expected in (
        "https://pubmed.ncbi.nlm.nih.gov/101/",
        "https://pmc.ncbi.nlm.nih.gov/articles/PMC10199/",
        "https://doi.org/10.1000/made.101",
    ):
        assert expected in hrefs
    assert any(
        href.startswith("https://library.example.org/openurl?url_ver=Z39.88-2004") for href in hrefs
    )


def test_a_page_of_32_references_weighs_at_most_100_kb(app, client):
    page = client.get(f"/runs/{put(app, many(68)).id}").data
    assert len(html.fromstring(page).xpath("//tr[starts-with(@id, 'ref-')]")) == 32
    assert len(page) <= 100_000


# ---- hostile text


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


def test_whose_run_it_is_not_may_read_but_not_change(app, client, demo):
    run = put(app, demo, visitor="the digest of another browser")
    page = seen(client, f"/runs/{run.id}")
    assert not page.xpath("//a[contains(@href, '/delete')]")
    for action in ("cancel", "resume", "share", "delete"):
        assert post(client, f"/runs/{run.id}/{action}", f"/runs/{run.id}").status_code == 409
    assert app.extensions["clinfo"].store.get(run.id) is not None


def test_a_form_without_its_token_does_nothing(app, client, demo):
    run = put(app, demo)
    for action in ("cancel", "resume", "key", "share", "delete", "again"):
        assert client.post(f"/runs/{run.id}/{action}").status_code == 400
    assert app.extensions["clinfo"].store.get(run.id) is not None


def test_private_runs_are_shared_with_a_switch_and_hidden_without(tmp_path, demo):
    app = app_in(tmp_path, user_header="X-User", trusted_proxies=1)
    client = app.test_client()
    run = put(app, demo, owner="ada")
    ada, bob = {"X-User": "ada"}, {"X-User": "bob"}
    assert client.get(f"/runs/{run.id}", headers=bob).status_code == 404
    assert client.get(f"/runs/{run.id}.json", headers=bob).status_code == 404
    assert client.get(f"/runs/{run.id}/articles", headers=bob).status_code == 404
    page = html.fromstring(client.get(f"/runs/{run.id}", headers=ada).data)
    assert "Private: only you can read it." in words(page)
    form = page.xpath("//form[contains(@action, '/share')]")[0]
    fields = {field.get("name"): field.get("value") for field in form.xpath(".//input")}
    assert client.post(form.get("action"), data=fields, headers=ada).status_code == 303
    assert client.get(f"/runs/{run.id}", headers=bob).status_code == 200
    assert "Stop sharing" in client.get(f"/runs/{run.id}", headers=ada).get_data(as_text=True)


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


@pytest.mark.skipif(not can_draw(), reason="matplotlib is not installed")
@pytest.mark.parametrize("way", ["page", "program"])
def test_who_deletes_a_run_takes_its_plots_out_of_memory(app, client, way):
    run = put(app, handmade())
    assert client.get(f"/runs/{run.id}.svg").status_code == 200
    assert run.id in {kept for kept, _ in plots._kept}
    if way == "page":
        token = seen(client, f"/runs/{run.id}/delete").xpath(
            "//main//input[@name='csrf_token']/@value"
        )[0]
        assert client.post(f"/runs/{run.id}/delete", data={"csrf_token": token}).status_code == 303
    else:
        assert client.delete(f"/api/v1/runs/{run.id}").status_code == 204
    assert run.id not in {kept for kept, _ in plots._kept}


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
    assert notice in words(page)
    assert not page.xpath("//form[contains(@action, 'check')]")
    for suffix in ("md", "txt"):
        assert notice in client.get(f"/runs/{run.id}.{suffix}").get_data(as_text=True)
    assert client.get(f"/runs/{run.id}.json").get_json()["notices"][0] == notice
    assert client.get(f"/api/v1/runs/{run.id}").get_json()["answer"]["notices"][0] == notice
