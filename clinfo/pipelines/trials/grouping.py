"""Puts papers together that tell of one study: by what the user says, else by the registration
number that they share.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from clinfo.errors import UsageError
from clinfo.records.trials import StudyPapers
from clinfo.retrieval.documents import Document

MOST_SHARED = 3
"""A paper that names more registrations than this reviews trials and belongs to none of them."""


def grouped(
    papers: Sequence[Document], told: Mapping[str, Sequence[str]] | None = None
) -> tuple[StudyPapers, ...]:
    """The studies of these papers, in the order of their first ones; each paper is in one.

    ``told`` gives names of studies with the files of their papers. Raises UsageError where it names
    a file that was not read, or one twice.
    """
    by_file = {paper.file: paper for paper in papers}
    study_of: dict[str, str] = {}
    why: dict[str, str] = {}
    for name, files in (told or {}).items():
        for file in files:
            if file not in by_file:
                raise UsageError(
                    f"the study {name!r} names {file!r}, which is not among the papers"
                )
            if study_of.setdefault(by_file[file].id, name) != name:
                raise UsageError(f"{file!r} is named in two studies")
        why[name] = "as told"
    first_with: dict[str, str] = {}
    for paper in papers:
        if paper.id in study_of:
            continue
        numbers = paper.registrations if len(paper.registrations) <= MOST_SHARED else ()
        known = next((number for number in numbers if number in first_with), None)
        name = first_with[known] if known else _name(paper, set(study_of.values()))
        study_of[paper.id] = name
        if known:
            why[name] = f"the papers name {known}"
        for number in numbers[:1]:
            first_with.setdefault(number, name)
    names = dict.fromkeys(study_of[paper.id] for paper in papers)
    return tuple(
        StudyPapers(
            name,
            tuple(dict.fromkeys(paper.id for paper in papers if study_of[paper.id] == name)),
            why.get(name, "one paper"),
        )
        for name in names
    )


def _name(paper: Document, taken: set[str]) -> str:
    """Return what a study of this paper is called: its first registration number, else its title's
    beginning, made different from the names ``taken``.
    """
    title = paper.title if len(paper.title) <= 60 else paper.title[:59].rsplit(" ", 1)[0] + "…"
    numbers = paper.registrations if len(paper.registrations) <= MOST_SHARED else ()
    name = (numbers[0] if numbers else title) or paper.file or paper.id
    number, made = 2, name
    while made in taken:
        number, made = number + 1, f"{name} ({number})"
    return made
