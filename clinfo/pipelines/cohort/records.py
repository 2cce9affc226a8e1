"""The request of an index of patients' records by the cohort pipeline."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final

from clinfo.records.request import MAX_QUESTION, Option

ASKED: Final = "What is asked"
FOUND: Final = "How members are found"


@dataclass(frozen=True)
class CohortRequest:
    """Everything a run of the cohort pipeline is asked.

    ``index`` is the folder of an index; ``criteria`` are in words, for a model; a ``query`` (its
    language is on a page of docs/cohort.md) or a ``form``, a logical form as JSON, count instead.
    ``as_of`` is the day (ISO 8601, "" the day of asking) after which notes do not count.
    ``explain`` tells of the others too; ``shown`` is how many
    patients of each value are given with their evidence, None for all. With ``least`` more than 1
    counts are given as ranges of so many numbers, and no patients
    (`clinfo.pipelines.cohort.answer`).
    """

    index: str
    criteria: Annotated[
        str,
        Option("In words, for the model.", ASKED, longest=MAX_QUESTION, places=("http",)),
    ] = ""
    query: Annotated[
        str,
        Option(
            "A query instead of criteria; no model is asked. docs/cohort.md has its language.",
            ASKED, metavar="TEXT", longest=MAX_QUESTION, places=("cli", "http"),
        ),
    ] = ""  # fmt: skip
    form: Annotated[
        Mapping[str, Any] | None,
        Option("A logical form, or an answer with one.", ASKED, places=("http",)),
    ] = None
    as_of: Annotated[
        str,
        Option(
            "What was known on that day: notes after it do not count.",
            ASKED, metavar="DAY", places=("cli", "http"),
        ),
    ] = ""  # fmt: skip
    explain: Annotated[
        bool,
        Option(
            "Tell of the other patients too, why they do not match.", ASKED, places=("cli", "http")
        ),
    ] = False
    shown: int | None = None
    least: int = 0
    models: Mapping[str, str] = field(default_factory=dict)
    seed: Annotated[
        int,
        Option("Seed of the model's calls.", FOUND, metavar="N", most=2**31 - 1, places=("cli",)),
    ] = 0
    max_cost: Annotated[
        float | None, Option("Most US dollars to spend.", FOUND, metavar="USD", places=("cli",))
    ] = None
    max_seconds: float | None = None

    @property
    def question(self) -> str:
        """Return what is asked, for a reader."""
        return self.criteria or self.query or "a form"
