"""The typed replies of the stages of the cohort pipeline."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Field

from clinfo.pipelines.cohort.shapes import definitions
from clinfo.runs.replies import AlsoCalled, Quotation, Reply


class NotUnderstood(Reply):
    """Words of criteria that no form can say, and why not."""

    prose: ClassVar[str] = "words"

    words: Annotated[str, Field(description="from the criteria")]
    reason: Annotated[str, Field(description="one plain sentence")] = ""


class Translation(Reply):
    """The logical form of criteria, what of them it does not say, and what it takes for granted.

    ``logical_form``, a reply's "form", is as the model wrote it: `shapes.from_json` reads it.
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
    """What a form leaves out of criteria, adds to them and assumes."""

    missing: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()


class PatientMatch(Reply):
    """The judgement of one patient, with the note and the words that decide it."""

    match: bool
    note: int | None = None
    quote: Annotated[str | None, Quotation(), AlsoCalled(("quotation", "words"))] = None
