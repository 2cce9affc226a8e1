"""The database: runs, their events, what they cost; the row of a run is the truth."""
