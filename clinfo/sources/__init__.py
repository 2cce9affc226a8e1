"""Sources of articles: PubMed, Semantic Scholar, a local index, a citation file, the demo."""
