"""The things that runs of the chain need beside models and prompts, and the common part of their
stages.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from clinfo.claims import registry as judges
from clinfo.claims.learned import EntailmentJudge
from clinfo.errors import UsageError
from clinfo.integrity.retractions import Retractions, loaded_list
from clinfo.pipelines.literature.events import LiteratureLog
from clinfo.privacy.phi_guard import refuse
from clinfo.records.articles import RunRequest
from clinfo.runs.engine import Opened, Run
from clinfo.runs.events import Event
from clinfo.sources.registry import PUBMED_LANGUAGE, ArticleSource, MeshSource, article_source
from clinfo.terms.mesh import Mesh, mesh_table

if TYPE_CHECKING:
    from clinfo.settings import Settings


@dataclass(frozen=True)
class Chain:
    """The needs of a run of the chain.

    ``concurrency`` is the number of articles that are read at a time. Without ``mesh`` no heading
    of a generated query can be checked, without ``retractions`` (a list) only what PubMed's own
    records tell of retractions is known, without ``learned`` no text is read by a learned judge.
    What the ``earlier`` events of another run judged and summarised alike is not paid for again.
    """

    source: ArticleSource
    concurrency: int = 32
    mesh: Mesh | None = None
    retractions: Retractions | None = None
    learned: EntailmentJudge | None = None
    earlier: tuple[Event, ...] = ()


LiteratureRun: TypeAlias = Run[RunRequest, LiteratureLog, Chain]


def chain(
    opened: Opened,
    request: RunRequest,
    *,
    source: ArticleSource | None = None,
    earlier: Iterable[Event] = (),
) -> Chain:
    """The chain for a request. A ready ``source`` takes the place of the one that the request
    names.

    Raises UsageError, and IdentifiersFound for a question that seems to identify a patient and
    would leave this machine.
    """
    settings, cache = opened.settings, opened.cache
    source = source or article_source(settings, request.source, cache, opened.clock)
    permit(settings, request.allow_identifiers)
    if source.remote or opened.remote:
        refuse(request)
    mesh = source.mesh if isinstance(source, MeshSource) else mesh_table(settings.data_dir)
    return Chain(
        source,
        settings.concurrency,
        mesh if source.query_prompt == PUBMED_LANGUAGE else None,
        loaded_list(settings.data_dir),
        judges.learned_judge(settings, request.judge),
        tuple(earlier),
    )


def permit(settings: Settings, allow_identifiers: bool) -> None:
    """Raise UsageError where somebody allows what identifies a patient to be sent, and this
    installation forbids that.
    """
    if allow_identifiers and settings.identifiers == "refuse":
        raise UsageError(
            "this installation never sends patient identifiers, so allow_identifiers cannot be used"
        )


class AtWork:
    """A stage of one run."""

    def __init__(self, run: LiteratureRun) -> None:
        self.run, self.chain = run, run.parts
        self.models, self.prompts, self.deadline = run.models, run.prompts, run.deadline
        self.recorder, self.run_log = run.recorder, run.run_log
        self.emit, self.ask, self.warn = run.emit, run.ask, run.warn

    @property
    def request(self) -> RunRequest:
        """The request, its question the resolved one once a follow-up is."""
        return self.run.request
