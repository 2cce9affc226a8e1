"""Benchmark runs: questions × systems × regimes × repeats, resumable to the question."""
