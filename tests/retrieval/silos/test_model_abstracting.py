"""Abstractions by a scripted model behind a real server: linked, kept, paid once, with faults."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.servers.model import ModelServer
from clinfo.errors import ModelError, PromptError, UsageError
from clinfo.llm.litellm_model import LiteLLMModel
from clinfo.llm.prices import Price
from clinfo.llm.prompts import PromptSet
from clinfo.retrieval.silos.loading import Loaded, load_files
from clinfo.retrieval.silos.model_abstracting import STAGE, Abstracter, prompts_of
from clinfo.retrieval.silos.passages import PART, parts
from clinfo.retrieval.silos.staged import FILE_NAME, Staged
from clinfo.retrieval.silos.store import StoredSilos
from tests.retrieval.silos import rows

PROMPTS = PromptSet("copilot", (STAGE,))
LONG = "# Skin\n\n" + "\n\n".join(
    f"## Chapter {n}\n\n" + f"Sentence of chapter number{n} on nevi. " * 20 for n in range(30)
)


@pytest.fixture
def silos(tmp_path: Path) -> Iterator[StoredSilos]:
    folder = tmp_path / "silos"
    folder.mkdir()
    made = StoredSilos(Staged(folder / FILE_NAME))
    yield made
    made.close()


def reply(body: dict[str, Any]) -> str:
    """What is said of a part: a word that its text has not, and the last chapter that it holds."""
    text = body["messages"][-1]["content"]
    held = [n for n in range(30) if f"number{n} " in text]
    return f"Naevus counselling up to chapterend{held[-1]}." if held else "Naevus counselling."


def load(
    silos: StoredSilos, file: Path, server: ModelServer, silo: str = "ours", **given: Any
) -> Loaded:
    price = Price(1.0, 1.0) if "max_cost" in given else None
    model = LiteLLMModel("openai/scripted", api_base=server.url, api_key="sk-test", price=price)
    abstracter = Abstracter(silos.staged, model, PROMPTS.checked(), **given)
    return load_files(silos, silo, [file], abstracter=abstracter)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "long.md"
    path.write_text(LONG, encoding="utf-8")
    return path


def test_a_hit_on_an_abstraction_brings_a_chunk_of_its_part_and_back(
    silos: StoredSilos, file: Path
) -> None:
    with ModelServer(reply) as server:
        done = load(silos, file, server)
    (document,) = silos.documents("ours")
    spans = parts(document)
    assert len(spans) > 1
    assert all(end - start <= PART for start, end in spans)
    assert (done.lacking, done.usage and done.usage.calls) == (0, len(spans))
    (hit,) = silos.search("ours", "naevus chapterend29")
    assert hit.found_by == f"abstract {len(spans)}"
    assert spans[-1][0] <= hit.start < hit.end <= spans[-1][1]
    assert "counselling" not in hit.text
    (hit,) = silos.search("ours", "number3")
    assert hit.found_by == "text"
    assert hit.abstractions["abstract 1"].startswith("Naevus counselling up to")
    assert f"abstract {len(spans)}" not in hit.abstractions
    asked = server.received[0].body["messages"][-1]["content"]
    assert "<document " in asked


def test_nothing_is_asked_twice(silos: StoredSilos, file: Path, tmp_path: Path) -> None:
    with ModelServer(reply) as server:
        load(silos, file, server)
        paid = len(server.received)
        assert load(silos, file, server).files_kept == 1
        other = tmp_path / "other.md"
        other.write_text(LONG.replace("number29", "number7"), encoding="utf-8")
        load(silos, other, server)
        assert len(server.received) == paid + 1, "one part is another"


def test_records_are_not_read_by_the_model(silos: StoredSilos, tmp_path: Path) -> None:
    path = tmp_path / "items.tsv"
    path.write_text(rows.ITEMS, encoding="utf-8")
    with ModelServer(reply) as server:
        assert load(silos, path, server, "civic").documents == 3
    assert server.received == []


def test_what_lacks_is_made_by_the_next_load(silos: StoredSilos, file: Path) -> None:
    with ModelServer(reply, key="sk-other") as server:
        refused = load(silos, file, server)
    assert isinstance(refused.stopped, ModelError)
    assert refused.lacking > 1
    assert len(server.received) <= 8, "those under way, and no more"
    assert silos.search("ours", "number3"), "the texts are there all the same"
    with ModelServer(reply) as server:
        assert load(silos, file, server).lacking == 0
        assert load(silos, file, server).files_kept == 1
    assert silos.search("ours", "naevus")


def test_a_prompt_of_ones_own_names_the_abstraction(tmp_path: Path) -> None:
    mine = tmp_path / "eligibility.md"
    mine.write_text("Who may enter {title} of {silo}?\n{text}", encoding="utf-8")
    assert list(prompts_of([mine], PROMPTS)) == ["eligibility"]
    with pytest.raises(UsageError, match="different names"):
        prompts_of([mine, mine], PROMPTS)
    mine.write_text("Who may enter {title}?", encoding="utf-8")
    with pytest.raises(PromptError, match=r"eligibility\.md.*silo"):
        prompts_of([mine], PROMPTS)
    with pytest.raises(UsageError, match="cannot be read"):
        prompts_of([tmp_path / "none.md"], PROMPTS)
