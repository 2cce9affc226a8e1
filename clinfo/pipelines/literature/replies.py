"""The typed replies of the search and of the mending of a sentence."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from clinfo.runs.replies import AlsoCalled, Listed, Reply

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
