"""``pubmedrs fetch``: the published files, over the network."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clinfo.console import streams
from pubmedrs.cli.complaints import complain

if TYPE_CHECKING:
    from pubmedrs.fetching import Fetched


def fetch(
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            metavar="PATH",
            show_default=False,
            help=(
                "The file to write, or with --scores the folder. [PubMedRS-200.csv; "
                "published-scores]"
            ),
        ),
    ] = None,
    url: Annotated[
        str | None,
        typer.Option(
            "--url",
            metavar="URL",
            show_default=False,
            help="Another address of the same file, or with --scores of the folder PubMedRS-200.",
        ),
    ] = None,
    scores: Annotated[
        bool,
        typer.Option(
            "--scores",
            help="Fetch the published outputs and scores (2 files), not the data set.",
            show_default=False,
        ),
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="As JSON.", show_default=False)] = False,
) -> int:
    """Fetch the published data set, or the published scores, from the repository of Clinfo.ai.

    The data set is checked against its SHA-256 and takes its name only when it is whole and right;
    another file of that name is never replaced. The checksums of the score files are not known:
    what came is told, and written to SHA256SUMS beside them.

    Exit status: 0 there; 2 wrong usage, or another file is in the way; 4 the server failed or sent
    another file; 130 interrupted.

    \b
    Examples:
      python -m pubmedrs fetch --out data/PubMedRS-200.csv
      python -m pubmedrs fetch --scores --out data/scores
    """
    from clinfo.errors import Cancelled, SourceUnavailable

    try:
        came = _scores(Path(out or "published-scores"), url) if scores else [_data_set(out, url)]
    except KeyboardInterrupt:
        raise Cancelled("interrupted: run the same command again") from None
    except SourceUnavailable as error:
        raise SourceUnavailable(f"{error}; {_advice(scores)}") from None
    if json:
        files = [
            {"path": str(one.path), "sha256": one.sha256, "bytes": one.size, "came": one.came}
            for one in came
        ]
        streams.show({"files": files, "checksum": "unknown" if scores else "right"})
        return 0
    said = "checksum unknown" if scores else "the published file"
    for one in came:
        how = "fetched" if one.came else "there already"
        streams.show(f"{one.path}: {how}, {one.size:,} bytes, SHA-256 {one.sha256} ({said})")
    return 0


def _advice(scores: bool) -> str:
    """Return what to do where a server cannot be reached."""
    from pubmedrs import published

    files = " and ".join(published.SCORES) if scores else published.DATA_SET
    them = "them" if scores else "it"
    return (
        f"run the same command again. Without a network, fetch {files} on another "
        f"machine and name {them} where a "
        f"command asks for {them}, or give another address with --url"
    )


def _data_set(out: str | None, url: str | None) -> Fetched:
    from pubmedrs import published
    from pubmedrs.fetching import fetch as fetch_file

    path = Path(out or published.DATA_SET)
    with _line(path.name) as told:
        return fetch_file(
            url or published.BASE + published.DATA_SET,
            _placed(path),
            published.SHA256,
            progress=told,
            trouble=complain,
        )


def _scores(folder: Path, url: str | None) -> list[Fetched]:
    from pubmedrs import published
    from pubmedrs.fetching import fetch as fetch_file

    base = (url or published.BASE).rstrip("/") + "/"
    came = []
    for name, place in published.SCORES.items():
        with _line(name) as told:
            target = _placed(folder / name)
            came.append(
                fetch_file(
                    base + place,
                    target,
                    _sums(folder).get(name) if target.exists() else None,
                    progress=told,
                    trouble=complain,
                )
            )
        _record(folder, name, came[-1].sha256)
    return came


def _placed(path: Path) -> Path:
    from clinfo.errors import UsageError
    from clinfo.files import file_errors

    if path.is_dir():
        raise UsageError(f"--out: {path} is a folder; name the file in it")
    with file_errors(f"--out: the folder {path.parent} cannot be made"):
        path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _sums(folder: Path) -> dict[str, str]:
    try:
        lines = (folder / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    except OSError:
        return {}
    return {
        name.strip(): digest
        for digest, _, name in (line.partition("  ") for line in lines)
        if name.strip()
    }


def _record(folder: Path, name: str, sha256: str) -> None:
    from clinfo.files import file_errors, whole_file

    sums = _sums(folder) | {name: sha256}
    path = folder / "SHA256SUMS"
    with file_errors(f"the file {path} cannot be written"), whole_file(path) as file:
        file.writelines(f"{digest}  {one}\n" for one, digest in sorted(sums.items()))


@contextmanager
def _line(name: str) -> Iterator[Callable[[int, int | None], None]]:
    """A function that is told how much of ``name`` has come, and shows it in a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

    from clinfo.text.printable import one_line

    columns = (
        TextColumn(f"fetching {one_line(name)}", markup=False),
        BarColumn(),
        DownloadColumn(),
    )
    seen = streams.is_terminal(sys.stderr)
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not seen) as shown:
        task = shown.add_task("", total=None)
        yield lambda done, size: shown.update(task, completed=done, total=size)
