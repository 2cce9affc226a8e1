"""Patients' records: what is in them, how they are read, who may see them."""
