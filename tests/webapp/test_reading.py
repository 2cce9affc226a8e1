"""The values of the reading page: what it quotes is what the articles say, and nothing is worded a
second time.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from clinfo.pipelines.literature.answer_building import build_answer
from clinfo.pipelines.literature.events import QueryRelaxed, QuerySearched
from clinfo.pipelines.literature.run_log import LiteratureLog
from clinfo.records.answer import Answer
from clinfo.records.appraisal import Effect
from clinfo.records.articles import Article, Span
from clinfo.runs.events import Event
from clinfo.views.verdicts import VERDICTS
from tests.webapp.handmade import handmade, many, trials
from tests.webapp.handmade import request as asked_by_hand
from tests.webapp.recorded import DEMO_QUESTION, events_of, request
from webapp.pipelines.literature.ask_pages import EXAMPLES
from webapp.pipelines.literature.found_articles import COUNTS, counted, found_articles
from webapp.pipelines.literature.linking import LONGEST, article_links, query_link, resolver_url
from webapp.pipelines.literature.passages import excerpts, marked, pieces
from webapp.pipelines.literature.reading import DRAFT, copy_text, reading
from webapp.pipelines.literature.run_facts import prompt_changes
from webapp.pipelines.literature.shown_evidence import in_words
from webapp.pipelines.literature.shown_notices import shown_notices
from webapp.pipelines.literature.shown_references import short_name
from webapp.pipelines.literature.widening import changes


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> list[Event]:
    return events_of(request(), tmp_path_factory.mktemp("demo"))


@pytest.fixture(scope="module")
def nothing(tmp_path_factory: pytest.TempPathFactory) -> list[Event]:
    return events_of(
        request("Does zinc shorten the common cold?"), tmp_path_factory.mktemp("nothing")
    )


def runs(demo: list[Event]) -> list[list[Event]]:
    return [demo, handmade(), many(46)]


# ---- passages


def test_every_passage_is_exactly_what_its_span_says(demo):
    for events in runs(demo):
        answer, articles = (
            build_answer(events),
            {article.id: article for article in LiteratureLog(events).articles},
        )
        quoted = 0
        for shown in reading(events).references:
            article = articles[next(one.id for one in answer.references if one.n == shown.n)]
            for passage in shown.passages:
                for excerpt in passage.excerpts:
                    text = article.title if excerpt.field == "title" else article.abstract
                    assert "".join(part for part, _ in excerpt.parts) in text
                    quoted += sum(marked for _, marked in excerpt.parts)
            for sentence in (one for one in answer.sentences if shown.n in one.cites):
                for span in (one for one in sentence.spans if one.n == shown.n):
                    whole = (article.title if span.field == "title" else article.abstract)[
                        span.start : span.end
                    ]
                    marks = [
                        part
                        for one in shown.passages
                        for cut in one.excerpts
                        for part, is_ in cut.parts
                        if is_
                    ]
                    assert any(whole in mark for mark in marks), whole
        assert quoted


def test_each_sentence_of_a_reference_is_named_with_its_passage():
    shown = {one.n: one for one in reading(handmade()).references}
    first = shown[1]
    assert [passage.label for passage in first.passages] == ["TL;DR", "Sentence 1", "Sentence 6"]
    assert [excerpt.field for excerpt in first.passages[1].excerpts] == ["title", "abstract"]
    assert first.passages[2].excerpts == ()
    assert (
        "Counted according to this run's reading of the study (found benefit)"
        in first.passages[2].note
    )
    assert "does not speak of quality of life" in shown[3].passages[1].note


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


@pytest.mark.parametrize("start", [0, 1, 150, 399, 798])
def test_an_excerpt_holds_its_passage_and_says_where_it_is_cut(start):
    article = Article(
        "pmid:1", "T", sections=(replace(trials()[0].sections[0], text="ab " * 300, label=None),)
    )
    (one,) = excerpts(article, [Span(1, "abstract", start, start + 50)])
    text = article.abstract
    assert [part for part, quoted in one.parts if quoted] == [text[start : start + 50]]
    shown = "".join(part for part, _ in one.parts)
    at = text.index(shown) if not one.cut_before else None
    assert (at == 0) == (not one.cut_before)
    assert one.cut_after == (start + 50 + 110 < len(text))
    assert shown in text


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


def test_supported_sentences_are_quiet_and_all_others_say_their_verdict_and_why():
    read = reading(handmade())
    sentences = [sentence for paragraph in read.paragraphs for sentence in paragraph]
    assert [one.word for one in sentences] == [
        "",
        VERDICTS["partial"],
        VERDICTS["unsupported"],
        VERDICTS["contradicted"],
        VERDICTS["uncited"],
        "",
    ]
    assert all(bool(one.mark) == bool(one.word) for one in sentences)
    assert all(one.reason for one in sentences if one.mark)
    assert len(read.paragraphs) == 2
    assert sentences[-1].added
    assert [one.text for one in read.removed] == ["Drug A cures heart failure [1]."]


def test_the_results_are_counted_beside_the_tldr():
    read = reading(handmade())
    assert read.standing == (
        "Of 4 studies that measured this, 2 found benefit and 2 found no clear difference."
    )
    assert {side.way: side.numbers for side in read.sides} == {
        "found benefit": (1, 3),
        "no clear difference": (2, 4),
    }


def test_the_strongest_study_that_measured_it_says_how_big_its_effect_is():
    read = reading(handmade())
    assert [(one.n, one.words, one.outcome) for one in read.effects] == [
        (2, "no clear difference", "mortality")
    ]
    assert read.effects[0].stated == "HR 1.12 (95 % CI 0.91 to 1.38)"
    assert reading(many(30)).effects == ()


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


def test_a_tldr_is_a_draft_until_its_run_has_judged_it(demo):
    assert reading(demo).tldr_mark == ""
    unfinished = reading(handmade(end=False))
    assert unfinished.tldr
    assert unfinished.tldr_mark == DRAFT


def test_one_sided_evidence_is_said_with_its_count():
    assert reading(many(6)).standing == "The study that measured this found benefit."


def test_counts_are_those_of_the_articles_that_they_lead_to(demo):
    for events in runs(demo):
        run_log, answer = LiteratureLog(events), build_answer(events)
        found = found_articles(run_log, answer)
        have = {which: len(counted(found, which)) for which in COUNTS}
        counts = answer.counts
        assert have["found"] == counts.found
        assert have["fetched"] == counts.fetched
        assert have["excluded"] == counts.excluded
        assert have["not-judged"] == counts.not_assessed
        assert have["judged"] == counts.judged
        assert have["relevant"] == counts.relevant
        assert have["summarised"] == counts.summarised
        assert have["cited"] == counts.cited
        read = reading(events)
        for count in (*read.funnel, *read.other_counts):
            assert have[count.which] == count.count, count
        assert all(article.reason for article in counted(found, "left-out"))
        assert len({article.anchor for article in found}) == len(found)


def test_articles_that_the_source_did_not_return_are_listed_too():
    run_log = LiteratureLog(handmade())
    found = {one.id: one for one in found_articles(run_log, build_answer(run_log))}
    assert found["pmid:107"].reason == "the source did not return it"
    assert found["pmid:105"].fate == "excluded"
    assert found["pmid:105"].retracted
    assert found["pmid:106"].fate == "not relevant"


def test_notices_that_many_answers_have_are_brief_at_the_head_and_stand_in_full_below(demo):
    notices = reading(demo).notices
    assert [notice.text for notice in notices] == list(build_answer(demo).notices)
    assert [notice.head for notice in notices] == [
        "Demo corpus: do not base decisions on this answer.",
        "No language model: studies are quoted, nothing is judged.",
    ]
    (other,) = shown_notices(["Something that is told seldom."])
    assert not other.shortened
    assert other.head == other.text


@pytest.mark.parametrize("question", EXAMPLES)
def test_every_example_shows_what_it_says_on_the_demo_corpus(question, tmp_path):
    events = events_of(request(question), tmp_path)
    read, answer = reading(events), build_answer(events)
    found = f"{answer.counts.relevant} studies" if answer.tldr else "nothing found"
    assert found == EXAMPLES[question]
    assert answer.quoted is bool(answer.tldr)
    assert bool(read.unanswered) is not bool(answer.tldr)


def test_the_evidence_table_says_how_each_study_answers_the_question():
    rows = {row.n: row for row in reading(handmade()).rows}
    assert rows[1].way == "found benefit"
    assert rows[1].effect == "HR 0.75 (95 % CI 0.60 to 0.94)"
    assert rows[4].flags == ("expression of concern",)


def test_a_run_that_stopped_before_its_appraisal_has_a_table_of_what_was_summarised(demo):
    last = max(n for n, event in enumerate(demo) if event.type == "article_summarised")
    before = demo[: last + 1]
    read = reading(before)
    summarised = build_answer(before).counts.summarised
    assert summarised
    assert len(read.rows) == summarised
    assert not read.finished


def test_any_prefix_of_a_run_can_be_read(demo):
    for events in (demo, handmade()):
        for end in range(1, len(events) + 1):
            assert reading(events[:end]).question


def test_what_cost_is_unknown_is_never_shown_as_nothing():
    read = reading(handmade())
    assert any("cost unknown" in figure for figure in read.figures)
    costs = {stage: cost for stage, _, cost in read.usage}
    assert costs["writing the synthesis"] == "cost unknown"
    assert costs["writing the TL;DR"] == "$0.0010"


# ---- links


def test_links_lead_to_the_record_the_text_and_the_library():
    article = trials()[0]
    named = {
        link.name: link.url
        for link in article_links(article, "https://library.example.org/openurl?site=a")
    }
    assert list(named) == ["PubMed", "PMC", "DOI", "Library"]
    assert named["PubMed"] == "https://pubmed.ncbi.nlm.nih.gov/101/"
    assert named["DOI"] == "https://doi.org/10.1000/made.101"
    parameters = parse_qs(urlsplit(named["Library"]).query)
    assert parameters["site"] == ["a"]
    assert parameters["rft_id"] == ["info:pmid/101", "info:doi/10.1000/made.101"]


def test_a_record_whose_id_names_no_database_leads_nowhere():
    own = Article("ref:2", "T")
    assert article_links(own) == ()
    assert own.url == ""
    assert [link.name for link in article_links(own, "https://library.example.org")] == ["Library"]


def test_no_identifier_can_turn_a_link_into_something_else():
    hostile = Article("s2:javascript:alert(1)", "T", doi='10.1/"><script>alert(1)</script>')
    for link in article_links(hostile, "https://library.example.org/openurl"):
        assert link.url.startswith("https://")
        assert not set('"<> ') & set(link.url)
    assert (
        article_links(Article("s2:../../x?y#z", "T"))[0].url
        == "https://www.semanticscholar.org/paper/..%2F..%2Fx%3Fy%23z"
    )


def test_the_resolver_is_told_the_title_where_there_is_no_identifier():
    parameters = parse_qs(
        urlsplit(resolver_url("https://r.example.org/", Article("s2:1", "A title & more"))).query
    )
    assert parameters["rft.atitle"] == ["A title & more"]


def test_queries_lead_to_pubmed_as_they_were_sent_unless_they_are_too_long(demo):
    answer = build_answer(demo)
    for query in answer.queries:
        link = query_link(query)
        assert link is not None
        assert parse_qs(urlsplit(link.url).query)["term"] == [query.sent]
    assert query_link(replace(answer.queries[0], sent="a OR " * LONGEST)) is None
    scholar = query_link(replace(answer.queries[0], source="semantic-scholar"))
    assert scholar is not None
    assert scholar.name == "Semantic Scholar"


# ---- what else stands on the page


def test_prompts_that_differ_show_the_lines_that_do():
    (change,) = prompt_changes(asked_by_hand())
    assert change.name == "tldr"
    assert ("+", "Say it in Swedish.") in change.lines
    assert prompt_changes(request()) == ()


def test_what_is_copied_holds_the_tldr_its_sources_the_date_and_the_address():
    answer: Answer = build_answer(handmade())
    text = copy_text(answer, "https://clinfo.example.org/runs/abc")
    assert answer.tldr in text
    assert "20 November 2026" in text
    assert "https://clinfo.example.org/runs/abc" in text
    assert [f"[{n}] " in text for n in (1, 2, 3, 4)] == [True, True, True, False]
    assert "https://pubmed.ncbi.nlm.nih.gov/102/" in text
    assert "Not medical advice" in text


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        ((), "“Drug A and mortality…” 2019"),
        (("Ito",), "Ito 2019"),
        (("Ito", "Roe"), "Ito and Roe 2019"),
        (("Ito", "Roe", "Doe"), "Ito et al. 2019"),
    ],
)
def test_short_names(names, shown):
    article = trials()[0]
    people = tuple(replace(article.authors[0], last=name) for name in names)
    assert short_name(replace(article, authors=people)) == shown


def test_nothing_found_says_how_to_widen_without_the_flags_of_the_command_line(nothing):
    read = reading(nothing, sources=("demo", "pubmed"))
    assert read.unanswered is not None
    assert [way.name for way in read.widenings] == ["pubmed", "", "", "per-query"]
    assert not any("--" in way.text for way in read.widenings)
    assert reading(nothing, sources=("demo",)).widenings[0].name != "pubmed"
    assert changes("pubmed", request()) == {"source": "pubmed"}
    assert changes("per-query", request(per_query=150)) == {"per_query": 200}
    assert changes("anything", request()) is None


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


def test_the_question_is_the_one_asked(demo):
    assert reading(demo).question == DEMO_QUESTION


def test_a_query_that_was_loosened_shows_what_was_sent_in_turn(demo):
    (searched, *_) = (event for event in demo if isinstance(event, QuerySearched))
    none = replace(searched, result=replace(searched.result, count=0, ids=()))
    relaxed = QueryRelaxed(
        seq=len(demo), index=searched.index, step=0, cause="narrowest", without=("zinc",),
        query="yoga", result=replace(searched.result, sent="yoga", count=1),
    )  # fmt: skip
    read = reading([*(none if one is searched else one for one in demo), relaxed])
    assert [hits for _, hits in read.queries[0].steps] == ["0 hits", "1 hit"]
