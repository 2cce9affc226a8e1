"""``python -m tests.fuzz_parsers xml|query|references [libFuzzer options] [FOLDER of seeds …]``.

Feeds the readers of text from outside with inputs that atheris makes, led by the code they reach,
for as long as ``-max_total_time`` says. What it finds it writes to a file and stops; such a file
becomes a test. It is no part of the tests: atheris has to be installed (CONTRIBUTING.md).
"""

import sys
from contextlib import suppress
from datetime import date

import atheris

with atheris.instrument_imports(include=["clinfo.pubmed", "clinfo.records", "clinfo.references"]):
    from clinfo.errors import ClinfoError
    from clinfo.integrity.reference_lists import read_reference_list
    from clinfo.pubmed import xml
    from clinfo.pubmed.clean import clean
    from clinfo.pubmed.document import document
    from clinfo.pubmed.in_memory import InMemoryEngine
    from clinfo.pubmed.query import parse, printed
    from clinfo.pubmed.repairs import repaired
    from clinfo.pubmed.search import search
    from clinfo.settings import Settings
    from clinfo.sources.mesh_lookup import mesh_table
    from tests.pubmed.small_collection import RECORDS

ENGINE = InMemoryEngine(map(document, RECORDS))
MESH = mesh_table(Settings())
TODAY = date(2026, 1, 1)


def citations(data: bytes) -> None:
    """Citation XML is read or refused, whole or as articles."""
    try:
        records = list(xml.read_records(data))
        xml_articles = [one for one in xml.read_citations(data) if hasattr(one, "title")]
    except ClinfoError:
        return
    whole = [one for one in records if isinstance(one, xml.Record)]
    assert [one.citation.article for one in whole] == xml_articles


def query(data: bytes) -> None:
    """A query is read, printed, translated, cleaned and repaired; printing has a fixed point."""
    text = data.decode("utf-8", "surrogateescape")
    once = printed(parse(text).tree)
    assert printed(parse(once).tree) == once, text
    repaired(text)
    clean(text)
    with suppress(ClinfoError):
        search(text, ENGINE, MESH, 5, today=TODAY)


def references(data: bytes) -> None:
    """A reference list of any format is read or refused."""
    with suppress(ClinfoError):
        read_reference_list(data.decode("utf-8", "replace"))


TARGETS = {"xml": citations, "query": query, "references": references}

if __name__ == "__main__":
    atheris.Setup([sys.argv[0], *sys.argv[2:]], TARGETS[sys.argv[1]])
    atheris.Fuzz()
