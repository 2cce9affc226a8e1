"""Exact match as a module of `evaluate`; the arithmetic is in
`benchmarks.pubmedrs200.metrics.exact_match`.
"""

from __future__ import annotations

from benchmarks.pubmedrs200.metrics import text_module
from benchmarks.pubmedrs200.metrics.exact_match import scores

_DESCRIPTION = """\
Exact match: 1 where the prediction is its reference, character by character, else 0. Higher is better; it is symmetric.
"""  # noqa: E501
_CITATION = """\
@inproceedings{rajpurkar-2016-squad,
    title = "{SQ}u{AD}: 100,000+ Questions for Machine Comprehension of Text",
    author = "Rajpurkar, Pranav and Zhang, Jian and Lopyrev, Konstantin and Liang, Percy",
    booktitle = "Proceedings of the 2016 Conference on Empirical Methods in Natural Language Processing",
    year = "2016",
    pages = "2383--2392",
    url = "https://aclanthology.org/D16-1264",
}
"""  # noqa: E501


class ExactMatch(text_module.TextModule):
    """Exact match of each prediction against its reference."""

    NAME = "exact_match"
    DESCRIPTION = _DESCRIPTION
    CITATION = _CITATION
    ADDRESSES = ("https://aclanthology.org/D16-1264",)
    SCORES = staticmethod(scores)
