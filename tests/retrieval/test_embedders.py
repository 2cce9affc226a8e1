"""Embedders: what they have in common, and what each costs and keeps."""

import asyncio
from pathlib import Path

import numpy as np
import pytest

from benchmarks.servers.faults import Faults
from benchmarks.servers.model import ModelServer
from clinfo.cache import Cache
from clinfo.errors import BudgetReached
from clinfo.llm import prices
from clinfo.retrieval.embedders import Embedder, embedder_named
from clinfo.runs.spending import MemoryBudget

TEXTS = [f"passage number {number} on zinc" for number in range(150)]
MODEL = "openai/scripted"


def served(**options: object) -> ModelServer:
    return ModelServer(lambda body: "", **options)  # type: ignore[arg-type]


def at(server: ModelServer, **options: object) -> Embedder:
    return embedder_named(MODEL, api_base=server.url, api_key="sk-test", **options)  # type: ignore[arg-type]


def test_each_text_is_asked_for_once(tmp_path: Path) -> None:
    with served() as server:
        cache = Cache(tmp_path / "cache.sqlite")
        first = asyncio.run(at(server, cache=cache).vectors([*TEXTS, *TEXTS[:9]]))
        again = asyncio.run(at(server, cache=cache).vectors([*TEXTS[::-1], "a new one"]))
        asked = [text for one in server.received for text in one.body["input"]]
    assert sorted(asked) == sorted([*TEXTS, "a new one"])
    assert len(server.received) == 4  # three batches, and one
    assert first.dtype == np.float32
    assert np.allclose(np.linalg.norm(first, axis=1), 1, atol=1e-6)
    assert np.array_equal(again[:-1][::-1], first[: len(TEXTS)])
    assert np.array_equal(first[len(TEXTS) :], first[:9])


def test_faults_end_in_the_vectors_of_a_faultless_server() -> None:
    faults = Faults(rate_429=0.3, rate_500=0.3, seed=1)
    with served() as good, served(faults=faults) as bad:
        wanted, found = (asyncio.run(at(one).vectors(TEXTS)) for one in (good, bad))
        assert any(one.fault != "none" for one in bad.received)
    assert np.array_equal(wanted, found)


def test_calls_are_kept_within_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prices, "cost", lambda name, tokens, *_, **__: tokens / 1000)
    budget = MemoryBudget(3.0)

    async def run() -> None:
        with served() as server:
            embedder = at(server, budget=budget)
            await embedder.vectors(TEXTS[:100])
            assert budget.spent == pytest.approx(0.5)  # five words each
            with pytest.raises(BudgetReached):
                await embedder.vectors([text + " and more" * 90 for text in TEXTS])

    asyncio.run(run())
    assert budget.reserved == 0


@pytest.mark.parametrize("name", ["wordllama", MODEL])
def test_like_texts_lie_nearer_and_nothing_has_no_direction(name: str) -> None:
    if name == "wordllama":
        pytest.importorskip("wordllama")
    said = ["myocardial infarction and stroke", "stroke and myocardial infarction", "skin cream"]
    with served() as server:
        embedder = embedder_named() if name == "wordllama" else at(server)
        vectors = asyncio.run(embedder.vectors([*said, ""]))
        none = asyncio.run(embedder.vectors([]))
    assert embedder.remote is False  # the scripted server is on this machine
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2]
    assert np.isfinite(vectors).all()
    assert len(none) == 0


SENTENCES = ("Itching was lower with zinc cream than with placebo.", "Redness did not differ.")


def tiny(folder: Path) -> None:
    """A BERT of two layers with a vocabulary of the text's words."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    words = sorted({word.strip(".():").lower() for word in " ".join(SENTENCES).split()} - {""})
    folder.mkdir()
    (folder / "vocab.txt").write_text(
        "\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]), encoding="utf-8"
    )
    torch.manual_seed(1)
    config = transformers.BertConfig(
        vocab_size=len(words) + 5,
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=16,
    )
    transformers.BertModel(config).save_pretrained(folder)
    transformers.BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)


def test_models_of_sentence_transformers_by_folder(tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers")
    folder = tmp_path / "tiny"
    tiny(folder)
    embedder = embedder_named(f"sentence-transformers/{folder}")
    vectors = asyncio.run(embedder.vectors(SENTENCES))
    assert vectors.shape == (len(SENTENCES), 16)
    assert (vectors @ vectors.T).diagonal() == pytest.approx(1, abs=1e-5)
    assert asyncio.run(embedder.vectors([])).shape == (0, 16)
    assert not embedder.remote
