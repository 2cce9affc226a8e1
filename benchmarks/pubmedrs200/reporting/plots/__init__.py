"""Plots of a report, one family a module; each is drawn once and saved as SVG and PNG."""
