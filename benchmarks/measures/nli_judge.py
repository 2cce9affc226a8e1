"""A model of natural language inference as the independent judge of support, from a folder on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.measures.judging import Entailment
from clinfo.errors import UsageError
from clinfo.render.wording import number

NLI: Final = "nli:"
"""What a judge's name begins with where the rest is such a folder."""
BATCH: Final = 8
ENTAILS: Final = "1"
"""What a T5 of TRUE's form (Honovich et al., NAACL 2022), the judge that ALCE used, generates for entailment."""


class NliJudge:
    """Premise and hypothesis into entailment or not, by transformers, on a GPU where there is one.

    ``folder`` holds a model and its tokenizer as ``save_pretrained`` leaves them: one that classifies pairs, with a label that
    begins with "entail", or a T5 in the form of TRUE (``premise: … hypothesis: …`` → 1 or 0). Nothing is fetched.
    ``truncated`` counts the premises that were longer than the model reads. Raises UsageError where it cannot be loaded.
    """

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise UsageError(f"--judge {NLI}{folder}: there is no such folder")
        if not (folder / "config.json").is_file():
            raise UsageError(f"{folder} holds no model: a config.json is missing (save one there with save_pretrained)")
        try:
            import torch
            import transformers
        except ImportError:
            how = "docs/neural-metrics.md tells how to install them in an environment of their own"
            raise UsageError(f'a judge from a folder needs torch and transformers (the extra "neural"); {how}') from None
        self._torch = torch
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        local: dict[str, Any] = {"local_files_only": True}
        try:
            config = transformers.AutoConfig.from_pretrained(folder, **local)
            self._generates = bool(config.is_encoder_decoder)
            kind = transformers.AutoModelForSeq2SeqLM if self._generates else transformers.AutoModelForSequenceClassification
            self._tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **local)
            self._model = kind.from_pretrained(folder, **local).to(self._device).eval()
        except (OSError, ValueError) as error:
            raise UsageError(f"the model in {folder} cannot be loaded: {str(error).splitlines()[0]}") from None
        self._label = None if self._generates else _entailment(config.id2label, folder)
        self._longest = min(self._tokenizer.model_max_length, getattr(config, "max_position_embeddings", None) or 10_000)
        self.name = f"{NLI}{folder.name}|{config.model_type}|transformers:{transformers.__version__}"
        self.truncated = self._asked = 0

    @property
    def warnings(self) -> tuple[str, ...]:
        """A line where premises were cut; none where all were read whole."""
        if not self.truncated:
            return ()
        cut = f"{self.truncated:,} of {number(self._asked, 'question')} to the judge"
        return (f"{cut} came with more text of articles than it reads, {self._longest:,} tokens; the end of that text was cut",)

    def judge(self, asked: Sequence[Entailment]) -> list[bool]:
        told: list[bool] = []
        self._asked += len(asked)
        for start in range(0, len(asked), BATCH):
            batch = asked[start : start + BATCH]
            with self._torch.inference_mode():
                told += self._generated(batch) if self._generates else self._classified(batch)
        return told

    def _classified(self, batch: Sequence[Entailment]) -> list[bool]:
        """Entailment where its label has the highest logit. Of a pair that is too long only the premise is cut."""
        premises, sentences = [one.premise for one in batch], [one.sentence for one in batch]
        lengths = self._tokenizer(premises, sentences)["input_ids"]
        self.truncated += sum(len(ids) > self._longest for ids in lengths)
        read = self._tokenizer(
            premises, sentences, truncation="only_first", max_length=self._longest, padding=True, return_tensors="pt"
        ).to(self._device)
        return [int(label) == self._label for label in self._model(**read).logits.argmax(dim=-1)]

    def _generated(self, batch: Sequence[Entailment]) -> list[bool]:
        """Entailment where the reply is 1. The hypothesis stands last, so the premise is cut before it."""
        read = [self._prompt(one) for one in batch]
        tokens = self._tokenizer(read, padding=True, return_tensors="pt").to(self._device)
        given = {"input_ids": tokens["input_ids"], "attention_mask": tokens["attention_mask"]}
        replies = self._model.generate(**given, max_new_tokens=4, do_sample=False, num_beams=1)
        return [text.strip() == ENTAILS for text in self._tokenizer.batch_decode(replies, skip_special_tokens=True)]

    def _prompt(self, one: Entailment) -> str:
        hypothesis = f" hypothesis: {one.sentence}"
        room = self._longest - len(self._tokenizer(f"premise: {hypothesis}")["input_ids"])
        ids = self._tokenizer(one.premise, add_special_tokens=False)["input_ids"]
        if len(ids) <= room:
            return f"premise: {one.premise}{hypothesis}"
        self.truncated += 1
        return f"premise: {self._tokenizer.decode(ids[: max(0, room)])}{hypothesis}"


def _entailment(labels: dict[int, str], folder: Path) -> int:
    for place, name in labels.items():
        if name.lower().startswith("entail"):
            return int(place)
    raise UsageError(f"the model in {folder} has no label that begins with 'entail', but {', '.join(labels.values())}")
