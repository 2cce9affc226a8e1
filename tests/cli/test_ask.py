"""``clinfo ask`` as a person or a script meets it: what goes where, exit statuses, saved runs,
interruption.
"""

import fcntl
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import replace

import pytest

from clinfo.cli import run
from clinfo.pipelines.literature.events import ArticlesFetched, ArticlesNotAssessed, loads
from clinfo.runs.events import dumps
from tests.cli.process import DEMO, QUESTION, ROOT, clinfo, command, environment
from tests.webapp.handmade import withheld_run

REFERENCE_STARTS = {"ris": "TY  - JOUR\n", "bibtex": "@article{", "csl": "["}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A finished run from the demo corpus: its file, and what the process gave back."""
    folder = tmp_path_factory.mktemp("saved")
    done = clinfo("ask", QUESTION, *DEMO, "--json", "--save", "run.jsonl", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "run.jsonl", done


@pytest.mark.slow
def test_the_answer_alone_is_on_stdout_and_progress_on_stderr(saved):
    _, done = saved
    answer = json.loads(done.stdout)
    assert answer["schema"] == 2
    assert answer["question"] == QUESTION
    assert answer["tldr"]
    assert any(reference["cited"] for reference in answer["references"])
    assert "articles ranked" in done.stderr
    assert "quoted sentences match their sources" in done.stderr
    assert QUESTION not in done.stderr
    assert "\x1b" not in done.stderr


@pytest.mark.slow
def test_a_replay_gives_the_same_answer_in_every_format(saved, tmp_path):
    path, done = saved
    replay = ("ask", "--replay", str(path))
    assert clinfo(*replay, "--json", cwd=tmp_path).stdout == done.stdout
    text = clinfo(*replay, cwd=tmp_path)
    assert (text.returncode, text.stderr) == (0, "")
    assert "TL;DR" in text.stdout
    assert "\x1b" not in text.stdout
    assert clinfo(*replay, "--format", "markdown", cwd=tmp_path).stdout.startswith(
        f"# {QUESTION}\n"
    )
    assert clinfo(*replay, "--events", cwd=tmp_path).stdout == path.read_text("utf-8")


@pytest.mark.parametrize("form", REFERENCE_STARTS)
def test_references_for_reference_managers(saved, form, capfd):
    path, done = saved
    counts = json.loads(done.stdout)["counts"]
    written = {}
    for include in ("cited", "relevant", "all"):
        assert run(["ask", "--replay", str(path), "--format", form, "--include", include]) == 0
        written[include] = capfd.readouterr().out
        assert written[include].startswith(REFERENCE_STARTS[form])
    records = {
        include: text.count({"ris": "TY  - ", "bibtex": "@article{", "csl": '"id": "'}[form])
        for include, text in written.items()
    }
    assert records == {
        "cited": counts["cited"],
        "relevant": counts["relevant"],
        "all": counts["fetched"],
    }


def test_a_file_that_holds_something_else_is_left_alone(saved, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path, _ = saved
    before = path.read_bytes()
    notes = tmp_path / "notes.txt"
    notes.write_text("my notes\n")
    for question, file, said in (
        (QUESTION, path, "finished"),
        ("Does yoga help?", path, "another question"),
        (QUESTION, notes, "contains no run"),
        (QUESTION, tmp_path / "no" / "folder", "cannot be written"),
    ):
        assert run(["ask", question, *DEMO, "--save", str(file)]) == 2
        assert said in capsys.readouterr().err
    assert path.read_bytes() == before
    assert notes.read_text() == "my notes\n"
    assert run(["ask", QUESTION, *DEMO, "--quiet", "--save", str(notes), "--overwrite"]) == 0
    assert '"run_started"' in notes.read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "a question is missing"),
        (["", *DEMO], "question is empty"),
        (["?!", *DEMO], "no word"),
        (["x" * 10_000, *DEMO], "10,000 characters"),
        ([QUESTION, "--source", "demo"], "--model extractive"),
        ([QUESTION, *DEMO, "--source", "nonesuch"], "--source"),
        ([QUESTION, *DEMO, "--source", "missing.xml"], "does not exist"),
        ([QUESTION, *DEMO, "--source", "y" * 300 + ".xml"], "File name too long"),
        ([QUESTION, *DEMO, "--prompts", "y" * 300], "File name too long"),
        ([QUESTION, *DEMO, "--save", "y" * 300], "File name too long"),
        (["--replay", "y" * 300], "File name too long"),
        ([QUESTION, *DEMO, "--filter", "english[la]) OR (cats"], "--filter: its ) has no partner"),
        ([QUESTION, *DEMO, "--regime", "closed"], "--regime"),
        ([QUESTION, *DEMO, "--regime", "restricted"], "--before"),
        ([QUESTION, *DEMO, "--from", "2021-02-30"], "--from"),
        (
            [QUESTION, *DEMO, "--strategy", "picos"],
            "--strategy: “picos” is unknown (did you mean pico?); choose one of: seeds, kinds, "
            "pico",
        ),
        (
            [QUESTION, *DEMO, "--strategy", "pico", "--query", "yoga"],
            "--strategy: the strategy pico writes its own queries",
        ),
        ([QUESTION, *DEMO, "--chase", "51"], "--chase: must be a whole number from 0 to 50"),
        ([QUESTION, *DEMO, "--known", "12,x"], "--known: “x” is not a PMID"),
        (
            [QUESTION, *DEMO, "--known", "@nowhere.txt"],
            "--known: the file nowhere.txt cannot be read",
        ),
        ([QUESTION, *DEMO, "--per-query", "-1"], "--per-query"),
        ([QUESTION, *DEMO, "--per-query", "many"], "--per-query"),
        ([QUESTION, *DEMO, "--max-cost", "nan"], "--max-cost"),
        ([QUESTION, *DEMO, "--query", "@nowhere.txt"], "nowhere.txt"),
        ([QUESTION, *DEMO, "--prompts", "nowhere"], "nowhere"),
        ([QUESTION, *DEMO, "--format", "pdf"], "--format"),
        ([QUESTION, *DEMO, "--json", "--format", "ris"], "--json"),
        ([QUESTION, *DEMO, "--include", "all"], "--include"),
        ([QUESTION, *DEMO, "--events", "--json"], "--events"),
        ([QUESTION, *DEMO, "--short", "--json"], "--short"),
        ([QUESTION, *DEMO, "--short", "--details"], "--details"),
        ([QUESTION, *DEMO, "--all-rows", "--events"], "--all-rows"),
        ([QUESTION, *DEMO, "--overwrite"], "--overwrite"),
        ([QUESTION, *DEMO, "--colour", "blue"], "--colour"),
        ([QUESTION, "and", "more", *DEMO], "quotation marks"),
        (["--replay", "nowhere.jsonl"], "nowhere.jsonl"),
        (["--replay", __file__], "is not a saved run"),
        (["--replay", ""], "--replay: the name of the file is empty"),
        ([QUESTION, *DEMO, "--save", ""], "--save: the name of the file is empty"),
        ([QUESTION, *DEMO, "--max-cost", "99999999999"], "from 0 to 1,000,000,000"),
    ],
)
def test_wrong_usage_is_one_line_and_status_2(arguments, said, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for name in ("CLINFO_MODEL", "CLINFO_SOURCE"):
        monkeypatch.delenv(name, raising=False)
    assert run(["ask", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("clinfo: ")
    assert err.count("\n") == 1
    assert said in err
    assert "x" * 100 not in err


@pytest.mark.slow
def test_an_unknown_model_is_status_2(tmp_path):
    done = clinfo("ask", QUESTION, "--model", "nonesuch", "--source", "demo", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    first, second = done.stderr.splitlines()
    assert first == "source demo, model nonesuch"
    assert second.startswith("clinfo: unknown model 'nonesuch'")


@pytest.fixture(scope="module")
def thorough(tmp_path_factory):
    """A run that shows all of its search: its file, its JSON answer, what stood on stderr."""
    folder = tmp_path_factory.mktemp("thorough")
    (folder / "known.txt").write_text("99999999\n", "utf-8")
    cited = json.loads(clinfo("ask", QUESTION, *DEMO, "--json", cwd=folder).stdout)["references"][
        0
    ]["pmid"]
    flags = (
        "--strategy",
        "pico",
        "--chase",
        "2",
        "--known",
        cited,
        "--known",
        "@known.txt",
        "--term-counts",
    )
    done = clinfo("ask", QUESTION, *DEMO, *flags, "--json", "--save", "run.jsonl", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "run.jsonl", json.loads(done.stdout), done.stderr


@pytest.mark.slow
def test_the_search_appendix_of_a_saved_run(thorough, tmp_path):
    path, answer, _ = thorough
    done = clinfo("ask", "--replay", str(path), "--format", "prisma-s", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    numbers = [
        int(line[3:].partition(".")[0])
        for line in done.stdout.splitlines()
        if line.startswith("## ")
    ]
    assert numbers == list(range(1, 17))  # the items of PRISMA-S
    for query in answer["queries"]:
        assert f"\n    {query['sent']}\n" in done.stdout
    assert "Seed studies: 1 of 2 found" in done.stdout
    page = clinfo("ask", "--replay", str(path), "--details", cwd=tmp_path).stdout
    assert "HOW THE SEARCH WAS DONE" in page
    assert (
        "HOW THE SEARCH WAS DONE" not in clinfo("ask", "--replay", str(path), cwd=tmp_path).stdout
    )
    assert "Understood as: " in page


@pytest.mark.slow
def test_nothing_relevant_is_status_3_and_says_so(tmp_path):
    done = clinfo("ask", "Do dragons sneeze on Tuesdays?", *DEMO, "--quiet", cwd=tmp_path)
    assert done.returncode == 3
    assert "NOTHING RELEVANT WAS FOUND" in done.stdout
    form = clinfo("ask", "Do dragons sneeze on Tuesdays?", *DEMO, "--json", cwd=tmp_path)
    assert form.returncode == 3
    assert (json.loads(form.stdout)["tldr"], json.loads(form.stdout)["synthesis"]) == ("", "")


def test_a_deadline_before_anything_was_read_is_status_3_and_no_claim_about_the_literature(
    saved, tmp_path
):
    """A saved run that met its deadline between search and reading, resumed and then replayed."""
    path, _ = saved
    events = list(loads(path.read_text("utf-8").splitlines()))
    place, fetched = next(
        (place, event) for place, event in enumerate(events) if isinstance(event, ArticlesFetched)
    )
    late = ArticlesNotAssessed(
        seq=place + 1,
        ids=tuple(one.id for one in fetched.articles),
        cause="deadline",
        reason="not read by the deadline",
    )
    events[0] = replace(events[0], request=replace(events[0].request, max_seconds=9.0))
    part = tmp_path / "part.jsonl"
    part.write_text("".join(dumps(event) + "\n" for event in [*events[: place + 1], late]), "utf-8")
    done = clinfo("ask", QUESTION, *DEMO, "--max-seconds", "9", "--save", str(part), cwd=tmp_path)
    again = clinfo("ask", "--replay", str(part), cwd=tmp_path)
    for ended in (done, again):
        assert ended.returncode == 3
        assert "NOT ANSWERED: THE DEADLINE PASSED BEFORE ANY ARTICLE WAS READ" in ended.stdout
        assert re.search("^clinfo: not answered: .*deadline", ended.stderr.splitlines()[-1])
    assert "NOTHING RELEVANT" not in done.stdout


def test_a_fault_of_our_own_is_one_line_without_its_text(tmp_path):
    fault = (
        "import sys, clinfo.cli as cli\n@cli.app.command()\ndef fall(): raise KeyError('a private "
        "question')\n"
    )
    asked = [sys.executable, "-c", f"{fault}sys.exit(cli.run(['fall']))"]
    done = subprocess.run(
        asked, env=environment(), capture_output=True, encoding="utf-8", check=False
    )
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert re.search("^clinfo: internal error.* KeyError .*CLINFO_DEBUG=1", line)
    assert "private" not in line
    done = subprocess.run(
        asked, env=environment(CLINFO_DEBUG="1"), capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 1
    assert "Traceback" in done.stderr


@pytest.fixture
def silent_server():
    """A server that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}/"


def until(true):
    end = time.monotonic() + 60
    while not true():
        assert time.monotonic() < end, "it did not happen in 60 s"
        time.sleep(0.02)


def test_control_c_before_the_run_begins_is_said(tmp_path):
    arguments = ("ask", QUESTION, "--model", "openai/gpt-4o-mini", "--source", "demo")
    (tmp_path / "litellm.py").write_text(
        "import time; time.sleep(60)"
    )  # loading takes 2 s, here for sure until the interrupt
    own = environment(OPENAI_API_KEY="x", PYTHONPATH=f"{tmp_path}{os.pathsep}{ROOT}")
    with subprocess.Popen(
        command(*arguments), cwd=tmp_path, env=own, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as process:  # fmt: skip
        assert process.stderr.readline() == "source demo, model openai/gpt-4o-mini\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert (out, err) == ("", "clinfo: interrupted\n")


@contextmanager
def saving(folder, server, *before):
    """The process of a run that has begun to save, of a command line after ``before``."""
    asked = command("ask", QUESTION, "--model", "extractive", "--json", "--save", "run.jsonl")
    with subprocess.Popen(
        [*before, *asked], cwd=folder, env=environment(CLINFO_EUTILS_URL=server),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
    ) as process:  # fmt: skip
        assert process.stderr.readline().startswith("source pubmed")
        saved = folder / "run.jsonl"
        until(lambda: saved.exists() and saved.read_bytes().count(b"\n") > 1)
        yield process


@pytest.mark.slow
def test_two_runs_cannot_save_into_one_file(silent_server, tmp_path):
    with saving(tmp_path, silent_server) as process:
        arguments = ("ask", QUESTION, "--model", "extractive", "--save", "run.jsonl")
        second = clinfo(*arguments, cwd=tmp_path, CLINFO_EUTILS_URL=silent_server)
        assert second.returncode == 2
        assert second.stderr.splitlines()[-1].startswith(
            "clinfo: --save: run.jsonl is in use by another run"
        )
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert len(list(loads((tmp_path / "run.jsonl").read_text("utf-8").split("\n")))) > 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_control_c_and_sigterm_leave_what_is_done(silent_server, tmp_path, number):
    with saving(tmp_path, silent_server) as process:
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert json.loads(out)["counts"]["found"] == 0
    assert "interrupted; to resume it" in err
    assert "Traceback" not in err
    lines = (tmp_path / "run.jsonl").read_text("utf-8").splitlines()
    types = [json.loads(line)["type"] for line in lines]
    assert (types[0], types[-1]) == ("run_started", "run_cancelled")


def test_an_interrupt_that_the_shell_had_ignored_stays_ignored(silent_server, tmp_path):
    """As with nohup, or by a script that runs it in the background."""
    ignoring = ("sh", "-c", 'trap "" INT; exec "$@"', "sh")
    with saving(tmp_path, silent_server, *ignoring) as process:
        process.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=1)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
    assert process.returncode == 130


def test_a_source_that_fails_is_status_4(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        closed = f"http://127.0.0.1:{server.getsockname()[1]}/"
    done = clinfo(
        "ask",
        QUESTION,
        "--model",
        "extractive",
        "--max-seconds",
        "60",
        cwd=tmp_path,
        CLINFO_EUTILS_URL=closed,
    )
    assert done.returncode == 4
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert done.stderr.splitlines()[-1].startswith("clinfo: ")


def test_a_reader_that_leaves_early_is_no_trouble(saved):
    path, _ = saved
    reader, writer = os.pipe()
    fcntl.fcntl(
        writer, fcntl.F_SETPIPE_SZ, 4096
    )  # so that not everything is in the pipe before its reader leaves
    replay = command("ask", "--replay", str(path), "--events")
    with subprocess.Popen(
        replay, env=environment(), stdout=writer, stderr=subprocess.PIPE
    ) as process:
        os.close(writer)
        os.read(reader, 10)
        os.close(reader)
        assert process.stderr.read() == b""
    assert process.returncode == 1


def test_help_imports_nothing_heavy():
    heavy = {
        "rich",
        "pydantic",
        "pydantic_settings",
        "lxml",
        "litellm",
        "numpy",
        "requests",
        "Bio",
        "asyncio",
        "msgspec",
    }
    code = (
        f"import sys, clinfo.cli; clinfo.cli.run(['--help']); sys.exit(bool({heavy!r} & "
        "sys.modules.keys()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "ask" in done.stdout


def test_without_arguments_the_help_is_on_stderr(capsys):
    assert run([]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "Usage: clinfo" in err


@pytest.mark.slow
def test_a_withheld_answer_ends_with_3_and_an_empty_answer(tmp_path):
    (tmp_path / "run.jsonl").write_text("".join(dumps(event) + "\n" for event in withheld_run()))
    done = clinfo("ask", "--replay", "run.jsonl", "--json", cwd=tmp_path)
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["tldr"], answer["synthesis"]) == (3, "", "")
    assert "Quality of life rose" in answer["withheld_text"]
    assert {one["verdict"] for one in answer["sentences"]} == {"unsupported"}
    shown = clinfo("ask", "--replay", "run.jsonl", cwd=tmp_path)
    assert shown.returncode == 3
    assert "clinfo: withheld: " in shown.stderr
    before, _, after = shown.stdout.partition("THE WITHHELD TEXT: DO NOT RELY ON IT")
    assert "Quality of life rose" in after
    assert "Quality of life rose" not in before
    assert (
        "Quality of life rose"
        not in clinfo("ask", "--replay", "run.jsonl", "--short", cwd=tmp_path).stdout
    )
