"""Sources of articles: PubMed, Semantic Scholar, a local index, a citation file, the demo."""

from clinfo import doors

__getattr__ = doors.opened(__name__, __file__)
