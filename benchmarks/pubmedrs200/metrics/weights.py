"""Find the weights of the neural metrics on this machine. Nothing here ever uses the network.

A metric's weights are looked for in this order, FOLDER being bertscore, ctc_sf, ctc_consistency,
unieval or comet:

    1. DIR/FOLDER                   DIR = --weights
    2. $CLINFO_WEIGHTS_DIR/FOLDER
    3. the Hugging Face cache       the repository and revision of `benchmarks.pubmedrs200.metrics.checkpoints`, else any revision
    of it

A folder that holds other weights than the default ones says so in a file ``metric.json``: {"model":
name for the signature, "layer": N}, where ``layer`` concerns bertscore and ctc and counts from 1.
"""  # noqa: E501

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from benchmarks.pubmedrs200.metrics.checkpoints import (
    COMET_ENCODER,
    DEFAULTS,
    TRANSFORMERS_WEIGHTS,
    Checkpoint,
)
from clinfo.errors import UsageError

VARIABLE: Final = "CLINFO_WEIGHTS_DIR"
SETTINGS: Final = "metric.json"
ENCODER: Final = "encoder"
"""In COMET's folder: configuration and tokenizer of its encoder."""


class MissingWeights(UsageError):
    """Weights are not on this machine; ``problems`` holds a line a folder of weights,
    ``str(error)`` all of them.
    """

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


@dataclass(frozen=True)
class Weights:
    """The settings of neural metrics: a folder of weights, and how to compute.

    ``device`` is torch's name of one, None for the best there is. ``batch_size`` None leaves it to
    the metric.
    """

    folder: Path | None = None
    device: str | None = None
    batch_size: int | None = None


@dataclass(frozen=True)
class Located:
    """Weights that are there. ``revision`` is the commit where the Hugging Face cache names it, ""
    for a folder of one's own.

    ``encoder`` is the folder with the configuration and tokenizer of COMET's encoder, None for
    others.
    """

    folder: Path
    model: str
    layer: int | None
    revision: str
    encoder: Path | None = None

    @property
    def weights_file(self) -> Path:
        """The file with the parameters."""
        names = ("checkpoints/model.ckpt", *TRANSFORMERS_WEIGHTS)
        return next(self.folder / name for name in names if (self.folder / name).is_file())

    @cached_property
    def signature(self) -> str:
        """Model, revision and the first twelve digits of the SHA-256 of the weights file, as a part
        of a signature.
        """
        revision = f"|revision:{self.revision}" if self.revision else ""
        return f"model:{self.model}{revision}|weights:{_sha256(self.weights_file)[:12]}"


def folder_of(metric: str) -> str:
    """The name of the folder in which a metric's weights lie."""
    return "unieval" if metric.startswith("unieval_") else metric


def locate(metric: str, weights_dir: Path | None = None) -> Located:
    """The weights of a neural metric. Raises `MissingWeights` where there are none, or not all
    files of them.
    """
    name = folder_of(metric)
    checkpoint = DEFAULTS[name]
    if (
        weights_dir is not None and not weights_dir.is_dir()
    ):  # a slip of the pen must not bring in other weights
        what = _what_to_fetch(name, checkpoint, weights_dir)
        raise MissingWeights(
            [f"{name}: no weights in {weights_dir}, which is not a folder; {what}"]
        )
    for root in (weights_dir, *([Path(os.environ[VARIABLE])] if os.environ.get(VARIABLE) else [])):
        folder = None if root is None else root / name
        if folder is None or not folder.is_dir():
            continue
        lacking = _lacking(folder, checkpoint) + _settings_lacking(folder)
        encoder = None
        if checkpoint.kind == "comet":
            encoder = folder / ENCODER if (folder / ENCODER).is_dir() else _cached(COMET_ENCODER)
            lacking += (
                [f"{ENCODER}/"]
                if encoder is None
                else [f"{ENCODER}/{each}" for each in _lacking(encoder, COMET_ENCODER)]
            )
        if lacking:
            raise MissingWeights(
                [
                    (
                        f"{name}: {folder} lacks {', '.join(lacking)}; "
                        f"{_what_to_fetch(name, checkpoint, root)}"
                    )
                ]
            )
        return _described(folder, checkpoint, encoder)
    folder = _cached(checkpoint)
    encoder = _cached(COMET_ENCODER) if checkpoint.kind == "comet" else None
    if folder is not None and (checkpoint.kind != "comet" or encoder is not None):
        return Located(folder, checkpoint.name, checkpoint.layer, _commit(folder), encoder)
    places = (
        f"{f'{weights_dir / name}, ' if weights_dir else ''}${VARIABLE}/{name} or the Hugging Face "
        "cache"
    )
    raise MissingWeights(
        [f"{name}: no weights in {places}; {_what_to_fetch(name, checkpoint, weights_dir)}"]
    )


def require(metrics: Iterable[str], weights_dir: Path | None = None) -> None:
    """Check that the weights of all these metrics are there before any work. Raises one
    `MissingWeights` naming all that lack.
    """
    problems: list[str] = []
    for name in dict.fromkeys(
        folder_of(metric) for metric in metrics if folder_of(metric) in DEFAULTS
    ):
        try:
            locate(name, weights_dir)
        except MissingWeights as error:
            problems += error.problems
    if problems:
        raise MissingWeights(problems)


def _lacking(folder: Path, checkpoint: Checkpoint) -> list[str]:
    return [
        choice[0]
        for choice in checkpoint.files
        if not any((folder / name).is_file() for name in choice)
    ]


def _settings_lacking(folder: Path) -> list[str]:
    return (
        [f"a readable {SETTINGS}"]
        if (folder / SETTINGS).exists() and _settings(folder) is None
        else []
    )


def _settings(folder: Path) -> dict[str, Any] | None:
    """Return what ``metric.json`` says; None where it cannot be read."""
    try:
        form = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError):
        return None
    known = (
        isinstance(form, dict)
        and isinstance(form.get("model"), str)
        and form.keys() <= {"model", "layer"}
    )
    layer = form.get("layer") if known else None
    return form if known and (layer is None or (isinstance(layer, int) and layer > 0)) else None


def _described(folder: Path, checkpoint: Checkpoint, encoder: Path | None) -> Located:
    """A folder of one's own, with what it says of itself; refuses one that silently holds another
    architecture.
    """
    settings = _settings(folder) or {}
    if not settings and checkpoint.architecture:
        try:
            found = json.loads((folder / "config.json").read_text(encoding="utf-8"))["model_type"]
        except (OSError, ValueError, KeyError, TypeError):
            found = "unknown"
        if found != checkpoint.architecture:
            example = '{"model": "NAME", "layer": N}' if checkpoint.layer else '{"model": "NAME"}'
            raise UsageError(
                f"{folder}: a model of type {found}, not {checkpoint.name} "
                f"({checkpoint.architecture}); "
                f"if that is meant, say so in {folder / SETTINGS}: {example}"
            )
    if settings and checkpoint.layer and "layer" not in settings:
        raise UsageError(f"{folder / SETTINGS}: names no layer")
    return Located(
        folder,
        settings.get("model", checkpoint.name),
        settings.get("layer", checkpoint.layer),
        "",
        encoder,
    )


def _cached(checkpoint: Checkpoint) -> Path | None:
    """The checkpoint's snapshot in the Hugging Face cache, whole; the pinned revision, else the one
    that ``main`` was.
    """
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import LocalEntryNotFoundError
    except ImportError:
        return None
    for repository in (checkpoint.repository, *checkpoint.also):
        for revision in dict.fromkeys((checkpoint.revision, "main")):
            if revision is None:
                continue
            try:
                folder = Path(
                    snapshot_download(repository, revision=revision, local_files_only=True)
                )
            except (LocalEntryNotFoundError, OSError):
                continue
            if not _lacking(folder, checkpoint):
                return folder
    return None


def _commit(folder: Path) -> str:
    return folder.name if re.fullmatch(r"[0-9a-f]{40}", folder.name) else ""


def _what_to_fetch(name: str, checkpoint: Checkpoint, root: Path | None) -> str:
    """A command line a checkpoint: what to fetch on a machine with network, and where it
    belongs.
    """
    target = f"{root or 'DIR'}/{name}"
    parts = [(checkpoint, target)] + (
        [(COMET_ENCODER, f"{target}/{ENCODER}")] if checkpoint.kind == "comet" else []
    )
    commands = [
        f"hf download {each.repository} {each.fetched}"
        + (f" --revision {each.revision}" if each.revision else "")
        + f" --local-dir {place}"
        for each, place in parts
    ]
    unpinned = "" if checkpoint.revision else " (revision not pinned)"
    where = "" if root else ", then pass --weights DIR"
    return f"fetch them with: {' && '.join(commands)}{unpinned}{where}"


def _sha256(path: Path) -> str:
    """The hash of a file; the Hugging Face cache keeps large files under their hash, which saves
    reading them.
    """
    real = path.resolve()
    if re.fullmatch(r"[0-9a-f]{64}", real.name):
        return real.name
    with real.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
