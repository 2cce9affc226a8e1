"""How good the extractive model and the retrieval are, on real questions: PubMedQA and the drug-class reviews.

    python -m benchmarks quality [--only pubmedqa|retrieval]

Needs the folder of shared real data beside the checkout. Rules were tuned on even PMIDs; the figures of odd ones count.
"""

from __future__ import annotations

import argparse


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks quality", description="Quality on real questions.")
    parser.add_argument("--only", choices=("pubmedqa", "retrieval"), help="one of the two")
    options = parser.parse_args(arguments)
    if options.only != "retrieval":
        from benchmarks import pubmedqa

        pubmedqa.main(["--level", "chain"])
    if options.only != "pubmedqa":
        from benchmarks import retrieval

        retrieval.main([])
