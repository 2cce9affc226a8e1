"""A run made by hand in which everything happens that a page which is watched can show, and what a
browser makes of its changes.
"""

import copy
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import lxml.html
from flask import Flask

from clinfo.evidence.table import appraise
from clinfo.pipelines.literature.events import (
    ArticleExcluded,
    ArticleFlagged,
    ArticleJudged,
    ArticlesChased,
    ArticlesFetched,
    ArticlesNotAssessed,
    ArticlesReranked,
    ArticleSummarised,
    ContextCut,
    EvidenceAppraised,
    QueryExplained,
    QueryGenerated,
    QueryRelaxed,
    QueryRepaired,
    QuerySearched,
    QuestionUnderstood,
    SentenceChecked,
    SentencesRemoved,
    SummaryChecked,
    SynthesisReset,
    SynthesisText,
    TldrText,
)
from clinfo.pipelines.literature.request import checked
from clinfo.records.appraisal import Notice
from clinfo.records.articles import (
    Article,
    Author,
    CitationChase,
    DateInterval,
    Judgement,
    Part,
    Pico,
    Query,
    RunRequest,
    SearchResult,
    Section,
    Sentence,
    Study,
    Summary,
    Verdict,
)
from clinfo.runs.events import CostIncurred, Event, RunStarted, StageTimed, Warned, dumps
from webapp.pipelines.literature.declared import LIVE
from webapp.records import StoredEvent
from webapp.watch.page import WatchPage

DAY = "2026-11-22T04:18:24+00:00"


def asked(
    question: str = "Does drug A reduce mortality in adults with heart failure?", **fields: Any
) -> RunRequest:
    given: dict[str, Any] = {
        "model": "openai/scripted",
        "source": "pubmed",
        "strategy": "pico",
        "queries": 5,
        "strict": True,
    }
    return checked(**given | {"question": question, "max_seconds": 60} | fields)


def eventful(request: RunRequest) -> list[Event]:
    """The events of a run that is done but for its answer."""
    articles = [_article(n) for n in range(1, 9)]
    late = _article(9)
    ids = tuple(one.id for one in articles)
    judgements = [
        Judgement(ids[1], True, "a randomised trial of drug A", "openai/scripted"),
        Judgement(ids[2], False, "it is about children", "openai/scripted"),
        Judgement(ids[3], None, "the reply could not be read", "openai/scripted", ("unreadable",)),
        Judgement(ids[4], True, "a trial too", "openai/scripted"),
        Judgement(ids[6], True, "a third trial", "openai/scripted"),
        Judgement(late.id, True, "linked", "openai/scripted"),
    ]
    summary = Summary(
        "Fewer died with drug A.",
        "randomised controlled trial",
        412,
        "adults",
        "low",
        "supports",
        result="found benefit",
    )
    relevant = [articles[1], articles[3], articles[4], articles[6], late]
    studies = [
        Study(n, one, summary if one is not articles[4] else None)
        for n, one in enumerate(relevant, 1)
    ]
    notice = Notice(ids[1], "expression of concern", "An expression of concern.", "PubMed's record")
    answered = SearchResult(
        "drug [tiab]",
        ids,
        46,
        "relevance",
        DAY,
        "“drug ”[Title]",
        ("left out",),
    )
    less = replace(answered, count=3)
    lived = _sentence("synthesis", "All lived [1].", "contradicted", "[1] says")
    nothing = SearchResult("zinc[mh]", (), 0, "relevance", DAY, outcome="zero")
    every: tuple[Verdict, ...] = ("supported", "partial", "unsupported", "contradicted", "uncited")
    verdicts = [
        SentenceChecked(
            index=index,
            sentence=_sentence("synthesis", f"Sentence {index} [1–2].", one, "because"),
        )
        for index, one in enumerate(every)
    ]
    events: list[Event] = [
        RunStarted(
            request=request,
            settings={},
            notices=("A notice of the source.",),
            started_at=DAY,
        ),
        _cost("query", None),
        QuestionUnderstood(pico=Pico(("adults",), ("drug A", "drug a"), (), ("mortality",))),
        Warned(about="pico", text="MeSH did not answer", where="question2query"),
        QueryRepaired(index=0, before="x", after="y", repairs=("A bracket was closed.",)),
        QueryGenerated(
            query=Query(
                0,
                "drug A",
                0,
                ("A bracket was closed.",),
                ("It is long.",),
                "strict",
            )
        ),
        QueryGenerated(query=Query(1, "zinc[mh] AND nothing", 1)),
        QueryGenerated(query=Query(2, "drug A", 2), same_as=0),
        QueryGenerated(query=Query(3, "", 3)),
        QueryGenerated(query=Query(4, "word " * 60, 4)),
        QuerySearched(index=0, asked=16, source="pubmed", result=answered),
        QuerySearched(index=1, asked=16, source="pubmed", result=nothing),
        QueryRelaxed(
            index=1,
            step=0,
            cause="not found",
            without=("zinc",),
            query="nothing",
            result=less,
        ),
        QueryExplained(index=1, text="Nothing more can be left out."),
        QuerySearched(index=4, asked=16, source="pubmed", problem="PubMed answered 500"),
        ArticlesFetched(articles=tuple(articles), missing=("pmid:77",)),
        ArticleFlagged(notice=notice),
        ArticleExcluded(id=ids[0], reason="retracted"),
        ArticlesNotAssessed(ids=(ids[5],), cause="rank", reason="ranked below"),
        StageTimed(where="retrieve", seconds=1.0),
        *(
            event
            for one in judgements[:5]
            for event in (_cost(f"judge {one.id}", 0.001), ArticleJudged(judgement=one))
        ),
        ArticlesChased(
            chase=CitationChase((ids[1],), 1, 0, 0, 1, 1), ids=(late.id,), articles=(late,)
        ),
        ArticleJudged(judgement=judgements[5]),
        Warned(about="chase", text="Not all links", where="chase"),
        ArticlesReranked(kept=(ids[1], ids[3], ids[4]), dropped=(ids[6],)),
        SummaryChecked(id=ids[1], sentences=()),
        ArticleSummarised(id=ids[1], summary=summary),
        ArticleSummarised(id=ids[3], summary=summary),
        ArticleSummarised(id=ids[4], problem="the model did not answer"),
        ArticleSummarised(id=late.id, summary=summary),
        ArticlesNotAssessed(ids=(ids[7],), cause="deadline", reason="not read by the deadline"),
        Warned(about="deadline", text="The deadline was reached.", where="relevance"),
        StageTimed(where="read", seconds=3.0),
        EvidenceAppraised(appraisal=appraise(studies, [notice])),
        ContextCut(ids=(late.id,)),
        SynthesisText(attempt=0, piece=0, text="Fewer died"),
        SynthesisText(attempt=0, piece=1, text=" with the drug"),
        SynthesisReset(attempt=1),
        SynthesisText(attempt=1, piece=0, text="Fewer died"),
        SynthesisText(attempt=1, piece=1, text=" with drug A [1].\nAnother sentence [2]."),
        _cost("synthesis", 0.01),
        _cost("synthesis repaired", None),
        Warned(
            about="removed synthesis", text="1 unsupported sentence was removed.", where="verify"
        ),
        SentencesRemoved(part="synthesis", sentences=(lived,)),
        *verdicts,
        StageTimed(where="synthesis", seconds=2.0),
        TldrText(text="Unchecked words"),
        SentenceChecked(
            index=0,
            sentence=_sentence("tldr", "Drug A may help [1].", "supported", "found in [1]"),
        ),
        StageTimed(where="tldr", seconds=1.0),
    ]
    return [replace(event, seq=seq, t=seq / 10) for seq, event in enumerate(events)]


def _article(n: int) -> Article:
    return Article(
        id=f"pmid:{n}",
        pmid=str(n),
        title=f"Drug A in heart failure: a randomised trial {n}",
        sections=(
            Section(
                "412 adults were randomised to drug A or placebo. Mortality was lower with drug A."
            ),
        ),
        authors=(Author("Smith", "Jane", "J"),),
        journal="The Journal",
        journal_abbreviation="J Made Trials",
        published=DateInterval(date(2010 + n, 3, 1), date(2010 + n, 3, 31), f"{2010 + n} Mar"),
        publication_types=("Randomized Controlled Trial",),
    )


def _sentence(part: Part, text: str, verdict: Verdict, why: str) -> Sentence:
    return Sentence(part, text, (1, 2), verdict, why, lead=" ")


def _cost(call: str, usd: float | None) -> CostIncurred:
    return CostIncurred(
        call=call,
        where=call.split()[0],
        model="openai/scripted",
        reply="x",
        prompt_tokens=700,
        completion_tokens=90,
        cost_usd=usd,
    )


def stored_events(events: Iterable[Event]) -> list[StoredEvent]:
    """The events as the store gives them."""
    return [
        StoredEvent("a-run", event.seq, event.type, dumps(event), 1_000.0 + event.t)
        for event in events
    ]


def watch_page(app: Flask, request: RunRequest) -> WatchPage:
    """An empty page."""
    live = LIVE
    return WatchPage(live, app.jinja_env.get_template(live.macros).module, "a-run", request)


def tree(html: str) -> Any:
    """Return what a browser's parser makes of a page or of a part of one."""
    return (
        lxml.html.document_fromstring(html)
        if "<html" in html
        else lxml.html.fragment_fromstring(html)
    )


def patched(page: Any, patches: Sequence[dict[str, str]]) -> Any:
    """A page after these changes, as webapp/static/watch.js makes them."""
    page = copy.deepcopy(page)
    for patch in patches:
        target = page.get_element_by_id(patch["target"])
        new = lxml.html.fragment_fromstring(patch["html"])
        present = (
            page.xpath("//*[@id=$id]", id=new.get("id")) if patch["how"] == "append" else [target]
        )
        if present:
            new.tail = present[0].tail
            present[0].getparent().replace(present[0], new)
        else:
            target.append(new)
    return page


def form(page: Any) -> str:
    """Return what the page shows of the run, as text that two equal pages share; without the
    seconds that are left, which go by, and what is folded.
    """
    watch = copy.deepcopy(page.get_element_by_id("watch"))
    watch.attrib.pop("data-seq")
    for gone in watch.xpath("//*[@id='left']"):
        gone.clear()
    for fold in watch.xpath("//section/details"):  # folded by the script
        fold.attrib.clear()
    return str(lxml.html.tostring(watch, encoding="unicode"))


def messages(lines: Iterable[bytes]) -> Iterable[dict[str, Any]]:
    """The messages of a stream of server-sent events, with their ids."""
    id: str | None = None
    for line in lines:
        if line.startswith(b"id: "):
            id = line[4:].decode()
        elif line.startswith(b"data: "):
            yield json.loads(line[6:]) | {"id": id}
