"""What other programs write, read as articles: one module a format."""
