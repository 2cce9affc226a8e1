"""The tables of the web app's database, the same on SQLite and PostgreSQL. What changes here needs
a migration.

Times are seconds since 1970, money is whole nanodollars (10⁻⁹ US dollars), so that sums are exact.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

runs = Table(
    "runs",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("request", Text, nullable=False),  # as JSON, of the class that the pipeline declares
    Column("status", String(16), nullable=False),
    Column("place", BigInteger, nullable=False),  # in the queue: the least is next
    Column("created_at", Double, nullable=False),
    Column("started_at", Double),
    Column("ended_at", Double),
    Column("visitor", Text),
    Column("owner", Text),
    Column("shared", Boolean, nullable=False),
    Column("own_key", Boolean, nullable=False),
    Column("again_of", String(64)),
    Column("last_seq", Integer, nullable=False),
    Column("problem", Text),
    Column("retryable", Boolean, nullable=False),
    Column("cancel_asked", Boolean, nullable=False),
    Column("worker", Text),  # who carries it out
    Column("fence", Integer, nullable=False),  # how often it was claimed
    Column("lease_until", Double),
    Column("barren", Integer, nullable=False),  # claims since the last event
    Column("sealed_key", LargeBinary),  # a visitor's key, only while the run is queued
    Column("key_worker", Text),  # the one worker that can open it
    Column(
        "pipeline", String(64), nullable=False, server_default="literature"
    ),  # by its name in clinfo.pipelines
    Column("parent", String(64), index=True),
    Index(None, "status", "place"),
    Index(None, "created_at"),
    Index(None, "visitor", "created_at"),
    Index(None, "owner", "created_at"),
)

events = Table(
    "events",
    metadata,
    Column("run_id", String(64), ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("key", Text, nullable=False),
    Column("type", String(64), nullable=False),
    Column("created_at", Double, nullable=False),
    Column("body", Text, nullable=False),  # the line of JSON that clinfo.runs.events.dumps wrote
    UniqueConstraint("run_id", "key"),
)

documents = Table(  # that a visitor gave with a question, as its pipeline packs them
    "documents",
    metadata,
    Column("run_id", String(64), ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("packed", LargeBinary, nullable=False),
)

workers = Table(
    "workers",
    metadata,
    Column("name", Text, primary_key=True),
    Column("public_key", LargeBinary, nullable=False),
    Column("seen_at", Double, nullable=False),
)

deletions = Table(
    "deletions",
    metadata,
    Column("run_id", String(64), primary_key=True),
    Column("deleted_at", Double, nullable=False, index=True),
)

spending = Table(
    "spending",
    metadata,
    Column("day", String(10), primary_key=True),  # YYYY-MM-DD, UTC
    Column("spent", BigInteger, nullable=False),
    Column("reserved", BigInteger, nullable=False),
)

reservations = Table(
    "reservations",
    metadata,
    Column("token", String(32), primary_key=True),
    Column("run_id", String(64), nullable=False, index=True),
    Column("fence", Integer, nullable=False),
    Column("day", String(10), nullable=False),
    Column("amount", BigInteger, nullable=False),
    Column("lost", Boolean, nullable=False),  # its worker died: counted as spent
)

tokens = Table(
    "tokens",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("digest", String(64), nullable=False, unique=True),  # SHA-256; the token is not kept
    Column("created_at", Double, nullable=False),
    Column("expires_at", Double),
)

starts = Table(  # of runs that were started with an Idempotency-Key
    "starts",
    metadata,
    Column("key", String(64), primary_key=True),  # SHA-256 of whose it is and the key
    Column("asked", String(64), nullable=False),  # SHA-256 of the fields
    Column(
        "run_id", String(64), ForeignKey("runs.id", ondelete="CASCADE"), nullable=False, index=True
    ),
    Column("created_at", Double, nullable=False, index=True),
)
