"""Retractions, corrections, preprints, and the check of reference lists."""
