"""Processing of runs: the worker, its wake-up, encrypted keys and retention."""
