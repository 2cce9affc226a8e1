"""A request of the trials pipeline from what a person gives: files and folders, PMCIDs, a model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clinfo.errors import UsageError
from clinfo.pipelines.trials.declared import TRIALS
from clinfo.pipelines.trials.stages import MODEL_STAGES
from clinfo.records.request import refuse_longer
from clinfo.records.trials import TrialsRequest
from clinfo.sources.full_texts import read_pmcid

if TYPE_CHECKING:
    from clinfo.settings import Settings

ENDINGS = (".md", ".nxml", ".pdf", ".txt", ".xml")
"""How names of papers in a folder end."""
NO_MODEL = "no model is named: choose one, or extractive, which quotes passages and judges nothing"


def request_of(
    settings: Settings,
    question: str,
    papers: Iterable[str | Path] = (),
    pmcid: Iterable[str] = (),
    studies: Mapping[str, Sequence[str]] | None = None,
    model: str | None = None,
    **fields: Any,
) -> TrialsRequest:
    """The request; ``papers`` are files and folders, ``fields`` those of `TrialsRequest`. ``model``
    holds for every stage, whatever the settings say.

    Raises UsageError.
    """
    if not question.strip():
        raise UsageError("a question is missing")
    named = (*_files(papers), *_pmcids(pmcid))
    if not named:
        raise UsageError("no papers are given: files, a folder of them, or PMCIDs")
    single = {} if model is not None else TRIALS.stage_models(settings)
    everywhere = model if model is not None else settings.model
    models = {stage: single.get(stage, everywhere) for stage in MODEL_STAGES}
    if not all(models.values()):
        raise UsageError(NO_MODEL)
    try:
        request = TrialsRequest(
            question.strip(),
            named,
            studies={name: tuple(files) for name, files in (studies or {}).items()},
            models={stage: str(name) for stage, name in models.items()},
            **fields,
        )
    except TypeError:
        unknown = sorted(set(fields) - set(TrialsRequest.__dataclass_fields__))
        raise UsageError(f"unknown options: {', '.join(unknown)}") from None
    for part in ("question", "intervention", "comparator", "outcome"):
        refuse_longer(part, getattr(request, part))
    if not (1 <= request.k <= 1000 and 1 <= request.most <= 10_000 and 0 <= request.beta <= 1000):
        raise UsageError("--k needs 1 to 1,000, --n-max 1 to 10,000 and --beta 0 to 1,000")
    return request


def _files(papers: Iterable[str | Path]) -> tuple[str, ...]:
    """The files named, and those of folders by name. Raises UsageError for an empty folder."""
    found: list[str] = []
    for name in map(str, papers):
        path = Path(name)
        if not path.is_dir():
            found.append(f"./{name}" if re.fullmatch(r"PMC\d+", name) else name)
            continue
        inside = sorted(str(one) for one in path.iterdir() if one.suffix.lower() in ENDINGS)
        if not inside:
            raise UsageError(f"--papers: {name} holds no paper ({', '.join(ENDINGS)})")
        found += inside
    return tuple(dict.fromkeys(found))


def _pmcids(given: Iterable[str]) -> tuple[str, ...]:
    """The PMCIDs given, several of them apart by commas or blanks. Raises UsageError."""
    found: list[str] = []
    for text in " ".join(given).replace(",", " ").split():
        if (pmcid := read_pmcid(text)) is None:
            raise UsageError(f"--pmcid must be a number as PMC3006432, not {text!r}")
        found.append(pmcid)
    return tuple(dict.fromkeys(found))
