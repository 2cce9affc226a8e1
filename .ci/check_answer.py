"""Checks that a JSON answer is a whole one: `python check_answer.py answer.json`. Complains and
exits with 1 if not.
"""

import json
import sys
from pathlib import Path

answer = json.loads(Path(sys.argv[1]).read_text("utf-8"))
quotations = [sentence for sentence in answer["sentences"] if not sentence["counts_only"]]
counts, support = answer["counts"], answer["support"]
cited = {reference["n"] for reference in answer["references"] if reference["cited"]}
demands = {
    "the TL;DR is not empty": bool(answer["tldr"].strip()),
    "the synthesis is not empty": bool(answer["synthesis"].strip()),
    "articles are cited": len(cited) >= 2,
    "every citation has a reference": {
        n for sentence in answer["sentences"] for n in sentence["cites"]
    }
    <= cited,
    "every reference leads to its article": all(
        reference["url"] == f"https://pubmed.ncbi.nlm.nih.gov/{reference['pmid']}/"
        for reference in answer["references"]
    ),
    "the counts add up": counts["fetched"]
    == counts["excluded"] + counts["not_assessed"] + counts["judged"],
    "every sentence but the count is a quotation that nobody judged": all(
        sentence["verdict"] == "quoted" and sentence["spans"] and not sentence["judges"]
        for sentence in quotations
    ),
    "the quotations are counted": support["quoted"] == len(quotations) > 0,
    "every relevant article has its row of evidence": len(answer["appraisal"]["rows"])
    == counts["relevant"],
    "the demo corpus is named in a notice": any("demo" in notice for notice in answer["notices"]),
}
for demand, met in demands.items():
    if not met:
        sys.exit(f"{sys.argv[1]}: not true that {demand}")
