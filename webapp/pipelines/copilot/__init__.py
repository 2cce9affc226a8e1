"""The page of the copilot: a question to an agent over silos, its trace as it grows, its claims.

Only where the host switched it on; with a patient's case only for people whom it knows.
"""
