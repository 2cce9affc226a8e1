"""``clinfo doctor``: what is configured, installed and reachable. Keys are never printed, only
whether they are set.
"""

import os
import platform
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from functools import partial
from importlib import metadata
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated
from urllib.parse import urlsplit

import requests
import typer

from clinfo import __version__
from clinfo.console import streams
from clinfo.errors import ClinfoError, UsageError
from clinfo.extras import install
from clinfo.integrity.retractions import loaded_list
from clinfo.settings import Settings, load_settings, model_address, usable_settings
from clinfo.sources import registry
from clinfo.sources.exchange import answered_by, open_session
from clinfo.terms.mesh import mesh_table
from clinfo.text.wording import number

PATIENCE = 3.0
"""Seconds to wait for a server."""
UNSET, MISSING = "not set", "missing: "
"""The words of a finding on a key that is not there, and the beginning of one on such a package."""

PACKAGES: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("", ""): (
        *("litellm", "biopython", "lxml", "rank-bm25", "rapidfuzz", "pydantic-settings", "msgspec"),
        *("requests", "tenacity", "filelock", "bibtexparser", "phonenumbers", "python-stdnum"),
    ),
    ("index", "the local index"): ("tantivy", "zstandard", "werkzeug", "waitress"),
    ("plots", "--plot"): ("matplotlib",),
    ("office", "an answer for Word or Excel"): ("openpyxl", "python-docx"),
    ("mcp", "clinfo mcp"): ("mcp",),
    ("web", "the web app"): ("flask", "sqlalchemy", "gunicorn"),
}
"""Packages, by the extra that brings them and what needs it; "" is the program itself."""
PROVIDER_KEYS = (
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "GEMINI_API_KEY",
    "MISTRAL_API_KEY",
    "GROQ_API_KEY",
    "DEEPSEEK_API_KEY",
    "AZURE_API_KEY",
    "OPENROUTER_API_KEY",
)


@dataclass(frozen=True)
class Finding:
    """One thing looked at. ``ok`` is None for what is merely not set and needs not be."""

    about: str
    name: str
    ok: bool | None
    detail: str


def doctor(
    json: Annotated[bool, typer.Option("--json", help="As JSON.", show_default=False)] = False,
) -> int:
    """Show what to do next: what is configured, reachable and installed.

    First what is amiss (NO), then what may be set (--), each with what to do about it, then what is
    well (ok). --json shows every single thing that was looked at. Nothing that is missing makes the
    exit status other than 0; a setting that cannot be used gives 2. No key is printed.
    """

    wrong: list[str] = []
    try:
        settings = load_settings()
    except UsageError as error:
        wrong.append(str(error))
        settings = usable_settings()
    try:
        registry.chosen(os.environ.get("CLINFO_SOURCE") or "pubmed")
    except UsageError as error:
        wrong.append(f"CLINFO_SOURCE: {error}")
    if wrong and not json:
        raise UsageError("; ".join(wrong))
    findings = [Finding("Configured", "settings", False, one) for one in wrong]
    findings += [*_installed(), *_configured(settings), *_reachable(settings)]
    streams.show({"findings": [asdict(one) for one in findings]} if json else _lines(findings))
    return UsageError.exit_status if wrong else 0


def _lines(findings: list[Finding]) -> str:
    """Lines on what is amiss, then on what may be set, one for each thing to do; then what is well,
    in one line without the packages.
    """
    lines: list[str] = []
    well: list[str] = []
    for one in sorted(findings, key=lambda one: one.ok is not False):
        if one.ok:
            name = "" if one.detail.startswith(one.name) else f"{one.name} "  # "MeSH 2020, …"
            well += [] if one.name in chain(*PACKAGES.values()) else [f"{name}{one.detail}"]
        elif one.detail.startswith(MISSING) and one.ok is None:
            lines.append(f"--  {one.detail.removeprefix(MISSING)}")
        elif one.detail != UNSET:
            lines.append(f"{'--' if one.ok is None else 'NO'}  {one.name}  {one.detail}")
    if keys := ", ".join(one.name for one in findings if one.detail == UNSET):
        lines.append(f"--  keys  not set: {keys}; a provider's model needs its own")
    lines.sort(key=lambda line: line.startswith("--"))
    return "\n".join(dict.fromkeys([*lines, f"ok  {' · '.join(well)}"]))


def _installed() -> Iterator[Finding]:

    yield Finding("Installed", "clinfo", True, __version__)
    yield Finding("Installed", "Python", sys.version_info >= (3, 11), platform.python_version())
    for (extra, use), packages in PACKAGES.items():
        for package in packages:
            try:
                yield Finding("Installed", package, True, metadata.version(package))
            except metadata.PackageNotFoundError:
                missing = f"{use} needs it; {install(extra)}" if extra else "install clinfo again"
                yield Finding("Installed", package, None if extra else False, f"{MISSING}{missing}")


def _configured(settings: Settings) -> Iterator[Finding]:
    """Models, sources, keys, and what MeSH and retractions there are on this machine."""
    from clinfo.pipelines.literature.stages import LITERATURE

    def retractions() -> tuple[bool | None, str]:
        held = loaded_list(settings.data_dir)
        missing = "not loaded: clinfo retractions load FILE"
        return (True, held.description) if held else (None, missing)

    def mesh() -> tuple[bool | None, str]:
        with closing(mesh_table(settings.data_dir)) as table:
            return True, f"{table.name}, {number(table.edition.descriptors, 'heading')}"

    model = (
        settings.model
        or "none: give --model or set CLINFO_MODEL (extractive: quotations, no model)"
    )
    yield Finding("Configured", "model", True if settings.model else None, model)
    for stage, name in LITERATURE.stage_models(settings).items():
        yield Finding("Configured", f"model for {stage}", True, name)
    yield Finding("Configured", "source", True, settings.source)
    yield Finding("Configured", "model calls at a time", True, str(settings.concurrency))
    if settings.cache == "off":
        yield Finding("Configured", "cache", None, "off")
    else:
        yield _writable("cache", settings.cache_dir)
    yield _writable("data", settings.data_dir)
    for key in dict.fromkeys(
        (*(key for one in registry.specs() for key in one.keys), *PROVIDER_KEYS)
    ):
        present = bool(os.environ.get(key))
        yield Finding("Configured", key, present or None, "set" if present else UNSET)
    looked_at: list[tuple[str, Callable[[], tuple[bool | None, str]]]] = [
        ("retraction list", retractions),
        ("MeSH", mesh),
        *((one.label, partial(one.inspect, settings)) for one in registry.specs() if one.inspect),
    ]
    for name, look in looked_at:
        try:
            yield Finding("Configured", name, *look())
        except ClinfoError as error:
            yield Finding("Configured", name, False, str(error))


def _writable(name: str, folder: Path) -> Finding:
    nearest = next(one for one in (folder, *folder.parents) if one.exists())
    writable = False
    with suppress(OSError), TemporaryDirectory(dir=nearest):  # root may write what says no
        writable = True
    told = "" if writable else " (cannot be written)" if nearest.is_dir() else " (is no folder)"
    return Finding("Configured", name, writable, f"{folder}{told}")


def _reachable(settings: Settings) -> list[Finding]:

    tries: list[tuple[str, str, str | None]] = [
        (one.label, one.probe(settings), None) for one in registry.specs() if one.probe
    ]
    if address := model_address():
        tries.append(
            ("model server", address.rstrip("/") + "/models", os.environ.get("OPENAI_API_KEY"))
        )
    with ThreadPoolExecutor(max(1, len(tries))) as pool:
        return list(pool.map(lambda attempt: _try(*attempt), tries))


def _try(name: str, url: str, key: str | None) -> Finding:
    """Return whether a server answers at all within `PATIENCE`; an address is shown without what it
    may hold of credentials.
    """

    parts = urlsplit(url)
    shown = f"{parts.scheme}://{parts.hostname}{f':{parts.port}' if parts.port else ''}{parts.path}"
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        answered_by(time.monotonic() + PATIENCE)
        with (
            open_session("clinfo") as session,
            session.get(url, headers=headers, timeout=PATIENCE, stream=True) as reply,
        ):
            status = reply.status_code
    except requests.Timeout:
        return Finding("Reachable", name, False, f"{shown} did not answer within {PATIENCE:g} s")
    except (requests.RequestException, ValueError):
        return Finding(
            "Reachable",
            name,
            False,
            f"{shown} cannot be reached; is there a network, or HTTPS_PROXY to set?",
        )
    return Finding("Reachable", name, status < 400, f"{shown} answered {status}")
