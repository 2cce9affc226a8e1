from clinfo.references.reading import decoded, read_citations
from clinfo.sources.demo import NOTICE as DEMO_NOTICE
from clinfo.sources.full_texts import read_pmcid
from clinfo.sources.given import MOST as MOST_GIVEN
from clinfo.sources.given import NAME as GIVEN
from clinfo.sources.given import Given
from clinfo.sources.registry import (
    ArticleSource,
    SourceSpec,
    article_source,
    names,
    reads_pubmed,
    refuse_unusable,
    spec,
    title,
)
from clinfo.sources.registry import specs as source_specs

__all__ = [
    "DEMO_NOTICE",
    "GIVEN",
    "MOST_GIVEN",
    "ArticleSource",
    "Given",
    "SourceSpec",
    "article_source",
    "decoded",
    "names",
    "read_citations",
    "read_pmcid",
    "reads_pubmed",
    "refuse_unusable",
    "source_specs",
    "spec",
    "title",
]
