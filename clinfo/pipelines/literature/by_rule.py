"""The replies of the extractive model at the stages of the literature chain."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clinfo.records.articles import Part

Variables = Mapping[str, Any]
"""What a stage is asked with: ``question``, and of its own ``previous`` and ``form``, ``article``,
``studies``."""


def query(variables: Variables, seed: int) -> str:
    from clinfo.extractive import asking

    question, previous = variables["question"], tuple(variables.get("previous", ()))
    form = variables.get("form")
    if form == "pico":
        return json.dumps(asking.understood(question), ensure_ascii=False)
    if form == "kinds":
        kinds = ("narrow", "broad", "studies")
        written = {kind: asking.write_query(question, place) for place, kind in enumerate(kinds)}
        return json.dumps(written, ensure_ascii=False)
    write = asking.write_keywords if form == "keywords" else asking.write_query
    return write(question, seed, previous)


def relevance(variables: Variables, seed: int) -> str:
    from clinfo.extractive.concepts import coverage

    reading = coverage(variables["question"], variables["article"])
    relevant = "yes" if reading.enough else "no"
    return json.dumps({"relevant": relevant, "reason": reading.reason}, ensure_ascii=False)


def summary(variables: Variables, seed: int) -> str:
    from clinfo.evidence.design import stated_design as design
    from clinfo.extractive.answer import quoted

    article = variables["article"]
    conclusion = " ".join(one.text for one in quoted(article, variables["question"]).conclusion)
    return json.dumps(
        {"finding": conclusion or article.title, "design": design(article)}, ensure_ascii=False
    )


def synthesis(variables: Variables, seed: int, part: Part = "synthesis") -> str:
    from clinfo.extractive.answer import answer
    from clinfo.records.articles import text_of

    return text_of(answer(part, variables["question"], variables["studies"]))


def tldr(variables: Variables, seed: int) -> str:
    return synthesis(variables, seed, "tldr")
