"""The E-utilities with ELink's own words and full texts of PMC beside what `clinfo.sources.entrez`
asks, within the same limits.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence

from clinfo.sources.entrez import Eutils
from clinfo.sources.replies import Passing

_FULL_TEXT = "efetch of db=pmc"
_WHOLE = re.compile(rb"</pmc-articleset>\s*$|<pmc-articleset\s*/>\s*$")
_TOO_SLOW = re.compile(r"time-?out", re.IGNORECASE)


class Service(Eutils):
    """An `Eutils` that can fetch from PMC as well; its answers have another root than PubMed's."""

    def links(
        self, pmids: Sequence[str], linkname: str, stop: threading.Event | None = None
    ) -> bytes:
        """ELink from PubMed to PubMed: the answer as it came, a LinkSet for each of ``pmids``.
        Raises SourceError.

        `Eutils.elink` refuses an answer that leaves an id out; here what it says of the others is
        kept.
        """
        asked = {
            "dbfrom": "pubmed",
            "db": "pubmed",
            "cmd": "neighbor",
            "linkname": linkname,
            "retmode": "xml",
        }
        return self._ask("elink", stop, id=list(pmids), **asked)

    def full_texts(self, pmcids: Sequence[str], stop: threading.Event | None = None) -> bytes:
        """EFetch for db=pmc of these numbers (without PMC): JATS articles in one set, whole.

        Raises SourceError, TooSlow where fewer at once may do.
        """
        return self._ask("efetch", stop, db="pmc", id=list(pmcids), retmode="xml")

    def _attempt(
        self, utility: str, fields: list[tuple[str, str]], deadline: float, stop: threading.Event
    ) -> bytes:
        if dict(fields).get("db") != "pmc":
            return super()._attempt(utility, fields, deadline, stop)
        try:
            body = super()._attempt(_FULL_TEXT, fields, deadline, stop)
        except Passing as failure:
            failure.too_slow = failure.too_slow or _TOO_SLOW.search(str(failure)) is not None
            raise
        if not _WHOLE.search(body[-200:]):
            raise Passing("sent an answer that is cut off or garbled")
        return body
