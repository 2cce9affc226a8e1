"""NCBI's EDirect, as Debian packages it, over our E-utilities: pipelines of its book
(https://www.ncbi.nlm.nih.gov/books/NBK179288/), with the citations of edirect_citations.

Each pipeline stands as the book writes it. EDirect takes another address by the argument ``-base``
of every command; wrappers in front of it on the PATH give it, and turn ``nquire -eutils`` into
``nquire -url ADDRESS``. Nothing of EDirect is changed.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.required import absent

COMMANDS = ("esearch", "efetch", "elink", "epost", "esummary", "einfo", "efilter")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def edirect(tmp_path_factory, eutils_url):
    """A function that runs a pipeline and gives what it printed, with its blanks as they are."""
    if not all(map(shutil.which, (*COMMANDS, "xtract", "nquire"))):
        absent("edirect", "EDirect is not installed (Debian: ncbi-entrez-direct)")
    folder = tmp_path_factory.mktemp("edirect")
    for name in COMMANDS:
        real = shutil.which(f"{name}.ncbi") or shutil.which(name)
        _script(folder / name, f'exec {real} -base {eutils_url} "$@"')
    _script(
        folder / "nquire",
        f'[ "$1" = -eutils ] && shift && set -- -url {eutils_url.rstrip("/")} "$@"\n'
        f'exec {shutil.which("nquire")} "$@"',
    )
    environment = {
        "PATH": f"{folder}:{os.environ['PATH']}",
        "HOME": str(folder),
        "EMAIL": "test@example.org",
        "NCBI_API_KEY": "any",  # EDirect waits less between requests then
        "LC_ALL": "C.UTF-8",
    }

    def run(pipeline: str) -> str:
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", pipeline],
            capture_output=True,
            text=True,
            env=environment,
            stdin=subprocess.DEVNULL,
            timeout=120,
        )
        assert "FAILURE" not in done.stderr, done.stderr
        assert "ERROR" not in done.stderr, done.stderr
        return done.stdout

    return run


def _script(path: Path, line: str) -> None:
    path.write_text(f"#!/bin/bash\n{line}\n")
    path.chmod(0o755)


def rows(printed: str) -> list[list[str]]:
    return [line.split("\t") for line in printed.splitlines()]


def test_search_then_ids(edirect):
    printed = edirect('esearch -db pubmed -query "Tn3 transposition" | efetch -format uid')
    assert printed.split() == ["2539356", "6271474"]


def test_ids_from_a_pipe_are_posted_and_filtered(edirect):
    printed = edirect(
        r"""printf '90000001\n90000002\n2014248\n' | epost -db pubmed |
        efilter -query "asthma [MESH]" | efetch -format uid"""
    )
    assert sorted(printed.split()) == ["90000001", "90000002"]


def test_references_and_citing_articles(edirect):
    cited = edirect(
        "elink -db pubmed -id 2539356 -target pubmed -name pubmed_pubmed_refs | efetch -format uid"
    )
    citing = edirect(
        "elink -db pubmed -id 2539356 -target pubmed -name pubmed_pubmed_citedin |"
        " efetch -format uid"
    )
    assert cited.split() == ["6243420", "6271474"]
    assert citing.split() == ["90000001"]


def test_names_of_databases_fields_and_links(edirect):
    assert "pubmed" in edirect("einfo -dbs").split()
    fields = dict(rows(edirect("einfo -db pubmed -fields")))
    assert fields["AUTH"] == "Author"
    assert fields["MESH"] == "MeSH Terms"
    assert fields["TIAB"] == "Title/Abstract"
    assert {"ALL", "UID", "TITL", "JOUR", "PDAT", "PTYP", "LANG"} <= set(fields)
    links = dict(rows(edirect("einfo -db pubmed -links")))
    assert {"pubmed_pubmed", "pubmed_pmc"} <= set(links)
