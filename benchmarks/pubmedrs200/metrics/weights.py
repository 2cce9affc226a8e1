"""Find the weights of the neural metrics on this machine. Nothing here ever uses the network.

A metric's weights are looked for in this order, FOLDER being a heading of weights.toml:

    1. DIR/FOLDER                   DIR = --weights
    2. $CLINFO_WEIGHTS_DIR/FOLDER
    3. the Hugging Face cache       the repository at its revision, else at any

A folder that holds other weights than the default ones says so in a file ``metric.json``: {"model":
name for the signature, "layer": N}, where ``layer`` concerns bertscore and ctc and counts from 1.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from clinfo.errors import UsageError

VARIABLE: Final = "CLINFO_WEIGHTS_DIR"
SETTINGS: Final = "metric.json"
ENCODER: Final = "comet/encoder"
CHECKPOINTS: Final[Mapping[str, Mapping[str, Any]]] = tomllib.loads(
    Path(__file__).with_name("weights.toml").read_text(encoding="utf-8")
)


class MissingWeights(UsageError):
    """Weights are not on this machine; ``problems`` holds a line a folder of weights."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


@dataclass(frozen=True)
class Located:
    """Weights that are there. ``revision`` is the commit where the Hugging Face cache names it, ""
    for a folder of one's own. ``encoder`` is that of COMET, None for others.
    """

    folder: Path
    model: str
    layer: int
    revision: str = ""
    encoder: Path | None = None

    @cached_property
    def signature(self) -> str:
        """Model, revision and the first twelve digits of the SHA-256 of the weights file."""
        names = ("checkpoints/model.ckpt", "model.safetensors", "pytorch_model.bin")
        file = next(self.folder / name for name in names if (self.folder / name).is_file())
        revision = f"|revision:{self.revision}" if self.revision else ""
        return f"model:{self.model}{revision}|weights:{_sha256(file.resolve())[:12]}"


def folder_of(metric: str) -> str:
    """The name of the folder in which a metric's weights lie."""
    return "unieval" if metric.startswith("unieval_") else metric


def locate(metric: str, weights_dir: Path | None = None) -> Located:
    """The weights of a neural metric. Raises `MissingWeights` where there are none, or not all
    files of them.
    """
    name = folder_of(metric)
    checkpoint = CHECKPOINTS[name]
    if weights_dir is not None and not weights_dir.is_dir():  # a slip must not bring in others
        what = f"no weights in {weights_dir}, which is not a folder"
        raise MissingWeights([f"{name}: {what}; {_to_fetch(name, weights_dir)}"])
    for root in (weights_dir, Path(os.environ[VARIABLE]) if os.environ.get(VARIABLE) else None):
        if root is None or not (folder := root / name).is_dir():
            continue
        encoder = None
        lacking = _lacking(folder, name)
        if name == "comet":
            encoder = root / ENCODER if (root / ENCODER).is_dir() else _cached(ENCODER)
            lacking += (
                [f"encoder/{each}" for each in _lacking(encoder, ENCODER)]
                if encoder is not None
                else ["encoder/"]
            )
        settings = _settings(folder)
        lacking += [f"a readable {SETTINGS}"] if settings is None else []
        if lacking:
            what = f"{folder} lacks {', '.join(lacking)}"
            raise MissingWeights([f"{name}: {what}; {_to_fetch(name, root)}"])
        return _described(folder, checkpoint, settings or {}, encoder)
    cached, encoder = _cached(name), _cached(ENCODER) if name == "comet" else None
    if cached is not None and (name != "comet" or encoder is not None):
        commit = cached.name if re.fullmatch(r"[0-9a-f]{40}", cached.name) else ""
        return Located(cached, checkpoint["model"], checkpoint.get("layer", 0), commit, encoder)
    places = f"{weights_dir / name}, " if weights_dir else ""
    what = f"no weights in {places}${VARIABLE}/{name} or the Hugging Face cache"
    raise MissingWeights([f"{name}: {what}; {_to_fetch(name, weights_dir)}"])


def require(metrics: Iterable[str], weights_dir: Path | None = None) -> None:
    """Check that the weights of all these metrics are there before any work. Raises one
    `MissingWeights` naming all that lack.
    """
    problems: list[str] = []
    for name in dict.fromkeys(map(folder_of, metrics)):
        try:
            if name in CHECKPOINTS:
                locate(name, weights_dir)
        except MissingWeights as error:
            problems += error.problems
    if problems:
        raise MissingWeights(problems)


def _lacking(folder: Path, name: str) -> list[str]:
    choices = [each.split("|") for each in CHECKPOINTS[name]["files"]]
    return [each[0] for each in choices if not any((folder / one).is_file() for one in each)]


def _settings(folder: Path) -> dict[str, Any] | None:
    """Return what ``metric.json`` says; None where it cannot be read."""
    try:
        form = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError):
        return None
    known = isinstance(form, dict) and isinstance(form.get("model"), str)
    layer = form.get("layer", 1) if known else 0
    whole = known and form.keys() <= {"model", "layer"} and isinstance(layer, int) and layer > 0
    return form if whole else None


def _described(
    folder: Path, checkpoint: Mapping[str, Any], settings: Mapping[str, Any], encoder: Path | None
) -> Located:
    """A folder of one's own, with what it says of itself; refuses one that silently holds another
    architecture.
    """
    wanted = checkpoint.get("architecture")
    if not settings and wanted:
        try:
            found = json.loads((folder / "config.json").read_text(encoding="utf-8"))["model_type"]
        except (OSError, ValueError, KeyError, TypeError):
            found = "unknown"
        if found != wanted:
            layer = ', "layer": N' if "layer" in checkpoint else ""
            raise UsageError(
                f"{folder}: a model of type {found}, not {checkpoint['model']} ({wanted}); if that "
                f'is meant, say so in {folder / SETTINGS}: {{"model": "NAME"{layer}}}'
            )
    if settings and "layer" in checkpoint and "layer" not in settings:
        raise UsageError(f"{folder / SETTINGS}: names no layer")
    told = {**checkpoint, **settings}
    return Located(folder, told["model"], told.get("layer", 0), encoder=encoder)


def _cached(name: str) -> Path | None:
    """The snapshot in the Hugging Face cache, whole; the pinned revision, else the one that
    ``main`` was.
    """
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        return None
    checkpoint = CHECKPOINTS[name]
    for repository in filter(None, (checkpoint["repository"], checkpoint.get("also"))):
        for revision in filter(None, (checkpoint.get("revision"), "main")):
            try:
                found = snapshot_download(repository, revision=revision, local_files_only=True)
            except OSError:  # what the hub raises of its own is one, too
                continue
            if not _lacking(Path(found), name):
                return Path(found)
    return None


def _to_fetch(name: str, root: Path | None) -> str:
    """A command line a checkpoint: what to fetch on a machine with network, and where it goes."""
    commands = []
    for each in (name, ENCODER) if name == "comet" else (name,):
        one = CHECKPOINTS[each]
        files = one.get("fetch") or " ".join(file.partition("|")[0] for file in one["files"])
        pinned = f" --revision {one['revision']}" if "revision" in one else ""
        target = f"{root or 'DIR'}/{each}"
        commands.append(f"hf download {one['repository']} {files}{pinned} --local-dir {target}")
    unpinned = "" if "revision" in CHECKPOINTS[name] else " (revision not pinned)"
    where = "" if root else ", then pass --weights DIR"
    return f"fetch them with: {' && '.join(commands)}{unpinned}{where}"


def _sha256(file: Path) -> str:
    """The hash of a file; the Hugging Face cache keeps large files under their hash, which saves
    reading them.
    """
    if re.fullmatch(r"[0-9a-f]{64}", file.name):
        return file.name
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
