"""Notices to read before an answer: short ones at the head of the page, full ones below it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from clinfo.pipelines.literature import EXTRACTIVE_NOTICE
from clinfo.sources import DEMO_NOTICE
from clinfo.text import one_line

BRIEF: Final[Mapping[str, str]] = {
    DEMO_NOTICE: "Demo corpus: do not base decisions on this answer.",
    EXTRACTIVE_NOTICE: "No language model: studies are quoted, nothing is judged.",
}
"""Notices that would push the answer off a phone's first screen, each in a few words that stand at
its head instead.
"""


@dataclass(frozen=True)
class ShownNotice:
    """A notice as it is given, and the words for it at the head of the page: the same ones, unless
    it has brief ones.
    """

    text: str
    head: str

    @property
    def shortened(self) -> bool:
        return self.head != self.text


def shown_notices(notices: Sequence[str]) -> tuple[ShownNotice, ...]:
    """The notices in the order in which they were given."""
    return tuple(
        ShownNotice(one_line(notice), BRIEF.get(notice, one_line(notice))) for notice in notices
    )
