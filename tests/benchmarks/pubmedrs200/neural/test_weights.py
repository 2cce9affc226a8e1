"""Places of weights, and the line that is said where there are none. Needs neither torch nor a
model, but for the cache.
"""

import json
from pathlib import Path

import pytest

from benchmarks.pubmedrs200.metrics import weights
from clinfo.errors import UsageError

BERT_FILES = ("model.safetensors", "tokenizer_config.json", "vocab.txt")


def folder(
    root: Path, *, architecture: str = "distilbert", files: tuple[str, ...] = BERT_FILES
) -> Path:
    """A folder that looks like a checkpoint; only names are looked at."""
    root.mkdir(parents=True)
    (root / "config.json").write_text(json.dumps({"model_type": architecture}))
    for name in files:
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_bytes(b"x")
    return root


@pytest.fixture(autouse=True)
def empty_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The Hugging Face cache of this machine out of sight."""
    try:
        import huggingface_hub.constants
    except ImportError:
        return tmp_path
    cache = tmp_path / "hub"
    cache.mkdir()
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(cache))
    return cache


def test_a_given_folder_comes_before_the_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, theirs = (folder(tmp_path / name / "bertscore") for name in ("mine", "theirs"))
    monkeypatch.setenv(weights.VARIABLE, str(tmp_path / "theirs"))
    assert weights.locate("bertscore").folder == theirs
    assert weights.locate("bertscore", tmp_path / "mine").folder == mine
    (tmp_path / "empty").mkdir()
    assert weights.locate("bertscore", tmp_path / "empty").folder == theirs


def test_another_architecture_is_refused_unless_the_folder_says_so(tmp_path: Path) -> None:
    place = folder(tmp_path / "bertscore", architecture="bert")
    with pytest.raises(UsageError, match=r"distilbert-base-uncased .*metric\.json"):
        weights.locate("bertscore", tmp_path)
    (place / "metric.json").write_text('{"model": "mine", "layer": 9}')
    found = weights.locate("bertscore", tmp_path)
    assert (found.model, found.layer) == ("mine", 9)


def test_the_pinned_revision_in_the_cache_is_used(empty_cache: Path, neural: None) -> None:
    repository = empty_cache / "models--google-bert--bert-base-uncased"
    other = "0" * 40
    revision = weights.CHECKPOINTS["ctc_sf"]["revision"]
    folder(repository / "snapshots" / other, architecture="bert")
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(other)
    assert (
        weights.locate("ctc_sf").revision == other
    )  # what "main" was is better than nothing, and the signature says so
    folder(repository / "snapshots" / revision, architecture="bert")
    found = weights.locate("ctc_sf")
    assert (found.folder.name, found.revision, found.layer) == (revision, revision, 9)
    assert f"|revision:{revision}|" in found.signature
