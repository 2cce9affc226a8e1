"""Texts as vectors: one a token, from one hidden layer of an encoder. BERTScore and CTC stand on
it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clinfo.errors import UsageError

if TYPE_CHECKING:
    import torch

_PAIRS_HELD = 128
_BATCH = 16
_SPECIAL_POSITIONS = {"roberta": 2, "xlm-roberta": 2, "camembert": 2}
"""Positions of such models' tables that no token can have."""


class Encoder:
    """A model cut after ``layer`` (from 1) with its tokenizer, in inference mode, in single
    precision.

    The tokenizer is the slow one, and texts are stripped and encoded by bert-score's
    ``sent_encode``, because that is what the published implementations do. Raises `UsageError` for
    a layer or an architecture that it does not know.
    """

    def __init__(self, folder: Path, layer: int, device: str) -> None:
        import torch
        from transformers import AutoModel, AutoTokenizer

        model = AutoModel.from_pretrained(folder, local_files_only=True, dtype=torch.float32)
        stack: Any = getattr(model, "encoder", None) or getattr(model, "transformer", None)
        layers = getattr(stack, "layer", None)
        if layers is None:
            raise UsageError(
                f"{folder}: {type(model).__name__} is not an encoder that this metric can use "
                "(BERT, DistilBERT, RoBERTa)"
            )
        if not 1 <= layer <= len(layers):
            raise UsageError(f"{folder}: layer {layer} was asked for, the model has {len(layers)}")
        stack.layer = torch.nn.ModuleList(layers[:layer])
        self.model = model.eval().to(device)
        self.device = device
        self.tokenizer = AutoTokenizer.from_pretrained(
            folder, local_files_only=True, use_fast=False
        )
        positions = model.config.max_position_embeddings - _SPECIAL_POSITIONS.get(
            model.config.model_type, 0
        )
        self.max_tokens: int = min(int(self.tokenizer.model_max_length), int(positions))
        self.tokenizer.model_max_length = self.max_tokens

    def tokens(self, text: str) -> list[int]:
        """Token ids with the special ones at both ends, cut to `max_tokens`."""
        from bert_score.utils import sent_encode

        return list(sent_encode(self.tokenizer, text))

    def is_cut(self, text: str) -> bool:
        """Return whether a text has more tokens than the model takes."""
        if len(self.tokens(text)) < self.max_tokens:
            return False
        self.tokenizer.model_max_length = 10**9
        try:
            return bool(len(self.tokens(text)) > self.max_tokens)
        finally:
            self.tokenizer.model_max_length = self.max_tokens

    def cuts(self, left: Sequence[str], right: Sequence[str]) -> list[bool]:
        """Return whether either text of each pair is cut."""
        cut = {text: self.is_cut(text) for text in dict.fromkeys([*left, *right])}
        return [cut[one] or cut[other] for one, other in zip(left, right, strict=True)]

    def pairs(
        self, left: Sequence[str], right: Sequence[str]
    ) -> Iterator[tuple[int, torch.Tensor, torch.Tensor]]:
        """Of each pair its place and the vectors of both texts, as `encode` gives them; not in the
        order given.

        Pairs that share a text come together, and vectors of few pairs are held at a time: those of
        a whole benchmark would fill gigabytes, and the texts shared by all systems would be encoded
        once a system.
        """
        shared = left if len(set(left)) < len(set(right)) else right
        order = sorted(range(len(left)), key=lambda place: (shared[place], place))
        for start in range(0, len(order), _PAIRS_HELD):
            places = order[start : start + _PAIRS_HELD]
            vectors = self.encode(
                [text for place in places for text in (left[place], right[place])]
            )
            for place in places:
                yield place, vectors[left[place]], vectors[right[place]]

    def encode(self, texts: Sequence[str]) -> dict[str, torch.Tensor]:
        """By text, its vectors: tokens with the special ones × width, on the processor.

        Texts are encoded once each, longest first, so that batches, and with them the last bits, do
        not depend on chance.
        """
        import torch

        ids = {text: self.tokens(text) for text in dict.fromkeys(texts)}
        order = sorted(ids, key=lambda text: (-len(ids[text]), text))
        padding: Any = self.tokenizer.pad_token_id
        vectors: dict[str, torch.Tensor] = {}
        for start in range(0, len(order), _BATCH):
            batch = order[start : start + _BATCH]
            longest = len(ids[batch[0]])
            rows = torch.tensor(
                [ids[text] + [padding] * (longest - len(ids[text])) for text in batch]
            )
            mask = torch.tensor(
                [[1] * len(ids[text]) + [0] * (longest - len(ids[text])) for text in batch]
            )
            with torch.inference_mode():
                hidden = (
                    self.model(rows.to(self.device), attention_mask=mask.to(self.device))[0]
                    .float()
                    .cpu()
                )
            vectors |= {
                text: hidden[place, : len(ids[text])].clone() for place, text in enumerate(batch)
            }
        return vectors
