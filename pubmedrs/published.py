"""Addresses of the published files, and the checksum of the data set."""

from typing import Final

COMMIT: Final = "e8f89f5bd697b23fda2a2fec6d0a4668828959f5"
BASE: Final = f"https://raw.githubusercontent.com/som-shahlab/Clinfo.AI/{COMMIT}/PubMedRS-200/"
"""The folder of the published files (som-shahlab/Clinfo.AI, MIT)."""
DATA_SET: Final = "PubMedRS-200.csv"
SHA256: Final = "7c6a1528b752d7f674fa54a706bd7cf72b3f503eec6b2b08df6b040ab0c0aaaa"
"""Of the data set's bytes as published at that commit."""
SCORES: Final = {
    "scores__all_2021.csv": "LLMEvaluations/RefrencesBasedMetrics/scores__all_2021.csv",
    "Model__all_all_scores.csv": "LLMEvaluations/UnrefereceBasedMetrics/Model__all_all_scores.csv",
}
"""Published outputs and scores of 13 systems: name on this machine, and path under `BASE` (misspelt
there). Their checksums are not known here."""
