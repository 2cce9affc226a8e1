"""The values of the reading page: what it quotes is what the articles say, and nothing is worded a
second time.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from clinfo.pipelines.literature.answer import build_answer
from clinfo.records.answer import Answer
from clinfo.records.appraisal import Effect
from clinfo.records.articles import Article, Span
from clinfo.runs.events import Event
from tests.webapp.handmade import handmade, many, trials
from tests.webapp.recorded import events_of, request
from webapp.pipelines.literature.ask_pages import EXAMPLES
from webapp.pipelines.literature.linking import article_links
from webapp.pipelines.literature.passages import excerpts, marked, pieces
from webapp.pipelines.literature.reading import changes, copy_text, reading
from webapp.pipelines.literature.shown_evidence import in_words


@pytest.fixture(scope="module")
def nothing(tmp_path_factory: pytest.TempPathFactory) -> list[Event]:
    return events_of(
        request("Does zinc shorten the common cold?"), tmp_path_factory.mktemp("nothing")
    )


def runs(demo: list[Event]) -> list[list[Event]]:
    return [demo, handmade(), many(46)]


# ---- passages


def test_spans_that_touch_or_overlap_are_one_and_those_outside_are_cut():
    article = Article("pmid:1", "A title", sections=trials()[0].sections)
    text = article.abstract
    spans = [
        Span(1, "abstract", 3, 9),
        Span(1, "abstract", 6, 12),
        Span(1, "abstract", len(text) - 4, len(text) + 90),
        Span(1, "abstract", 20, 20),
    ]
    parts = marked(article, spans)
    assert "".join(part for part, _ in parts) == text
    assert [part for part, quoted in parts if quoted] == [text[3:12], text[-4:]]


def test_code_points_beyond_the_basic_plane_count_one():
    article = Article("pmid:1", "𝛃-blockers 𝛃", sections=())
    (one,) = excerpts(article, [Span(1, "title", 11, 12)])
    assert [part for part, quoted in one.parts if quoted] == ["𝛃"]


def test_citations_are_told_from_intervals_and_from_numbers_that_no_article_has():
    cut = pieces("Lower (95% CI [3, 8]) [1–3], [7] and [2; 3].", {1, 2, 3})
    assert [piece.n for piece in cut if piece.n is not None] == [1, 2, 3, 2, 3]
    assert (
        "".join(piece.text for piece in cut if piece.n is None)
        == "Lower (95% CI [3, 8]) , [7] and ."
    )


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
    read, answer = reading(events), build_answer(events)
    found = f"{answer.counts.relevant} studies" if answer.tldr else "nothing found"
    assert found == EXAMPLES[question]
    assert answer.quoted is bool(answer.tldr)
    assert bool(read.unanswered) is not bool(answer.tldr)


def test_any_prefix_of_a_run_can_be_read(demo):
    for events in (demo, handmade()):
        for end in range(1, len(events) + 1):
            assert reading(events[:end]).question


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
    read = reading(events_of(asked, tmp_path), sources=("demo",))
    ways = {way.name: way.text for way in read.widenings}
    assert ways["limits"] == "remove the limits set by the first date, the last date and the filter"
    assert "generated" in ways
    assert changes("limits", asked) == {"filter": None, "limits": None, "from": None, "to": None}


def test_control_characters_and_turned_text_are_not_shown():
    said = " \u202eevil\u202c \x1b[31mred \x00null"
    read = reading(handmade(said=said, noticed=said))
    shown = repr(read)
    assert "\\u202e" not in shown
    assert "\\x1b" not in shown
    assert "\\x00" not in shown
