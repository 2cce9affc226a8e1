"""Retrieved articles against the review's own list of references."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.pubmedrs200.running.records import Record
from pubmedrs.records import Review


def retrieval(record: Record, review: Review) -> Iterator[tuple[str, float]]:
    """(measure, value) of one question: precision and recall of what was judged relevant, recall of
    the pool, source included.

    A review without references has no precision and no recall, and a system that does not tell what
    it retrieved has no values at all. Where nothing was
    judged relevant precision is 0: leaving such questions out, as the published table did, rewards
    retrieving nothing. Whether the source
    is included is asked in the unrestricted regime only, the one that permits it.
    """
    if record.relevant is None:
        return
    relevant, wanted = set(record.relevant), set(review.references)
    if wanted:
        found = len(relevant & wanted)
        yield "retrieval_precision", found / len(relevant) if relevant else 0.0
        yield "retrieval_recall", found / len(wanted)
        if record.retrieved is not None:
            yield "pool_recall", len(set(record.retrieved) & wanted) / len(wanted)
    if record.cell.regime == "unrestricted":
        yield "source_included", float(review.pmid in relevant)
