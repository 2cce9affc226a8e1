"""The store of what was made of patients' records: one folder a patient, readable by its owner
only, and the log of who asked what.

No name of a folder and no line of the log tells who the patient is: both hold a hash with a secret
of this store.
"""

from __future__ import annotations

import contextlib
import getpass
import hashlib
import hmac
import json
import os
import re
import secrets
import shutil
from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from pathlib import Path

from clinfo.cache import Cache
from clinfo.errors import UsageError
from clinfo.files import file_errors, sync_folder, whole_file
from clinfo.patients.collecting import Records
from clinfo.patients.reading import read_records
from clinfo.settings import Settings

_HASHED = re.compile(r"[0-9a-f]{32}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,120}")


class PatientStore:
    """Indexes, caches and runs by patient, under ``root``. Raises UsageError where that cannot
    be used: nothing may be done then, as it would leave no trace in the log.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        with file_errors(f"cannot use {root}"):
            root.mkdir(mode=0o700, parents=True, exist_ok=True)
            root.chmod(0o700)
            self._secret = _secret(root / "secret")

    @classmethod
    def of(cls, settings: Settings) -> PatientStore:
        """The store of these settings."""
        return cls(settings.patients_dir or settings.data_dir / "patients")

    def hashed(self, patient: str) -> str:
        """The patient's id as the log and the folders hold it: 32 hexadecimal digits, equal for
        equal ids in this store and in no other.
        """
        return hmac.digest(self._secret, patient.encode(), "sha256").hex()[:32]

    def keep(self, patient: str, name: str, data: bytes) -> Path:
        """Write a file of the patient, whole or not at all; its path."""
        path = self._path(self.hashed(patient), name)
        with file_errors(f"cannot write {path}"):
            path.parent.mkdir(mode=0o700, exist_ok=True)
            with whole_file(path, None, f".{secrets.token_hex(4)}.partial") as file:
                os.fchmod(file.fileno(), 0o600)
                file.write(data)
        return path

    def kept(self, hashed: str, name: str) -> bytes | None:
        """The file that `keep` wrote of the patient of this hashed id, None where there is none."""
        path = self._path(hashed, name)
        with file_errors(f"cannot read {path}"):
            try:
                return path.read_bytes()
            except FileNotFoundError:
                return None

    def holds(self, hashed: str, name: str) -> bool:
        """Return whether there is a file of the patient of this hashed id."""
        return self._path(hashed, name).is_file()

    def erase_unused(self, used: Collection[str], before: float) -> int:
        """Erase the patients of whom a record or a cache is kept though none of the runs is on it
        (``used`` are their hashed ids), and what a broken upload left; how many. What was written
        after ``before`` (seconds since 1970) stays.
        """
        with file_errors(f"cannot erase in {self.root}"):
            old = [
                path
                for path in self.root.iterdir()
                if path.name not in used
                and (_HASHED.fullmatch(path.name) or path.name.startswith("incoming-"))
                and max([one.stat().st_mtime for one in path.iterdir()] or [path.stat().st_mtime])
                < before
            ]
            for path in old:
                shutil.rmtree(path, ignore_errors=True)
        return len(old)

    def cache(self, patient: str) -> Cache:
        """The patient's cache of replies and vectors. Once the patient is erased, it keeps nothing
        any longer.
        """
        path = self._path(self.hashed(patient), "cache.sqlite")
        with file_errors(f"cannot write {path}"):
            path.parent.mkdir(mode=0o700, exist_ok=True)
        return Cache(path, make_folder=False)

    def erase(self, hashed: str) -> int:
        """Take away all that is kept of the patient of this hashed id; how many files. The log
        stays.
        """
        folder = self._path(hashed, "x").parent
        files = sum(one.is_file() for one in folder.rglob("*")) if folder.is_dir() else 0
        if folder.is_dir():
            with file_errors(f"cannot erase {folder}"):
                shutil.rmtree(folder)
                sync_folder(self.root)
        return files

    def audit(
        self,
        *,
        user: str,
        run: str,
        patient: str = "",
        hashed: str = "",
        question: str = "",
        did: str = "ask",
    ) -> None:
        """Add a line to the log: when, who, did what, about whom (hashed, or ``hashed`` already),
        which question (its SHA-256, "" for none), in which run.

        Raises UsageError where it cannot be written; the run must not go on then.
        """
        line = {
            "time": datetime.now(UTC).isoformat(timespec="seconds"),
            "user": user,
            "did": did,
            "patient": hashed or self.hashed(patient),
            "question": hashlib.sha256(question.encode()).hexdigest() if question else "",
            "run": run,
        }
        path = self.root / "audit.jsonl"
        with file_errors(f"cannot write {path}"):
            log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                os.write(log, (json.dumps(line) + "\n").encode())
                os.fsync(log)
            finally:
                os.close(log)

    def _path(self, hashed: str, name: str) -> Path:
        if not _NAME.fullmatch(name) or not _HASHED.fullmatch(hashed):
            raise UsageError(f"{name[:60]!r} is not a name of a file of a patient")
        return self.root / hashed / name


def read_logged(
    settings: Settings, paths: Iterable[str | Path], patient: str, question: str, run: str, did: str
) -> Records:
    """The records in files, once it is logged that one of them is read. Raises UsageError, also
    where it cannot be logged.
    """
    records = read_records(paths, patient)
    PatientStore.of(settings).audit(
        user=this_user(),
        patient=records.one(patient).patient,
        question=question,
        run=run,
        did=did,
    )
    return records


def this_user() -> str:
    """The name under which the present process runs."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a number without a name, as in a container
        return f"uid {os.getuid()}"


def _secret(path: Path) -> bytes:
    """The secret in a file, made where there is none yet; two processes get the same one."""
    unfinished = path.with_name(f"secret.{secrets.token_hex(4)}")
    if not path.exists():
        with open(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(secrets.token_bytes(32))
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(unfinished, path)
        unfinished.unlink()
    secret = path.read_bytes()
    if len(secret) < 32:
        raise UsageError(f"{path} is damaged: it holds the secret of the patients' store")
    return secret
