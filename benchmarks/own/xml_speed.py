"""Speed of reading NLM's citation XML, against Bio.Entrez.read and bare lxml on the same text in
the same run.

    python -m benchmarks.own.xml_speed [--rounds N] [FILE…]

For each file, citations a second of processor time (best of the rounds, the readers taking turns):
Bio.Entrez.read; lxml's parse of the text to a tree of which nothing is read; ours to `Article`;
ours to `Record` with its `Document`, which is what an index build does. As shares of lxml's rate:
ours to `Article`; "visit", which parses each record and files the tag and text of each element
once, so that no reader of lxml's elements can be faster; "elements", our reader of records of
unusual form alone. Then the peak memory of reading one file and the same file repeated 20 times,
each in a process of its own. Without FILE the NLM files of the shared data folder are read, and
those converted to NLM's form.
"""

from __future__ import annotations

import argparse
import gzip
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
FILES = (
    "medline/medline16n0902_part.xml.gz",
    "medline/medsample1_2017.xml.gz",
    "medline/pubmed_export_nasopharyngeal_2018.xml.gz",
    "medline/pubmed_export_orthopaedics_2019.xml.gz",
    "citations/pmc_trial_citations.xml.gz",
    "citations/drug_class_review_citations.xml.gz",
    "citations/pubmedqa_citations.xml.gz",
)
TARGET = 5.0
DOCTYPE = (
    b'<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2019//EN" '
    b'"https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_190101.dtd">'
)
BUNDLED = {
    b'"http://dtd.nlm': b'"https://dtd.nlm',
    b"pubmed_170101.dtd": b"pubmed_180101.dtd",
    b"nlmmedlinecitationset_160101.dtd": b"nlmmedlinecitationset_150101.dtd",
}
"""Parts of a DOCTYPE that make Biopython fetch a DTD from the network, and what it has beside it.
"""


def text_of(path: Path) -> bytes:
    """A file unpacked, with a document type that Biopython has at hand."""
    text = path.read_bytes()
    text = gzip.decompress(text) if text.startswith(b"\x1f\x8b") else text
    for wanted, bundled in BUNDLED.items():
        text = text.replace(wanted, bundled, 1)
    if b"<!DOCTYPE" not in text[:2000]:
        declaration, _, rest = text.partition(b"?>")
        text = declaration + b"?>" + DOCTYPE + rest
    return text


def biopython(text: bytes) -> int:
    """Bio.Entrez.read without validation: some of the files have elements that the DTDs beside
    Biopython do not declare.
    """
    from Bio import Entrez

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answer = Entrez.read(BytesIO(text), validate=False)
    return (
        len(answer["PubmedArticle"])
        if isinstance(answer, dict) and "PubmedArticle" in answer
        else len(answer)
    )


def articles(text: bytes) -> int:
    from clinfo.pubmed.xml import read_citations

    return sum(1 for _ in read_citations(BytesIO(text)))


def lxml_tree(text: bytes) -> int:
    """The parse alone."""
    from lxml import etree

    return len(
        etree.fromstring(text, etree.XMLParser(huge_tree=True, no_network=True, load_dtd=False))
    )


def by_elements(text: bytes) -> int:
    """The reader of elements alone, as it reads a record of unusual form."""
    from clinfo.pubmed import elements
    from clinfo.pubmed.record_splitter import cut
    from clinfo.pubmed.xml import parsed

    pieces = (piece for piece in cut(BytesIO(text)) if piece.name != "DeleteCitation")
    return sum(elements.read_article(parsed(piece)) is not None for piece in pieces)


def visited(text: bytes) -> int:
    """Return what a reader of lxml's elements cannot do without: each record parsed, and each
    element's tag and text filed once.
    """
    from lxml import etree

    from clinfo.pubmed.record_splitter import cut

    number = 0
    for number, piece in enumerate(cut(BytesIO(text)), 1):  # noqa: B007
        filed: dict[str, list[str | None]] = {}
        for element in etree.fromstring(piece.raw, etree.XMLParser(recover=True)).iter():
            if element.tag in filed:
                filed[element.tag].append(element.text)
            else:
                filed[element.tag] = [element.text]
    return number


def documents(text: bytes) -> int:
    from clinfo.pubmed.document import document
    from clinfo.pubmed.xml import Record, read_records

    return sum(
        1
        for entry in read_records(BytesIO(text))
        if isinstance(entry, Record) and document(entry.citation)
    )


def measure(text: bytes, readers: tuple[Callable[[bytes], int], ...], rounds: int) -> list[float]:
    """Processor seconds of the best run of each reader; they take turns of three runs, so that a
    busy machine is busy for all.
    """
    best = [float("inf")] * len(readers)
    for _ in range(rounds):
        for place, read in enumerate(readers):
            for _ in range(3):  # the first warms the caches
                start = time.process_time()
                read(text)
                best[place] = min(best[place], time.process_time() - start)
    return best


def peak_megabytes(path: Path) -> float:
    """Peak resident memory of a process that reads the records of a file and keeps none."""
    program = (
        "import sys; from clinfo.pubmed.xml import read_file_records\n"
        "for record in read_file_records(sys.argv[1]): pass\n"
        "print(next(line.split()[1] for line in open('/proc/self/status') if "
        "line.startswith('VmHWM')))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", program, str(path)], check=True, capture_output=True, text=True
    )
    return int(answer.stdout) / 1024


def repeated(text: bytes, times: int) -> bytes:
    """A set whose records stand in it ``times`` times."""
    opening = min(
        at for tag in (b"<PubmedArticle>", b"<MedlineCitation ") if (at := text.find(tag)) >= 0
    )
    closing = text.rindex(b"</")
    return text[:opening] + text[opening:closing] * times + text[closing:]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.own.xml_speed", description=__doc__.split("\n\n")[0]
    )
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument(
        "--rounds",
        type=int,
        default=3,
        help="rounds a file, of three runs a reader; the best run counts",
    )
    options = parser.parse_args(arguments)
    files = options.files or [SHARED / name for name in FILES if (SHARED / name).is_file()]
    if not files:
        sys.exit(
            "no files: the folder of shared data is not beside this checkout, name files yourself"
        )
    print(
        f"{'citations/s':40} {'number':>6} {'KB':>5} {'Entrez':>7} {'lxml':>7} {'article':>8} "
        f"{'/Entrez':>7} {'/lxml':>6} "
        f"{'visit':>6} {'elements':>8} {'document':>8} {'µs':>5}"
    )
    ratios = []
    for path in files:
        text = text_of(path)
        number = articles(text)
        readers = (biopython, lxml_tree, articles, visited, by_elements, documents)
        entrez, bare, ours, visit, slow, whole = measure(text, readers, options.rounds)
        if "citations" not in path.parts:
            ratios.append(entrez / ours)
        print(
            f"{path.name:40} {number:6} {len(text) / number / 1000:5.1f} {number / entrez:7.0f} "
            f"{number / bare:7.0f} "
            f"{number / ours:8.0f} {entrez / ours:7.1f} {bare / ours:6.2f} {bare / visit:6.2f} "
            f"{bare / slow:8.2f} "
            f"{number / whole:8.0f} {whole / number * 1e6:5.0f}"
        )
    if ratios:
        print(f"lowest ratio on files as NLM wrote them {min(ratios):.1f} (target {TARGET:.0f})")
    with tempfile.TemporaryDirectory() as folder:
        once, often = Path(folder, "once.xml.gz"), Path(folder, "often.xml.gz")
        text = text_of(files[0])
        once.write_bytes(gzip.compress(text, 1))
        often.write_bytes(gzip.compress(repeated(text, 20), 1))
        print(
            f"peak memory: {peak_megabytes(once):.0f} MB for {files[0].name}, "
            f"{peak_megabytes(often):.0f} MB for it 20 times"
        )


if __name__ == "__main__":
    main()
