"""Measures of the cohort pipeline's sets."""
