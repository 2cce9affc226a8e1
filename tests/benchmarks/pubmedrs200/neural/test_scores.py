"""Every neural metric through its real loading code, against a computation written here from the
model's raw outputs.
"""

import math
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.pubmedrs200.metrics import registry
from benchmarks.pubmedrs200.metrics.spec import Pair

PAIRS = [
    Pair(
        "Aspirin lowers the risk of stroke in adults. No difference was found in diabetes.",
        "The trial found fewer strokes with aspirin than with placebo.",
        "Adults with diabetes had aspirin or placebo. Patients had fewer events.",
    ),
    Pair(
        "Yoga reduced blood pressure vs. placebo by 5 mm Hg",
        "blood pressure was lowered by yoga (n=12)",
        "A trial in adults.",
    ),
    Pair(
        "no difference",
        "No difference was found, and an event is a stroke!",
        "Stroke in patients with diabetes; yoga.",
    ),
    Pair("Is this a claim?", "document", "summary of the document"),
    Pair(
        "Patients had events. Adults had none. Aspirin was found.",
        "aspirin " * 6,
        "the reference paragraph",
    ),
]
ALL = list(registry.NEURAL)


def scores(weights: Path, names: list[str], pairs: list[Pair] = PAIRS) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for scorer in registry.load(names, weights):
        found |= scorer.score(pairs)
    return found


@cache
def opened(folder: Path, kind: str) -> Any:
    """Tokenizer and model as transformers reads them."""
    from transformers import AutoModel, AutoModelForSeq2SeqLM, AutoTokenizer

    if kind == "encoder":
        return AutoTokenizer.from_pretrained(
            folder, add_prefix_space=True
        ), AutoModel.from_pretrained(folder).eval()
    return AutoTokenizer.from_pretrained(folder), AutoModelForSeq2SeqLM.from_pretrained(
        folder
    ).eval()


def hidden(folder: Path, text: str, layer: int = 2) -> np.ndarray[Any, Any]:
    """Tokens × width of one text alone, unpadded, from the uncut model's list of hidden states."""
    import torch

    tokenizer, model = opened(folder, "encoder")
    with torch.no_grad():
        states = model(
            **tokenizer(text, return_tensors="pt"), output_hidden_states=True
        ).hidden_states
    return np.asarray(states[layer][0].double())


def best_cosines(rows: np.ndarray[Any, Any], columns: np.ndarray[Any, Any]) -> list[float]:
    return [
        max(
            float(row @ column) / math.sqrt(float(row @ row) * float(column @ column))
            for column in columns
        )
        for row in rows
    ]


def test_bertscore_is_f1_of_matched_hidden_states(weights: Path) -> None:
    found = scores(weights, ["bertscore"])["bertscore"]
    for pair, value in zip(PAIRS, found, strict=True):
        prediction, reference = (
            hidden(weights / "bertscore", text) for text in (pair.prediction, pair.reference)
        )
        precision = np.mean(best_cosines(prediction[1:-1], reference))
        recall = np.mean(best_cosines(reference[1:-1], prediction))
        assert value == pytest.approx(2 * precision * recall / (precision + recall), abs=1e-5)
    assert max(found) - min(found) > 0.01


@pytest.mark.parametrize("name", ["ctc_sf", "ctc_consistency"])
def test_ctc_is_the_mean_best_cosine_of_the_predictions_tokens(weights: Path, name: str) -> None:
    found = scores(weights, [name])[name]
    for pair, value in zip(PAIRS, found, strict=True):
        prediction = hidden(weights / name, pair.prediction)[1:-1]
        context = hidden(weights / name, pair.reference if name == "ctc_sf" else str(pair.source))[
            1:-1
        ]
        assert value == pytest.approx(np.mean(best_cosines(prediction, context)), abs=1e-5)
    assert max(found) - min(found) > 0.01


def unieval_answer(folder: Path, question: str) -> float:
    """P(Yes) / (P(Yes) + P(No)) over the whole vocabulary at the decoder's first step, by
    ``generate``.
    """
    import torch

    tokenizer, model = opened(folder, "sequence-to-sequence")
    step = model.generate(
        input_ids=tokenizer(question, return_tensors="pt")["input_ids"],
        max_new_tokens=1,
        do_sample=False,
        output_logits=True,
        return_dict_in_generate=True,
    )
    chances = torch.softmax(step.logits[0][0].double(), dim=0)
    yes, no = (float(chances[tokenizer.convert_tokens_to_ids(word)]) for word in ("Yes", "No"))
    return yes / (yes + no)


def test_unieval_is_the_share_of_yes(weights: Path) -> None:
    names = [name for name in ALL if name.startswith("unieval_")]
    found = scores(weights, names)
    sentences = [
        ["Aspirin lowers the risk of stroke in adults.", "No difference was found in diabetes."],
        ["Yoga reduced blood pressure vs. placebo by 5 mm Hg"],
        ["no difference"],
        ["Is this a claim?"],
        ["Patients had events.", "Adults had none.", "Aspirin was found."],
    ]

    def ask(question: str) -> float:
        return unieval_answer(weights / "unieval", question)

    coherence = "question: Is this a coherent summary to the document? </s> summary: "
    consistency = "question: Is this claim consistent with the document? </s> claim: "
    fluency = "question: Is this a fluent paragraph? </s> paragraph: "
    relevance = "question: Is this summary relevant to the reference? </s> summary: "
    for place, pair in enumerate(PAIRS):
        expected = {
            "coherence": ask(f"{coherence}{pair.prediction} </s> document: {pair.source}"),
            "consistency": np.mean(
                [
                    ask(f"{consistency}{each} </s> document: {pair.source}")
                    for each in sentences[place]
                ]
            ),
            "fluency": np.mean([ask(fluency + each) for each in sentences[place]]),
            "relevance": ask(f"{relevance}{pair.prediction} </s> reference: {pair.reference}"),
        }
        expected["overall"] = sum(expected.values()) / 4
        for dimension, value in expected.items():
            assert found[f"unieval_{dimension}"][place] == pytest.approx(value, abs=1e-5)
    assert all(0.01 < value < 0.99 for name in names for value in found[name])


def test_comet_is_the_estimate_from_pooled_vectors(weights: Path) -> None:
    """The forward pass by hand: layers of a plain XLM-R mixed, averaged over tokens, combined,
    through the estimator.
    """
    import torch
    from transformers import AutoTokenizer, XLMRobertaConfig, XLMRobertaModel

    state = torch.load(weights / "comet" / "checkpoints" / "model.ckpt")["state_dict"]
    beside = weights / "comet" / "encoder"
    tokenizer = AutoTokenizer.from_pretrained(beside)
    plain = XLMRobertaModel(
        XLMRobertaConfig.from_pretrained(beside), add_pooling_layer=False
    ).eval()
    prefix = "encoder.model."
    plain.load_state_dict(
        {key.removeprefix(prefix): value for key, value in state.items() if key.startswith(prefix)}
    )
    mixing = torch.cat(
        [state[f"layerwise_attention.scalar_parameters.{layer}"] for layer in range(3)]
    )
    shares = sparsemax(mixing.tolist())

    def sentence(text: str) -> Any:
        with torch.no_grad():
            layers = plain(
                **tokenizer(text, return_tensors="pt"), output_hidden_states=True
            ).hidden_states
        mixed = (
            sum(share * layer for share, layer in zip(shares, layers, strict=True))
            * state["layerwise_attention.gamma"]
        )
        return mixed[0].mean(dim=0)

    found = scores(weights, ["comet"])["comet"]
    for pair, value in zip(PAIRS, found, strict=True):
        source, prediction, reference = (
            sentence(str(text)) for text in (pair.source, pair.prediction, pair.reference)
        )
        joined = torch.cat(
            [
                prediction,
                reference,
                prediction * reference,
                (prediction - reference).abs(),
                prediction * source,
                (prediction - source).abs(),
            ]
        )
        middle = torch.tanh(state["estimator.ff.0.weight"] @ joined + state["estimator.ff.0.bias"])
        expected = state["estimator.ff.3.weight"] @ middle + state["estimator.ff.3.bias"]
        assert value == pytest.approx(float(expected), abs=1e-4)
    assert max(found) - min(found) > 0.01


def sparsemax(values: list[float]) -> list[float]:
    """The Euclidean projection onto the simplex (Martins and Astudillo 2016), by its definition."""
    ordered = sorted(values, reverse=True)
    kept = [k for k in range(1, len(values) + 1) if 1 + k * ordered[k - 1] > sum(ordered[:k])]
    threshold = (sum(ordered[: kept[-1]]) - 1) / kept[-1]
    return [max(value - threshold, 0.0) for value in values]


def test_empty_texts_score_the_floor_and_leave_others_as_they_are(weights: Path) -> None:
    pairs = [
        Pair("", "x", "y"),
        PAIRS[0],
        Pair(" \n", "aspirin", "yoga"),
        Pair("aspirin", " ", "yoga"),
        PAIRS[1],
    ]
    found, without = scores(weights, ALL, pairs), scores(weights, ALL, PAIRS[:2])
    for name, spec in ((name, registry.SPECS[name]) for name in ALL):
        assert [found[name][place] for place in (0, 2)] == [spec.floor, spec.floor]
        assert [found[name][place] for place in (1, 4)] == pytest.approx(without[name], abs=1e-5)
        needs_no_reference = name in (
            "ctc_consistency",
            "unieval_coherence",
            "unieval_consistency",
            "unieval_fluency",
        )
        assert (found[name][3] != spec.floor) == needs_no_reference
    assert scores(weights, ALL, []) == {name: [] for name in ALL}
    assert scores(weights, ["bertscore"], [Pair("", "x")]) == {"bertscore": [0.0]}


@pytest.mark.parametrize(
    ("name", "long", "limit"),
    [
        ("bertscore", lambda text: Pair(text, "aspirin"), 64),
        ("bertscore", lambda text: Pair("aspirin", text), 64),
        ("ctc_sf", lambda text: Pair("aspirin", text), 64),
        ("ctc_consistency", lambda text: Pair("aspirin", "", text), 64),
        ("unieval_consistency", lambda text: Pair("aspirin", "x", text), 1024),
        ("comet", lambda text: Pair("aspirin", "stroke", text), 62),
    ],
)
def test_texts_that_are_cut_are_told(
    weights: Path, name: str, long: Callable[[str], Pair], limit: int
) -> None:
    [scorer] = registry.load([name], weights)
    scorer.score([long("stroke"), Pair("", "stroke", "stroke " * 2 * limit)])
    assert scorer.truncated == {name: [False, False]}
    value = scorer.score([PAIRS[0], long("stroke " * 2 * limit)])[name][1]
    assert scorer.truncated == {name: [False, True]}
    assert registry.SPECS[name].truncation
    assert math.isfinite(value)
