"""bootstrap.py: what it asks, and that it complains in one line. That it sets everything up is what
`.ci/run` proves.
"""

import subprocess
import sys

import pytest

import bootstrap


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ([], [bootstrap.QUESTION, "--model", "extractive", "--source", "demo"]),
        (["Why?"], ["Why?", "--model", "extractive", "--source", "demo"]),
        (["--json"], [bootstrap.QUESTION, "--json", "--model", "extractive", "--source", "demo"]),
        (["Why?", "--model", "x"], ["Why?", "--model", "x", "--source", "demo"]),
        (["Why?", "--model=x", "--source=pubmed"], ["Why?", "--model=x", "--source=pubmed"]),
        (["--replay", "run.jsonl"], ["--replay", "run.jsonl"]),
        (["--help"], ["--help"]),
    ],
)
def test_what_is_asked(given, asked):
    assert bootstrap._asked(given) == asked


@pytest.mark.parametrize(
    ("given", "run"),
    [
        ([], ["-n", "auto", "--dist", "worksteal", "-m", "not slow"]),
        (["--quick"], ["-n", "auto", "--dist", "worksteal", "-m", "quick"]),
        (["--slow", "-x"], ["-n", "auto", "--dist", "worksteal", "-m", "slow", "-x"]),
        (["--all"], ["-n", "auto", "--dist", "worksteal", "-m", ""]),
        (["tests/claims", "-x"], ["tests/claims", "-x"]),
    ],
)
def test_which_tests_run(given, run):
    assert bootstrap._tested(given) == run


def test_without_a_command_it_explains_itself(capsys):
    assert bootstrap.main([]) == 2
    assert "bootstrap.py ask" in capsys.readouterr().err


def test_the_web_form_asks_the_demo_corpus_first_unless_told_otherwise(monkeypatch, tmp_path):
    called = []
    monkeypatch.setattr(
        bootstrap, "set_up", lambda extras: called.append(extras) or tmp_path / "python"
    )
    monkeypatch.setattr(
        bootstrap, "_call", lambda command, **more: called.append((command[1:], more["env"])) or 0
    )
    monkeypatch.delenv("CLINFO_WEB_SOURCES", raising=False)
    assert bootstrap.main(["web", "--port", "8080"]) == 0
    monkeypatch.setenv("CLINFO_WEB_SOURCES", "local")
    assert bootstrap.main(["web"]) == 0
    installed = [extras for extras in called if isinstance(extras, set)]
    assert installed == [{"web", "plots", "office"}] * 2
    (first, environment), (second, chosen) = [call for call in called if isinstance(call, tuple)]
    assert (first, second) == (["-m", "webapp", "--port", "8080"], ["-m", "webapp"])
    assert environment["CLINFO_WEB_SOURCES"].startswith("demo,")
    assert chosen["CLINFO_WEB_SOURCES"] == "local"


def test_the_benchmarks_get_what_they_need_and_their_own_arguments(monkeypatch, tmp_path):
    called = []
    monkeypatch.setattr(
        bootstrap, "set_up", lambda extras: called.append(extras) or tmp_path / "python"
    )
    monkeypatch.setattr(bootstrap, "_call", lambda command: called.append(command[1:]) or 3)
    assert bootstrap.main(["benchmarks", "reproduce", "published"]) == 3
    assert called == [{"index", "metrics", "plots"}, ["-m", "benchmarks", "reproduce", "published"]]


def test_without_pip_it_says_what_to_do(tmp_path):
    (tmp_path / "bootstrap.py").write_bytes((bootstrap.HERE / "bootstrap.py").read_bytes())
    for name in ("pyproject.toml", "constraints.txt"):
        (tmp_path / name).write_text("")
    code = (
        "import importlib.util as u, sys; real = u.find_spec\n"
        "u.find_spec = lambda name, *more: None if name in ('pip', 'ensurepip') else real(name, "
        "*more)\n"
        f"sys.path.insert(0, {str(tmp_path)!r}); import bootstrap; "
        "sys.exit(bootstrap.main(['ask']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("bootstrap: pip is missing")
    assert "Traceback" not in done.stderr


def test_the_locked_versions_name_no_place():
    lines = (bootstrap.HERE / "constraints.txt").read_text("utf-8").splitlines()
    versions = [line for line in lines if not line.startswith("#")]
    assert versions
    assert all(
        len(line.split("==")) == 2 and "/" not in line and "@" not in line for line in versions
    )
