"""Loading evaluate modules from folders: offline, by several processes, edited, and never into the
user's home.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.pubmedrs200.metrics import registry
from benchmarks.pubmedrs200.metrics.evaluate_folder import MODULES, FolderScorer, load_module
from benchmarks.pubmedrs200.metrics.spec import Pair
from clinfo.errors import ClinfoError, UsageError

pytestmark = pytest.mark.slow

NO_NETWORK = """
import socket
def refused(*arguments, **keywords):
    raise AssertionError("the network was asked")
socket.socket.connect = refused
socket.getaddrinfo = refused
"""


def _asked(script: str, home: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    without = (
        "HF_EVALUATE_OFFLINE",
        "HF_HUB_OFFLINE",
        "HF_HOME",
        "HF_MODULES_CACHE",
        "XDG_CACHE_HOME",
        "CLINFO_CACHE_DIR",
    )
    known = {name: value for name, value in os.environ.items() if name not in without}
    return subprocess.run(
        [sys.executable, "-c", NO_NETWORK + script],
        capture_output=True,
        text=True,
        timeout=120,
        env=known | {"HOME": str(home), **environment},
    )


@pytest.mark.usefixtures("wordnet")
def test_anybody_can_load_each_folder_without_a_network(
    tmp_path: Path, cache_of_session: Path
) -> None:
    script = f"""
import evaluate
for name in {registry.LEXICAL!r}:
    module = evaluate.load({str(MODULES)!r} + "/" + name)
    found = module.compute(predictions=["a cat", "b"], references=["a cat", "c"])
    assert set(found) - {{"truncated"}} == {{name, "scores"}} and found[name] == sum(found["scores"]) / 2, found
    assert module.description and "predictions" in module.inputs_description and (module.citation or name == "word_length")
    print(name, *found["scores"])
"""  # noqa: E501
    asked = _asked(script, tmp_path, CLINFO_CACHE_DIR=str(cache_of_session))
    lines = dict(line.split(" ", 1) for line in asked.stdout.splitlines())
    assert list(lines) == list(registry.LEXICAL), asked.stderr
    assert lines["rouge_l"] == lines["google_bleu"] == "1.0 0.0"
    assert lines["character"] == "0.0 1.0"
    assert lines["word_length"] == "2.0 1.0"


def test_our_scorers_write_below_the_cache_folder_alone(tmp_path: Path) -> None:
    home, cache = tmp_path / "home", tmp_path / "cache"
    home.mkdir()
    script = """
from benchmarks.pubmedrs200.metrics import registry
from benchmarks.pubmedrs200.metrics.spec import Pair
for scorer in registry.load(["rouge_l", "word_length"]):
    print(scorer.score([Pair("a b", "a c")]))
"""
    asked = _asked(script, home, CLINFO_CACHE_DIR=str(cache))
    assert asked.stdout == "{'rouge_l': [0.5]}\n{'word_length': [2.0]}\n", asked.stderr
    assert list(home.iterdir()) == []
    assert not list(cache.rglob("*.arrow"))


def test_processes_load_at_once_over_what_a_killed_one_left(tmp_path: Path) -> None:
    script = (
        "from benchmarks.pubmedrs200.metrics import registry; from "
        "benchmarks.pubmedrs200.metrics.spec import Pair; "
        "print([list(each.score([Pair('a', 'a')]).values()) for each in registry.load(['rouge_l', "
        "'chrf', 'character'])])"
    )
    environment = os.environ | {"CLINFO_CACHE_DIR": str(tmp_path)}
    for _ in range(2):
        both = [
            subprocess.Popen(
                [sys.executable, "-c", script], env=environment, stdout=subprocess.PIPE, text=True
            )
            for _ in range(3)
        ]
        assert {process.communicate(timeout=120)[0] for process in both} == {
            "[[[1.0]], [[100.0]], [[0.0]]]\n"
        }
        for copy in tmp_path.rglob("rouge_l/*/rouge_l.py"):
            copy.write_bytes(
                copy.read_bytes()[:100]
            )  # as a process leaves it that is killed while it copies


MODULE = '''
import datasets
import evaluate

class Probe(evaluate.Metric):
    """A probe."""

    def _info(self):
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description="",
            citation="",
            inputs_description="",
            features=datasets.Features({"predictions": text, "references": text}),
        )

    def _compute(self, predictions, references):
        return {"scores": [VALUE for _ in predictions]}
'''


def test_an_edited_module_is_loaded_as_it_is_now(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from benchmarks.pubmedrs200.metrics.evaluate_folder "
        "import load_module; "
    )
    script += (
        "print(load_module('probe', Path(sys.argv[1])).compute(predictions=['a'], "
        "references=['b'])['scores'])"
    )
    (tmp_path / "probe").mkdir()
    # The second and third differ after a hash mark only, which evaluate takes for a comment.
    for value, expected in (("1", "[1]\n"), ("len('#')", "[1]\n"), ("len('##')", "[2]\n")):
        (tmp_path / "probe" / "probe.py").write_text(
            MODULE.replace("VALUE", value), encoding="utf-8"
        )
        asked = subprocess.run(
            [sys.executable, "-c", script, str(tmp_path)],
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert asked.stdout == expected, asked.stderr


def test_what_arrow_cannot_hold_is_replaced_and_no_pairs_are_no_values() -> None:
    scorer = FolderScorer("character", "")
    assert scorer.score([Pair("a\ud800b c", "a\ud800b c"), Pair("\udfff", "x")]) == {
        "character": [0.0, 1.0]
    }
    assert scorer.score([]) == {"character": []}


def test_odd_texts_do_not_stop_a_metric() -> None:
    odd = ["", " ", ".", "a", "😀", "\x00", "\u202e", "word " * 20_000, "=1+1"]
    pairs = [Pair(ours, theirs) for ours in odd for theirs in ("", "a", "😀 b")]
    for scorer in registry.load([name for name in registry.LEXICAL if name != "meteor"]):
        for name, values in scorer.score(pairs).items():
            assert len(values) == len(pairs)
            assert all(0 <= value <= (registry.SPECS[name].high or 20_000) for value in values), (
                name
            )


def test_errors_are_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="no evaluate module nothing"):
        load_module("nothing", tmp_path)
    (tmp_path / "file").touch()
    blocked = (
        "from benchmarks.pubmedrs200.metrics.evaluate_folder import load_module\n"
        "load_module('chrf')\n"
    )
    asked = _asked(blocked, tmp_path, CLINFO_CACHE_DIR=str(tmp_path / "file"))
    assert asked.stderr.splitlines()[-1].startswith(
        f"{ClinfoError.__module__}.ClinfoError: the evaluate module chrf cannot be loaded"
    )
    monkeypatch.setitem(sys.modules, "evaluate", None)
    with pytest.raises(UsageError, match="install the extra metrics"):
        load_module("chrf")
