"""``pubmedrs fetch``: the published files, over the network."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from clinfo.console import streams
from clinfo.errors import Cancelled, SourceError, SourceUnavailable, UsageError
from pubmedrs import published

TRIES_AGAIN = 3
"""Further tries where a connection is cut or a server busy."""


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
    what came is told.

    Exit status: 0 there; 2 wrong usage, or another file is in the way; 4 the server failed or sent
    another file; 130 interrupted.

    \b
    Examples:
      python -m pubmedrs fetch --out data/PubMedRS-200.csv
      python -m pubmedrs fetch --scores --out data/scores
    """
    import pooch

    wanted = [(Path(out or published.DATA_SET), url or published.BASE + published.DATA_SET)]
    if scores:
        folder, base = Path(out or "published-scores"), (url or published.BASE).rstrip("/")
        wanted = [(folder / name, f"{base}/{at}") for name, at in published.SCORES.items()]
    files = []
    for path, address in wanted:
        there = path.exists()
        _fetched(path, address, None if scores else published.SHA256)
        size, sha256 = path.stat().st_size, pooch.file_hash(path)
        files.append({"path": str(path), "sha256": sha256, "bytes": size, "came": not there})
    if json:
        streams.show({"files": files, "checksum": "unknown" if scores else "right"})
        return 0
    said = "checksum unknown" if scores else "the published file"
    for one in files:
        how = "fetched" if one["came"] else "there already"
        streams.show(
            f"{one['path']}: {how}, {one['bytes']:,} bytes, SHA-256 {one['sha256']} ({said})"
        )
    return 0


def _fetched(path: Path, address: str, sha256: str | None) -> None:
    """Fetch a file, unless it is there. Raises UsageError where another one is, SourceError where
    another one came, SourceUnavailable where none did.
    """
    import pooch
    import requests

    if path.exists():
        if path.is_dir() or not pooch.hashes.hash_matches(path, sha256):
            raise UsageError(f"--out: {path} is there and is another file; choose another name")
        return
    pooch.get_logger().setLevel("ERROR")
    at = pooch.create(
        path.parent,
        base_url="",
        registry={path.name: sha256},
        urls={path.name: address},
        retry_if_failed=TRIES_AGAIN,
    )
    try:
        at.fetch(path.name, progressbar=streams.is_terminal(sys.stderr))
    except KeyboardInterrupt:
        raise Cancelled("interrupted: run the same command again") from None
    except (requests.exceptions.InvalidURL, requests.exceptions.InvalidSchema) as error:
        raise UsageError(f"--url: {error}") from None
    except requests.RequestException as error:
        raise SourceUnavailable(
            f"{address} did not answer as it should ({type(error).__name__}); run the same command "
            f"again. Without a network, fetch {path.name} on another machine and name it where a "
            "command asks for it, or give another address with --url"
        ) from None
    except OSError as error:
        raise UsageError(f"--out: {path} cannot be written: {error.strerror or error}") from None
    except ValueError as error:
        told = " ".join(str(error).split())
        raise SourceError(f"{address} sent another file; nothing was saved: {told}") from None
