"""The PubMedRS-200 benchmark: runs, scores, reports, and the published values."""
