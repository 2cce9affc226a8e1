"""The pages: every command on them is run, every flag, variable, path and link is there, and the
README's sample is what its command prints.

Python examples are run by tests/test_api.py, the data card's commands by tests/pubmedrs, what a
host does by tests/webapp.
"""

import gzip
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.servers.model import ModelServer
from clinfo.cli import COMMANDS, run
from clinfo.settings import Settings
from tests.cli.process import QUESTION, clinfo
from tests.retrieval.silos.rows import ITEMS, TRIAL
from tests.retrieval.test_pdf import pdf
from webapp.settings import WebSettings

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md"))
NO = "AAD developed in 21 participants with S boulardii and in 19 with placebo (P = .87)"
FEW = "4 of 103 participants given Lactobacillus (3.9%) compared with 8 of 111 given placebo (7.2%)"
HABITS = "48.5% (50/103) against 31.5% (35/111) with placebo (P=0.01)"
STUDY = {"relevant": "yes", "answer": "no", "result": "no clear difference", "usefulness": 9}
REPLIES: dict[str, Any] = {
    "": (
        "TL;DR: Not shown: in two trials of adults, probiotics did not clearly lower "
        "antibiotic-associated diarrhea [1][2].\n\n"
        "With Lactobacillus diarrhea was seen in 4 of 103 adults, with placebo in 8 of 111, which "
        "was not a significant difference [1]. Bowel habits stayed closer to usual with it, 48.5% "
        "against 31.5% [1]. In hospital patients diarrhea developed in 21 participants with S "
        "boulardii and in 19 with placebo [2]."
    ),
    "doubts": {"doubts": []},
    "verify": {
        "verdicts": [
            {"label": label, "verdict": "supported", "quotes": quotes}
            for label, quotes in (
                ("S1", [{"article": 1, "words": FEW}, {"article": 2, "words": NO}]),
                ("S2", [{"article": 1, "words": FEW}]),
                ("S3", [{"article": 1, "words": HABITS}]),
                ("S4", [{"article": 2, "words": NO}]),
            )
        ],
        "answers": "yes",
    },
}


def a_reader(body: dict[str, Any]) -> str:
    """The reply of a careful reader of the two trials in the model's place."""
    text = body["messages"][-1]["content"]
    stage = (body.get("response_format") or {"json_schema": {"name": ""}})["json_schema"]["name"]
    if stage == "reading":
        quote = NO if NO in text else FEW
        found = STUDY | {"finding": quote, "outcome": "diarrhea", "quotes": [quote]}
        return json.dumps(found if quote in text else {"relevant": "no", "reason": "other aim"})
    if stage == "" and "Studies, each" not in text:
        return "probiotics AND antibiotic-associated diarrhea"
    return REPLIES[stage] if stage == "" else json.dumps(REPLIES[stage])


@pytest.mark.slow
def test_the_sample_is_what_its_command_prints(tmp_path: Path) -> None:
    block = README.split("```text\n$ clinfo ", 1)[1].split("```", 1)[0]
    command, sample = block.split("\n", 1)
    with ModelServer(a_reader) as server:
        where = {"OPENAI_API_BASE": server.url, "OPENAI_API_KEY": "none"}
        done = clinfo(*shlex.split(command), cwd=tmp_path, **where)
    assert done.returncode == 0, done.stderr
    printed = " ".join(done.stdout.split())
    parts = [" ".join(part.split()) for part in sample.split("…")]
    assert len(parts) == 3
    assert [part for part in parts if part not in printed] == []


def test_it_is_short_and_links_lead_somewhere() -> None:
    assert len(README.splitlines()) <= 90
    assert len(PAGES) <= 15
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for path, anchor in re.findall(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)", text):
            target = page.parent / (path or page.name)
            assert target.exists(), (page.name, path)
            if anchor:
                headings = re.findall(r"^#+ (.*)", target.read_text("utf-8"), re.MULTILINE)
                names = {re.sub(r"[^\w -]", "", one.lower()).replace(" ", "-") for one in headings}
                assert anchor in names, (page.name, path, anchor)


def test_variables_and_paths_on_pages_are_there() -> None:
    text = "".join(page.read_text("utf-8") for page in PAGES if page.name != "CONTRIBUTING.md")
    known = {f"CLINFO_{name.upper()}" for name in Settings.model_fields}
    known |= {f"CLINFO_WEB_{name.upper()}" for name in WebSettings.model_fields}
    code = "".join(
        path.read_text("utf-8")
        for room in ("clinfo", "webapp", "benchmarks")
        for path in (*(ROOT / room).rglob("*.py"), ROOT / "compose.yaml")
    )
    named = set(re.findall(r"\bCLINFO_[A-Z_]*[A-Z]\b(?!_|<)", text))
    assert [one for one in sorted(named - known) if one not in code] == []
    paths = re.findall(r"`((?:tests|clinfo|webapp|benchmarks|prompts|pubmedrs)/[\w./-]+)`", text)
    assert [path for path in paths if not (ROOT / path).exists()] == []


def code_lines() -> Iterator[tuple[str, str]]:
    """Page and line of each command of ours that stands in a block of code, comments off."""
    for page in PAGES:
        shown = page.read_text(encoding="utf-8")
        for line in re.findall(r"^(?:    |\$ )?((?:clinfo|python -m) .+)$", shown, re.MULTILINE):
            yield page.name, re.split(r"  #| > \w+\.\w+", line)[0].strip()


def least(schema: dict[str, Any], whole: dict[str, Any]) -> Any:
    """A reply that a JSON schema allows: short, empty where it may be."""
    if "$ref" in schema:
        return least(whole["$defs"][schema["$ref"].rsplit("/", 1)[1]], whole)
    for chosen in ("anyOf", "oneOf", "allOf"):
        if chosen in schema:
            return least(schema[chosen][-1], whole)
    if "enum" in schema:
        return schema["enum"][0]
    fields = schema.get("properties", {})
    if fields:
        return {name: least(field, whole) for name, field in fields.items()}
    kinds = {"array": [], "string": "", "integer": 0, "number": 0.0, "boolean": False}
    kind = schema.get("type", "")
    return kinds.get(kind if isinstance(kind, str) else kind[-1])


ZINC = {"intervention": "zinc cream", "comparator": "placebo", "outcome": "itching"}


def a_model(body: dict[str, Any]) -> str:
    """A model that says the least: empty fields, but for what trials compare and women as a
    cohort; a plain query.
    """
    form = (body.get("response_format") or {}).get("json_schema", {})
    if form.get("name") == "translate":
        return json.dumps({"form": {"sex": "female"}, "not_understood": [], "assumptions": []})
    if schema := form.get("schema"):
        said = least(schema, schema)
        return json.dumps(said | (ZINC if "better" in said else {}))
    return a_reader(body)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The files that pages name, in a folder of their own; settings that reach nothing outside."""
    citation = (
        "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>1</PMID><Article><ArticleTitle>"
        "Zinc for colds</ArticleTitle></Article></MedlineCitation></PubmedArticle>"
        "</PubmedArticleSet>"
    )
    heading = (
        "<DescriptorRecordSet><DescriptorRecord><DescriptorUI>D006973</DescriptorUI>"
        "<DescriptorName><String>Hypertension</String></DescriptorName></DescriptorRecord>"
        "</DescriptorRecordSet>"
    )
    notes = "patient,date,text\n7,2020-03-01,A woman of 44 years. Assessment: Asthma. Anemia.\n"
    checking = (ROOT / "docs/checking.md").read_text(encoding="utf-8")
    files = {
        "query.txt": "zinc AND common cold",
        "strategy.txt": "#1 zinc\n#2 colds\n#3 #1 AND #2\n",
        "sentences.jsonl": checking.split("```json\n")[1].split("```")[0],
        "retraction_watch.csv": "26973849\n",
        "questions.csv": "question\nDoes yoga lower blood pressure?\n",
        "shelf.nbib": "PMID- 26973849\nTI  - Zinc for asthma\nPT  - Retracted Publication\n\n",
        "references.ris": "TY  - JOUR\nAN  - 26973849\nTI  - Zinc\nER  - \n",
        "references.bib": "@article{a, title={Zinc}, pmid={26973849}}\n",
        "pmids.txt": "26973848\n",
        "desc2026.xml": heading,
        "papers/zinc.txt": "RESULTS:\nItching was lower with zinc cream than with placebo.\n",
        "notes.csv": notes,
        "records/notes.csv": notes,
        "nightly-ClinicalEvidenceSummaries.tsv": ITEMS,
        "studies.json": json.dumps({"studies": [TRIAL]}),
        "case.txt": "A melanoma with BRAF V600E.\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    shutil.copytree(ROOT / "prompts/literature", tmp_path / "my-prompts")
    (tmp_path / "guidelines").mkdir()
    for name in ("our-guideline.pdf", "guidelines/one.pdf"):
        (tmp_path / name).write_bytes(pdf(["Guideline", "Vemurafenib may be given."]))
    (tmp_path / "pubmed26n0001.xml.gz").write_bytes(gzip.compress(citation.encode()))
    for name in [one for one in os.environ if one.startswith(("CLINFO_", "NCBI_", "OPENAI_"))]:
        monkeypatch.delenv(name)
    with ModelServer(a_model) as server:
        settings = {
            "OPENAI_API_BASE": server.url,
            "OPENAI_API_KEY": "none",
            "CLINFO_SOURCE": "demo",
            "CLINFO_INDEX_DIR": "my-pubmed",
            "CLINFO_DATA_DIR": str(tmp_path / "data"),
            "CLINFO_CACHE_DIR": str(tmp_path / "cache"),
        }
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(tmp_path)
        yield tmp_path


SERVERS = ("mcp", "eutils")
"""Commands that do not end; tests/mcp_server and tests/cli/test_eutils run them."""


@pytest.mark.slow
def test_every_command_of_clinfo_on_a_page_runs(
    folder: Path, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [line for line in code_lines() if line[1].startswith("clinfo ")]
    lines.sort(key=lambda line: line[0] != "using.md")  # it makes the index that others search
    assert len(lines) > 60
    assert {line.split()[1] for _, line in lines} >= {*COMMANDS} - {"doctor"}
    for page, line in lines:
        words = shlex.split(line.replace("…", QUESTION))[1:]
        if "--model" in words and (place := words.index("--model") + 1):
            words[place] = words[place] if words[place] == "extractive" else "openai/gpt-4o-mini"
        elif words[0] == "ask" and "--replay" not in words:
            words += ["--model", "openai/gpt-4o-mini"]
        monkeypatch.setenv("CLINFO_SOURCE", "shelf.nbib" if words[0] == "search" else "demo")
        found = {word: [*folder.glob(word)] for word in words if "*" in word}
        words = [str(file) for word in words for file in found.get(word) or [word]]
        status = run([*words, "--help"] if words[0] in SERVERS else words)
        said = capsysbinary.readouterr().err.decode()
        assert status in (0, 3) or "--fail" in words, (page, line, status, said)
        assert "internal error" not in said, (page, line, said)


@pytest.mark.slow
def test_every_flag_of_other_programs_on_a_page_is_in_their_help() -> None:
    inline = re.compile(r"`(python -m (?:benchmarks|pubmedrs|webapp)[^`]*)`")
    lines = {line for _, line in code_lines() if line.startswith("python")}
    lines |= {one for page in PAGES for one in inline.findall(page.read_text(encoding="utf-8"))}
    helps: dict[tuple[str, ...], str] = {}
    for line in sorted(lines):
        words = [word.split("|")[0] for word in line.split()[2:]]
        depth = (
            3
            if "token" in words
            else 2
            if re.fullmatch(r"[a-z][a-z-]*", words[1] if len(words) > 1 else "--")
            else 1
        )
        command = tuple(words[:depth])
        if command not in helps:
            asked = [sys.executable, "-m", *command, "--help"]
            done = subprocess.run(
                asked, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
            )
            assert done.returncode == 0, (line, done.stderr)
            helps[command] = done.stdout
        for flag in re.findall(r" (--[a-z-]+)", line):
            assert flag in helps[command], (line, flag)
