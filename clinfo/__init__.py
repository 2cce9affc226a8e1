"""Clinfo: a clinical question in, a checked and cited answer out."""

__version__ = "0.1.0"
