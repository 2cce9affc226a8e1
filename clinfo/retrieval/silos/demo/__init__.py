"""The built-in examples: a few evidence items of CIViC (CC0) and excerpts of CancerGov's pages for
patients (National Cancer Institute, through MedQuAD, CC BY 4.0), so that the copilot can be tried.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from clinfo.retrieval.silos.readers import read
from clinfo.retrieval.silos.staged import About, Staged

DATES = {"civic": "2021-02"}
"""The state of what carries no date itself."""


def stage_demo(staged: Staged) -> None:
    """Stage the built-in silos; their version says that they are an example."""
    for file in sorted(Path(__file__).parent.glob("*.jsonl")):
        content = read(file.read_bytes(), file.name, file.stem)
        said = About(version="demo", date=DATES.get(file.stem, "")).over(content.about)
        documents = [
            replace(one, licence=said.licence, version=said.version, date=one.date or said.date)
            for one in content.documents
        ]
        staged.stage(file.stem, said, file.name, "", documents)
