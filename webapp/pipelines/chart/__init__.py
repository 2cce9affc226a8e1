"""The page of the chart pipeline: one patient's record in, the notes that answer a question out.

Only where the host switched it on, and only for people whom it knows.
"""
