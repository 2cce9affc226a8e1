"""The processor that runs the models."""

from __future__ import annotations

import re

from clinfo.errors import UsageError

_NAME = re.compile(r"cpu|mps|cuda(:\d+)?")


def choose(given: str | None = None) -> str:
    """The device to use, in torch's spelling: ``given`` if it is there, else the first of cuda, mps
    and cpu that is.

    Raises `UsageError` for a name that torch does not know and for a device that this machine
    lacks.
    """
    import torch

    there = {
        "cuda": torch.cuda.is_available(),
        "mps": torch.backends.mps.is_available(),
        "cpu": True,
    }
    if given is None:
        return next(name for name, present in there.items() if present)
    if not _NAME.fullmatch(given):
        raise UsageError(f"{given!r} is not a device: cpu, mps, cuda or cuda:N")
    kind, _, number = given.partition(":")
    if not there[kind] or (number and int(number) >= torch.cuda.device_count()):
        raise UsageError(f"this machine has no device {given!r}")
    return given
