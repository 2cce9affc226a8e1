"""The records that visitors gave with their questions."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.create_table(
        "documents",
        sa.Column("run_id", sa.String(64), nullable=False),
        sa.Column("packed", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("run_id", name="pk_documents"),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name="fk_documents_run_id", ondelete="CASCADE"
        ),
    )
