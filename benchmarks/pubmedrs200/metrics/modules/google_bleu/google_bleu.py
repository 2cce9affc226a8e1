"""GoogleBLEU as a module of `evaluate`; the arithmetic is in
`benchmarks.pubmedrs200.metrics.google_bleu`.
"""

from __future__ import annotations

from benchmarks.pubmedrs200.metrics import text_module
from benchmarks.pubmedrs200.metrics.google_bleu import scores

_DESCRIPTION = """\
GoogleBLEU (GLEU): n-grams of 1 to 4 words that prediction and reference share, over the number of those of the longer of the
two. 0 to 1, higher is better. Words are sacrebleu's 13a tokens, case kept. It is symmetric.
"""  # noqa: E501
_CITATION = """\
@misc{wu-2016-google,
    title = "{G}oogle's Neural Machine Translation System: Bridging the Gap between Human and Machine Translation",
    author = "Wu, Yonghui and Schuster, Mike and Chen, Zhifeng and Le, Quoc V. and Norouzi, Mohammad and others",
    year = "2016",
    eprint = "1609.08144",
    archivePrefix = "arXiv",
    url = "https://arxiv.org/abs/1609.08144",
}
"""  # noqa: E501


class GoogleBleu(text_module.TextModule):
    """GoogleBLEU of each prediction against its reference."""

    NAME = "google_bleu"
    DESCRIPTION = _DESCRIPTION
    CITATION = _CITATION
    ADDRESSES = ("https://www.nltk.org/api/nltk.translate.gleu_score.html",)
    SCORES = staticmethod(scores)
