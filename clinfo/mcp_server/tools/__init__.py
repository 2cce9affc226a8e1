"""The tools whose arguments are types."""
