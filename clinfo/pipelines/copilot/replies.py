"""The typed replies of the copilot's stages."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from clinfo.runs.replies import Reply

Numbers = Annotated[tuple[int, ...], Field(description="numbers of passages")]


class Part(Reply):
    """A part of the question, with the tools that should answer it."""

    prose = "question"
    question: str
    tools: tuple[str, ...] = ()


class Plan(Reply):
    """The parts of the question."""

    parts: tuple[Part, ...]


class BottomLine(Reply):
    """The answer in one or two sentences."""

    prose = "text"
    text: Annotated[str, Field(description="one or two sentences")]
    sources: Numbers = ()


class Stated(Reply):
    """A claim of one sentence; ``part`` is the part of the question that it answers."""

    prose = "text"
    text: Annotated[str, Field(description="one sentence")]
    sources: Numbers = ()
    part: str = ""


class Missing(Reply):
    """What a silo does not say."""

    silo: str
    what: str


class Opposed(Reply):
    """Passages that contradict each other."""

    about: str
    sources: Numbers = ()


class Answer(Reply):
    """The answer, as far as the passages carry it."""

    bottom_line: BottomLine | None = None
    claims: tuple[Stated, ...]
    not_found: tuple[Missing, ...] = ()
    conflicts: tuple[Opposed, ...] = ()
