"""COMET, a translation metric: the review's text as source, the prediction as translation, the
human answer as reference.
"""

from __future__ import annotations

import logging
import shutil
import tempfile
import warnings
from collections.abc import Sequence
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.pubmedrs200.metrics import base
from benchmarks.pubmedrs200.metrics.spec import MetricSpec

_CHATTY = (
    "comet.models.base",
    "pytorch_lightning",
    "pytorch_lightning.utilities.rank_zero",
    "lightning_fabric",
)
_WORKERS_BESIDE_MPS = 1
"""unbabel-comet forks its data loader where there is MPS, which torch refuses without a worker."""


class COMET(base.NeuralMetric):
    """Regression on sentence vectors of source, translation and reference.

    unbabel-comet's own prediction, by wmt22-comet-da unless the folder of weights holds another
    model that takes source, translation and reference.
    """

    SPECS = (
        MetricSpec(
            name="comet", title="COMET", better="higher", floor=0.0,
            low=None, high=None,  # a regression: nothing keeps its values between 0 and 1
            source="Rei et al., COMET-22, WMT 2022; unbabel-comet 2.2.7",
            needs=("prediction", "reference", "source"), neural=True, truncation=base.TRUNCATION,
        ),
    )  # fmt: skip
    FOLDER = "comet"

    def settings(self, name: str) -> str:
        return (
            f"unbabel-comet:{version('unbabel-comet')}|{self.located.signature}|src:source|"
            "mt:prediction|ref:reference"
        )

    @cached_property
    def model(self) -> Any:
        assert self.located.encoder is not None
        return _load(self.located.folder, self.located.encoder)

    def _compute(
        self, predictions: Sequence[str], references: Sequence[str], sources: Sequence[str] = ()
    ) -> dict[str, Any]:
        import torch

        triples = list(zip(sources, predictions, references, strict=True))
        samples = [dict(zip(("src", "mt", "ref"), triple, strict=True)) for triple in triples]
        model, device = self.model, self.device
        with _quiet():
            output = model.predict(
                samples,
                batch_size=base.BATCH,
                gpus=0 if device == "cpu" else 1,
                accelerator={"cpu": "cpu", "cuda": "gpu", "mps": "mps"}[device],
                progress_bar=False,
                num_workers=_WORKERS_BESIDE_MPS if torch.backends.mps.is_available() else 0,
            )
        cut = {text: self._is_cut(text) for triple in triples for text in triple}
        truncated = [any(cut[text] for text in triple) for triple in triples]
        scores = [float(value) for value in output["scores"]]
        return base.results({"comet": scores}, {"comet": truncated})

    def _is_cut(self, text: str) -> bool:
        encoder = self.model.encoder
        tokens = encoder.tokenizer(text, truncation=False, verbose=False)["input_ids"]
        return len(tokens) > int(encoder.max_positions) - 2


def _load(folder: Path, encoder: Path) -> Any:
    """The model of a checkpoint folder, with the configuration and tokenizer of its encoder from a
    folder too.

    A checkpoint names its encoder as a repository; so it is read through a copy of its settings
    that names a folder instead.
    """
    import yaml  # type: ignore[import-untyped]

    with _quiet():
        from comet import load_from_checkpoint
    settings = yaml.safe_load((folder / "hparams.yaml").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as scratch, _quiet():
        (Path(scratch) / "hparams.yaml").write_text(
            yaml.safe_dump(settings | {"pretrained_model": str(encoder)}), encoding="utf-8"
        )
        checkpoint = Path(scratch) / "checkpoints" / "model.ckpt"
        checkpoint.parent.mkdir()
        original = (folder / "checkpoints" / "model.ckpt").resolve()
        try:
            checkpoint.symlink_to(original)
        except OSError:  # Windows lets few people make links
            shutil.copyfile(original, checkpoint)
        return load_from_checkpoint(str(checkpoint), reload_hparams=True, local_files_only=True)


class _quiet:
    """No advice of the trainer on devices and workers while it is at work."""

    def __enter__(self) -> None:
        self._levels = {name: logging.getLogger(name).level for name in _CHATTY}
        for name in _CHATTY:
            logging.getLogger(name).setLevel(logging.ERROR)
        self._warnings = warnings.catch_warnings()
        self._warnings.__enter__()
        warnings.simplefilter("ignore")

    def __exit__(self, *_: object) -> None:
        self._warnings.__exit__(None, None, None)
        for name, level in self._levels.items():
            logging.getLogger(name).setLevel(level)
