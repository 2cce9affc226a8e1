"""A model of natural language inference by name, through transformers: a folder on this machine, or
a model of the hub.
"""

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from clinfo.claims.learned import Entailment
from clinfo.errors import ModelError, UsageError
from clinfo.extras import install

BATCH: Final = 8


class NliModel:
    """Classifies pairs of texts, on a GPU where there is one; an `EntailmentJudge`. Threads take
    turns.

    ``name`` is a folder that holds a model and its tokenizer as ``save_pretrained`` leaves them,
    from which alone it is then read, or a name of the hub. One of its labels begins with "entail",
    one may begin with "contradict" or "refute", in any case and order. ``truncated`` counts the
    pairs that were longer than the model reads (``longest``, in tokens), whose premise was cut.
    Raises UsageError where it cannot be loaded or its labels cannot be understood.
    """

    def __init__(self, name: str) -> None:
        try:
            import torch
            import transformers
        except ImportError as error:
            lacks = f"an entailment model needs the package {error.name or 'torch'}"
            raise UsageError(f"{lacks}; {install('judge')}") from None
        self._torch = torch
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        local: dict[str, Any] = {"local_files_only": Path(name).is_dir()}
        try:
            config = transformers.AutoConfig.from_pretrained(name, **local)
            self._tokenizer = transformers.AutoTokenizer.from_pretrained(name, **local)
            model = transformers.AutoModelForSequenceClassification.from_pretrained(name, **local)
            self._model = model.to(self._device).eval()
        except (OSError, ValueError, ImportError) as error:
            raise UsageError(
                f"the entailment model {name} cannot be loaded: {str(error).splitlines()[0]}"
            ) from None
        self._supports, self._refutes = _places(config.id2label, name)
        self.model_type = str(config.model_type)
        self.longest = min(
            self._tokenizer.model_max_length,
            getattr(config, "max_position_embeddings", None) or 10_000,
        )
        self.name = Path(name).name if Path(name).is_dir() else name
        self.truncated = 0
        self._turn = threading.Lock()

    def entailments(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        with self._turn:
            try:
                return [
                    one
                    for start in range(0, len(pairs), BATCH)
                    for one in self._classified(pairs[start : start + BATCH])
                ]
            except RuntimeError as error:  # what torch raises, out of memory among it
                raise ModelError(f"{self.name} failed: {str(error).splitlines()[0]}") from None

    def _classified(self, batch: Sequence[tuple[str, str]]) -> list[Entailment]:
        premises, hypotheses = [one for one, _ in batch], [one for _, one in batch]
        lengths = self._tokenizer(premises, hypotheses)["input_ids"]
        self.truncated += sum(len(ids) > self.longest for ids in lengths)
        read = self._tokenizer(
            premises,
            hypotheses,
            truncation="only_first",
            max_length=self.longest,
            padding=True,
            return_tensors="pt",
        ).to(self._device)
        with self._torch.inference_mode():
            shares = self._model(**read).logits.softmax(dim=-1).tolist()
        return [self._entailment(share) for share in shares]

    def _entailment(self, share: Sequence[float]) -> Entailment:
        supports = share[self._supports]
        refutes = share[self._refutes] if self._refutes is not None else 0.0
        return Entailment(supports, max(0.0, 1 - supports - refutes), refutes)


def _places(labels: Mapping[int, str], name: str) -> tuple[int, int | None]:
    """Return where the labels for entailment and, if there is one, for contradiction stand."""
    supports = [int(place) for place, label in labels.items() if label.lower().startswith("entail")]
    refutes = [
        int(place)
        for place, label in labels.items()
        if label.lower().startswith(("contradict", "refute"))
    ]
    if len(supports) != 1 or len(refutes) > 1:
        raise UsageError(
            f"{name} has no label that begins with 'entail', but {', '.join(labels.values())}"
        )
    return supports[0], refutes[0] if refutes else None
