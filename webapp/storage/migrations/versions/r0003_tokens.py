"""Access tokens, and the Idempotency-Keys under which runs were started."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "tokens",
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("expires_at", sa.Double),
        sa.PrimaryKeyConstraint("name", name="pk_tokens"),
        sa.UniqueConstraint("digest", name="uq_tokens_digest"),
    )
    op.create_table(
        "starts",
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("asked", sa.String(64), nullable=False),
        sa.Column("run_id", sa.String(64), nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_starts"),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name="fk_starts_run_id", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_starts_run_id", "starts", ["run_id"])
    op.create_index("ix_starts_created_at", "starts", ["created_at"])
