"""Names of the benchmark's metrics in the published files, and the tables that hold them."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

Table = Literal["table1", "table2"]
Role = Literal["swapped", "output", "unknown"]

PUBLISHED_ROWS: Final = 145
"""Questions with outputs and scores in the whole published files; captions in the paper say 146."""


@dataclass(frozen=True)
class Column:
    """One metric of the published files.

    Its values are in the column ``<system>_<suffix>`` of the file behind ``table`` and its means in
    ``in_table`` of the table files. ``role`` says what the metric was given: "swapped", the human
    answer as prediction and the system's text as reference; "output", the system's text alone;
    "unknown", not established, so that both ways are tried.
    """

    metric: str
    suffix: str
    table: Table
    in_table: str
    title: str
    role: Role
    neural: bool = False


COLUMNS: Final[tuple[Column, ...]] = (
    Column("rouge_l", "rouge-L", "table2", "rouge-L", "ROUGE-L", "swapped"),
    Column("meteor", "meteor", "table2", "meteor", "METEOR", "swapped"),
    Column("chrf", "chrf", "table2", "chrf", "chrF", "swapped"),
    Column("google_bleu", "google_bleu", "table2", "google_bleu", "GoogleBLEU", "swapped"),
    Column("character", "character", "table2", "character", "CharacTER", "swapped"),
    Column("exact_match", "exact_match", "table2", "exact_match", "Exact match", "swapped"),
    Column("word_length", "word_length", "table1", "Average Length", "Average length", "output"),
    Column("bertscore", "bertscore", "table2", "bertscore", "BERTScore", "swapped", neural=True),
    Column("ctc_sf", "CTC_summary", "table2", "CTC_summary", "CTC", "unknown", neural=True),
    Column(
        "unieval_coherence", "coherence", "table1", "coherence", "Coherence", "unknown", neural=True
    ),
    Column(
        "unieval_consistency",
        "consistency",
        "table1",
        "consistency",
        "Consistency",
        "unknown",
        neural=True,
    ),
    Column("unieval_fluency", "fluency", "table1", "fluency", "Fluency", "unknown", neural=True),
    Column(
        "unieval_relevance", "relevance", "table1", "relevance", "Relevance", "unknown", neural=True
    ),
    Column("unieval_overall", "overall", "table1", "overall", "Overall", "unknown", neural=True),
    Column("comet", "commet", "table1", "Comet", "COMET", "unknown", neural=True),
    Column("ctc_consistency", "CTC", "table1", "CTC", "CTC", "unknown", neural=True),
)
"""In the order of the benchmark's metrics."""

BY_METRIC: Final = MappingProxyType({column.metric: column for column in COLUMNS})
UNIEVAL_PARTS: Final = (
    "unieval_coherence",
    "unieval_consistency",
    "unieval_fluency",
    "unieval_relevance",
)
LAYOUT: Final = MappingProxyType(
    {
        "table1": (*UNIEVAL_PARTS, "unieval_overall", "comet", "ctc_consistency", "word_length"),
        "table2": (
            "bertscore",
            "rouge_l",
            "meteor",
            "chrf",
            "google_bleu",
            "character",
            "exact_match",
            "ctc_sf",
        ),
    }
)
"""The metrics of a table, in the order of its columns in the published table files."""
