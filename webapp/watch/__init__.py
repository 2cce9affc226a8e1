"""A run while it goes on: one look at the database for all viewers, streams of events, the page
that changes.
"""
