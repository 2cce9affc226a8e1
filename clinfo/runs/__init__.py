"""A resumable run: its record, recorder, spending and deadline, and the protocols of what it is
given.
"""
