"""The entry point of alembic: it runs the revisions, on the connection and in the transaction that
`webapp.storage.database.migrate` made.
"""

from __future__ import annotations

from alembic import context

from webapp.storage.tables import metadata

connection = context.config.attributes.get("connection")
if connection is None:
    raise SystemExit("run python -m webapp migrate")
context.configure(
    connection=connection,
    target_metadata=metadata,
    render_as_batch=True,
    transactional_ddl=True,
    compare_type=True,
)
with context.begin_transaction():
    context.run_migrations()
