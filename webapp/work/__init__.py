"""Processing of runs: the worker, encrypted keys and retention."""
