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

COMMANDS = ("esearch", "efetch", "elink", "epost", "esummary", "einfo", "efilter")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def edirect(tmp_path_factory, eutils_url):
    """A function that runs a pipeline and gives what it printed, with its blanks as they are."""
    if not all(map(shutil.which, (*COMMANDS, "xtract", "nquire"))):
        reason = "EDirect is not installed (Debian: ncbi-entrez-direct)"
        if "edirect" in os.environ.get("CLINFO_TEST_REQUIRE", "").split(","):
            pytest.fail(f"{reason}, and CLINFO_TEST_REQUIRE names it")
        pytest.skip(reason)
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


def test_first_author_and_title_of_given_articles(edirect):
    printed = edirect(
        """efetch -db pubmed -id 6271474,2539356,6243420 -format xml |
        xtract -pattern PubmedArticle -element MedlineCitation/PMID "#Author" \
          -block Author -position first -sep " " -element Initials,LastName \
          -block Article -element ArticleTitle"""
    )
    assert rows(printed) == [  # EDirect asks in the order of the numbers
        [
            "2539356",
            "2",
            "JA Kans",
            "Nucleotide sequences required for Tn3 transposition immunity.",
        ],
        [
            "6243420",
            "2",
            "MJ Casadaban",
            "Analysis of gene control signals by DNA fusion and cloning in Escherichia coli.",
        ],
        ["6271474", "5", "MJ Casadaban", "Tn3: transposition and control."],
    ]


def test_medline_format(edirect):
    printed = edirect('esearch -db pubmed -query "Kans JA [AUTH]" | efetch -format medline')
    lines = printed.splitlines()
    for line in (
        "PMID- 2539356",
        "OWN - NLM",
        "STAT- MEDLINE",
        "IS  - 0021-9193 (Print)",
        "IS  - 0021-9193 (Linking)",
        "VI  - 171",
        "IP  - 4",
        "DP  - 1989 Apr",
        "PG  - 1904-14",
        "FAU - Kans, J A",
        "AU  - Kans JA",
        "TA  - J Bacteriol",
        "JID - 2985120R",
        "MH  - *DNA Transposable Elements",
        "MH  - Plasmids/genetics",
        "EDAT- 1989/04/01 06:00",
        "MHDA- 1989/04/01 10:01",
        "CRDT- 1989/04/01 06:00",
        "PST - ppublish",
        "PMC - PMC209839",
        "AID - 10.1128/jb.171.4.1904-1914.1989 [doi]",
    ):
        assert line in lines, line


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


def test_link_to_pmc(edirect):
    printed = edirect(
        "elink -db pubmed -id 2539356,90000001 -target pmc -cmd neighbor |"
        " xtract -pattern LinkSet -if Link/Id -element IdList/Id Link/Id"
    )
    assert rows(printed) == [["2539356", "209839"], ["90000001", "90000001"]]


def test_names_of_databases_fields_and_links(edirect):
    assert "pubmed" in edirect("einfo -dbs").split()
    fields = dict(rows(edirect("einfo -db pubmed -fields")))
    assert fields["AUTH"] == "Author"
    assert fields["MESH"] == "MeSH Terms"
    assert fields["TIAB"] == "Title/Abstract"
    assert {"ALL", "UID", "TITL", "JOUR", "PDAT", "PTYP", "LANG"} <= set(fields)
    links = dict(rows(edirect("einfo -db pubmed -links")))
    assert {"pubmed_pubmed", "pubmed_pmc"} <= set(links)


def test_how_a_query_was_understood(edirect):
    printed = edirect('esearch -db pubmed -translate "asthma [TIAB]"')
    assert printed.strip() == '"asthma"[Title/Abstract]'


def test_newest_come_first_when_asked(edirect):
    printed = edirect(
        "nquire -eutils esearch.fcgi -db pubmed -term 'j invent med[jour]' -sort pub_date |"
        ' xtract -pattern IdList -sep " " -element Id'
    )
    assert printed.split() == ["90000004", "90000003", "90000002", "90000001"]


def test_labelled_searches_are_combined(edirect):
    printed = edirect(
        """nquire -eutils esearch.fcgi -db pubmed -term asthma -usehistory y > $HOME/one
        web=$(xtract -input $HOME/one -pattern eSearchResult -element WebEnv)
        nquire -eutils esearch.fcgi -db pubmed -term zinc -usehistory y -WebEnv "$web" > /dev/null
        nquire -eutils esearch.fcgi -db pubmed -term "#1 AND #2" -WebEnv "$web" -usehistory y |
        xtract -pattern eSearchResult -element QueryKey -sep "," -element IdList/Id"""
    )
    assert rows(printed) == [["3", "90000002"]]
