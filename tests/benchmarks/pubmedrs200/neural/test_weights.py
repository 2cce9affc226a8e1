"""Places of weights, and the line that is said where there are none. Needs neither torch nor a
model, but for the cache.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.pubmedrs200.metrics import registry, weights
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


def test_missing_weights_say_what_to_fetch_and_where_to_put_it(tmp_path: Path) -> None:
    with pytest.raises(weights.MissingWeights) as caught:
        weights.locate("comet", tmp_path)
    text = str(caught.value)
    assert caught.value.exit_status == 2
    assert "\n" not in text
    assert text.startswith(
        f"comet: no weights in {tmp_path}/comet, $CLINFO_WEIGHTS_DIR/comet or the Hugging Face "
        "cache; "
    )
    assert (
        "hf download Unbabel/wmt22-comet-da hparams.yaml checkpoints/model.ckpt --revision "
        f"{weights.CHECKPOINTS['comet']['revision']} "
        f"--local-dir {tmp_path}/comet && "
        "hf download FacebookAI/xlm-roberta-large config.json tokenizer.json tokenizer_config.json "
        f"--revision {weights.CHECKPOINTS['comet/encoder']['revision']} "
        f"--local-dir {tmp_path}/comet/encoder"
    ) in text


def test_everything_that_lacks_is_said_at_once(tmp_path: Path) -> None:
    folder(tmp_path / "ctc_sf", architecture="bert")
    with pytest.raises(weights.MissingWeights) as caught:
        weights.require([*registry.NEURAL, "rouge_l"], tmp_path)
    assert [line.partition(":")[0] for line in caught.value.problems] == [
        "bertscore",
        "unieval",
        "comet",
        "ctc_consistency",
    ]


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
