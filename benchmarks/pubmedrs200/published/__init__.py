"""The published outputs and scores of PubMedRS-200: read, recomputed, compared."""
