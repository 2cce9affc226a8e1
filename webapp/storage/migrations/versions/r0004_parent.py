"""The run that a run follows up."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.add_column("runs", sa.Column("parent", sa.String(64)))
    op.create_index("ix_runs_parent", "runs", ["parent"])
