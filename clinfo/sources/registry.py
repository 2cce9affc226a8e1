"""The protocols of sources of articles, and of what some can do beyond that; and the sources by
name. Each is a module of `clinfo.sources.specs`; it is found there and listed nowhere else.

A capability is a protocol that is told by ``isinstance``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from clinfo.errors import UsageError
from clinfo.extras import declared
from clinfo.records.articles import Fetched, Related, SearchRequest, SearchResult
from clinfo.sources import specs as modules

if TYPE_CHECKING:
    from clinfo.cache import Cache
    from clinfo.runs.protocols import Clock
    from clinfo.settings import Settings
    from clinfo.terms.mesh import Mesh


class ArticleSource(Protocol):
    """A source of articles. A source carries its query language: the prompt that teaches it to a
    model.
    """

    @property
    def name(self) -> str:
        """The name the user chose it by."""

    @property
    def remote(self) -> bool:
        """Return whether text leaves this machine."""

    @property
    def query_prompt(self) -> str:
        """Name of the prompt that asks a model for a query in this source's language."""

    @property
    def notices(self) -> tuple[str, ...]:
        """Return what every answer made from this source must say."""

    async def search(self, request: SearchRequest) -> SearchResult:
        """Ids of the best matches. Raises SourceError."""

    async def fetch(self, ids: Sequence[str], fresh: bool = False) -> Fetched:
        """The records of these ids, reconciled by id. Raises SourceError."""


@runtime_checkable
class LinkedSource(ArticleSource, Protocol):
    """A source that knows which articles resemble, cite and are cited by an article."""

    async def related(self, id: str, limit: int, fresh: bool = False) -> Related:
        """At most ``limit`` ids of each kind. Raises SourceError."""


@runtime_checkable
class AddressedSource(Protocol):
    """A source that tells where or what is searched."""

    @property
    def address(self) -> str:
        """An address on the network, or name, version and day of what is searched here; never a
        path.
        """


@runtime_checkable
class MeshSource(Protocol):
    """A source that brings the MeSH by which its queries are read."""

    @property
    def mesh(self) -> Mesh:
        """The table."""


PUBMED_LANGUAGE = "question2query"
"""The prompt (`ArticleSource.query_prompt`) that teaches PubMed's query language."""


@dataclass(frozen=True)
class Opening:
    """The arguments for opening a source: the name that was asked for, settings, the cache if there
    is one.

    ``clock`` is for a source on this machine; a service on the network keeps the real time.
    """

    name: str
    settings: Settings
    cache: Cache | None = None
    clock: Clock | None = None


@dataclass(frozen=True)
class SourceSpec:
    """A source, as it is chosen, opened and described.

    What an opened source can do beyond searching is told by the protocols above.
    Needed are

    - ``name``; ``title`` as it stands within a sentence (``PubMed``, ``the local index``);
      ``note``, what it is, as a clause for who chooses it; ``platform``, database and platform as
      the search report names them;
    - ``open``, which raises UsageError, and RecordError for a file that cannot be read.

    What else there may be to say:

    - ``order``: its place among the sources on offer; of equal ones the name decides;
    - ``receives``: who gets what of a question, as a sentence; "" where nothing leaves this
      machine;
    - ``endings``: of a source that is a file, how its name ends; it is chosen by that instead of
      ``name``;
    - ``query_prompt``: the prompt that teaches its query language, as the opened source names it
      too;
    - ``search_page``: the address at which a reader runs a query there by hand, the query to be
      appended (None: at PubMed; "": nowhere); ``counts_there``: whether that page counts the hits
      that are counted here;
    - ``comes_along``: whether it comes with a question and cannot be chosen;
    - ``is_copy``: whether it is a copy of PubMed of its own day, which its ``address`` tells;
    - ``caution``: of a source that is a demonstration only, what must be known of it, as sentences;
    - for doctor ``keys``, environment variables shown as set or not; ``probe``, the address at
      which it tries whether the source can be reached; ``inspect``, whether what the source needs
      here is in order (None: not set up) and what it is, which raises ClinfoError where it is not
      in order;
    - ``missing``: which setting it needs and has not, as a clause; "" where it can be offered.
    """

    name: str
    title: str
    note: str
    platform: str
    open: Callable[[Opening], ArticleSource]
    order: int = 100
    receives: str = ""
    endings: tuple[str, ...] = ()
    query_prompt: str = PUBMED_LANGUAGE
    search_page: str | None = None
    counts_there: bool = False
    is_copy: bool = False
    comes_along: bool = False
    caution: str = ""
    keys: tuple[str, ...] = ()
    probe: Callable[[Settings], str] | None = None
    inspect: Callable[[Settings], tuple[bool | None, str]] | None = None
    missing: Callable[[Settings], str] = lambda settings: ""

    @property
    def label(self) -> str:
        """``demo corpus``: the title without its article."""
        return self.title.removeprefix("the ")

    @property
    def heading(self) -> str:
        """``Demo corpus``: the title where it stands by itself."""
        return self.label[:1].upper() + self.label[1:]


def specs() -> tuple[SourceSpec, ...]:
    """All sources, in the order in which they are offered."""
    return declared(modules, "SOURCE")


def names() -> tuple[str, ...]:
    """The sources that are chosen by name."""
    return tuple(one.name for one in specs() if not (one.endings or one.comes_along))


def endings() -> tuple[str, ...]:
    """Return how the names of files end that are sources."""
    return tuple(ending for one in specs() for ending in one.endings)


def choice() -> str:
    """All that can be chosen, for messages and help: names, and files."""
    files = (f"{one.title} ({', '.join(one.endings)})" for one in specs() if one.endings)
    return f"{', '.join(names())}, or {' or '.join(files)}"


def spec(name: str) -> SourceSpec | None:
    """The source that is chosen by this name, or by that of a file; None for one that is not known
    here.
    """
    return next(
        (
            one
            for one in specs()
            if (name.lower().endswith(one.endings) if one.endings else name == one.name)
        ),
        None,
    )


def chosen(name: str) -> SourceSpec:
    """The source of this name. Raises UsageError where none is known."""
    from clinfo.text.wording import did_you_mean

    known = spec(name)
    if known is None:
        near = did_you_mean(name, names())
        raise UsageError(f"the source {name!r} is not known{near}; choose {choice()}")
    return known


def title(name: str) -> str:
    """``the demo corpus``; a file, and a source that is not known here, as it calls itself."""
    from clinfo.text.wording import one_line

    known = spec(name)
    return known.title if known and not known.endings else one_line(name)


def article_source(
    settings: Settings, name: str, cache: Cache | None = None, clock: Clock | None = None
) -> ArticleSource:
    """The source of this name. Raises UsageError, and RecordError for a file or an index that
    cannot be read.
    """
    return chosen(name).open(Opening(name, settings, cache, clock))


def reads_pubmed(name: str) -> bool:
    """Return whether the source of this name reads PubMed's query language, as far as it is known
    here.
    """
    known = spec(name)
    return known is None or known.query_prompt == PUBMED_LANGUAGE


def refuse_unusable(name: str, filter: str | None) -> None:
    """Raise UsageError for what a run over this source could not do, before anything is sent."""
    if filter and not reads_pubmed(name):
        raise UsageError(
            f"filter: a PubMed filter cannot be applied at {name}; leave it out, or choose the "
            "source pubmed"
        )
