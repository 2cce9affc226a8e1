"""The tables as version 0.3.0 had them. A new database, and one of an earlier version, is made so
of `webapp.storage.tables` at once; what changes there needs a revision after this one.
"""

revision = "0005"
down_revision = None


def upgrade() -> None:
    """Nothing comes before it."""
