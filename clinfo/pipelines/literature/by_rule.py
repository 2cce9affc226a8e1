"""The replies of the extractive model at the stages of the literature chain."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

OTHER_OUTCOMES: Final = "does not answer"
"""The word of the prompts for the stance "other outcomes"."""

if TYPE_CHECKING:
    from clinfo.pipelines.literature.declared import Asked, Distilled, Read, Synthesised


def query(variables: Asked, seed: int) -> str:
    form = variables.get("form")
    if form == "pico":
        from clinfo.text.pico import understand

        return json.dumps(understand(variables["question"]), ensure_ascii=False)
    previous = tuple(variables.get("previous", ()))
    if form == "keywords":
        from clinfo.extractive.keywords import write_keywords

        return write_keywords(variables["question"], seed, previous)
    from clinfo.extractive.query import write_query

    return write_query(variables["question"], seed, previous)


def relevance(variables: Read, seed: int) -> str:
    from clinfo.extractive.relevance import judge

    reading = judge(variables["question"], variables["article"])
    return json.dumps(
        {"relevant": "yes" if reading.relevant else "no", "reason": reading.reason},
        ensure_ascii=False,
    )


def summary(variables: Read, seed: int) -> str:
    from clinfo.extractive.summary import summarise

    written = asdict(summarise(variables["question"], variables["article"]))
    stance, written["direction"] = written.pop("stance"), written.pop("effect_direction")
    written["relation"] = OTHER_OUTCOMES if stance == "other outcomes" else stance
    return json.dumps(written, ensure_ascii=False)


def synthesis(variables: Synthesised, seed: int) -> str:
    from clinfo.extractive.synthesis import synthesise

    return synthesise(variables["question"], variables["studies"])


def tldr(variables: Distilled, seed: int) -> str:
    from clinfo.extractive.synthesis import distil

    return distil(variables["question"], variables["studies"])
