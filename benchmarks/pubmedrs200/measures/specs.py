"""The measures of whole answers.

Support is judged on the sentences that say something of articles. Those that a chain added to a
model's words, or that count only its own studies, rest on no passage and are left out for both
judges; how many there are is a measure of its own, because the less is judged the less the other
figures say. Of other systems every sentence is judged.
"""

from __future__ import annotations

from typing import Final

from benchmarks.pubmedrs200.metrics.spec import MetricSpec

_ALCE: Final = (
    "Gao et al., Enabling Large Language Models to Generate Text with Citations, EMNLP 2023 (ALCE)"
)
_TABLE_3: Final = "as Table 3 of Lozano et al., PSB 2024"
_RULES: Final = (
    "clinfo.claims.cited: the sentence, or each of its clauses, word for word in a cited article"
)
_READER: Final = (
    "numbers (clinfo.text.quotes) that stand in title or abstract of an article which the sentence "
    "cites, in digits or in words"
)
_GRADE: Final = (
    "Flesch-Kincaid grade level (Kincaid et al. 1975), syllables by Pyphen; synthesis without "
    "citation marks"
)


def _share(name: str, title: str, source: str, floor: float | None = None) -> MetricSpec:
    return MetricSpec(name, title, 0, 1, "higher", floor, source)


def _amount(name: str, title: str, source: str) -> MetricSpec:
    return MetricSpec(name, title, 0, None, "lower", None, source)


_ALL: Final = (
    _share(
        "sentences_supported",
        "sentences supported (independent judge)",
        f"{_ALCE}; synthesis and TL;DR",
    ),
    _share("citation_recall", "citation recall (independent judge)", f"{_ALCE}; synthesis"),
    _share("citation_precision", "citation precision (independent judge)", f"{_ALCE}; synthesis"),
    _share(
        "sentences_supported_own",
        "sentences supported (own judge)",
        f"{_RULES}; synthesis and TL;DR",
    ),
    _share(
        "citation_recall_own",
        "citation recall (own judge)",
        f"{_ALCE}, judged by {_RULES}; synthesis",
    ),
    _share(
        "citation_precision_own",
        "citation precision (own judge)",
        f"{_ALCE}, judged by {_RULES}; synthesis",
    ),
    _share("figures_supported", "figures stated by a cited article", _READER),
    MetricSpec(
        "sentences_not_verified",
        "sentences not verified (own judge)",
        0,
        1,
        "neither",
        None,
        (f"{_RULES}; other wording, which is no support in the shares above; synthesis and TL;DR"),
    ),
    MetricSpec(
        "sentences_set_apart",
        "sentences set apart",
        0,
        1,
        "neither",
        None,
        "of a chain: added, or only counting studies; not judged",
    ),
    _share(
        "retrieval_precision",
        "retrieval precision",
        f"the review's references among relevant articles, {_TABLE_3}",
        0.0,
    ),
    _share(
        "retrieval_recall",
        "retrieval recall",
        f"share of the review's references judged relevant, {_TABLE_3}",
        0.0,
    ),
    _share(
        "pool_recall",
        "recall of the pool before judging",
        "share of the review's references among all candidates",
        0.0,
    ),
    MetricSpec(
        "source_included",
        "source review included",
        0,
        1,
        "neither",
        0.0,
        f"the review among relevant articles, {_TABLE_3}",
    ),
    MetricSpec(
        "abstained", "abstained", 0, 1, "neither", None, "1 where a question got no synthesis"
    ),
    _amount("tokens", "tokens", "prompt and completion tokens of all calls, cached ones included"),
    _amount(
        "cost_usd", "US dollars", "as reported by the run; questions of unknown cost have no value"
    ),
    _amount("seconds", "seconds", "wall time of a question"),
    MetricSpec("reading_grade", "reading grade", None, None, "lower", None, _GRADE),
)
SPECS: Final = {spec.name: spec for spec in _ALL}
"""By name, the headline first."""
