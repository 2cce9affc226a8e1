"""The formats of references by name: a module is all that one needs."""

import json
import subprocess
import sys
from pathlib import Path

from clinfo.references.registry import growing, specs
from clinfo.render.forms import forms

TOY = """
from clinfo.references.registry import ReferenceFormat

def titles(articles, marks=None):
    return "".join(f"* {article.title}\\n" for article in articles)

FORMAT = ReferenceFormat("titles", "Titles", "for a quick look", "titles.txt", "text/plain; charset=utf-8", titles, grows=True)
"""  # noqa: E501
QUESTION = "Does yoga lower blood pressure?"


def python(folder: Path, script: str, *arguments: str) -> str:
    """Return what a program writes with the folder among those that are looked through."""
    before = (
        "import sys; from clinfo.references import formats; "
        "formats.__path__.append(sys.argv.pop(1))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", before + script, str(folder), *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_format_of_one_module_is_on_the_command_line_and_among_the_exports(
    tmp_path: Path,
) -> None:
    (tmp_path / "titles.py").write_text(TOY)
    command = "from clinfo.__main__ import main; sys.exit(main())"
    asked = ("ask", QUESTION, "--model", "extractive", "--source", "demo", "--quiet")
    listed = python(tmp_path, command, *asked, "--save", "run.jsonl", "--format", "titles")
    assert listed.startswith("* ")
    every = python(
        tmp_path,
        command,
        "search",
        "yoga",
        "--source",
        "demo",
        "--all",
        "--format",
        "titles",
        "--quiet",
    )
    assert set(listed.splitlines()) <= set(every.splitlines())
    exported = python(
        tmp_path,
        (
            "import json; from pathlib import Path; from clinfo.pipelines.literature.stages "
            "import LITERATURE\n"
            "from clinfo.runs import saved\n"
            "from webapp.pipelines.literature.read_pages import FORMS\n"
            "form = FORMS['titles.txt']\n"
            "made = form.write(LITERATURE.log(saved.read(Path('run.jsonl'), LITERATURE)), "
            "'cited', 'ieee')\n"
            "print(json.dumps([made, form.media_type]))"
        ),
    )
    content, media_type = json.loads(exported)
    assert (content, media_type) == (listed, "text/plain; charset=utf-8")


def test_the_formats_that_come_with_the_program() -> None:
    styles = ["ieee", "vancouver", "ama"]
    assert [one.name for one in specs()] == ["ris", "bibtex", "nbib", "csl", "csv", *styles]
    assert list(growing()) == ["ris", "nbib", "csv"]
    offered = [form.name for form in forms()]
    assert offered == [
        "markdown",
        "text",
        "json",
        *(one.name for one in specs()),
        "prisma-s",
        "docx",
        "xlsx",
    ]
    assert len({form.suffix for form in forms()}) == len(offered)
