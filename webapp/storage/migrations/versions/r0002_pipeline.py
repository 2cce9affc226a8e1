"""The pipeline of a run; older runs are of the literature chain. Rolling back loses the runs of all
others.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "runs", sa.Column("pipeline", sa.String(64), nullable=False, server_default="literature")
    )


def downgrade() -> None:
    for table in ("events", "runs"):
        of_others = "SELECT id FROM runs WHERE pipeline != 'literature'"
        op.execute(
            f"DELETE FROM {table} WHERE {'run_id' if table == 'events' else 'id'} IN ({of_others})"
        )
    op.drop_column("runs", "pipeline")
