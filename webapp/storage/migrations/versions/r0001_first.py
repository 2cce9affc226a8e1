"""Runs, their events, workers, deletions, spending."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "runs",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("request", sa.Text, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("place", sa.BigInteger, nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("started_at", sa.Double),
        sa.Column("ended_at", sa.Double),
        sa.Column("visitor", sa.Text),
        sa.Column("owner", sa.Text),
        sa.Column("shared", sa.Boolean, nullable=False),
        sa.Column("own_key", sa.Boolean, nullable=False),
        sa.Column("again_of", sa.String(64)),
        sa.Column("last_seq", sa.Integer, nullable=False),
        sa.Column("problem", sa.Text),
        sa.Column("retryable", sa.Boolean, nullable=False),
        sa.Column("cancel_asked", sa.Boolean, nullable=False),
        sa.Column("worker", sa.Text),
        sa.Column("fence", sa.Integer, nullable=False),
        sa.Column("lease_until", sa.Double),
        sa.Column("barren", sa.Integer, nullable=False),
        sa.Column("sealed_key", sa.LargeBinary),
        sa.Column("key_worker", sa.Text),
        sa.PrimaryKeyConstraint("id", name="pk_runs"),
    )
    op.create_index("ix_runs_status_place", "runs", ["status", "place"])
    op.create_index("ix_runs_created_at", "runs", ["created_at"])
    op.create_index("ix_runs_visitor_created_at", "runs", ["visitor", "created_at"])
    op.create_index("ix_runs_owner_created_at", "runs", ["owner", "created_at"])
    op.create_table(
        "events",
        sa.Column("run_id", sa.String(64), nullable=False),
        sa.Column("seq", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("type", sa.String(64), nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("run_id", "seq", name="pk_events"),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name="fk_events_run_id", ondelete="CASCADE"
        ),
        sa.UniqueConstraint("run_id", "key", name="uq_events_run_id_key"),
    )
    op.create_table(
        "workers",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("public_key", sa.LargeBinary, nullable=False),
        sa.Column("seen_at", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_workers"),
    )
    op.create_table(
        "deletions",
        sa.Column("run_id", sa.String(64), nullable=False),
        sa.Column("deleted_at", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("run_id", name="pk_deletions"),
    )
    op.create_index("ix_deletions_deleted_at", "deletions", ["deleted_at"])
    op.create_table(
        "spending",
        sa.Column("day", sa.String(10), nullable=False),
        sa.Column("spent", sa.BigInteger, nullable=False),
        sa.Column("reserved", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("day", name="pk_spending"),
    )
    op.create_table(
        "reservations",
        sa.Column("token", sa.String(32), nullable=False),
        sa.Column("run_id", sa.String(64), nullable=False),
        sa.Column("fence", sa.Integer, nullable=False),
        sa.Column("day", sa.String(10), nullable=False),
        sa.Column("amount", sa.BigInteger, nullable=False),
        sa.Column("lost", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("token", name="pk_reservations"),
    )
    op.create_index("ix_reservations_run_id", "reservations", ["run_id"])
