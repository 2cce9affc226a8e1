"""Collections that a host offers beside the sources that everybody has: citation files and local
indexes, each by a title.
"""

from __future__ import annotations

from pathlib import Path

from clinfo import sources
from clinfo.cache import Cache
from clinfo.errors import RecordError, UsageError
from clinfo.settings import Settings
from clinfo.sources import ArticleSource, SourceSpec
from webapp.settings import WebSettings, variable

_read: dict[tuple[str, Path, int], ArticleSource] = {}
"""The files as all runs of this process use them, by title, path and the time of their last
change.
"""


def spec(web: WebSettings, name: str) -> SourceSpec | None:
    """The source of this name or title; None for one that is not known here."""
    if name not in web.collections:
        return sources.spec(name)
    return SourceSpec(
        name=name,
        title=name,
        note="a collection of this site, searched on this server",
        platform=name,
        open=lambda asked: _collection(asked.settings, name, Path(web.collections[name])),
    )


def article_source(
    web: WebSettings, chain: Settings, name: str, cache: Cache | None
) -> ArticleSource:
    """The source of this name or title. Raises UsageError, and RecordError for a file or an index
    that cannot be read.
    """
    if name not in web.collections:
        return sources.article_source(chain, name, cache)
    return _collection(chain, name, Path(web.collections[name]))


def check(web: WebSettings, chain: Settings) -> None:
    """Read every collection. Raises UsageError that names the title of one that cannot be read."""
    for title, path in web.collections.items():
        try:
            _collection(chain, title, Path(path))
        except (RecordError, UsageError) as error:
            raise UsageError(f"{variable('collections')}: “{title}”: {error}") from None


def _collection(chain: Settings, title: str, path: Path) -> ArticleSource:
    if path.is_dir():
        from clinfo.sources import Local, LocalIndex

        index = Local(LocalIndex.open(path))
        index.name = title
        return index
    if not path.is_file() or not path.name.lower().endswith(sources.endings()):
        needed = f"a folder of clinfo index build, or a file {', '.join(sources.endings())}"
        raise UsageError(f"{path} is not {needed}")
    key = title, path, path.stat().st_mtime_ns
    found = _read.get(key)
    if found is None:
        from clinfo.sources import Memory, mesh_table

        made = Memory.from_files([path], title, mesh=mesh_table(chain))
        made.notices = tuple(one.replace(path.name, f"“{title}”") for one in made.notices)
        for stale in [one for one in _read if one[0] == title]:
            _read.pop(stale, None)
        found = _read[key] = made
    return found
