"""ChrF as a module of `evaluate`; the arithmetic is in `benchmarks.pubmedrs200.metrics.chrf`."""

from __future__ import annotations

from benchmarks.pubmedrs200.metrics import text_module
from benchmarks.pubmedrs200.metrics.chrf import scores

_DESCRIPTION = """\
chrF: F2 of character n-grams of 1 to 6 characters, white space left out, case kept, 0 to 100, higher is better. It is not
symmetric.
"""  # noqa: E501
_CITATION = """\
@inproceedings{popovic-2015-chrf,
    title = "chr{F}: character n-gram {F}-score for automatic {MT} evaluation",
    author = "Popovi{\\'c}, Maja",
    booktitle = "Proceedings of the Tenth Workshop on Statistical Machine Translation",
    year = "2015",
    pages = "392--395",
    url = "https://aclanthology.org/W15-3049",
}
"""


class ChrF(text_module.TextModule):
    """ChrF of each prediction against its reference."""

    NAME = "chrf"
    DESCRIPTION = _DESCRIPTION
    CITATION = _CITATION
    ADDRESSES = ("https://github.com/mjpost/sacrebleu",)
    SCORES = staticmethod(scores)
