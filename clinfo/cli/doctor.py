"""``clinfo doctor``: what is configured, installed and reachable. Keys are never printed, only
whether they are set.
"""

from __future__ import annotations

import os
import sys
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from clinfo.console import streams
from clinfo.sources import registry

if TYPE_CHECKING:
    from clinfo.settings import Settings

PATIENCE = 3.0
"""Seconds to wait for a server."""

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
    """Show what is configured, reachable and installed.

    Nothing that is missing makes the exit status other than 0; a setting that cannot be used gives
    2. No key is printed.
    """
    from clinfo.settings import load_settings

    settings = load_settings()
    findings = [*_installed(), *_configured(settings), *_reachable(settings)]
    streams.show({"findings": [asdict(one) for one in findings]} if json else _table(findings))
    return 0


def _table(findings: list[Finding]) -> str:
    marks = {True: "ok", False: "NO", None: "--"}
    width = max(len(finding.name) for finding in findings)
    lines: list[str] = []
    about = ""
    for finding in findings:
        if finding.about != about:
            lines += [*([""] if about else []), finding.about]
            about = finding.about
        lines.append(
            f"  {marks[finding.ok]}  {finding.name.ljust(width)}  {finding.detail}".rstrip()
        )
    return "\n".join(lines)


def _installed() -> list[Finding]:
    import platform
    from importlib import metadata

    from clinfo import __version__
    from clinfo.extras import install

    findings = [
        Finding("Installed", "clinfo", True, __version__),
        Finding("Installed", "Python", sys.version_info >= (3, 11), platform.python_version()),
    ]
    needed = (
        "litellm",
        "biopython",
        "lxml",
        "rank-bm25",
        "rapidfuzz",
        "pydantic-settings",
        "msgspec",
        "requests",
        "tenacity",
        "filelock",
        "bibtexparser",
        "phonenumbers",
        "python-stdnum",
    )
    users: dict[str, tuple[str, str] | None] = dict.fromkeys(needed)
    users |= dict.fromkeys(
        ("tantivy", "zstandard", "werkzeug", "waitress"), ("index", "the local index")
    )
    users |= {"matplotlib": ("plots", "--plot")}
    users |= dict.fromkeys(("openpyxl", "python-docx"), ("office", "an answer for Word or Excel"))
    users |= {"mcp": ("mcp", "clinfo mcp")}
    users |= dict.fromkeys(("flask", "sqlalchemy", "gunicorn"), ("web", "the web app"))
    for package, used in users.items():
        try:
            findings.append(Finding("Installed", package, True, metadata.version(package)))
        except metadata.PackageNotFoundError:
            missing = "missing: install clinfo again"
            if used is not None:
                missing = f"missing; {used[1]} needs it; {install(used[0])}"
            findings.append(Finding("Installed", package, None if used else False, missing))
    return findings


def _configured(settings: Settings) -> list[Finding]:
    from clinfo.pipelines.literature.declared import LITERATURE

    findings = [
        Finding(
            "Configured",
            "model",
            True if settings.model else None,
            settings.model or "none: give --model or set CLINFO_MODEL",
        ),
        *(
            Finding("Configured", f"model for {stage}", True, name)
            for stage, name in LITERATURE.stage_models(settings).items()
        ),
        Finding("Configured", "source", True, settings.source),
        Finding("Configured", "model calls at a time", True, str(settings.concurrency)),
        _cache(settings),
    ]
    names = (*(key for one in registry.specs() for key in one.keys), *PROVIDER_KEYS)
    keys = {name: bool(os.environ.get(name)) for name in names}
    findings += [
        Finding("Configured", name, present or None, "set" if present else "not set")
        for name, present in keys.items()
    ]
    return [*findings, *_sources(settings)]


def _sources(settings: Settings) -> list[Finding]:
    """Return what sources, MeSH and retractions there are on this machine."""
    from clinfo.errors import ClinfoError
    from clinfo.integrity.retractions import loaded_list
    from clinfo.sources.mesh_lookup import mesh_table
    from clinfo.views.wording import number

    findings = []
    try:
        retractions = loaded_list(settings.data_dir)
        described = (
            retractions.description if retractions else "not loaded: clinfo retractions load FILE"
        )
        findings.append(
            Finding("Configured", "retraction list", True if retractions else None, described)
        )
    except ClinfoError as error:
        findings.append(Finding("Configured", "retraction list", False, str(error)))
    try:
        with closing(mesh_table(settings)) as table:
            findings.append(
                Finding(
                    "Configured",
                    "MeSH",
                    True,
                    f"{table.name}, {number(table.edition.descriptors, 'heading')}",
                )
            )
    except ClinfoError as error:
        findings.append(Finding("Configured", "MeSH", False, str(error)))
    for one in registry.specs():
        if one.inspect is not None:
            try:
                findings.append(Finding("Configured", one.label, *one.inspect(settings)))
            except ClinfoError as error:
                findings.append(Finding("Configured", one.label, False, str(error)))
    return findings


def _cache(settings: Settings) -> Finding:
    if settings.cache == "off":
        return Finding("Configured", "cache", None, "off")
    nearest = settings.cache_dir
    while not nearest.exists() and nearest != nearest.parent:
        nearest = nearest.parent
    writable = nearest.is_dir() and os.access(nearest, os.W_OK)
    return Finding(
        "Configured",
        "cache",
        writable,
        f"{settings.cache_dir}{'' if writable else ' (cannot be written)'}",
    )


def _reachable(settings: Settings) -> list[Finding]:
    from concurrent.futures import ThreadPoolExecutor

    from clinfo.settings import model_address

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
    import time
    from urllib.parse import urlsplit

    import requests

    from clinfo.sources.exchange import answered_by, open_session

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
        return Finding("Reachable", name, False, f"{shown} cannot be reached")
    return Finding("Reachable", name, status < 400, f"{shown} answered {status}")
