"""The judges by name: a module is all that one needs."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from clinfo.claims import judges, registry
from clinfo.errors import FieldError, UsageError
from clinfo.pipelines.literature.request import checked
from tests.registries import command, shelved

TOY = '''
from clinfo.claims.learned import Entailment
from clinfo.claims.registry import JudgeSpec

class Stern:
    """Takes every sentence for contradicted."""
    name = "a-stern-one"

    def entailments(self, pairs):
        return [Entailment(0.0, 0.0, 1.0) for _ in pairs]

JUDGE = JudgeSpec("stern", "A stern judge", "Believes nothing.", "believes nothing", open=lambda settings: Stern())
'''  # noqa: E501


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a module of a judge, among those that are looked through."""
    yield from shelved(judges, "stern", TOY, tmp_path, monkeypatch)


def test_a_judge_of_one_module_judges_from_the_command_line(bench: Path) -> None:
    assert "stern (believes nothing)" in " ".join(
        command(judges, bench, "verify", "--help").split()
    )
    article = {
        "n": 1,
        "pmid": "1",
        "title": "Zinc",
        "abstract": "Zinc shortened colds by two days.",
    }
    row = {
        "id": 1,
        "sentence": "Zinc shortened colds by two days [1].",
        "cites": [1],
        "articles": [article],
    }
    (bench / "rows.jsonl").write_text(json.dumps(row) + "\n")
    told = json.loads(command(judges, bench, "verify", "rows.jsonl", "--judge", "stern"))
    assert (told["verdict"], told["judges"]) == ("contradicted", ["a-stern-one"])
    assert (
        json.loads(command(judges, bench, "verify", "rows.jsonl", "--judge", "none"))["verdict"]
        == "quoted"
    )


def test_a_judge_of_one_module_is_in_form_and_requests(bench: Path) -> None:
    script = """
import json, sys
from pathlib import Path
from clinfo.claims import judges
judges.__path__.append(sys.argv[1])
from clinfo.pipelines.literature.stages import LITERATURE
from clinfo.pipelines.literature.request import checked
from tests.webapp.small_app import small_app
client = small_app(Path(sys.argv[1])).test_client()
request = checked(question="Zinc?", model="extractive", judge="stern")
told = ["A stern judge" in client.get("/advanced").text]
told += ["stern" in client.get("/openapi.json").text]
print(json.dumps([*told, "verify" in LITERATURE.planned(request)]))
"""
    done = subprocess.run(
        [sys.executable, "-c", script, str(bench)], capture_output=True, text=True
    )
    assert json.loads(done.stdout) == [True, True, False], done.stderr  # no language model is asked


def test_a_judge_that_is_not_there() -> None:
    with pytest.raises(FieldError):
        checked(question="Zinc?", model="extractive", judge="stern")
    with pytest.raises(UsageError):
        registry.spec("stern")
    assert registry.names() == ("model", "nli", "both", "none")
    assert [name for name in registry.names() if registry.spec(name).model] == ["model", "both"]


@pytest.mark.parametrize(("before", "today"), [("rules", "none"), ("learned", "nli")])
def test_a_name_of_before_is_todays_and_said_in_one_line(before: str, today: str) -> None:
    assert registry.spec(before).name == today
    assert today in registry.renamed(before)
    assert checked(question="Zinc?", model="extractive", judge=before).judge == today
    assert registry.renamed(today) == ""
