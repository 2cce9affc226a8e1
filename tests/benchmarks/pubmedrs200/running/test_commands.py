"""External systems: good ones, and everything that can be wrong with one, each a failed cell beside
others that go on.
"""

import json
import re
import sys

import pytest

from tests.benchmarks.pubmedrs200.running.conftest import Runner

GOOD = """
import json, os, sys
asked = json.loads(sys.stdin.readline())
assert sys.stdin.read() == ""
here = os.getcwd() == os.path.dirname(os.path.abspath(__file__))
drops = asked["drop"] == [asked["id"]]
said = f"{asked['regime']} {asked['before']} {drops} {sorted(os.environ)} {here}"
print("thinking ...", file=sys.stderr)
print(json.dumps({"id": asked["id"], "synthesis": said, "tldr": "Short.", "references": [{"pmid": "1002"}, {"pmid": "999"}],
    "usage": {"prompt_tokens": 5, "completion_tokens": 2, "cost_usd": 0.25}, "timings": {"total": 3.2}}))
"""  # noqa: E501
BAD = """
import json, sys, time
asked = json.loads(sys.stdin.readline())
kind = sys.argv[1]
answer = {"id": asked["id"], "synthesis": "Some.", "tldr": "", "references": []}
if kind == "hangs":
    time.sleep(600)
elif kind == "json":
    print("{no json")
elif kind == "nan":
    print('{"id": "%s", "synthesis": "", "tldr": "", "references": [], "x": NaN}' % asked["id"])
elif kind == "other-id":
    print(json.dumps({**answer, "id": "1"}))
elif kind == "nothing":
    pass
elif kind == "status":
    print(json.dumps(answer))
    print("Traceback\\nKeyError: \\x1b[31m" + "long " * 100, file=sys.stderr)
    sys.exit(3)
elif kind == "message":
    raise ValueError("no index of articles\\nis where it was\\n")
elif kind == "named":
    class NoIndex(Exception): pass
    NoIndex.__module__ = "other"
    raise NoIndex("there is none\\nhint: build it")
elif kind == "much":
    while True:
        sys.stdout.write("x" * 100_000)
elif kind == "lines":
    print(json.dumps(answer)); print(json.dumps(answer))
elif kind == "field":
    del answer["references"]
    print(json.dumps(answer))
elif kind == "child":
    import subprocess
    subprocess.Popen(["sleep", "600"])
    print(json.dumps(answer))
elif kind == "deep":
    print(json.dumps(answer)[:-1] + ', "extra": ' + "[" * 985 + "]" * 985 + "}")
elif kind == "deeper":
    print(json.dumps(answer)[:-1] + ', "extra": ' + "[" * 100_000 + "]" * 100_000 + "}")
elif kind == "digits":
    print(json.dumps(answer)[:-1] + ', "extra": -' + "9" * 6000 + "}")
elif kind == "large":
    print(json.dumps(answer)[:-1] + ', "extra": 1e999}')
elif kind == "surrogate":
    print('{"id": "%s", "synthesis": "\\\\ud800", "tldr": "", "references": []}' % asked["id"])
"""
PROBLEMS = {
    "hangs": "it did not end within 2 s",
    "json": "its answer cannot be used",
    "nan": "its answer cannot be used",
    "other-id": "it answered the question 1 and was asked 30000001",
    "nothing": "it answered nothing",
    "status": "it ended with the exit status 3: KeyError",
    "message": "it ended with the exit status 1: is where it was",
    "named": "it ended with the exit status 1: hint: build it",
    "much": "it wrote more than 16 MB",
    "lines": "its answer cannot be used",
    "field": "missing required field `references`",
    "child": "it ended, but something that it started kept its output open for more than 5 s",
    "deep": "its answer is nested more than 100 levels deep",
    "deeper": "its answer is nested more than 100 levels deep",
    "digits": "its answer cannot be used",
    "large": "its answer cannot be used",
    "surrogate": "its answer cannot be used",
}
TIMEOUTS = {"hangs": 2, "child": 5}
LEAKING = """
import json, sys
asked = json.loads(sys.stdin.readline())
answer = {"id": asked["id"], "synthesis": "Falls were fewer.", "tldr": "", "references": [{"pmid": None}]}
if asked["id"] == "30000001":
    answer["references"] = [{"pmid": "30000001"}]
elif asked["id"] == "30000002":
    answer["synthesis"] += " See doi 10.5555/REVIEW.2."
elif asked["id"] == "30000003":
    answer["synthesis"] += " See https://pubmed.ncbi.nlm.nih.gov/1003/ and PMID: 424242."
print(json.dumps(answer))
"""  # noqa: E501


def table(name: str, script: str, *arguments: str, more: str = "") -> str:
    return (
        f"[[system]]\nname = {json.dumps(name)}\n"
        f"command = {json.dumps([sys.executable, script, *arguments])}\n{more}\n"
    )


def test_a_command_gets_its_question_and_little_else(run: Runner) -> None:
    run.write("good.py", GOOD)
    run.environment |= {"MY_KEY": "sk-theirs", "OTHER_KEY": "sk-other"}
    systems = run.write(
        "systems.toml",
        table("good", "good.py", more='environment = ["MY_KEY"]\ncutoff = 2021-09-30'),
    )
    stdout, _ = run("out", "--systems", systems, "--limit", "1")
    records = run.records("out")
    said = records["good", "restricted", 1, "30000001"]["synthesis"]
    assert said.startswith("restricted 2021-03-04 True [")
    assert said.endswith(" True"), "it is run in the folder of the file that lists it"
    assert "'MY_KEY'" in said
    assert "OTHER_KEY" not in said
    assert "CLINFO" not in said
    assert records["good", "source-dropped", 1, "30000001"]["synthesis"].startswith(
        "source-dropped None True"
    )
    assert records["good", "unrestricted", 1, "30000001"]["synthesis"].startswith(
        "unrestricted None False"
    )
    record = records["good", "restricted", 1, "30000001"]
    assert (record["status"], record["tldr"], record["relevant"]) == (
        "answered",
        "Short.",
        ["1002", "999"],
    )
    assert (record["retrieved"], record["irrelevant"]) == (None, None)
    assert record["unchecked"] == ["999"], (
        "no date is known of it; of 1002 one is, before the review's"
    )
    assert records["good", "source-dropped", 1, "30000001"]["unchecked"] == [], (
        "dates do not matter there"
    )
    assert "timings" not in record["answer"]
    assert "good    restricted             1           0       0       0       7    $0.25" in stdout
    assert "good, restricted: 1 answer uses articles that cannot be checked" in stdout
    form = json.loads((run.folder / "out" / "run.json").read_text())
    (system,) = form["systems"]
    assert (system["command"][1:], system["environment"], system["cutoff"]) == (
        ["good.py"],
        ["MY_KEY"],
        "2021-09-30",
    )
    assert "sk-theirs" not in json.dumps(form)


@pytest.mark.slow
def test_whatever_a_command_does_wrong_fails_its_cell_only(run: Runner) -> None:
    run.write("bad.py", BAD)
    run.write("good.py", GOOD)
    tables = [
        table(kind, "bad.py", kind, more=f"timeout = {TIMEOUTS.get(kind, 60)}") for kind in PROBLEMS
    ]
    systems = run.write("systems.toml", "\n".join([*tables, table("good", "good.py")]))
    _, stderr = run(
        "out",
        "--systems",
        systems,
        "--limit",
        "1",
        "--regimes",
        "unrestricted",
        "--concurrency",
        "2",
        status=4,
    )
    records = {key[0]: record for key, record in run.records("out").items()}
    assert records.pop("good")["status"] == "answered"
    assert {record["status"] for record in records.values()} == {"failed"}
    for kind, said in PROBLEMS.items():
        problem = records[kind]["problem"]
        assert said in problem
        assert problem.isprintable()
        assert len(problem) < 300
        assert f"failed: {kind} unrestricted 1 30000001: {problem}" in stderr
    assert f"{len(PROBLEMS)} failed" in stderr
    predictions = {
        line["system"]: line["prediction"] for line in run.lines("out", "predictions.jsonl")
    }
    assert predictions["hangs:unrestricted:synthesis"] == ""
    assert predictions["good:unrestricted:tldr"] == "Short."
    failed = {
        line["system"]: line.get("failed", False) for line in run.lines("out", "predictions.jsonl")
    }
    assert (failed["hangs:unrestricted:synthesis"], failed["good:unrestricted:synthesis"]) == (
        True,
        False,
    )


def test_leaks_of_a_command_are_found_and_quarantined(run: Runner) -> None:
    run.write("leaking.py", LEAKING)
    systems = run.write("systems.toml", table("leaky", "leaking.py"))
    stdout, stderr = run("out", "--systems", systems)
    records = run.records("out")
    leaks = {
        key[1:]: [(leak["pmid"], leak["where"]) for leak in one["leaks"]]
        for key, one in records.items()
        if one["leaks"]
    }
    assert leaks == {
        ("restricted", 1, "30000001"): [("30000001", "references")],
        ("source-dropped", 1, "30000001"): [("30000001", "references")],
        ("restricted", 1, "30000002"): [("30000002", "text")],
        ("source-dropped", 1, "30000002"): [("30000002", "text")],
    }
    assert records["leaky", "restricted", 1, "30000003"]["unchecked"] == [
        "424242",
        "reference 1 without PMID",
    ]
    quarantine = run.lines("out", "quarantine.jsonl")
    assert {(line["id"], line["system"]) for line in quarantine} == {
        (id, f"leaky:{regime}")
        for id in ("30000001", "30000002")
        for regime in ("restricted", "source-dropped")
    }
    predicted = {(line["id"], line["system"]) for line in run.lines("out", "predictions.jsonl")}
    assert ("30000001", "leaky:restricted:synthesis") not in predicted
    assert ("30000001", "leaky:unrestricted:synthesis") in predicted
    assert re.search(r"leaky restricted 1 30000001: 30000001 in references", stderr)
    assert "quarantine.jsonl" in stdout
    # 30000003; that of 30000002 is in quarantine
    unchecked = "1 answer uses articles that cannot be checked"
    assert [line for line in stdout.splitlines() if "be checked" in line] == [
        f"leaky, restricted: {unchecked}; a leak cannot be ruled out",
        f"leaky, source-dropped: {unchecked}; a leak cannot be ruled out",
    ]


def test_an_article_from_after_the_day_is_a_leak(run: Runner) -> None:
    # 1003 is of 2020, the second review of 2019.
    late = LEAKING.replace(
        'answer["synthesis"] += " See doi 10.5555/REVIEW.2."',
        'answer["references"] = [{"pmid": "1003"}]',
    )
    run.write("late.py", late)
    run(
        "out",
        "--systems",
        run.write("systems.toml", table("late", "late.py")),
        "--regimes",
        "restricted",
    )
    (leak,) = run.records("out")["late", "restricted", 1, "30000002"]["leaks"]
    assert leak == {
        "pmid": "1003",
        "where": "references",
        "reason": "published 2020-12-31 or later, not before 2019-06-01",
    }


def test_a_failed_cell_stays_failed_until_somebody_asks_for_a_retry(run: Runner) -> None:
    script = LEAKING.replace(
        "import json, sys", "import json, os, sys\nassert os.path.exists('mended')", 1
    )
    run.write("late.py", script)
    flags = (
        "--systems",
        run.write("systems.toml", table("late", "late.py")),
        "--limit",
        "1",
        "--regimes",
        "unrestricted",
    )
    _, stderr = run("out", *flags, status=4)
    assert re.search(r"1 failed.* --retry-failed", stderr)
    assert "exit status 1: AssertionError" in stderr
    run.write("mended", "")
    run("out", *flags, status=4)
    assert {line["prediction"] for line in run.lines("out", "predictions.jsonl")} == {""}
    run("out", *flags, "--retry-failed")
    assert {line["prediction"] for line in run.lines("out", "predictions.jsonl")} == {
        "Falls were fewer."
    }
