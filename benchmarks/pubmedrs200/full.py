"""The whole PubMedRS-200 benchmark as one command: a local index is built, then run, score and
report do their parts.

    python -m benchmarks full --data PubMedRS-200.csv --citations FILE.xml.gz… --out FOLDER [--published FOLDER]

Needs no network and no key with the extractive model, which is the default. Everything lands in
--out: ``index/``, ``run/``, ``scores.jsonl`` with its summary, ``report/``. Stopped in whatever
way, the same command resumes where it was, and all files are the same bytes as of a run that nobody
stopped, but for those whose names begin with ``timings`` and the index, whose segments a search
engine orders as it likes.
"""  # noqa: E501

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks import flags
from clinfo.errors import UsageError
from clinfo.files import whole_file
from clinfo.text.wording import number

Command = Callable[[list[str]], None]
SOME_FAILED = 4
"""The exit status of ``run`` when some questions failed and the others are done; they are scored,
and stand in the report.
"""


def main(argv: list[str]) -> None:
    options = _parser().parse_args(argv)
    with flags.ending("full", "run it again to resume"):
        _check(options)
        _pin(options.citations, options.out)
        _index(options.citations, options.out / "index")
    from benchmarks.pubmedrs200.reporting.command import main as report
    from benchmarks.pubmedrs200.running.command import main as run
    from benchmarks.pubmedrs200.scoring.command import main as score

    folder, scores = options.out / "run", options.out / "scores.jsonl"
    chosen = ["--systems", options.systems] if options.systems else ["--model", options.model]
    limit = ["--limit", options.limit] if options.limit else []
    published = [options.published] if options.published else []
    metrics = ["--metrics", options.metrics]
    metrics += ["--weights", options.weights] if options.weights else []
    data, local = ["--data", options.data], ["--source", "local", "--index", options.out / "index"]
    subset = ["--subset", options.subset]
    ran = _step("run", run, [*data, *chosen, *local, "--out", folder, *limit, *subset])
    if options.limit:
        subset = ["--subset", _asked(folder, options.out / "questions.txt")]
    _step("score", score, [folder, *published, *data, *subset, "--out", scores, *metrics])
    beside = ["--published", *published] if published else []
    out = ["--out", options.out / "report"]
    _step("report", report, [scores, "--run", folder, *data, *beside, *out])
    if ran:
        sys.exit(SOME_FAILED)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks full",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    flags.add(
        parser,
        {
            "--data": {
                "type": Path,
                "required": True,
                "help": "the data set (python -m pubmedrs fetch)",
            },
            "--citations": {
                "nargs": "+",
                "required": True,
                "metavar": "FILE",
                "help": "PubMed XML, .xml or .xml.gz, to search in",
            },
            "--out": {"type": Path, "required": True, "help": "folder for everything that is made"},
            "--published": {
                "type": Path,
                "help": "folder of the published outputs and scores, to stand beside ours",
            },
            "--systems": {
                "type": Path,
                "help": "TOML file of systems [the extractive model alone]",
            },
            "--model": {
                "default": "extractive",
                "help": "the one model, where no --systems are given [extractive]",
            },
            "--subset": {"default": "all", "help": "all, scored145 or a file of PMIDs [all]"},
            "--limit": {"type": int, "help": "only the first so many questions"},
            "--metrics": {"default": "lexical", "help": "as for score [lexical]"},
            "--weights": {"type": Path, "help": "folder of model weights, for neural metrics"},
        },
    )
    return parser


def _check(options: argparse.Namespace) -> None:
    """Check early what would otherwise come to light when the index is built, which takes its time.
    Raises ClinfoError.
    """
    from benchmarks.pubmedrs200.metrics.registry import checked_names
    from benchmarks.pubmedrs200.scoring.command import NONE
    from pubmedrs.reading import load
    from pubmedrs.subsets import subset

    subset(load(options.data), options.subset)
    if options.metrics != NONE:
        checked_names(options.metrics)
    if options.published is not None and not options.published.is_dir():
        raise UsageError(f"--published: {options.published} is not a folder")
    if options.systems is not None and not options.systems.is_file():
        raise UsageError(f"--systems: there is no file {options.systems}")


def _pin(files: Sequence[str], out: Path) -> None:
    """Note which files the index is made of, or hold them against the note: with others it would be
    another benchmark.

    Raises UsageError for other files, for those that cannot be read, and where the note cannot be
    written.
    """
    note = out / "citations.json"
    try:
        asked = [{"name": Path(file).name, "sha256": _hash(Path(file))} for file in files]
        begun = json.loads(note.read_text(encoding="utf-8")) if note.exists() else None
    except OSError as error:
        raise UsageError(
            f"--citations: {error.filename} cannot be read: {error.strerror or 'unknown'}"
        ) from None
    except ValueError:
        raise UsageError(f"{note} is damaged; take another --out") from None
    if begun is None:
        try:
            out.mkdir(parents=True, exist_ok=True)
            with whole_file(note) as file:
                file.write(json.dumps(asked, indent=1, ensure_ascii=False) + "\n")
        except OSError as error:
            raise UsageError(
                f"--out: {out} cannot be written: {error.strerror or 'unknown'}"
            ) from None
    elif begun != asked:
        names = ", ".join(str(one["name"]) for one in begun)
        raise UsageError(
            f"{out} was started with other --citations ({names}, as they were then); give "
            "those, or another --out"
        )


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _asked(run: Path, out: Path) -> Path:
    """A file with the questions of the run, so that published systems are scored on the same
    ones.
    """
    ids = json.loads((run / "run.json").read_text(encoding="utf-8"))["ids"]
    with whole_file(out) as file:
        file.write("".join(f"{id}\n" for id in ids))
    return out


def _index(files: Sequence[str], folder: Path) -> None:
    """Build the local index; files that are in it already are skipped. Raises ClinfoError."""
    from clinfo.pubmed.index import build
    from clinfo.settings import load_settings
    from clinfo.terms.mesh import table_path

    print(f"full: index of {number(len(files), 'citation file')}", file=sys.stderr)
    table = table_path(load_settings().data_dir)
    build(list(files), str(folder), mesh=table if table.exists() else None)


def _step(name: str, command: Command, arguments: Sequence[object]) -> int:
    """The status of one of the commands: 0, or `SOME_FAILED` where the rest of a run is done. Any
    other ends everything.
    """
    words = [str(argument) for argument in arguments]
    print(f"full: {name} {' '.join(words)}", file=sys.stderr)
    try:
        command(words)
    except SystemExit as end:
        if end.code == SOME_FAILED and name == "run":
            return SOME_FAILED
        if end.code not in (0, None):
            raise
    return 0
