"""The learned parts of the chart pipeline: three linear models over `features`.

``weights.json`` is written by ``python -m benchmarks.chart.fit`` and says what it was fitted on.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("weights.json")


@dataclass(frozen=True)
class Linear:
    """A linear model, by the names of features, whose value goes through the logistic function."""

    weights: Mapping[str, float]
    intercept: float = 0.0


@dataclass(frozen=True)
class Weights:
    """``recovery``: class-weighted, is a chunk of those that answer; ``rerank``: orders chunks."""

    recovery: Linear
    rerank: Linear


@cache
def weights() -> Weights:
    """The weights that come with the program."""
    held = json.loads(FILE.read_text(encoding="utf-8"))
    return Weights(Linear(**held["recovery"]), Linear(**held["rerank"]))


@cache
def sha256() -> str:
    """The SHA-256 of the weights' file."""
    return hashlib.sha256(FILE.read_bytes()).hexdigest()


@cache
def tables() -> dict[str, str]:
    """The SHA-256 of each table that the reading of notes and their order rest on, by its name."""
    from clinfo.patients import assertion_cues, assertion_weights, lexicon, sections
    from clinfo.pipelines.chart import asked, gloss

    files = (
        *(asked.LAY, gloss.TOLD),
        *(assertion_cues.CUES, assertion_weights.FILE),
        *(lexicon.ABBREVIATIONS, lexicon.NOT_NAMED, lexicon.TYPES, sections.NAMES),
    )
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
