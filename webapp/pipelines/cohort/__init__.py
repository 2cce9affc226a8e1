"""The page of cohorts: criteria in, who matches out, over the indexes that the host offers.

Only where the host switched it on, and only for people whom it knows. Nothing is stored.
"""
