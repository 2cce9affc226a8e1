"""Small files in the shape of the published ones, with texts and scores made here."""

import csv
import statistics
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tests.pubmedrs.sample import HEADER

KEYS = ["gpt3.5", "gpt4"] + [
    f"clinfo_pubmed{regime}{output}"
    for regime in ("_LimitedSearch_ExludePMID", "_ExludePMID", "")
    for output in ("", "_synthesis", "_TLDR")
] + ["elicit", "statpearl"]  # fmt: skip
AUGMENTED = [
    "word_length",
    "coherence",
    "consistency",
    "fluency",
    "relevance",
    "overall",
    "commet",
    "CTC",
]
FREE = [
    "bertscore",
    "rouge-L",
    "meteor",
    "chrf",
    "google_bleu",
    "character",
    "exact_match",
    "CTC_summary",
    "CTC_style",
]
OWN = list(HEADER)
REGIMES = ["clinfo_pubmed_LimitedSearch_ExludePMID", "clinfo_pubmed_ExludePMID", "clinfo_pubmed"]
WORDS = [
    "rest",
    "tea",
    "sleep",
    "walking",
    "pain",
    "fever",
    "cough",
    "relief",
    "after",
    "before",
    "with",
    "without",
    "children",
    "adults",
    "improved",
    "helped",
]
Row = dict[str, str]


def longest_common(first: Sequence[str], second: Sequence[str]) -> int:
    """Length of the longest common subsequence, by the textbook table."""
    table = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i, one in enumerate(first):
        for j, other in enumerate(second):
            table[i + 1][j + 1] = (
                table[i][j] + 1 if one == other else max(table[i][j + 1], table[i + 1][j])
            )
    return table[-1][-1]


def rouge_l(first: str, second: str) -> float:
    """F1 of the longest common subsequence of lower-case words; for texts of plain words and full
    stops.
    """
    words = [text.lower().replace(".", " ").split() for text in (first, second)]
    common = longest_common(*words)
    return 2 * common / (len(words[0]) + len(words[1])) if common else 0.0


def rows(count: int) -> list[Row]:
    """Questions whose human answer has two paragraphs; the published scores were made from these in
    reverse order.
    """
    made = []
    for number in range(count):
        pick = [WORDS[(number * step + step) % len(WORDS)] for step in range(1, 15)]
        results, conclusion = f"{' '.join(pick[:6])}. ", f"{' '.join(pick[6:9])} at last."
        row = dict.fromkeys(OWN, "") | {
            "Title": f"Title {number}",
            "Introduction": "We ask.",
            "Results": results,
            "Conclusion": conclusion,
            "PMID": str(30_000_000 + number),
            "Ref_PMIDs": str(["11", "12", "12", "13", str(50 + number)]),
            "questions": "Does it help?",
            "HumanQuestions": "Does it help?",
            "PublishedDate": "11/1/2021",
            "HumanAnswer": f"{results}\n\n{conclusion}",
        }
        reference = conclusion + results  # as published: reversed, joined with nothing
        for place, key in enumerate(KEYS):
            text = (
                f" {' '.join(pick[place % 4 : 9 + place % 5])} [1].\n\nTL;DR: {pick[place % 7]}"
                if number
                else f" {pick[place]}"
            )
            row[key] = text
            parts = [0.5 + (number * 7 + place * 3 + part) % 40 / 100 for part in range(4)]
            row |= {f"{key}_{name}": "0.25" for name in (*AUGMENTED, *FREE)}
            row |= {
                f"{key}_{name}": repr(value)
                for name, value in zip(AUGMENTED[1:5], parts, strict=True)
            }
            row[f"{key}_overall"] = repr(sum(parts) / 4)
            row[f"{key}_word_length"] = f"{len(text.split())}.0"
            row[f"{key}_rouge-L"] = repr(
                rouge_l(reference, text.replace("[1]", " 1").replace("TL;DR:", "TL DR"))
            )
            row[f"{key}_exact_match"] = "0.0"
        for regime in REGIMES:
            row[f"{regime}_relevant_ids"] = str(
                [11, 50 + number, 99, 98]
                + ([int(row["PMID"])] if regime == "clinfo_pubmed" else [])
            )
            row[f"{regime}_irrelevant_Pubmed_ids"] = "[97]"
        row["clinfo_pubmed_Queries"] = "['help']"
        made.append(row)
    return made


def write(
    folder: Path, made: Sequence[Row], *, tables: bool = True, names: tuple[str, str] | None = None
) -> None:
    """The published files of these rows; the small tables are computed from the rows' scores."""
    free, augmented = names or ("Model__all_all_scores.csv", "scores__all_2021.csv")
    texts = [
        *OWN,
        *(
            f"{key}{end}"
            for key in REGIMES
            for end in ("", "_relevant_ids", "_irrelevant_Pubmed_ids")
        ),
        "clinfo_pubmed_Queries",
    ]
    texts += [key for key in KEYS if key not in texts]
    _write(folder / free, [*texts, *(f"{key}_{name}" for key in KEYS for name in FREE)], made)
    _write(
        folder / augmented, [*texts, *(f"{key}_{name}" for key in KEYS for name in AUGMENTED)], made
    )
    if tables:
        heads = {"commet": "Comet", "word_length": "Average Length"}
        order = [*AUGMENTED[1:], "word_length"]
        for stem, columns in (("human_answer_all_2021", order), ("Model__all_metric", FREE[:-1])):
            for kind, measure in (("mean", statistics.fmean), ("std", statistics.pstdev)):
                name = f"{kind}_{stem}.csv" if stem.startswith("human") else f"{stem}_{kind}.csv"
                _write_table(
                    folder / name,
                    made,
                    {column: heads.get(column, column) for column in columns},
                    measure,
                )


def _write_table(
    path: Path,
    made: Sequence[Row],
    columns: Mapping[str, str],
    measure: Callable[[list[float]], float],
) -> None:
    listed = [
        {"Model": key}
        | {
            head: str(round(measure([float(row[f"{key}_{column}"]) for row in made]), 3))
            for column, head in columns.items()
        }
        for key in KEYS
    ]
    _write(path, ["Model", *columns.values()], listed)


def _write(path: Path, header: Sequence[str], listed: Sequence[Row]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, header, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(listed)
