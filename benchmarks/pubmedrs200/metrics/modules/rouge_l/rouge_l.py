"""ROUGE-L as a module of `evaluate`; the arithmetic is in
`benchmarks.pubmedrs200.metrics.rouge_l`.
"""

from __future__ import annotations

from benchmarks.pubmedrs200.metrics import text_module
from benchmarks.pubmedrs200.metrics.rouge_l import scores

_DESCRIPTION = """\
ROUGE-L: F1 of the longest common subsequence of words of prediction and reference, 0 to 1, higher is better. Words are
rouge-score's: lower case, letters and digits only, no stemming. It is symmetric.
"""  # noqa: E501
_CITATION = """\
@inproceedings{lin-2004-rouge,
    title = "{ROUGE}: A Package for Automatic Evaluation of Summaries",
    author = "Lin, Chin-Yew",
    booktitle = "Text Summarization Branches Out",
    year = "2004",
    pages = "74--81",
    url = "https://aclanthology.org/W04-1013",
}
"""


class RougeL(text_module.TextModule):
    """ROUGE-L of each prediction against its reference."""

    NAME = "rouge_l"
    DESCRIPTION = _DESCRIPTION
    CITATION = _CITATION
    ADDRESSES = ("https://github.com/google-research/google-research/tree/master/rouge",)
    SCORES = staticmethod(scores)
