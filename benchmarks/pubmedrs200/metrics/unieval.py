"""UniEval's four dimensions of a summary and their mean: how probable a model that was trained on
such questions finds the answer "Yes".
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final

from benchmarks.pubmedrs200.metrics import base
from benchmarks.pubmedrs200.metrics.spec import MetricSpec
from benchmarks.pubmedrs200.metrics.word_tokens import SENTENCES, sentences

_MAX_TOKENS: Final = 1024
_BATCH: Final = 8
_PAPER: Final = (
    "Zhong et al., Towards a Unified Multi-Dimensional Evaluator for Text Generation, EMNLP 2022; "
    "own implementation"
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


def _spec(dimension: str, *needs: str) -> MetricSpec:
    return MetricSpec(
        f"unieval_{dimension}", f"UniEval {dimension}", 0.0, 1.0, "higher", 0.0, _PAPER,
        ("prediction", *needs), True, base.TRUNCATION,
    )  # fmt: skip


class UniEval(base.NeuralMetric):
    """How probable a model finds Yes as the answer to a question on coherence, consistency,
    fluency or relevance.

    P(Yes) / (P(Yes) + P(No)) of the first answer token. Consistency and fluency are means over
    the prediction's sentences, overall is the mean of the four; a text without a sentence has
    0.
    """

    SPECS = (
        _spec("coherence", "source"),
        _spec("consistency", "source"),
        _spec("fluency"),
        _spec("relevance", "reference"),
        _spec("overall", "reference", "source"),
    )
    FOLDER = "unieval"

    def settings(self, name: str) -> str:
        return (
            f"unieval:own|{self.located.signature}|task:summarization|{SENTENCES}|"
            f"max-tokens:{_MAX_TOKENS}"
        )

    @cached_property
    def model(self) -> Any:
        import torch
        from transformers import AutoModelForSeq2SeqLM

        model = AutoModelForSeq2SeqLM.from_pretrained(
            self.located.folder, local_files_only=True, dtype=torch.float32
        )
        return model.eval().to(self.device)

    @cached_property
    def tokenizer(self) -> Any:
        from transformers import AutoTokenizer

        return AutoTokenizer.from_pretrained(self.located.folder, local_files_only=True)

    def _compute(
        self, predictions: Sequence[str], references: Sequence[str], sources: Sequence[str] = ()
    ) -> dict[str, Any]:
        questions: list[str] = []
        owners: list[tuple[str, int]] = []
        for place, text in enumerate(predictions):
            pieces = sentences(text)
            given = {"source": sources[place], "reference": references[place]}
            for dimension, words in QUESTIONS.items():
                parts = pieces if dimension in BY_SENTENCE else [text] if pieces else []
                questions += [words.format(text=part, **given) for part in parts]
                owners += [(dimension, place)] * len(parts)
        found: dict[tuple[str, int], list[tuple[float, bool]]] = {}
        for owner, answer in zip(owners, self._answers(questions), strict=True):
            found.setdefault(owner, []).append(answer)
        scores: dict[str, list[float]] = {}
        cuts: dict[str, list[bool]] = {}
        for name in QUESTIONS:
            answers = [found.get((name, place), []) for place in range(len(predictions))]
            scores[name] = [_mean([value for value, _ in each]) for each in answers]
            cuts[name] = [any(cut for _, cut in each) for each in answers]
        scores["overall"] = [_mean(list(four)) for four in zip(*scores.values(), strict=True)]
        cuts["overall"] = [any(four) for four in zip(*cuts.values(), strict=True)]
        return base.results(
            {f"unieval_{name}": values for name, values in scores.items()},
            {f"unieval_{name}": values for name, values in cuts.items()},
        )

    def _answers(self, questions: list[str]) -> list[tuple[float, bool]]:
        """For each question P(Yes) / (P(Yes) + P(No)), and whether it was cut to ``max_tokens``."""
        import torch

        yes, no = (self.tokenizer(word)["input_ids"][0] for word in ("Yes", "No"))
        ids = {
            text: self.tokenizer(text, verbose=False)["input_ids"]
            for text in dict.fromkeys(questions)
        }
        order = sorted(ids, key=lambda text: (-len(ids[text]), text))
        answers: dict[str, float] = {}
        for start in range(0, len(order), _BATCH):
            batch = order[start : start + _BATCH]
            given = self.tokenizer(
                batch,
                max_length=_MAX_TOKENS,
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
            values = torch.sigmoid((logits[:, yes] - logits[:, no]).double()).tolist()
            answers |= dict(zip(batch, values, strict=True))
        return [(answers[text], len(ids[text]) > _MAX_TOKENS) for text in questions]


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0
