"""A request of the trials pipeline from what a person gives: files and folders, PMCIDs, a model;
and its question taken apart without a model, by the names that vocabularies know, with what papers
call an outcome: as it was asked, or by another of its names in MeSH.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from clinfo.errors import UsageError
from clinfo.extractive.concepts import concepts
from clinfo.pipelines.trials.records import TrialsRequest
from clinfo.pipelines.trials.stages import TRIALS
from clinfo.retrieval.documents import Asked, Document
from clinfo.runs.options import Options
from clinfo.sources.full_texts import read_pmcid
from clinfo.terms.naming import descriptor_of, kind_of, synonyms
from clinfo.text.terms import fold

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


_BRANCHES: Final = ("C", "D", "F", "G")
"""The branches of MeSH on what happens to people; elsewhere a name may be another thing's: "weight"
is Weights and Measures."""
_RESULTS: Final = re.compile(r"\b(?:results?|findings|outcomes?|abstract|summary)\b", re.IGNORECASE)


def asked_in(question: str) -> Asked:
    """The first treatment is the intervention, the first name after it that is no treatment the
    outcome, a treatment after that the comparator; "" for what is not there.
    """
    names: list[tuple[str, bool]] = []
    for one in concepts(question):
        treats = kind_of(one.part) == "treatment"
        before, alike = names[-1] if names else ("", None)
        if alike == treats and fold(f"{before} {one.text}") in fold(question):
            names[-1] = (f"{before} {one.text}", treats)
        else:
            names.append((one.text, treats))
    first = next((at for at, (_, treats) in enumerate(names) if treats), 0)
    rest = names[first + 1 :]
    at = next((at for at, (_, treats) in enumerate(rest) if not treats), len(rest))
    tried = [name for name, _ in (*names[first : first + 1], *rest[:at])]
    outcome = rest[at][0] if at < len(rest) else names[0][0] if first else ""
    against = next((name for name, treats in rest[at + 1 :] if treats), "")
    return Asked(question, outcome, ", ".join(tried), against)


def reported_as(papers: Sequence[Document], outcome: str) -> str:
    """The name under which the results of papers report an outcome: as it was asked, else the most
    frequent of its other names in MeSH.
    """
    text = "\n".join(_reported(papers))
    if not outcome or _count(outcome, text):
        return outcome
    known = descriptor_of(outcome)
    if known is None or not any(tree.startswith(_BRANCHES) for tree in known.tree_numbers):
        return outcome
    counts = {name: _count(name, text) for name in synonyms(outcome)}
    found = max(counts, key=counts.__getitem__, default="")
    return found.lower() if counts.get(found) else outcome


def _reported(papers: Iterable[Document]) -> Iterator[str]:
    """The tables and what stands under headings of results; of a paper without these all of it."""
    for paper in papers:
        blocks = [
            one
            for one in paper.blocks
            if one.kind in ("table", "caption") or any(map(_RESULTS.search, one.section))
        ]
        yield from (paper.text[one.start : one.end] for one in blocks or paper.blocks)


def _count(name: str, text: str) -> int:
    pattern = r"[\s-]+".join(map(re.escape, name.split()))
    return len(re.findall(rf"(?<!\w){pattern}(?!\w)", text, re.IGNORECASE))
