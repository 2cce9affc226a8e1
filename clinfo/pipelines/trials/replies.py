"""The typed replies of the trials stages."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from clinfo.records.trials import Direction
from clinfo.runs.replies import AlsoCalled, Figure, Quotation, Reply


class TrialQuestion(Reply):
    """A question about trials, taken apart; "" for what it does not name."""

    intervention: str = ""
    comparator: str = ""
    outcome: str = ""
    better: Literal["lower", "higher", "unknown"] = "unknown"


class Concluding(Reply):
    """The direction of an outcome in one study."""

    direction: Direction
    quotes: tuple[Annotated[str, Quotation(), Field(description="word for word")], ...] = ()
    reason: Annotated[str, Field(description="one short sentence")] = ""


Printed = Annotated[str | None, Figure()]


class Arm(Reply):
    """The numbers of one group as they are printed."""

    name: str | None = None
    n: Annotated[Printed, Field(description="people analysed"), AlsoCalled(("total",))] = None
    events: Annotated[Printed, Field(description="people with the event")] = None
    percent: Printed = None
    mean: Printed = None
    sd: Printed = None
    se: Printed = None
    ci_low: Printed = None
    ci_high: Printed = None
    median: Printed = None
    q1: Printed = None
    q3: Printed = None


class Arms(Reply):
    """Both groups that are compared."""

    intervention: Arm | None = None
    comparator: Annotated[Arm | None, AlsoCalled(("control",))] = None


class Stated(Reply):
    """The effect between the groups as the paper states it."""

    measure: Annotated[str | None, Field(description="RR, OR, HR, RD, MD, SMD …")] = None
    estimate: Printed = None
    low: Printed = None
    high: Printed = None
    level: Annotated[str | None, Field(description="of the interval, per cent")] = None
    p: Printed = None


class StudyReply(Concluding):
    """The direction of an outcome in one study, with the numbers of both arms."""

    form: ClassVar[str] = "conclude"

    outcome: Annotated[str | None, Field(description="as the papers call it")] = None
    timepoint: str | None = None
    unit: str | None = None
    scores: Literal["final", "change", "fall"] | None = None
    arms: Arms | None = None
    effect: Stated | None = None
    number_quotes: tuple[
        Annotated[str, Quotation(), Field(description="a sentence, row or header, word for word")],
        ...,
    ] = ()
    cluster_randomised: bool | None = None
    about_people: bool | None = None
    one_trial: bool | None = None
