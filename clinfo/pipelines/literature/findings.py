"""The typed reading of one article: its fields as a model is asked for them, and the summary that
they become.

A figure counts only where it stands in the title or abstract, a quotation where its words do; what
does not is emptied and counted.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from clinfo.evidence.design import DESIGNS, named_design
from clinfo.evidence.typed_effect import typed_effect
from clinfo.records.articles import Article, Effect, Stance, Summary
from clinfo.records.articles import Reply as Answer
from clinfo.runs.replies import AlsoCalled, Figure, Quotation, Reply, grounded
from clinfo.text.quotes import locate

MOST_QUOTES = 3
_STANCES: dict[Answer, Stance] = {"yes": "supports", "no": "contradicts", "unclear": "mixed"}

Count = Annotated[int | None, Figure()]
Printed = Annotated[str | None, Figure()]


class EffectReply(Reply):
    """The main effect, each figure as the abstract prints it."""

    measure: Annotated[str | None, Field(description="RR, OR, HR, MD, SMD …")] = None
    estimate: Printed = None
    low: Printed = None
    high: Printed = None
    level: Annotated[str | None, Field(description="of the interval, per cent")] = None
    unit: str | None = None
    p: Printed = None
    arms: tuple[Annotated[str, Figure()], ...] = ()


class Finding(Reply):
    """The fields of one article; a reply in prose is kept as the finding."""

    prose: ClassVar[str] = "finding"

    finding: Annotated[str | None, AlsoCalled(("summary",))] = None
    answer: Literal["yes", "no", "unclear"] | None = None
    result: (
        Literal["found benefit", "harm", "no clear difference", "mixed", "not measured"] | None
    ) = None
    outcome: str | None = None
    design: Annotated[str | None, Field(json_schema_extra={"enum": [*DESIGNS]})] = None
    n_randomised: Annotated[Count, AlsoCalled(("sample_size", "n"))] = None
    n_analysed: Count = None
    population: str | None = None
    intervention: str | None = None
    comparator: str | None = None
    effect: EffectReply | None = None
    follow_up: str | None = None
    limits: Annotated[str | None, AlsoCalled(("bias",))] = None
    usefulness: Annotated[int | None, Field(description="0 to 10")] = None
    quotes: tuple[Annotated[str, Quotation()], ...] = ()


class Relevance(Reply):
    """The judgement of one article."""

    prose: ClassVar[str] = "relevant"

    relevant: Annotated[Literal["yes", "no"], AlsoCalled(("relevance",))]
    reason: Annotated[str | None, Field(description="one short sentence")] = None


class Reading(Finding, Relevance):
    """The judgement of one article, with its fields where it is relevant."""

    form: ClassVar[str] = "reading"
    prose: ClassVar[str] = "relevant"


class Doubts(Reply):
    """Why the studies leave the question uncertain, a sentence each."""

    form: ClassVar[str] = "doubts"

    doubts: tuple[str, ...] = ()


def summary_of(reply: Finding, article: Article) -> Summary | None:
    """The summary that a reply becomes, grounded in the article; None without a finding."""
    if not reply.finding:
        return None
    read, emptied = grounded(reply, f"{article.title}\n{article.abstract}", locate)
    stance = _STANCES.get(read.answer) if read.answer else None
    return Summary(
        finding=" ".join((read.finding or "").split()),
        design=named_design(read.design),
        sample_size=_people(read.n_randomised),
        population=read.population,
        bias=read.limits,
        stance="other outcomes" if read.result == "not measured" else stance,
        answer=read.answer,
        result=read.result,
        outcome=read.outcome,
        analysed=_people(read.n_analysed),
        intervention=read.intervention,
        comparator=read.comparator,
        effect=_effect(read.effect) if read.effect else None,
        follow_up=read.follow_up,
        usefulness=_of_ten(read.usefulness),
        quotes=read.quotes[:MOST_QUOTES],
        ungrounded=emptied,
    )


def _effect(read: EffectReply) -> Effect | None:
    return typed_effect(
        read.measure, read.estimate, (read.low, read.high), read.p, read.arms, read.unit, read.level
    )


def _people(count: int | None) -> int | None:
    return count if count is not None and count > 0 else None


def _of_ten(value: int | None) -> int | None:
    return value if value is not None and 0 <= value <= 10 else None
