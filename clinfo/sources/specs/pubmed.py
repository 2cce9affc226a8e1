"""PubMed at NCBI, or at another address of the E-utilities."""

from clinfo.sources.registry import ArticleSource, Opening, SourceSpec


def _open(asked: Opening) -> ArticleSource:
    from clinfo.sources.pubmed import PubMed

    settings = asked.settings
    key = settings.ncbi_api_key.get_secret_value() if settings.ncbi_api_key else None
    return PubMed(
        settings.eutils_url, key, settings.ncbi_email, settings.eutils_rate, cache=asked.cache
    )


SOURCE = SourceSpec(
    name="pubmed",
    title="PubMed",
    note="the current citations of the National Library of Medicine",
    platform="PubMed, through the E-utilities",
    open=_open,
    order=1,
    receives=(
        "The National Library of Medicine (NCBI) gets the queries and your own query, not the "
        "question itself."
    ),
    search_page="https://pubmed.ncbi.nlm.nih.gov/?term=",
    counts_there=True,
    keys=("NCBI_API_KEY", "NCBI_EMAIL"),
    probe=lambda settings: settings.eutils_url + "einfo.fcgi",
)
