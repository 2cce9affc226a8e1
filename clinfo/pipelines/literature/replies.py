"""The typed replies of the search and of the mending of a sentence."""

from __future__ import annotations

import re
from typing import Annotated, ClassVar, Final, Literal

from pydantic import Field, model_validator

from clinfo.evidence.design import named_design
from clinfo.evidence.effect_words import typed_effect
from clinfo.records.appraisal import Certainty
from clinfo.records.articles import Article, Control, Stance, Summary
from clinfo.runs.replies import (
    AlsoCalled,
    AlsoSaid,
    Figure,
    Listed,
    OutOf,
    Quotation,
    Reply,
    grounded,
)
from clinfo.text.quotes import locate, sentences_around

Terms = Annotated[tuple[str, ...], Listed()]
_PEOPLE = AlsoCalled(
    ("p", "patient", "patients", "problem", "condition", "populations", "population/problem")
)
_GIVEN = AlsoCalled(("i", "exposure", "index test", "interventions", "intervention/exposure"))
_AGAINST = AlsoCalled(
    ("c", "comparison", "comparisons", "comparators", "control", "comparator/control")
)


class PicoTerms(Reply):
    """Terms for the parts of a question, none for a part that it does not name; at least one."""

    form = "pico"
    population: Annotated[Terms, _PEOPLE, Field(description="term or synonym")] = ()
    intervention: Annotated[Terms, _GIVEN] = ()
    comparator: Annotated[Terms, _AGAINST] = ()
    outcome: Annotated[Terms, AlsoCalled(("o", "outcomes"))] = ()
    ask_back: str = ""

    @model_validator(mode="after")
    def _names_something(self) -> PicoTerms:
        terms = self.population or self.intervention or self.comparator or self.outcome
        if not terms and not self.ask_back:
            raise ValueError("no term")
        return self


class KindsOfQuery(Reply):
    """A query of each kind; none where the question is asked back."""

    form = "kinds"
    narrow: str = ""
    broad: str = ""
    studies: Annotated[str, AlsoCalled(("reviews", "trials"))] = ""
    ask_back: str = ""

    @model_validator(mode="after")
    def _says_something(self) -> KindsOfQuery:
        if not (self.narrow or self.broad or self.studies or self.ask_back):
            raise ValueError("no query")
        return self


MOST_QUOTES = 3
_STANCES: Final[dict[str, Stance]] = {"yes": "supports", "no": "contradicts"}
SHORT_DESIGNS: Final = {
    "guideline": "guideline",
    "review of RCTs": "systematic review of randomised trials",
    "systematic review": "systematic review",
    "review of observational studies": "systematic review of other studies",
    "pooled patient data": "pooled analysis of individual patients",
    "RCT": "randomised controlled trial",
    "cluster RCT": "cluster randomised trial",
    "crossover RCT": "randomised crossover trial",
    "diagnostic": "diagnostic accuracy study",
    "non-randomised trial": "non-randomised controlled trial",
    "prospective cohort": "prospective cohort study",
    "cohort": "cohort study",
    "retrospective cohort": "retrospective cohort study",
    "trial, allocation unstated": "trial of unstated allocation",
    "single-arm": "single-arm trial",
    "before-after": "before-and-after study",
    "case-control": "case-control study",
    "cross-sectional": "cross-sectional study",
    "case series": "case series",
    "case report": "case report",
    "economic": "economic evaluation",
    "qualitative": "qualitative study",
    "animal": "animal study",
    "laboratory": "laboratory study",
    "narrative review": "narrative review",
    "letter": "editorial or letter",
    "protocol": "study protocol",
    "other": "other",
}
"""The designs as a model is asked for them, in few tokens, and the names that they are shown by."""

Text = str
"""A field of words, empty where nothing is stated: a null would be spelled out in the schema."""
Count = Annotated[int | None, Figure()]
Printed = Annotated[str, Figure()]


_RESULTS = (
    ("benefit", "found benefit"), ("found harm", "harm"), ("no difference", "no clear difference"),
    ("no effect", "no clear difference"), ("no benefit", "no clear difference"),
    ("mixed results", "mixed"), ("not reported", "not measured"),
)  # fmt: skip


class EffectReply(Reply):
    """The main effect, each figure as the abstract prints it."""

    measure: Annotated[Text, Field(description="RR, OR, HR, MD, SMD …")] = ""
    estimate: Annotated[Printed, AlsoCalled(("value", "point_estimate"))] = ""
    low: Annotated[Printed, AlsoCalled(("ci_low", "ci_lower", "lower"))] = ""
    high: Annotated[Printed, AlsoCalled(("ci_high", "ci_upper", "upper"))] = ""
    level: Printed = ""
    unit: Text = ""
    p: Printed = ""
    arms: tuple[Printed, ...] = ()
    subset: Annotated[Text, Field(description="studies or people it is of, if not all")] = ""
    first: Annotated[
        Literal["intervention", "comparator"] | None,
        Field(description="of the two that it compares"),
    ] = None


class Finding(Reply):
    """The fields of one article; a reply in prose is kept as the finding."""

    prose: ClassVar[str] = "finding"

    finding: Annotated[Text, AlsoCalled(("summary",))] = ""
    answer: Printed = ""
    result: Annotated[
        Literal["found benefit", "harm", "no clear difference", "mixed", "not measured"] | None,
        AlsoSaid(_RESULTS),
    ] = None
    outcome: Text = ""
    design: Annotated[Text, Field(json_schema_extra={"enum": [*SHORT_DESIGNS, ""]})] = ""
    n_randomised: Annotated[Count, AlsoCalled(("sample_size", "n"))] = None
    n_analysed: Count = None
    population: Text = ""
    intervention: Text = ""
    comparator: Text = ""
    control: Annotated[Control | None, Field(description="kind of comparator")] = None
    effect: Annotated[EffectReply, Field(default_factory=EffectReply)]
    follow_up: Text = ""
    limits: Annotated[Text, AlsoCalled(("bias",))] = ""
    usefulness: Annotated[int | None, OutOf(10)] = None
    quotes: tuple[Annotated[str, Quotation()], ...] = ()


class Relevance(Reply):
    """The judgement of one article."""

    prose: ClassVar[str] = "relevant"

    relevant: Annotated[
        Literal["yes", "no"],
        AlsoCalled(("relevance", "is_relevant")),
        AlsoSaid((("relevant", "yes"), ("not relevant", "no"), ("irrelevant", "no"))),
    ]
    reason: Text = ""


class Reading(Finding, Relevance):
    """The judgement of one article, with its fields where it is relevant."""

    form: ClassVar[str] = "reading"
    prose: ClassVar[str] = "relevant"


class _Numbered(Reply):
    n: Annotated[int, Field(description="number of the article"), AlsoCalled(("article",))]


class NumberedReading(Finding, Relevance, _Numbered):
    """The reading of one of several articles."""


class NotRelevant(_Numbered):
    """One of several articles that is not relevant, in few tokens."""

    reason: Text = ""


class Readings(Reply):
    """The readings of the relevant ones of several articles, and the numbers of the others."""

    form: ClassVar[str] = "readings"

    readings: Annotated[tuple[NumberedReading, ...], Field(description="of relevant articles")]
    not_relevant: Annotated[tuple[NotRelevant, ...], Field(description="all others")] = ()


class Doubts(Reply):
    """The best source and the certainty of the answer, why that is not certain, a sentence each,
    and the questions left open.
    """

    form: ClassVar[str] = "doubts"

    best_source: Annotated[int | None, Field(description="number of the study")] = None
    certainty: Certainty | None = None
    doubts: tuple[str, ...] = ()
    next: tuple[str, ...] = ()


class StandsAlone(Reply):
    """A follow-up as a question that stands alone."""

    stands_alone: Annotated[
        Literal["yes", "no"], Field(description="yes: the new words are asked as typed")
    ]
    question: Text = ""
    assumptions: tuple[str, ...] = ()


def summary_of(reply: Finding, article: Article) -> Summary | None:
    """The summary that a reply becomes, grounded in the article; None without a finding."""
    if not reply.finding:
        return None
    text = f"{article.title}\n{article.abstract}"
    read, emptied = grounded(reply, text, locate)
    stance = _STANCES.get(re.split(r"\W", read.answer.lower(), maxsplit=1)[0])
    measured, told = read.result != "not measured", read.effect  # else of something else
    places = [place for one in read.quotes if (place := sentences_around(one, text)) is not None]
    return Summary(
        finding=" ".join(read.finding.split()),
        design=named_design(SHORT_DESIGNS.get(read.design, read.design)),
        sample_size=_people(read.n_randomised),
        population=read.population or None,
        bias=read.limits or None,
        stance=stance if measured else "other outcomes",
        answer=read.answer or None,
        result=read.result,
        outcome=read.outcome or None,
        analysed=_people(read.n_analysed),
        intervention=read.intervention or None,
        comparator=read.comparator or None,
        effect=typed_effect(
            *(told.measure, told.estimate, (told.low, told.high), told.p, told.arms),
            *(told.unit, told.level, text, told.first == "comparator", told.subset),
        )
        if measured
        else None,
        follow_up=read.follow_up or None,
        usefulness=_of_ten(read.usefulness),
        quotes=tuple(text[start:end] for start, end in dict.fromkeys(places[:MOST_QUOTES])),
        ungrounded=emptied,
        control=read.control,
    )


def _people(count: int | None) -> int | None:
    return count if count is not None and count > 0 else None


def _of_ten(value: int | None) -> int | None:
    return value if value is not None and 0 <= value <= 10 else None
