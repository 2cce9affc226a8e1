"""A request of the trials pipeline from what a person gives: files and folders, PMCIDs, a model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from clinfo.errors import UsageError
from clinfo.pipelines.trials.records import TrialsRequest
from clinfo.pipelines.trials.stages import TRIALS
from clinfo.runs.options import Options
from clinfo.sources.full_texts import read_pmcid

if TYPE_CHECKING:
    from clinfo.settings import Settings

ENDINGS = (".md", ".nxml", ".pdf", ".txt", ".xml")
"""The ends of names of papers in a folder."""
OPTIONS: Final = Options(TrialsRequest)
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
    models = TRIALS.chosen_models(settings, model)
    if not all(models.values()):
        raise UsageError(NO_MODEL)
    made: TrialsRequest = OPTIONS.request(
        question=question,
        papers=named,
        studies={name: tuple(files) for name, files in (studies or {}).items()},
        models=models,
        **fields,
    )
    return made


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
