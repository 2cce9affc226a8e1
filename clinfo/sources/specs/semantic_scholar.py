"""Semantic Scholar, which reads plain keywords."""

from clinfo.sources.registry import ArticleSource, Opening, SourceSpec


def _open(asked: Opening) -> ArticleSource:
    from clinfo.sources.semantic_scholar import SemanticScholar

    key = asked.settings.s2_api_key.get_secret_value() if asked.settings.s2_api_key else None
    return SemanticScholar(asked.settings.s2_url, key, cache=asked.cache)


SOURCE = SourceSpec(
    name="semantic-scholar",
    title="Semantic Scholar",
    note="papers of all fields, searched with plain keywords: no PubMed filter, no MeSH",
    platform="Semantic Scholar, through its Academic Graph API",
    open=_open,
    order=2,
    receives="The Allen Institute for AI gets the keywords.",
    query_prompt="keywords",
    search_page="https://www.semanticscholar.org/search?q=",
    keys=("S2_API_KEY",),
)
