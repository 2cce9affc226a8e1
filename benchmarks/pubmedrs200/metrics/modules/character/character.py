"""CharacTER as a module of `evaluate`; the arithmetic is in
`benchmarks.pubmedrs200.metrics.character`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.pubmedrs200.metrics import text_module
from benchmarks.pubmedrs200.metrics.character import scores_and_cuts

_DESCRIPTION = """\
CharacTER: edits of characters that turn the prediction into the reference once whole phrases have been shifted, with a cost for
the shifts, over the number of characters of the prediction; at most 1. 0 to 1, lower is better. It is not symmetric.
"""  # noqa: E501
_CITATION = """\
@inproceedings{wang-2016-character,
    title = "{C}harac{T}er: Translation Edit Rate on Character Level",
    author = "Wang, Weiyue and Peter, Jan-Thorsten and Rosendahl, Hendrik and Ney, Hermann",
    booktitle = "Proceedings of the First Conference on Machine Translation",
    year = "2016",
    pages = "505--510",
    url = "https://aclanthology.org/W16-2342",
}
"""


class Character(text_module.TextModule):
    """CharacTER of each prediction against its reference."""

    NAME = "character"
    DESCRIPTION = _DESCRIPTION
    CITATION = _CITATION
    ADDRESSES = ("https://aclanthology.org/W16-2342",)

    def _compute(
        self, predictions: Sequence[str], references: Sequence[str], **settings: Any
    ) -> dict[str, Any]:
        found = scores_and_cuts(predictions, references, **settings)
        return {
            **self.results([value for value, _ in found]),
            "truncated": [cut_short for _, cut_short in found],
        }
