"""The words that PubMed does not index, from the list in its user guide (April 2024)."""

from clinfo.text.lexicon import words_of

STOPWORDS = frozenset(words_of("function_words", "pubmed"))
