"""UniEval for summaries as an `evaluate` module: a question about a text, and how probable the
model finds the answer "Yes".
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import datasets
import evaluate

_DESCRIPTION = (
    "P(Yes) / (P(Yes) + P(No)) of the first answer token to a yes-or-no question on coherence, "
    "consistency, fluency or relevance "
    "(Zhong et al., Towards a Unified Multi-Dimensional Evaluator for Text Generation, EMNLP 2022)."
)
QUESTIONS = {
    "coherence": (
        "question: Is this a coherent summary to the document? </s> summary: {text} </s> document: "
        "{source}"
    ),
    "consistency": (
        "question: Is this claim consistent with the document? </s> claim: {text} </s> document: "
        "{source}"
    ),
    "fluency": "question: Is this a fluent paragraph? </s> paragraph: {text}",
    "relevance": (
        "question: Is this summary relevant to the reference? </s> summary: {text} </s> reference: "
        "{reference}"
    ),
}
"""The wordings on which the checkpoint was trained; other words would be another metric."""
BY_SENTENCE = ("consistency", "fluency")
"""Asked of every sentence and averaged; the others of the whole text."""


class UniEval(evaluate.Metric):  # type: ignore[misc]  # evaluate has no types
    """``compute(predictions, references, sources, dimensions)`` → {dimension: [0..1], "truncated":
    {dimension: [bool]}}.

    References and sources that a dimension does not use may be "". A text without a sentence scores
    0. ``overall`` is the mean of the four.
    """

    def __init__(
        self,
        *arguments: Any,
        folder: Path,
        device: str,
        batch_size: int,
        max_tokens: int,
        **keywords: Any,
    ) -> None:
        super().__init__(*arguments, **keywords)
        import torch
        from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

        self.tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        model = AutoModelForSeq2SeqLM.from_pretrained(
            folder, local_files_only=True, dtype=torch.float32
        )
        self.model = model.eval().to(device)
        self.yes, self.no = (self.tokenizer(word)["input_ids"][0] for word in ("Yes", "No"))
        self.device = device
        self.batch_size = batch_size
        self.max_tokens = max_tokens

    def _info(self) -> evaluate.MetricInfo:
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation="https://aclanthology.org/2022.emnlp-main.131",
            inputs_description=(
                "predictions, references, sources: lists of texts; dimensions: names of what is "
                "asked"
            ),
            features=datasets.Features({"predictions": text, "references": text, "sources": text}),
        )

    def _compute(
        self,
        predictions: list[str],
        references: list[str],
        sources: list[str],
        dimensions: Sequence[str],
    ) -> dict[str, Any]:
        from benchmarks.pubmedrs200.metrics.sentence_splitting import sentences

        asked = [name for name in QUESTIONS if name in dimensions or "overall" in dimensions]
        pieces = [sentences(text) for text in predictions]
        questions: list[str] = []
        owners: list[tuple[str, int]] = []
        for dimension in asked:
            for place, text in enumerate(predictions):
                parts = (
                    pieces[place] if dimension in BY_SENTENCE else [text] if pieces[place] else []
                )
                questions += [
                    QUESTIONS[dimension].format(
                        text=part, source=sources[place], reference=references[place]
                    )
                    for part in parts
                ]
                owners += [(dimension, place)] * len(parts)
        found: dict[tuple[str, int], list[tuple[float, bool]]] = {owner: [] for owner in owners}
        for owner, answer in zip(owners, self._answers(questions), strict=True):
            found[owner].append(answer)
        scores: dict[str, Any] = {}
        cut: dict[str, list[bool]] = {}
        for name in asked:
            answers = [found.get((name, place), []) for place in range(len(predictions))]
            scores[name] = [_mean([value for value, _ in each]) for each in answers]
            cut[name] = [any(was_cut for _, was_cut in each) for each in answers]
        if "overall" in dimensions:
            scores["overall"] = [
                _mean(list(values))
                for values in zip(*(scores[name] for name in QUESTIONS), strict=True)
            ]
            cut["overall"] = [
                any(values) for values in zip(*(cut[name] for name in QUESTIONS), strict=True)
            ]
        return {name: scores[name] for name in dimensions} | {
            "truncated": {name: cut[name] for name in dimensions}
        }

    def _answers(self, questions: list[str]) -> list[tuple[float, bool]]:
        """For each question P(Yes) / (P(Yes) + P(No)), and whether it was cut to ``max_tokens``."""
        import torch

        ids = {
            text: self.tokenizer(text, verbose=False)["input_ids"]
            for text in dict.fromkeys(questions)
        }
        order = sorted(ids, key=lambda text: (-len(ids[text]), text))
        answers: dict[str, float] = {}
        for start in range(0, len(order), self.batch_size):
            batch = order[start : start + self.batch_size]
            given = self.tokenizer(
                batch,
                max_length=self.max_tokens,
                truncation=True,
                padding=True,
                return_tensors="pt",
            )
            given = given.to(self.device)
            first = torch.full(
                (len(batch), 1), self.model.config.decoder_start_token_id, device=self.device
            )
            with torch.inference_mode():
                logits = self.model(
                    input_ids=given["input_ids"],
                    attention_mask=given["attention_mask"],
                    decoder_input_ids=first,
                ).logits[:, 0, :]
            # The softmax's denominator cancels; the logistic function of the difference is the same
            # without underflow.
            values = torch.sigmoid((logits[:, self.yes] - logits[:, self.no]).double()).tolist()
            answers |= dict(zip(batch, values, strict=True))
        return [(answers[text], len(ids[text]) > self.max_tokens) for text in questions]


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0
