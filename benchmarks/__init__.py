"""The benchmarks: PubMedRS-200, what the project measures of itself, and the servers both are run
against.
"""
