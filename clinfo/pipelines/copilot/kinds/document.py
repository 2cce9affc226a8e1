"""A document of a silo, read whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pydantic import Field

from clinfo.pipelines.copilot.kinds.silo import missing_silo, observed, silos_of
from clinfo.pipelines.tools import Arguments, Host, Kind, Progress, ToolDeclared, in_thread
from clinfo.records.observations import Observation
from clinfo.retrieval.silos.passages import chunks

MOST: Final = 12_000
"""Characters of a document that are shown."""


class Which(Arguments):
    document: str = Field(min_length=1, description="silo and id as they were shown: civic/1409")


def _read(
    declared: ToolDeclared, host: Host, arguments: Mapping[str, Any], progress: Progress
) -> Observation:
    silos, name = silos_of(host), arguments["document"]
    before, slash, after = name.partition("/")
    silo, id = (before.strip(), after.strip()) if slash else ("", name.strip())
    every = [one for one in silos.names() if one == silo] or [*silos.names()]
    wanted = (id, name.strip(), id.upper().removeprefix("EID"))
    documents = (silos.document(one, own) for one in every for own in dict.fromkeys(wanted))
    document = next((one for one in documents if one is not None), None)
    if document is None:
        return Observation(problem=f"no silo has the document {name[:60]}")
    parts = [one for one in chunks(document) if one.end <= MOST]
    passages = tuple(observed(document, one.start, one.end) for one in parts)
    left = len(document.text) - (parts[-1].end if parts else 0)
    said = (f"its last {left:,} characters were left out",) if left > 1 else ()
    return Observation(passages, said)


KIND = Kind("document", Which, in_thread(_read), missing_silo, "")
