"""Scores into tables, plots and pages."""
