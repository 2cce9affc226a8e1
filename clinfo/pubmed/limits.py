"""Limits of PubMed: how much it accepts and returns at a time."""

WINDOW = 9_999
"""Most records of one search that PubMed gives, whatever its documentation says (10,000); the
history does not lift it.
"""
MOST_POSTED = 10_000
"""Ids that EPost takes, and records that EFetch gives, at once (E-utilities Help)."""
MAX_STARS = 256
"""Truncated terms in one query; PubMed rejects one that has more, with an error that reads like an
outage.
"""
