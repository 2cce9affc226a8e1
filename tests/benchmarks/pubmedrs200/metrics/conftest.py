"""One cache folder for the whole session, so that WordNet is copied once; and whether WordNet is on
this machine.
"""

from pathlib import Path

import pytest

from tests.required import absent

pytest.importorskip("evaluate")
pytest.importorskip("nltk")
pytest.importorskip("rouge_score")
pytest.importorskip("sacrebleu")


@pytest.fixture(scope="session")
def metrics_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("metrics-cache")


@pytest.fixture(autouse=True)
def cache_of_session(metrics_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CLINFO_CACHE_DIR", str(metrics_cache))
    return metrics_cache


@pytest.fixture
def wordnet(cache_of_session: Path) -> None:
    from benchmarks.pubmedrs200.metrics.wordnet import reader
    from clinfo.errors import UsageError

    try:
        reader()
    except UsageError as error:
        absent("wordnet", str(error))
