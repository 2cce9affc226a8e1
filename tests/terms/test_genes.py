"""Genes by their symbols, other names and families."""

import pytest

from clinfo.terms.genes import genes_of


@pytest.mark.parametrize(
    ("name", "genes"),
    [
        ("BRAF", ("BRAF",)),
        ("VEGFR1", ("FLT1",)),
        ("RAF-1", ("RAF1",)),
        ("FLT-3", ("FLT3",)),
        ("PDGFRα", ("PDGFRA",)),
        ("c-MET", ("MET",)),
        ("p53", ("TP53",)),
        ("LKB1", ("STK11",)),
        ("ERBB2", ("HER2",)),
        ("HER-2", ("HER2",)),
        ("VEGFR", ("FLT1", "FLT4", "KDR")),
        ("AKT", ("AKT1", "AKT2", "AKT3")),
        ("BRCA", ("BRCA1", "BRCA2")),
        ("NSCLC", ()),
        ("gout", ()),
        ("", ()),
    ],
)
def test_a_gene_is_known_by_each_of_its_names(name: str, genes: tuple[str, ...]) -> None:
    assert genes_of(name) == genes
