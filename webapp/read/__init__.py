"""A run that has ended: the answer with its proof, the evidence, the search, exports."""
