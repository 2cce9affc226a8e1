"""The display of a run that goes on."""

import io
from dataclasses import replace

from clinfo.cli.progress import Live, Milestones
from clinfo.pipelines.literature.events import (
    ArticleJudged,
    ArticlesChased,
    ArticlesFetched,
    ArticlesNotAssessed,
    ArticleSummarised,
    LiteratureLog,
    QueryExplained,
    QueryGenerated,
    QueryRelaxed,
    QuerySearched,
    QuestionUnderstood,
    SeedStudiesChecked,
    SentenceChecked,
    SynthesisText,
    TermsCounted,
)
from clinfo.pipelines.literature.request import checked
from clinfo.pipelines.literature.stages import LITERATURE
from clinfo.records.articles import (
    Article,
    CitationChase,
    Judgement,
    Pico,
    Query,
    SearchResult,
    SeedHit,
    SeedStudy,
    Sentence,
    Summary,
    TermCount,
)
from clinfo.runs.events import RunStarted, StageTimed, Warned

REQUEST = checked(question="Does zinc help?", model="extractive", source="demo")
NASTY = "[bold]zinc[/bold] \x1b[31m“cold”\x07"
HITS = SearchResult(NASTY, ("pmid:1", "pmid:2"), 1234, "relevance", "", None, ("not found: cold",))
EVENTS = [
    RunStarted(
        request=REQUEST,
        settings={"source": "demo"},
        notices=(),
        started_at="2026-11-20T12:00:00+00:00",
    ),
    QueryGenerated(query=Query(0, NASTY, 0, repairs=("a bracket was closed",))),
    QuerySearched(index=0, asked=16, source="demo", result=HITS),
    QueryGenerated(query=Query(1, "zinc", 1)),
    QuerySearched(index=1, asked=16, source="demo", problem="the server is away"),
    QueryGenerated(query=Query(2, "zinc", 2), same_as=1),
    ArticlesFetched(articles=(Article("pmid:1", "One"), Article("pmid:2", "Two"))),
    ArticleJudged(judgement=Judgement("pmid:1", True, "yes", "m")),
    ArticleJudged(judgement=Judgement("pmid:2", False, "no", "m")),
    ArticleSummarised(id="pmid:1", summary=Summary("It helped.")),
    StageTimed(where="read", seconds=3.21),
    SynthesisText(attempt=0, piece=0, text="Zinc "),
    SynthesisText(attempt=0, piece=1, text="helped \x1b[2J[1]."),
    Warned(about="x", text="something odd"),
]


def test_a_line_a_milestone_and_none_for_single_articles(capsys):
    shown = Milestones(LITERATURE)
    for event in EVENTS:
        shown.see(event)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "query 1 → 1,234 hits: [bold]zinc[/bold] “cold”",
        "note: a bracket was closed",
        "query 2 → failed (the server is away): zinc",
        "query 3 is identical to query 2",
        "2 articles fetched",
        "2 articles judged, 1 relevant, 1 summarised in 3.2 s",
        "writing the synthesis",
        "warning: something odd",
    ]


def test_how_the_search_goes_is_told(capsys):
    nothing = replace(HITS, ids=(), count=0, warnings=())
    chase = CitationChase(("pmid:1",), 4, 2, 1, 5, 1)
    shown = Milestones(LITERATURE)
    known = {"9": (), "2": (SeedHit(1, 2, True),), "3": (SeedHit(1, 99, False),)}
    for event in [
        QuestionUnderstood(pico=Pico(("adults",), ("zinc", "zinc salts\x1b[2J"), (), ("colds",))),
        QueryGenerated(query=Query(0, "zinc AND nonsense", remarks=("no such heading",))),
        QuerySearched(index=0, asked=16, source="demo", result=nothing),
        QueryRelaxed(
            index=0,
            step=0,
            cause="narrowest",
            without=("nonsense",),
            query="zinc",
            result=replace(HITS, count=34),
        ),
        QueryExplained(index=1, text="It finds nothing."),
        ArticlesNotAssessed(ids=("pmid:3",), cause="rank", reason="ranked low"),
        ArticlesChased(chase=chase, ids=("pmid:9",), articles=(Article("pmid:9", "Nine"),)),
        TermsCounted(terms=(TermCount("zinc", 34, (1,)),)),
        SeedStudiesChecked(
            seed_studies=tuple(SeedStudy(pmid, True, hits) for pmid, hits in known.items())
        ),
    ]:
        shown.see(event)
    assert capsys.readouterr().err.splitlines() == [
        "Understood as: population adults; intervention zinc, zinc salts; outcome colds",
        "query 1 → 0 hits: zinc AND nonsense",
        "note: no such heading",
        "query 1 found nothing; without “nonsense”: 34 hits",
        "query 2: It finds nothing.",
        "1 article not judged: ranked low",
        "1 linked article fetched (of 5 new articles found by links)",
        "hits of 1 term counted",
        "seed studies: 2 of 3 found by the queries, 1 of them beyond the articles requested",
    ]


def awaited(log: LiteratureLog) -> str:
    return LITERATURE.doing(log, log.started.request).awaits


def test_what_is_waited_for_is_the_work_that_is_open():
    model = "the model extractive"
    said = ["", *(awaited(LiteratureLog(EVENTS[:count])) for count in range(1, len(EVENTS) + 1))]
    assert said[1] == f"{model} (Queries 0 of 3)"
    assert said[2] == f"{model} (Queries 1 of 3) and the demo corpus (Search 0 of 1 answered)"
    assert said[4] == f"{model} (Queries 2 of 3) and the demo corpus (Search 1 of 2 answered)"
    assert said[6] == "the demo corpus (Search 2 of 3 answered)"
    assert said[8] == f"{model} (Judge 1 of 2) and the model extractive (Summarise 0 of 1)"
    assert said[11] == f"{model} (Synthesis beginning)"
    ends = [StageTimed(where=stage, seconds=1.0) for stage in ("synthesis", "tldr")]
    checked_one = SentenceChecked(
        index=0, sentence=Sentence("synthesis", "It helps [1].", (1,), "supported", "")
    )
    log = LiteratureLog([*EVENTS, checked_one, ends[0]])
    assert awaited(log) == f"{model} (TL;DR writing)"
    assert awaited(LiteratureLog([*EVENTS, *ends])) == ""
    proved = replace(EVENTS[0], request=replace(REQUEST, known=("1",), term_counts=True))
    waited = "the demo corpus"
    assert (
        awaited(LiteratureLog([proved, *EVENTS[1:], *ends]))
        == f"{waited} (hits of single terms and seed studies)"
    )
    assert (
        awaited(LiteratureLog([proved, *EVENTS[1:], *ends, TermsCounted(terms=())]))
        == f"{waited} (seed studies)"
    )


def test_a_long_silence_is_explained_once_and_then_now_and_then(capsys):
    now = [0.0]
    shown = Milestones(LITERATURE, lambda: now[0])
    shown.see(EVENTS[0])
    told = []
    for tick in range(700):
        now[0] = tick / 10
        if tick == 600:
            shown.see(EVENTS[1])
        shown.draw()
        if capsys.readouterr().err.startswith("still waiting"):
            told.append(now[0])
    assert told == [8.0, 38.0, 68.0]


def test_the_live_display_prints_text_as_data():
    from rich.console import Console

    written = io.StringIO()
    console = Console(file=written, force_terminal=True, width=80, color_system=None)
    shown = Live(console, LITERATURE)
    for event in EVENTS:
        shown.see(event)
        shown.draw()
    shown.close()
    last = written.getvalue()
    for part in (
        "Queries: 0 of 3",
        "→ 1,234 hits: [bold]zinc[/bold] “cold”",
        "Judge: 2 of 2; Summarise: 1 of 1",
        "Zinc helped [1].",
    ):
        assert part in last
    assert "\x1b[31m" not in last
    assert "\x1b[2J" not in last
