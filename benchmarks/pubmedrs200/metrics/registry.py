"""All metrics of the benchmark by name, in the order in which they are shown, and their scorers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from benchmarks.pubmedrs200.metrics.base import Scorer, TextMetric, require_packages, scorer
from benchmarks.pubmedrs200.metrics.bertscore import BERTScore
from benchmarks.pubmedrs200.metrics.character import Character
from benchmarks.pubmedrs200.metrics.chrf import ChrF
from benchmarks.pubmedrs200.metrics.comet import COMET
from benchmarks.pubmedrs200.metrics.ctc import CTCConsistency, CTCSourceFree
from benchmarks.pubmedrs200.metrics.exact_match import ExactMatch
from benchmarks.pubmedrs200.metrics.google_bleu import GoogleBleu
from benchmarks.pubmedrs200.metrics.meteor import Meteor
from benchmarks.pubmedrs200.metrics.rouge_l import RougeL
from benchmarks.pubmedrs200.metrics.spec import MetricSpec
from benchmarks.pubmedrs200.metrics.unieval import UniEval
from benchmarks.pubmedrs200.metrics.weights import require
from benchmarks.pubmedrs200.metrics.word_length import WordLength
from clinfo.errors import UsageError

CLASSES: Final[tuple[type[TextMetric], ...]] = (
    RougeL, Meteor, ChrF, GoogleBleu, Character, ExactMatch, WordLength,
    BERTScore, CTCSourceFree, UniEval, COMET, CTCConsistency,
)  # fmt: skip
SPECS: Final[Mapping[str, MetricSpec]] = {
    spec.name: spec for each in CLASSES for spec in each.SPECS
}
LEXICAL: Final = tuple(name for name, spec in SPECS.items() if not spec.neural)
NEURAL: Final = tuple(name for name, spec in SPECS.items() if spec.neural)
_GROUPS: Final = {"all": tuple(SPECS), "lexical": LEXICAL, "neural": NEURAL}


def checked_names(text: str) -> tuple[str, ...]:
    """The metrics that a list such as ``rouge_l,chrf`` or ``lexical,comet`` names, in the order of
    `SPECS`, each once.

    ``all``, ``lexical`` and ``neural`` stand for their metrics. Raises UsageError for an unknown
    name, with the nearest known ones, and for an empty list.
    """
    from rapidfuzz import fuzz, process

    wanted: set[str] = set()
    for name in (part.strip() for part in text.split(",")):
        if name in _GROUPS or name in SPECS:
            wanted.update(_GROUPS.get(name, (name,)))
        elif name:
            known = [*SPECS, *_GROUPS]
            asked = name.lower().replace("-", "_")
            near = process.extract(asked, known, scorer=fuzz.ratio, limit=3, score_cutoff=60)
            hint = f"did you mean {' or '.join(one for one, *_ in near)}?"
            hint = hint if near else f"there are {', '.join(SPECS)}"
            raise UsageError(f"there is no metric “{name[:60]}”; {hint}")
    if not wanted:
        raise UsageError(f"no metric is named; there are {', '.join((*SPECS, *_GROUPS))}")
    return tuple(name for name in SPECS if name in wanted)


def check(names: Iterable[str], weights: Path | None = None) -> None:
    """Check that packages and weights are there of those that need a model; nothing is loaded.
    Raises UsageError.
    """
    if wanted := [name for name in names if name in NEURAL]:
        require_packages()
        require(wanted, weights)


def load(names: Iterable[str], weights: Path | None = None) -> list[Scorer]:
    """A scorer for each class of the metrics, in the order of `CLASSES`. Raises UsageError for an
    unknown name, and where a package, weights or WordNet are missing.
    """
    wanted = checked_names(",".join(names))
    check(wanted, weights)
    return [
        scorer(each, wanted, weights)
        for each in CLASSES
        if any(spec.name in wanted for spec in each.SPECS)
    ]
