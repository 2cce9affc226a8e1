"""Full texts of PubMed Central, over the E-utilities: JATS, one article a request."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from clinfo.cache import Cache
from clinfo.errors import RecordError, SourceUnavailable
from clinfo.sources.calls import ResponseCache, in_thread
from clinfo.sources.replies import root_of

if TYPE_CHECKING:
    from clinfo.settings import Settings
    from clinfo.sources.entrez import Eutils

_PMCID = re.compile(r"(?:pmcid:)?\s{0,3}(?:PMC)?\s{0,3}([1-9][0-9]{0,9})(?:\.[0-9]{1,2})?", re.I)
_FORM = 1


def read_pmcid(text: str) -> str | None:
    """The PMCID (``PMC123``) that the whole text is: ``PMC123``, ``123`` or ``PMCID: PMC123.2``."""
    found = _PMCID.fullmatch(text.strip())
    return f"PMC{found[1]}" if found else None


class FullTexts:
    """Articles of PubMed Central by PMCID, kept for a day where there is a cache.

    The client's address, limiter and errors are PubMed's, so that both keep to one rate; it is
    made by ``connect`` when the first article is asked for.
    """

    def __init__(self, connect: Callable[[], Eutils], cache: Cache | None = None) -> None:
        self._connect = connect
        self._kept = ResponseCache(cache)

    @cached_property
    def _eutils(self) -> Eutils:
        return self._connect()

    async def article(self, pmcid: str) -> bytes:
        """The JATS of an article; PMC leaves the body out where the publisher does not allow it.

        Raises RecordError where PMC has no such article, SourceError where it cannot be asked.
        """
        key = Cache.key_of("full text", _FORM, self._eutils.address, pmcid)

        async def asked() -> str:
            number = pmcid.removeprefix("PMC")
            body = await in_thread(lambda stop: self._eutils.efetch([number], stop, "pmc"))
            _checked(body, pmcid)
            return body.decode("utf-8", "replace")

        return (await self._kept.once(key, str, False, asked)).encode()


def open_full_texts(settings: Settings, cache: Cache | None = None) -> FullTexts:
    """PubMed Central where the settings say that the E-utilities are."""

    def connect() -> Eutils:
        from clinfo.sources.entrez import Eutils

        key = settings.ncbi_api_key.get_secret_value() if settings.ncbi_api_key else None
        return Eutils(settings.eutils_url, key, settings.ncbi_email, settings.eutils_rate)

    return FullTexts(connect, cache)


def _checked(body: bytes, pmcid: str) -> None:
    """Raise RecordError where the answer says that there is no such article, SourceUnavailable
    where it is no article or another one.
    """
    article = root_of(body, damaged="PubMed Central's answer cannot be read").find("{*}article")
    if article is None:
        raise RecordError(f"{pmcid}: not available at PubMed Central")
    ids = article.iterfind("{*}front/{*}article-meta/{*}article-id")
    own = {read_pmcid(one.text or "") for one in ids if one.get("pub-id-type") in ("pmc", "pmcid")}
    if own and pmcid not in own:
        raise SourceUnavailable(f"PubMed Central sent another article than {pmcid}")
