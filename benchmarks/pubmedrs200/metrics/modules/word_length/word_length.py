"""Word length as a module of `evaluate`; the arithmetic is in
`benchmarks.pubmedrs200.metrics.word_length`.
"""

from __future__ import annotations

from benchmarks.pubmedrs200.metrics import text_module
from benchmarks.pubmedrs200.metrics.word_length import scores

_DESCRIPTION = """\
Word length: the number of words of the prediction, words being what white space parts. 0 or more; neither more nor less is better.
The reference is not looked at.
"""  # noqa: E501


class WordLength(text_module.TextModule):
    """Number of words of each prediction."""

    NAME = "word_length"
    DESCRIPTION = _DESCRIPTION
    SCORES = staticmethod(scores)
