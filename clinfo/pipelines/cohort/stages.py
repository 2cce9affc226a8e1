"""The declaration of the cohort pipeline: its steps, the stages at which a model is asked with
their prompts and replies, and what carries out a run.
"""

from typing import Annotated, Any, ClassVar, Final

from pydantic import Field

from clinfo.pipelines.cohort.form import definitions
from clinfo.pipelines.cohort.records import EVENTS, CohortRequest
from clinfo.runs.pipeline import Pipeline, Stage, Step, named
from clinfo.runs.replies import AlsoCalled, Reply
from clinfo.runs.run_log import RunLog
from clinfo.runs.spending import StagePlan

_HERE = "clinfo.pipelines.cohort"


class NotUnderstood(Reply):
    """Words of criteria that no form can say, and why not."""

    prose: ClassVar[str] = "words"

    words: Annotated[str, Field(description="from the criteria")]
    reason: Annotated[str, Field(description="one plain sentence")] = ""


class Translation(Reply):
    """The logical form of criteria, what of them it does not say, and what it takes for granted.

    ``logical_form``, a reply's "form", is as the model wrote it: `form.from_json` reads it.
    """

    logical_form: Annotated[Any, AlsoCalled(("form",))] = None
    not_understood: tuple[NotUnderstood, ...] = ()
    assumptions: tuple[str, ...] = ()

    @classmethod
    def model_json_schema(cls, *args: Any, **named: Any) -> dict[str, Any]:
        """The schema with that of forms in it."""
        schema = super().model_json_schema(*args, **named)
        del schema["properties"]["logical_form"]
        form = {"anyOf": [{"$ref": "#/$defs/form"}, {"type": "null"}]}
        schema["properties"] = {"form": form, **schema["properties"]}
        schema["$defs"] |= definitions(every=True)
        return schema


class ReadBack(Reply):
    """The parts of criteria that a form leaves out, what it adds to them and assumes."""

    missing: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()


TRANSLATE: Final = Stage(
    "translate",
    "translating the criteria",
    "criteria",
    reply=Translation,
    prompts=("translate",),
    required=False,
    max_tokens=3_000,
)
READBACK: Final = Stage(
    "readback",
    "holding the form against the criteria",
    "criteria",
    reply=ReadBack,
    prompts=("readback",),
    required=False,
    max_tokens=1_000,
)
STEPS: Final[tuple[Step, ...]] = (
    Step("run", "preparing", "index"),
    Step("index", "opening the index", "index"),
    Step("criteria", "reading the criteria", "criteria"),
    TRANSLATE,
    READBACK,
    Step("cohort", "finding patients", "cohort"),
)
COHORT: Pipeline[CohortRequest, RunLog] = Pipeline(
    "cohort",
    STEPS,
    EVENTS,
    CohortRequest,
    named(f"{_HERE}.work:work"),
    named(f"{_HERE}.answer:folded"),
    RunLog,
    named(f"{_HERE}.work:parts"),
    cached=False,
    requested=named(f"{_HERE}.request:request_of"),
    declared=f"{_HERE}.request:OPTIONS",
    plans=lambda request: {
        "translate": StagePlan(1, 6_000, 400),
        "readback": StagePlan(1, 1_000, 150),
    },
    told=named(f"{_HERE}.records:told"),
    handed_out=named(f"{_HERE}.answer:answer_of"),
)
