"""The folder of an index: what lies where, and how one state of the search engine's files becomes
another.

    index.json          which form the folder has
    lock                held by the process that builds
    records.sqlite      records, versions, files, and how far a build has come (`clinfo.pubmed.index.records`)
    versions/N/         the search engine's files as of version N; nobody writes to them
    mesh-N.sqlite       the MeSH table that came with version N
    steps/N-K/          the search engine's files after step K of the build of version N
    work/               where a build writes; worth nothing once it has stopped

The search engine never changes a file, it writes new ones, so states share their files as hard
links.
"""  # noqa: E501

from __future__ import annotations

import json
import os
import shutil
from contextlib import suppress
from pathlib import Path

from clinfo.errors import RecordError, UsageError
from clinfo.files import sync_folder
from clinfo.pubmed.index.records import FILE_NAME
from clinfo.pubmed.index.schema import FORM

BUILD_IT = "clinfo index build FILE… --out DIR"


class Folder:
    """The paths of the parts of an index."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lock, self.work, self.records = path / "lock", path / "work", path / FILE_NAME

    def version(self, number: int) -> Path:
        return self.path / "versions" / str(number)

    def step(self, version: int, number: int) -> Path:
        return self.path / "steps" / f"{version}-{number}"

    def mesh(self, version: int) -> Path:
        return self.path / f"mesh-{version}.sqlite"

    def check(self) -> None:
        """Raise UsageError where this is not an index, or one of another form."""
        try:
            form = json.loads((self.path / "index.json").read_text("utf-8"))["form"]
        except FileNotFoundError:
            if self.path.exists():
                raise UsageError(
                    f"{self.path} is not a local index; build one with {BUILD_IT}"
                ) from None
            raise UsageError(
                f"no local index exists at {self.path}; build one with {BUILD_IT}"
            ) from None
        except OSError as error:
            raise UsageError(f"{self.path} cannot be read: {error.strerror or error}") from None
        except (ValueError, KeyError, TypeError):
            raise RecordError(
                f"{self.path / 'index.json'} is damaged; build the index again in another folder"
            ) from None
        if form != FORM:
            raise UsageError(
                f"{self.path} is an index of another version (form {form}; this program reads form "
                f"{FORM}): "
                "build it again in another folder"
            )

    def create(self) -> None:
        """Make an empty index here, unless there is one. Raises UsageError where the folder holds
        something else.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        named = self.path / "index.json"
        if named.exists():
            self.check()
            return
        strangers = [
            one.name for one in self.path.iterdir() if one.name not in ("lock", "index.json.new")
        ]
        if strangers:
            raise UsageError(
                f"{self.path} holds other files ({sorted(strangers)[0]} …) but no index: name a "
                "new or empty folder"
            )
        written = named.with_name("index.json.new")
        written.write_text(json.dumps({"schema": 1, "form": FORM}) + "\n", "utf-8")
        written.replace(named)

    def clear_work(self) -> None:
        """Remove what a build that stopped has left."""
        shutil.rmtree(self.work, ignore_errors=True)

    def clear_steps(self, but: Path | None = None) -> None:
        """Remove all steps ``but`` one, and half-made states."""
        for area in ("steps", "versions"):
            if (self.path / area).is_dir():
                for one in (self.path / area).iterdir():
                    if one.name.startswith(".") or (area == "steps" and one != but):
                        shutil.rmtree(one, ignore_errors=True)


def share(state: Path, target: Path) -> None:
    """Make ``target`` a state with the same files; it is there whole or not at all."""
    target.parent.mkdir(parents=True, exist_ok=True)
    half = target.with_name(f".{target.name}")
    shutil.rmtree(half, ignore_errors=True)
    half.mkdir()
    for file in state.iterdir():
        if not file.name.endswith(".lock"):
            _link(file, half / file.name)
    sync_folder(half)
    shutil.rmtree(target, ignore_errors=True)
    half.rename(target)
    sync_folder(target.parent)


def _link(file: Path, target: Path) -> None:
    try:
        os.link(file, target)
    except OSError as error:
        if isinstance(error, FileExistsError):
            raise
        shutil.copy2(file, target)  # a file system without hard links


def size_of(folder: Path) -> int:
    """Bytes of all files below the folder, shared ones counted once."""
    seen: dict[tuple[int, int], int] = {}
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                status = os.lstat(os.path.join(place, name))
                seen[status.st_dev, status.st_ino] = status.st_size
    return sum(seen.values())
