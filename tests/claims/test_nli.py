"""An entailment model by name: a tiny one, made here, loaded by the real code; what cannot be
loaded is said in a line.
"""

import importlib.util
from pathlib import Path

import pytest

from clinfo.claims.nli import NliModel, _places
from clinfo.errors import UsageError
from tests.required import required

THERE = (
    importlib.util.find_spec("torch") is not None
    and importlib.util.find_spec("transformers") is not None
)
needs_torch = pytest.mark.skipif(
    not THERE and not required("neural"), reason="torch and transformers are not installed"
)


@pytest.mark.parametrize(
    ("labels", "places"),
    [
        ({0: "contradiction", 1: "neutral", 2: "ENTAILMENT"}, (2, 0)),
        ({0: "entailment", 1: "neutral", 2: "contradiction"}, (0, 2)),
        ({0: "Entail", 1: "Refutes"}, (0, 1)),
        ({0: "not_entailment", 1: "entailment"}, (1, None)),
    ],
)
def test_labels_are_understood_in_any_order_and_case(
    labels: dict[int, str], places: tuple[int, int | None]
) -> None:
    assert _places(labels, "a-model") == places


@pytest.mark.skipif(THERE, reason="torch and transformers are installed")
def test_without_the_extra_its_install_command_is_named() -> None:
    with pytest.raises(UsageError, match="install the extra judge"):
        NliModel("any")


@needs_torch
def test_probabilities_are_those_of_the_model_whatever_the_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch
    import transformers

    from clinfo.claims import nli
    from tests.benchmarks.pubmedrs200.measures.test_nli_judge import tokenizer_in

    torch.manual_seed(1)
    tokenizer, size = tokenizer_in(tmp_path)
    config = transformers.BertConfig(
        vocab_size=size,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        num_labels=3,
        max_position_embeddings=24,
        id2label={0: "neutral", 1: "Contradiction", 2: "entailment"},
    )
    model = transformers.BertForSequenceClassification(config).eval()
    model.save_pretrained(tmp_path)
    pairs = [
        ("zinc in adults", "colds were shorter"),
        ("iron", "falls were longer in adults"),
        ("zinc " * 40, "colds"),
    ]
    with torch.no_grad():
        expected = [
            model(**tokenizer(*pair, return_tensors="pt", truncation="only_first", max_length=24))
            .logits[0]
            .softmax(0)
            .tolist()
            for pair in pairs
        ]
    judge = NliModel(str(tmp_path))
    for batch in (8, 1):
        monkeypatch.setattr(nli, "BATCH", batch)
        for told, (neither, refutes, supports) in zip(
            judge.entailments(pairs), expected, strict=True
        ):
            assert tuple(told) == pytest.approx((supports, neither, refutes), abs=1e-5)
    assert judge.truncated == 2
    assert (judge.name, judge.longest) == (tmp_path.name, 24)
