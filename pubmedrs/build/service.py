"""The E-utilities with full texts of PMC beside what `clinfo.sources.entrez` asks, within the same limits."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping, Sequence

from clinfo.sources.entrez import Eutils
from clinfo.sources.replies import Passing

_FULL_TEXT = "efetch of db=pmc"
_WHOLE = re.compile(rb"</pmc-articleset>\s*$|<pmc-articleset\s*/>\s*$")


class Service(Eutils):
    """An `Eutils` that can fetch from PMC as well; its answers have another root than PubMed's."""

    def full_texts(self, pmcids: Sequence[str], stop: threading.Event | None = None) -> bytes:
        """EFetch for db=pmc of these numbers (without PMC): JATS articles in one set, whole. Raises SourceError."""
        return self._ask("efetch", stop, db="pmc", id=list(pmcids), retmode="xml")

    def _attempt(self, utility: str, fields: list[tuple[str, str]], deadline: float, stop: threading.Event) -> bytes:
        if dict(fields).get("db") != "pmc":
            return super()._attempt(utility, fields, deadline, stop)
        body = super()._attempt(_FULL_TEXT, fields, deadline, stop)
        if not _WHOLE.search(body[-200:]):
            raise Passing("sent an answer that is cut off or garbled")
        return body

    def _exchange(
        self, utility: str, fields: list[tuple[str, str]], deadline: float, stop: threading.Event
    ) -> tuple[int, Mapping[str, str], bytes]:
        return super()._exchange("efetch" if utility == _FULL_TEXT else utility, fields, deadline, stop)
