"""COMET as an `evaluate` module over unbabel-comet, on a checkpoint that is already on this
machine.
"""

from __future__ import annotations

import logging
import shutil
import tempfile
import warnings
from pathlib import Path
from typing import Any

import datasets
import evaluate

_DESCRIPTION = (
    "Regression on sentence vectors of source, translation and reference (Rei et al., COMET-22, "
    "WMT 2022)."
)
_CHATTY = (
    "comet.models.base",
    "pytorch_lightning",
    "pytorch_lightning.utilities.rank_zero",
    "lightning_fabric",
)

_WORKERS_BESIDE_MPS = 1
"""unbabel-comet forks its data loader where there is MPS, which torch refuses without a worker."""


class COMET(evaluate.Metric):  # type: ignore[misc]  # evaluate has no types
    """``compute(sources, predictions, references)`` → {"scores": [float], "truncated": [bool]}, one
    value a triple.
    """

    def __init__(
        self,
        *arguments: Any,
        folder: Path,
        encoder: Path,
        device: str,
        batch_size: int,
        **keywords: Any,
    ) -> None:
        super().__init__(*arguments, **keywords)
        self.model = _load(folder, encoder)
        self.device = device
        self.batch_size = batch_size

    def _info(self) -> evaluate.MetricInfo:
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation="https://aclanthology.org/2022.wmt-1.52",
            inputs_description="sources, predictions, references: lists of texts",
            features=datasets.Features({"sources": text, "predictions": text, "references": text}),
        )

    def _compute(
        self, sources: list[str], predictions: list[str], references: list[str]
    ) -> dict[str, list[Any]]:
        triples = list(zip(sources, predictions, references, strict=True))
        samples = [
            {"src": source, "mt": prediction, "ref": reference}
            for source, prediction, reference in triples
        ]
        import torch

        kind, _, number = self.device.partition(":")
        with _quiet():
            output = self.model.predict(
                samples,
                batch_size=self.batch_size,
                gpus=0 if kind == "cpu" else 1,
                devices=[int(number)] if number else None,
                accelerator={"cpu": "cpu", "cuda": "gpu", "mps": "mps"}[kind],
                progress_bar=False,
                num_workers=_WORKERS_BESIDE_MPS if torch.backends.mps.is_available() else 0,
            )
        cut = {text: self._is_cut(text) for triple in triples for text in triple}
        truncated = [any(cut[text] for text in triple) for triple in triples]
        return {"scores": [float(value) for value in output["scores"]], "truncated": truncated}

    @property
    def max_tokens(self) -> int:
        """Tokens of a text, separators among them, that the encoder is given."""
        return int(self.model.encoder.max_positions) - 2

    def _is_cut(self, text: str) -> bool:
        return (
            len(self.model.encoder.tokenizer(text, truncation=False, verbose=False)["input_ids"])
            > self.max_tokens
        )


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
