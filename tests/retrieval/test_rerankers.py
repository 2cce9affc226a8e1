"""Passages in the order of a reranker of each kind."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from benchmarks.servers.faults import Faults
from benchmarks.servers.model import ModelServer
from clinfo.errors import BudgetReached
from clinfo.llm import prices
from clinfo.retrieval.chunking import by_section
from clinfo.retrieval.documents import Asked
from clinfo.retrieval.embedders import embedder_named
from clinfo.retrieval.readers.plain import of_text
from clinfo.retrieval.rerankers import reranker_named, scored
from clinfo.runs.protocols import ModelReply
from clinfo.runs.spending import MemoryBudget

TEXT = """METHODS:
Zinc zinc zinc itching was what we asked about.

RESULTS:
Itching was significantly lower with zinc cream than with placebo (P = 0.003).
Redness did not differ.
"""
DOCUMENT = of_text(TEXT, "note:1")
PASSAGES = by_section(DOCUMENT, 60)
ASKED = Asked("", "itching", "zinc", "placebo")


def test_a_provider_s_reranker_over_http(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prices, "listed", lambda name: {"input_cost_per_query": 0.5})
    faults, budget = Faults(rate_500=0.5, seed=1), MemoryBudget(0.75)
    told: list[ModelReply] = []
    with ModelServer(lambda body: "", faults=faults) as server:
        reranker = reranker_named(
            "infinity/scripted",
            budget,
            told.append,
            api_base=server.url.removesuffix("/v1"),
            api_key="sk-test",
        )
        assert reranker is not None
        scores = asyncio.run(scored(reranker, ASKED, PASSAGES))
        assert any(one.fault == "500" for one in server.received)
        with pytest.raises(BudgetReached):
            asyncio.run(scored(reranker, ASKED, PASSAGES))
        assert asyncio.run(scored(reranker, ASKED, ())) == []
    assert len(scores) == len(PASSAGES)
    assert max(scores) > min(scores)
    assert [reply.cost_usd for reply in told] == [0.5]
    assert budget.spent == 0.5


def tiny(folder: Path) -> None:
    """A BERT of two layers with a vocabulary of the text's words."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    words = sorted({word.strip(".():").lower() for word in TEXT.split()} - {""})
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
        num_labels=1,
    )
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    transformers.BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)


def test_models_of_sentence_transformers_by_folder(tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers")
    folder = tmp_path / "tiny"
    tiny(folder)
    name = f"sentence-transformers/{folder}"
    reranker, embedder = reranker_named(name), embedder_named(name)
    scores = asyncio.run(scored(reranker, ASKED, PASSAGES))  # type: ignore[arg-type]
    assert len({round(score, 6) for score in scores}) == len(PASSAGES)
    assert asyncio.run(scored(reranker, ASKED, PASSAGES[::-1])) == pytest.approx(  # type: ignore[arg-type]
        scores[::-1], abs=1e-5
    )
    vectors = asyncio.run(embedder.vectors([one.text for one in PASSAGES]))
    assert vectors.shape == (len(PASSAGES), 16)
    assert (vectors @ vectors.T).diagonal() == pytest.approx(1, abs=1e-5)
    assert asyncio.run(embedder.vectors([])).shape == (0, 16)
    assert not embedder.remote
