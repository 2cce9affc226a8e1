"""All metrics that need a model, and the scorers that compute them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from benchmarks.pubmedrs200.metrics import bertscore, comet, ctc, unieval
from benchmarks.pubmedrs200.metrics.neural import NeuralScorer, require_packages
from benchmarks.pubmedrs200.metrics.spec import MetricSpec
from benchmarks.pubmedrs200.metrics.weights import Weights, require

SPECS: Final[Mapping[str, MetricSpec]] = {
    "bertscore": bertscore.SPECS["bertscore"],
    "ctc_sf": ctc.SPECS["ctc_sf"],
    **unieval.SPECS,
    "comet": comet.SPECS["comet"],
    "ctc_consistency": ctc.SPECS["ctc_consistency"],
}
"""In the order of the benchmark's tables."""


def check(names: Iterable[str], weights_dir: Path | None = None) -> None:
    """Check that everything is there that the metrics among ``names`` which need a model need;
    nothing is loaded.

    Raises `UsageError` for a missing package, and `MissingWeights` with a line for each model whose
    weights are not here.
    """
    if wanted := [name for name in dict.fromkeys(names) if name in SPECS]:
        require_packages()
        require(wanted, weights_dir)


def load(names: Iterable[str], weights: Weights | None = None) -> list[NeuralScorer]:
    """A scorer for each model that the metrics need, in their order; names of other metrics are
    passed over.

    Raises `UsageError` for a missing package, and `MissingWeights` with a line for each model whose
    weights are not here.
    """
    wanted = [name for name in dict.fromkeys(names) if name in SPECS]
    if not wanted:
        return []
    weights = weights or Weights()
    check(wanted, weights.folder)
    scorers: list[NeuralScorer] = []
    of_unieval = [name for name in wanted if name in unieval.SPECS]
    for name in wanted:
        if name in ctc.SPECS:
            scorers.append(ctc.CTC([name], weights))
        elif name in bertscore.SPECS:
            scorers.append(bertscore.BERTScore([name], weights))
        elif name in comet.SPECS:
            scorers.append(comet.COMET([name], weights))
        elif name == of_unieval[0]:
            scorers.append(unieval.UniEval(of_unieval, weights))
    return scorers
