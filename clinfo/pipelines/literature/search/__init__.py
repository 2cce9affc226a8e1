"""From a question to articles: queries, fusion, relaxation, citation chasing, search report."""
