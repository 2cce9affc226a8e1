"""The replies of the extractive model at the stages of the trials pipeline."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from clinfo.retrieval.documents import Passage

if TYPE_CHECKING:
    from clinfo.pipelines.trials.declared import Concluded, Extracted, Understood

NOTHING = "NOTHING"
"""The reply of an extraction that found nothing."""
KEPT = 4
"""Sentences of a group that are copied: as many as a conclusion reads of a paper."""


def pico(variables: Understood, seed: int) -> str:
    from clinfo.text.asked_parts import asked_parts
    from clinfo.text.outcome_valence import valence
    from clinfo.text.pico import understand

    said, parts = asked_parts(variables["question"]), understand(variables["question"])
    outcome = said.outcome or ", ".join(parts["outcome"])
    better = {"unwanted": "lower", "wanted": "higher", "plain": "unknown"}[valence(outcome)]
    return json.dumps(
        {
            "intervention": said.treatment or ", ".join(parts["intervention"]),
            "comparator": said.comparator or ", ".join(parts["comparator"]),
            "outcome": outcome,
            "better": better,
        },
        ensure_ascii=False,
    )


def extract(variables: Extracted, seed: int) -> str:
    from clinfo.pipelines.trials.concluding import leading

    chosen = leading(variables["asked"], _sentences(variables["passages"]), KEPT)
    return "\n".join(one.text for one in chosen) or NOTHING


def conclude(variables: Concluded, seed: int) -> str:
    from clinfo.pipelines.trials.concluding import concluded

    sentences = _sentences(variables["passages"])
    found = concluded(variables["asked"], sentences)
    at = {(one.document, one.start, one.end): one.text for one in sentences}
    quotes = [at[quote.paper, quote.start, quote.end] for quote in found.quotes]
    return json.dumps(
        {"direction": found.direction, "quotes": quotes, "reason": found.reason},
        ensure_ascii=False,
    )


def _sentences(passages: tuple[Passage, ...]) -> list[Passage]:
    from clinfo.retrieval.chunking import sentences_of

    return [one for passage in passages for one in sentences_of(passage)]
