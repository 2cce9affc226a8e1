"""Output of commands to a terminal or a pipe, and their error messages."""
