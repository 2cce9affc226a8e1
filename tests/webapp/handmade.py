"""A run made by hand that holds what real ones seldom hold together: a retracted article, a
conflict, removed and doubtful sentences, several effects on one scale, a model of unknown price, an
edited prompt. Its texts may be hostile.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from clinfo.evidence.table import appraise
from clinfo.pipelines.literature.answer import CHECKS, answer_json, build_answer
from clinfo.pipelines.literature.events import (
    AnswerWithheld,
    ArticleExcluded,
    ArticleFlagged,
    ArticleJudged,
    ArticlesFetched,
    ArticlesNotAssessed,
    ArticleSummarised,
    EvidenceAppraised,
    QueryGenerated,
    QueryRepaired,
    QuerySearched,
    SentenceChecked,
    SentencesRemoved,
)
from clinfo.pipelines.literature.request import checked
from clinfo.pipelines.literature.stages import PROMPTS
from clinfo.records.appraisal import Notice
from clinfo.records.articles import (
    PROGRAM,
    Article,
    Author,
    DateInterval,
    Effect,
    Judgement,
    Query,
    RunRequest,
    SearchResult,
    Section,
    Sentence,
    Span,
    Stance,
    Study,
    Summary,
    Verdict,
)
from clinfo.runs.events import Answered, CostIncurred, Event, RunStarted, StageTimed, Warned
from clinfo.views.counts import NOT_VERIFIED
from tests.webapp.recorded import numbered

QUESTION = "Does drug A reduce mortality in adults with heart failure?"
MODEL = "openai/scripted"


def article(
    n: int,
    title: str,
    results: str,
    conclusion: str,
    year: int = 2018,
    last: str = "Smith",
    kinds: tuple[str, ...] = ("Randomized Controlled Trial",),
    methods: str = "Adults with heart failure were randomised to drug A or placebo.",
) -> Article:
    return Article(
        id=f"pmid:{n}",
        pmid=str(n),
        title=title,
        sections=(
            Section(methods, "METHODS"),
            Section(results, "RESULTS"),
            Section(conclusion, "CONCLUSIONS"),
        ),
        authors=(
            Author(last, "Jane Ann", "JA"),
            Author("Okafor", "Chidi", "C"),
            Author("Lindqvist", "Eva", "E"),
        ),
        journal="The Journal of Made Trials",
        journal_abbreviation="J Made Trials",
        volume="12",
        pages="101-9",
        published=DateInterval(date(year, 3, 1), date(year, 3, 31), f"{year} Mar"),
        doi=f"10.1000/made.{n}",
        pmcid=f"PMC{n}99" if n % 2 else None,
        publication_types=kinds,
    )


HAZARDS = ((0.75, 0.6, 0.94), (1.12, 0.91, 1.38), (0.82, 0.69, 0.97), (0.98, 0.55, 1.75))
"""The hazard ratio of each trial with its interval, as their abstracts state it."""


def trials() -> list[Article]:
    return [
        article(
            101,
            "Drug A and mortality in heart failure: a randomised controlled trial",
            "Of 2,310 participants, 412 died within 24 months. "
            "Mortality was lower with drug A (hazard ratio 0.75, 95% CI 0.60 to 0.94).",
            "Drug A reduced mortality in adults with heart failure.",
            2019,
        ),
        article(
            102,
            (
                "Effect of drug A on mortality in adults with chronic heart failure: a randomised "
                "trial"
            ),
            "In 1,140 participants followed for 12 months, drug A did not reduce mortality "
            "(hazard ratio 1.12, 95% CI 0.91 to 1.38).",
            "Drug A did not reduce mortality in adults with heart failure.",
            2021,
            "van der Berg",
        ),
        article(
            103,
            "Long-term mortality on drug A: a randomised controlled trial in heart failure",
            (
                "In 640 participants mortality was reduced with drug A (hazard ratio 0.82, 95% CI "
                "0.69 to 0.97) over 5 years."
            ),
            "Drug A lowered mortality.",
            2016,
            "Núñez",
        ),
        article(
            104,
            "Drug A in daily practice: a retrospective cohort study",
            "In 96 patients mortality did not differ (hazard ratio 0.98, 95% CI 0.55 to 1.75).",
            "No difference in mortality was seen.",
            2011,
            "Ito",
            ("Journal Article",),
            "Retrospective cohort study of adults with heart failure.",
        ),
        article(
            105,
            "Drug A halves mortality in heart failure: a randomised trial",
            "In 300 participants mortality was halved (hazard ratio 0.50, 95% CI 0.31 to 0.80).",
            "Drug A halves mortality.",
            2012,
            "Doe",
        ),
        article(
            106,
            "Drug A in dogs",
            "Twelve dogs were treated.",
            "Dogs tolerated drug A.",
            2009,
            "Roe",
            ("Journal Article",),
            "Dogs.",
        ),
    ]


def handmade(
    asked: RunRequest | None = None,
    articles: Sequence[Article] | None = None,
    said: str = "",
    end: bool = True,
    noticed: str = "",
) -> list[Event]:
    """The events. ``said`` is put into every text that a model writes, ``noticed`` into what a
    notice says.
    """
    asked = asked or request()
    given = list(articles or trials())
    first, second, third, fourth, gone, dogs = given
    relevant = [first, second, third, fourth]
    notices = (
        Notice(
            gone.id,
            "retracted",
            f"It was retracted: data could not be verified.{noticed}",
            "PubMed's record",
            pmid="999",
        ),
        Notice(
            fourth.id,
            "expression of concern",
            f"An expression of concern stands against it.{noticed}",
            "PubMed's record",
        ),
        Notice(third.id, "erratum", f"A correction was published.{noticed}", "PubMed's record"),
    )
    ways: list[Stance] = ["supports", "contradicts", "supports", "contradicts"]
    summaries = [
        Summary(
            f"{one.sections[-1].text}{said}",
            "randomised controlled trial",
            stance=way,
            result="found benefit" if way == "supports" else "no clear difference",
            outcome="mortality",
            effect=Effect("HR", "ratio", estimate, low, high, 95.0, None),
        )
        for one, way, (estimate, low, high) in zip(relevant, ways, HAZARDS, strict=True)
    ]
    studies = [
        Study(n, one, summary)
        for n, (one, summary) in enumerate(zip(relevant, summaries, strict=True), 1)
    ]
    ids = tuple(one.id for one in given)
    events: list[Event] = [
        RunStarted(
            request=asked,
            settings={
                "version": "0.1.0",
                "models": dict(asked.models),
                "source": asked.source,
                "regime": "unrestricted",
                "strict": True,
                "checks": CHECKS,
                "queries": 2,
                "per_query": 16,
                "max_articles": 100,
                "strategy": "seeds",
                "judge": "rules",
                "seed": 0,
                "prompts_edited": sorted(asked.prompts),
                "temperature": 0.5,
            },
            notices=(),
            started_at="2026-11-20T09:30:00+00:00",
        ),
        QueryRepaired(
            index=0,
            before="drug A AND (mortality",
            after="drug A AND mortality",
            repairs=("A bracket was closed.",),
        ),
        QueryGenerated(
            query=Query(0, f"drug A AND mortality{said}", 0, repairs=("A bracket was closed.",))
        ),
        QueryGenerated(query=Query(1, "heart failure AND drug A", 1)),
        QuerySearched(
            index=0,
            asked=16,
            source=asked.source,
            result=SearchResult(
                f"drug A AND mortality{said}",
                ids[:4],
                1_234,
                "relevance",
                "2026-11-20T09:30:01+00:00",
                "drug[All Fields]",
                (f"No “A” found.{said}",),
            ),
        ),
        QuerySearched(
            index=1,
            asked=16,
            source=asked.source,
            result=SearchResult(
                "heart failure AND drug A",
                (*ids[2:], "pmid:107", "pmid:108"),
                6,
                "relevance",
                "2026-11-20T09:30:01+00:00",
            ),
        ),
        ArticlesFetched(articles=tuple(given), missing=("pmid:107", "pmid:108")),
        ArticleExcluded(id=gone.id, reason=f"retracted: data could not be verified{noticed}"),
        *(ArticleFlagged(notice=notice) for notice in notices),
        *(
            ArticleJudged(
                judgement=Judgement(one.id, True, f"It studies the question.{said}", MODEL)
            )
            for one in relevant
        ),
        ArticleJudged(judgement=Judgement(dogs.id, False, f"It is about dogs.{said}", MODEL)),
        *(
            ArticleSummarised(id=one.id, summary=summary)
            for one, summary in zip(relevant, summaries, strict=True)
        ),
        EvidenceAppraised(appraisal=appraise(studies, notices)),
        *_checked(relevant, said),
        SentencesRemoved(
            part="synthesis",
            sentences=(
                _sentence(
                    "synthesis",
                    f"Drug A cures heart failure [1].{said}",
                    (1,),
                    "unsupported",
                    f"no passage says so{said}",
                ),
            ),
        ),
        Warned(about="made", text=f"Something to know about this run.{said}"),
        CostIncurred(
            call="synthesis 0",
            where="synthesis",
            model=MODEL,
            reply="",
            prompt_tokens=2_400,
            completion_tokens=310,
            cost_usd=None,
        ),
        CostIncurred(
            call="tldr 0",
            where="tldr",
            model=MODEL,
            reply="",
            prompt_tokens=400,
            completion_tokens=40,
            cost_usd=0.001,
        ),
        StageTimed(where="retrieve", seconds=1.4, t=2.0),
        StageTimed(where="synthesis", seconds=8.2, t=12.1),
    ]
    events = numbered(events)
    if end:
        events.append(Answered(answer=answer_json(build_answer(events)), seq=len(events), t=12.2))
    return events


def judged_as(verdict: Verdict, why: str = NOT_VERIFIED) -> list[Event]:
    """A run all of whose sentences have this verdict."""
    events = []
    for event in handmade():
        if isinstance(event, SentenceChecked):
            sentence = replace(
                event.sentence,
                verdict=verdict,
                reason=why,
                counts_only=False,
                judges=("rules", MODEL),
            )
            event = replace(event, sentence=sentence)
        if not isinstance(event, SentencesRemoved | Answered):
            events.append(event)
    return events


def answered(events: list[Event]) -> list[Event]:
    events = numbered(events)
    return [*events, Answered(answer=answer_json(build_answer(events)), seq=len(events))]


def withheld_run() -> list[Event]:
    """A run whose answer was withheld because nothing supports it."""
    events = judged_as("unsupported", "no passage says so")
    text = "".join(
        one.sentence.lead + one.sentence.text for one in events if isinstance(one, SentenceChecked)
    )
    return answered(
        [
            *events,
            AnswerWithheld(
                text=text, reason="of 7 sentences that could be checked, none is carried"
            ),
        ]
    )


def judged_by_older_rules() -> list[Event]:
    """A run as versions before the checks' second edition recorded it."""
    return [
        replace(
            event,
            settings={name: value for name, value in event.settings.items() if name != "checks"},
        )
        if isinstance(event, RunStarted)
        else event
        for event in handmade()
    ]


def many(count: int) -> list[Event]:
    """A large run: ``count`` articles found, of which every second one but the last two is relevant
    and cited: 68 give 32 references.
    """
    found = [
        article(
            1_000 + n,
            (
                f"Drug A and mortality in heart failure, trial {n}: a randomised, double-blind, "
                "placebo-controlled study of centres"
            ),
            f"In {100 + n} participants followed for 12 months mortality was lower with drug A "
            f"(hazard ratio 0.8{n % 10}, 95% CI 0.60 to 0.94). "
            + (
                "Hospital admissions and quality of life were secondary outcomes and did not "
                "differ between groups. "
            )
            * 8,
            (
                "Drug A lowered mortality in adults with heart failure, with no more harms than "
                "placebo over a year of treatment."
            ),
            1990 + n % 35,
        )
        for n in range(count)
    ]
    asked = request()
    relevant = found[:-4:2]
    summaries = [
        Summary(one.sections[-1].text, stance="supports", result="found benefit")
        for one in relevant
    ]
    studies = [
        Study(n, one, summary)
        for n, (one, summary) in enumerate(zip(relevant, summaries, strict=True), 1)
    ]
    cites = range(1, len(relevant) + 1)
    events: list[Event] = [
        RunStarted(
            request=asked,
            settings={"models": dict(asked.models), "source": "pubmed", "checks": CHECKS},
            notices=(),
            started_at="2026-11-20T09:30:00+00:00",
        ),
        QueryGenerated(query=Query(0, "drug A AND mortality", 0)),
        QuerySearched(
            index=0,
            asked=count,
            source="pubmed",
            result=SearchResult(
                "drug A AND mortality",
                tuple(one.id for one in found),
                count,
                "relevance",
                "2026-11-20T09:30:01+00:00",
            ),
        ),
        ArticlesFetched(articles=tuple(found)),
        *(
            ArticleJudged(
                judgement=Judgement(
                    one.id, one in relevant, "It is, or is not, about the question asked.", MODEL
                )
            )
            for one in found[:-4]
        ),
        ArticlesNotAssessed(
            ids=tuple(one.id for one in found[-4:]), cause="deadline", reason="the deadline passed"
        ),
        *(
            ArticleSummarised(id=one.id, summary=summary)
            for one, summary in zip(relevant, summaries, strict=True)
        ),
        EvidenceAppraised(appraisal=appraise(studies, ())),
        *(
            SentenceChecked(
                index=n - 1,
                sentence=_sentence(
                    "synthesis",
                    f"One randomised trial found lower mortality with drug A [{n}].",
                    (n,),
                    "supported",
                    f"found in [{n}]",
                    _span(relevant[n - 1], n, "mortality was lower with drug A"),
                    lead="\n\n" if n == 1 + len(relevant) // 2 else " ",
                ),
            )
            for n in cites
        ),
        SentenceChecked(
            index=0,
            sentence=_sentence(
                "tldr",
                "In all trials retrieved, drug A lowered mortality in adults with heart failure "
                f"over a year of treatment [{', '.join(map(str, cites[:3]))}].",
                tuple(cites[:3]),
                "supported",
                "found",
                *(_span(relevant[n - 1], n, "mortality was lower with drug A") for n in cites[:3]),
            ),
        ),
    ]
    events = numbered(events)
    return [*events, Answered(answer=answer_json(build_answer(events)), seq=len(events), t=20.0)]


def request(**fields: object) -> RunRequest:
    prompts = {"tldr": PROMPTS.defaults()["tldr"] + "\nSay it in Swedish.\n"}
    return checked(
        **{
            "question": QUESTION,
            "model": MODEL,
            "source": "pubmed",
            "strict": True,
            "prompts": prompts,
        }
        | fields
    )


def _checked(articles: Sequence[Article], said: str) -> list[Event]:
    first, second, third, fourth = articles
    tldr = [
        _sentence(
            "tldr",
            (
                "Mixed evidence: two of three trials found fewer deaths with drug A [1, 3], one "
                f"did not [2].{said}"
            ),
            (1, 2, 3),
            "supported",
            "found",
            _span(first, 1, "Mortality was lower with drug A"),
            _span(second, 2, "did not reduce mortality"),
            _span(third, 3, "mortality was reduced"),
        )
    ]
    synthesis = [
        _sentence(
            "synthesis",
            (
                "A trial of 2,310 people found lower mortality (hazard ratio 0.75, 95% CI [0.60, "
                f"0.94]) [1].{said}"
            ),
            (1,),
            "supported",
            "2,310 stands in [1]; 0.75 stands in [1]",
            _span(first, 1, "2,310 participants"),
            _span(first, 1, "hazard ratio 0.75, 95% CI 0.60 to 0.94"),
            _title(first, 1, "mortality in heart failure"),
        ),
        _sentence(
            "synthesis",
            f"A later trial found no difference [2].{said}",
            (2,),
            "partial",
            f"“no difference” is said of mortality only{said}",
            _span(second, 2, "did not reduce mortality"),
        ),
        _sentence(
            "synthesis",
            f"Quality of life rose [3].{said}",
            (3,),
            "unsupported",
            f"[3] does not speak of quality of life{said}",
        ),
        _sentence(
            "synthesis",
            f"In practice mortality fell [4].{said}",
            (4,),
            "contradicted",
            f"[4] says it did not differ{said}",
            _span(fourth, 4, "mortality did not differ"),
        ),
        _sentence(
            "synthesis",
            f"More trials are needed.{said}",
            (),
            "uncited",
            "it cites nothing",
            lead="\n\n",
        ),
        _sentence(
            "synthesis",
            "Of 4 studies, 2 support the claim [1], [3].",
            (1, 3),
            "supported",
            "counted",
            counts_only=True,
            judges=(PROGRAM,),
        ),
    ]
    return [
        SentenceChecked(index=index, sentence=sentence)
        for part in (tldr, synthesis)
        for index, sentence in enumerate(part)
    ]


def _sentence(
    part: str,
    text: str,
    cites: tuple[int, ...],
    verdict: Verdict,
    why: str,
    *spans: Span,
    lead: str = " ",
    **more: object,
) -> Sentence:
    return Sentence(
        part=part,
        text=text,
        cites=cites,
        verdict=verdict,
        reason=why,
        spans=spans,
        lead=lead,
        **more,
    )  # type: ignore[arg-type]


def _span(of: Article, n: int, words: str) -> Span:
    start = of.abstract.index(words)
    return Span(n, "abstract", start, start + len(words))


def _title(of: Article, n: int, words: str) -> Span:
    start = of.title.index(words)
    return Span(n, "title", start, start + len(words))
