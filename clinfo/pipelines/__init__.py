"""The published systems, one folder each; none imports another."""
