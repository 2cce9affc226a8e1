"""The chart pipeline measured: notes that answer questions about one patient's record."""
