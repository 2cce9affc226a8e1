"""The PubMedRS-200 data set: how it is built from PubMed, read, checked, repaired and annotated."""
