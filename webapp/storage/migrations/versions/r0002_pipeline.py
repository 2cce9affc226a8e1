"""The pipeline of a run; older runs are of the literature chain."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column(
        "runs", sa.Column("pipeline", sa.String(64), nullable=False, server_default="literature")
    )
