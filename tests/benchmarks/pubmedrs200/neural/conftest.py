"""Neural metrics on tiny models; skipped where the packages are not installed, unless
CLINFO_TEST_REQUIRE names "neural".
"""

import importlib.util
from pathlib import Path

import pytest

from tests.benchmarks.pubmedrs200.neural import tiny_models
from tests.required import absent

_PACKAGES = ("torch", "transformers", "evaluate", "bert_score", "comet", "sentencepiece")


@pytest.fixture(scope="session")
def neural() -> None:
    """Skip where a package is missing; fail where CLINFO_TEST_REQUIRE says that all must be
    there.
    """
    if missing := [name for name in _PACKAGES if importlib.util.find_spec(name) is None]:
        absent("neural", f"not installed: {', '.join(missing)}")
    import torch

    torch.set_num_threads(1)  # the models are tiny, and other tests may run beside these


@pytest.fixture(autouse=True)
def nothing_of_this_machine(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """No weights, caches or network but the test's own."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.delenv("CLINFO_WEIGHTS_DIR", raising=False)
    # One cache for all tests: Python keeps the package of copied modules that it imported first.
    monkeypatch.setenv("CLINFO_CACHE_DIR", str(tmp_path_factory.getbasetemp() / "cache"))


@pytest.fixture(scope="session")
def weights(neural: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of weights for every metric."""
    root = tmp_path_factory.mktemp("weights")
    tiny_models.encoder(root / "bertscore", "distilbert")
    tiny_models.encoder(root / "ctc_sf", "bert")
    tiny_models.encoder(root / "ctc_consistency", "roberta")
    tiny_models.t5(root / "unieval")
    tiny_models.comet(root / "comet")
    return root
