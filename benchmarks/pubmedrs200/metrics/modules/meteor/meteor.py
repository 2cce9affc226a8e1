"""METEOR as a module of `evaluate`; the arithmetic is in
`benchmarks.pubmedrs200.metrics.meteor`.
"""

from __future__ import annotations

from benchmarks.pubmedrs200.metrics import text_module
from benchmarks.pubmedrs200.metrics.meteor import scores

_DESCRIPTION = """\
METEOR: words of the prediction matched to words of the reference as they are, by Porter's stem and by WordNet synonym; a mean of
precision and recall that favours recall, less a penalty for matches that do not stand together. 0 to 1, higher is better. It is
not symmetric. Needs WordNet 3.0 on this machine.
"""  # noqa: E501
_CITATION = """\
@inproceedings{banerjee-lavie-2005-meteor,
    title = "{METEOR}: An Automatic Metric for {MT} Evaluation with Improved Correlation with Human Judgments",
    author = "Banerjee, Satanjeev and Lavie, Alon",
    booktitle = "Proceedings of the {ACL} Workshop on Intrinsic and Extrinsic Evaluation Measures for Machine Translation
        and/or Summarization",
    year = "2005",
    pages = "65--72",
    url = "https://aclanthology.org/W05-0909",
}
"""  # noqa: E501
_SETTINGS = """\
    rules: "3.8.1" (default) for the words and base forms of nltk 3.8.1, "installed" for those of the nltk that is installed.
"""  # noqa: E501


class Meteor(text_module.TextModule):
    """METEOR of each prediction against its reference."""

    NAME = "meteor"
    DESCRIPTION = _DESCRIPTION
    CITATION = _CITATION
    ADDRESSES = ("https://www.nltk.org/api/nltk.translate.meteor_score.html",)
    SETTINGS = _SETTINGS
    SCORES = staticmethod(scores)
