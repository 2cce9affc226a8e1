"""Makes the classes of words of the judge of assertions (`clinfo.patients.assertion_features`).

    python -m benchmarks.chart.word_classes

Whole words among wordllama's tokens, and words of the sentences that the judge is fitted on, put
together by spherical k-means (Dhillon & Modha 2001) over wordllama's vectors; then the classes
themselves into wider ones. Needs the extra ``dense``.
"""

from __future__ import annotations

import gzip
import re
from typing import Any

import numpy as np

from clinfo.patients.assertion_features import CLASSES as FILE
from clinfo.retrieval.embedders.static import model

FINE, WIDE = 800, 128
ROUNDS = 12


def main() -> None:
    """Entry point."""
    from benchmarks.chart.fit_assertion import written

    wordllama = model()
    tokens = (token[1:].lower() for token in wordllama.tokenizer.get_vocab() if token[:1] == "▁")
    ours = (word for row in written() for word in re.findall(r"[a-z]+", row.text.lower()))
    words = sorted({word for word in (*tokens, *ours) if re.fullmatch(r"[a-z]{2,}", word)})
    vectors = np.asarray(wordllama.embed(words, norm=True), np.float64)
    fine, centres = clustered(vectors, FINE)
    wide, _ = clustered(centres, WIDE)
    lines = [
        f"{wide[of]}\t{' '.join(words[at] for at in np.flatnonzero(fine == of))}"
        for of in range(FINE)
    ]
    FILE.write_bytes(gzip.compress("\n".join(lines).encode(), mtime=0))


def clustered(vectors: Any, count: int) -> tuple[Any, Any]:
    """The class of each row of unit length, and the centres."""
    chosen = np.random.default_rng(0).choice(len(vectors), count, replace=False)
    centres = vectors[chosen]
    for _ in range(ROUNDS):
        of = (vectors @ centres.T).argmax(1)
        sums = np.zeros_like(centres)
        np.add.at(sums, of, vectors)
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        centres = np.where(lengths > 0, sums / np.maximum(lengths, 1e-9), centres)
    return (vectors @ centres.T).argmax(1), centres


if __name__ == "__main__":
    main()
