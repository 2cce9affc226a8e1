"""The typed replies of the literature stages."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from clinfo.runs.replies import AlsoCalled, Figure, Listed, Reply


class Relevance(Reply):
    """Whether one article bears on the question."""

    prose = "relevant"
    relevant: Annotated[Literal["yes", "no"], AlsoCalled(("relevance", "answer"))]
    reason: Annotated[str, Field(description="one short sentence")] = "no reason given"


class Summarised(Reply):
    """What one article found."""

    prose = "finding"
    finding: Annotated[str, Field(description="2-3 sentences"), AlsoCalled(("summary",))]
    design: str | None = None
    sample_size: Annotated[int | None, Figure(), Field(description="people")] = None
    population: str | None = None
    bias: Annotated[str | None, Field(description="limits")] = None
    relation: Literal["supports", "contradicts", "mixed", "does not answer"] | None = None
    direction: Literal["increased", "decreased", "no difference", "mixed", "unclear"] | None = None


class Reading(Relevance):
    """A judgement that brings the summary along."""

    form = "reading"
    summary: Annotated[Summarised | None, Field(description="null if not relevant")] = None


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

    @model_validator(mode="after")
    def _names_something(self) -> PicoTerms:
        if not (self.population or self.intervention or self.comparator or self.outcome):
            raise ValueError("no term")
        return self
