"""Benchmarks of this project."""
