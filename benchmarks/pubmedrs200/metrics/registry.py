"""All metrics of the benchmark by name, in the order in which they are shown, and their scorers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Final

from benchmarks.pubmedrs200.metrics import (
    character,
    chrf,
    exact_match,
    google_bleu,
    meteor,
    neural_scorers,
    rouge_l,
    word_length,
)
from benchmarks.pubmedrs200.metrics.spec import MetricSpec, Scorer
from benchmarks.pubmedrs200.metrics.weights import Weights
from clinfo.errors import UsageError
from clinfo.extras import install

_LEXICAL: Final = MappingProxyType(
    {
        "rouge_l": rouge_l,
        "meteor": meteor,
        "chrf": chrf,
        "google_bleu": google_bleu,
        "character": character,
        "exact_match": exact_match,
        "word_length": word_length,
    }
)
LEXICAL: Final = tuple(_LEXICAL)
"""Metrics that need no model."""
NEURAL: Final = tuple(neural_scorers.SPECS)
"""Metrics that need the weights of a model."""
SPECS: Final[Mapping[str, MetricSpec]] = MappingProxyType(
    {spec.name: spec for module in _LEXICAL.values() for spec in module.SPECS}
    | dict(neural_scorers.SPECS)
)
_PACKAGES: Final = ("evaluate", "nltk", "rouge_score", "sacrebleu")
_GROUPS: Final = MappingProxyType({"all": tuple(SPECS), "lexical": LEXICAL, "neural": NEURAL})


def checked_names(text: str) -> tuple[str, ...]:
    """The metrics that a list such as ``rouge_l,chrf`` or ``lexical,comet`` names, in the order of
    `SPECS`, each once.

    ``all``, ``lexical`` and ``neural`` stand for their metrics. Raises UsageError for an unknown
    name, with the nearest known ones, and for an empty list.
    """
    from rapidfuzz import fuzz, process

    wanted: set[str] = set()
    for name in (part.strip() for part in text.split(",")):
        if name in _GROUPS:
            wanted.update(_GROUPS[name])
        elif name in SPECS:
            wanted.add(name)
        elif name:
            near = process.extract(
                name.lower().replace("-", "_"),
                [*SPECS, *_GROUPS],
                scorer=fuzz.ratio,
                limit=3,
                score_cutoff=60,
            )
            hint = (
                f"did you mean {' or '.join(known for known, *_ in near)}?"
                if near
                else f"there are {', '.join(SPECS)}"
            )
            raise UsageError(f"there is no metric “{name[:60]}”; {hint}")
    if not wanted:
        raise UsageError(
            f"no metric is named; there are {', '.join(SPECS)}, and all, lexical and neural for "
            "several at once"
        )
    return tuple(name for name in SPECS if name in wanted)


def load(names: Iterable[str], weights: Weights | Path | None = None) -> list[Scorer]:
    """A scorer for each of the metrics, or for several that share a model, in the order named.

    ``weights`` is the folder of weights, or that and how to compute. Raises UsageError for an
    unknown name, and where a package, weights or WordNet are missing.
    """
    names = tuple(dict.fromkeys(names))
    for name in names:
        if name not in SPECS:
            checked_names(name)
    if any(name in _LEXICAL for name in names):
        for package in _PACKAGES:
            if find_spec(package) is None:
                raise UsageError(
                    f"{package} is not installed, and metrics need it; {install('metrics')}"
                )
    neural = neural_scorers.load(names, Weights(weights) if isinstance(weights, Path) else weights)
    by_name: dict[str, Scorer] = {name: scorer for scorer in neural for name in scorer.names}
    by_name |= {name: _LEXICAL[name].scorer() for name in names if name in _LEXICAL}
    return list({id(by_name[name]): by_name[name] for name in names}.values())
