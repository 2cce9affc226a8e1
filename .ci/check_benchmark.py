"""check_benchmark.py PYTHON FOLDER: a made-up data set read, repaired, run, scored and reported by
an installed wheel, twice.

The second time it is killed on the way; what it leaves must be the same bytes. Uses the standard
library alone.
"""

import csv
import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

COLUMNS = (
    "specialty",
    "SubTopic",
    "Title",
    "Abstract",
    "Introduction",
    "Methods",
    "Results",
    "Conclusion",
    "PMID",
    "Ref_PMIDs",
    "Ref_DOIs",
    "questions",
    "PublishedDate",
    "HumanQuestions",
    "HumanAnswer",
)
DRUGS = ("zinc", "honey", "echinacea", "garlic")


def question(drug: str) -> str:
    return f"Does {drug} shorten the common cold?"


def write_inputs(folder: Path) -> None:
    with (folder / "data.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(COLUMNS)
        for n, drug in enumerate(DRUGS, 1):
            refs = str([str(100 * n + m) for m in (1, 1, 2)])
            results = f"{drug.title()} shortened colds by {n} days in six trials."
            rows.writerow(
                (
                    "primary care",
                    "infections",
                    f"{question(drug)} A systematic review.",
                    f"RESULTS:\n{results}",
                    "Colds are common.",
                    "We searched PubMed.",
                    results,
                    f"{drug.title()} shortens colds.",
                    9000 + n,
                    refs,
                    "[]",
                    question(drug),
                    f"{n}/15/2020",
                    question(drug),
                    f"{results}\n\n{drug.title()} shortens colds.",
                )
            )
    articles = [
        (
            100 * n + m,
            drug,
            2010 + m,
            f"{drug.title()} shortened colds by {n}.{m} days (P=0.0{m}) in {m}0 adults.",
        )
        for n, drug in enumerate(DRUGS, 1)
        for m in (1, 2, 3)
    ]
    articles += [
        (9000 + n, drug, 2020, f"In six trials {drug} shortened colds.")
        for n, drug in enumerate(DRUGS, 1)
    ]
    cited = "".join(
        (
            f"<PubmedArticle><MedlineCitation><PMID>{pmid}</PMID><Article><Journal><JournalIssue><PubDate><Year>{year}</Year></PubDate>"
            f"</JournalIssue></Journal><ArticleTitle>{drug.title()} for the common cold: a "
            "randomised "
            "trial</ArticleTitle><Abstract>"
            f"<AbstractText>{text}</AbstractText></Abstract></Article></MedlineCitation></PubmedArticle>"
        )
        for pmid, drug, year, text in articles
    )
    (folder / "articles.xml").write_text(
        f"<PubmedArticleSet>{cited}</PubmedArticleSet>", encoding="utf-8"
    )


def bytes_of(folder: Path) -> dict[str, str]:
    """SHA-256 by file, without the index and whatever tells of times."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and path.relative_to(folder).parts[0] != "index"
        and not path.name.startswith(("timings", ".", "scores.cache"))
    }


def main(python: str, folder: Path) -> None:
    folder.mkdir()
    write_inputs(folder)
    environment = {
        **os.environ,
        "CLINFO_CACHE_DIR": str(folder / "cache"),
        "CLINFO_DATA_DIR": str(folder / "kept"),
    }

    def command(out: str) -> list[str]:
        given = [
            "--data",
            str(folder / "data.csv"),
            "--citations",
            str(folder / "articles.xml"),
            "--out",
            str(folder / out),
        ]
        return [python, "-m", "benchmarks", "full", *given]

    checked = subprocess.run(
        [python, "-m", "pubmedrs", "check", str(folder / "data.csv")],
        capture_output=True,
        text=True,
        env=environment,
    )
    assert checked.returncode == 0, checked.stderr
    subprocess.run(command("whole"), check=True, stdout=subprocess.DEVNULL, env=environment)
    for delay in (4, 9):
        process = subprocess.Popen(
            command("killed"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment
        )
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
    subprocess.run(command("killed"), check=True, stdout=subprocess.DEVNULL, env=environment)
    whole, killed = bytes_of(folder / "whole"), bytes_of(folder / "killed")
    differing = sorted(
        name for name in whole.keys() | killed.keys() if whole.get(name) != killed.get(name)
    )
    assert not differing, f"a killed run left other bytes: {differing}"
    page = (folder / "whole" / "report" / "report.html").read_text(encoding="utf-8")
    assert question("honey") in page
    assert "retrieval_recall" in (folder / "whole" / "scores.jsonl").read_text(encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
