"""The part of the public Python API that is no pipeline's; `clinfo` hands out all of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clinfo import pipelines
from clinfo.errors import UsageError
from clinfo.pipelines.calling import door, in_notebook, waited_for
from clinfo.pipelines.literature.api import Source, opened
from clinfo.pipelines.opening import open_cache
from clinfo.privacy.phi_guard import refuse_texts
from clinfo.records.articles import Article, JudgeChoice, SearchRequest, Section, Sentence
from clinfo.runs import saved
from clinfo.runs.saved import ended
from clinfo.settings import load_settings
from clinfo.sources.registry import ArticleSource, article_source

if TYPE_CHECKING:
    from clinfo.integrity.reference_check import Checked


class Hits(tuple[Article, ...]):
    """The articles that a search found, which a notebook shows as a table, and what the source says
    of the query (``warnings``).
    """

    warnings: tuple[str, ...] = ()

    def _repr_html_(self) -> str:
        return in_notebook("hits", self)


@door
def search(query: str, *, source: Source = None, limit: int = 20) -> Hits:
    """The first articles that a query in the source's language finds, best first.

    Raises SourceError, UsageError, and IdentifiersFound where the query would leave this machine
    and seems to identify a patient.
    """
    chosen = _source(source)
    if limit < 1:
        raise UsageError(f"limit: must be a whole number from 1, not {limit}")
    if chosen.remote:
        refuse_texts({"query": query})

    async def found() -> Hits:
        result = await chosen.search(SearchRequest(query, limit))
        hits = Hits((await chosen.fetch(result.ids)).articles)
        hits.warnings = result.warnings
        return hits

    return waited_for(found())


def _source(given: Source) -> ArticleSource:
    settings, source = load_settings(), opened(given)
    if source is None or isinstance(source, str):
        return article_source(settings, source or settings.source, open_cache(settings))
    return source


@dataclass(frozen=True)
class Verdict(Sentence):
    """A sentence with its verdict, which a notebook shows with the passages of ``articles`` that it
    rests on.
    """

    articles: tuple[Article, ...] = field(default=(), repr=False)

    def _repr_html_(self) -> str:
        return in_notebook("verdict", self, self.articles)


@door
def verify(
    sentence: str,
    articles: Sequence[Article | str | Mapping[str, Any]],
    *,
    judge: JudgeChoice = "none",
) -> Verdict:
    """The sentence with its verdict against ``articles`` (or abstracts), which it cites in their
    order as [1], [2] …

    A sentence without marks cites them all. ``judge`` is "none" (then it is "quoted" where it
    stands word for word in one of them, else "not_verified") or "nli" (with CLINFO_NLI_MODEL).
    """
    from clinfo.claims.judging import Judges, given
    from clinfo.claims.registry import learned_judge, spec
    from clinfo.sources.memory import articles_of

    if spec(judge).model:
        raise UsageError(
            "verify asks no language model; a model judge goes with clinfo verify or ask"
        )
    every = [articles] if isinstance(articles, (str, Mapping, Article)) else articles
    known = [
        one
        if isinstance(one, Article)
        else Article(f"row:{n}", "", sections=(Section(one),))
        if isinstance(one, str)
        else articles_of([one])[0][0]
        for n, one in enumerate(every, 1)
    ]
    asked, studies = given([sentence], known)
    judges = Judges(judge, None, None, learned_judge(load_settings(), judge))
    judged = waited_for(judges.verdicts(asked, studies, "verify")).sentences[0]
    return Verdict(**vars(judged), articles=tuple(known))


@door
def check_references(file: str | Path, *, source: Source = None) -> tuple[Checked, ...]:
    """The references of a list (RIS, BibTeX, nbib, CSV, or one PMID or DOI per line), each with
    notices of retraction and the like.

    Raises UsageError, RecordError, SourceError.
    """
    from clinfo.integrity.reference_check import check, reference_list
    from clinfo.integrity.retractions import loaded_list

    listed = reference_list(Path(file))
    return waited_for(
        check(listed.references, _source(source), loaded_list(load_settings().data_dir))
    )


@door
def replay(path: str | Path) -> Any:
    """The answer of a saved run of any pipeline, as its function gives it; nothing is asked
    again.

    Raises UsageError where the file cannot be opened, RecordError for one that holds no run that
    came to its end, and what ended a run that failed.
    """
    named = saved.pipeline_of(Path(path))
    name = named if named in pipelines.PIPELINES else pipelines.DEFAULT
    pipeline = pipelines.pipeline(name)
    return pipeline.handed_out(ended(saved.read(Path(path), pipeline)))
