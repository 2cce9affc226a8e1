"""An index opened for reading, as it stood at one of its versions."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from clinfo.errors import UsageError
from clinfo.pubmed.document import Document, document
from clinfo.pubmed.index.engine import TantivyEngine
from clinfo.pubmed.index.records import BUILD_IT, Folder, LoadedFile, Records, Version, size_of
from clinfo.pubmed.index.schema import KEYS, refuse_missing, written
from clinfo.pubmed.plan import Keys, Plan, Sort
from clinfo.records.articles import Article, Related
from clinfo.terms.mesh import Mesh, bundled_mesh
from clinfo.text.words import STOPWORDS

if TYPE_CHECKING:
    from clinfo.pubmed.search import Found

TELLING = 25
"""Words of an article by which similar ones are looked for; as many as Lucene's MoreLikeThis
takes.
"""
TITLE_WEIGHT, HEADING_WEIGHT = 2.0, 0.5
"""The weights of a word of the title and of a heading against a word of the abstract."""
COMMONEST = 0.1
"""Share of all records above which a heading says nothing about what an article is like."""
SCORE_UNIT = 1_000_000
"""Scores of similar articles are given as whole numbers of millionths, as PubMed gives whole
numbers.
"""


@dataclass(frozen=True)
class Info:
    """The contents of an index. ``bytes`` is its size on disk with all versions, ``xml_bytes`` the
    XML of the files loaded.
    """

    version: Version
    versions: tuple[Version, ...]
    files: tuple[LoadedFile, ...]
    bytes: int
    xml_bytes: int
    unfinished: bool
    """True where a build has begun that is not finished."""


class LocalIndex(TantivyEngine):
    """An index at one version: an Engine, with the records behind it. For any number of threads;
    nothing in it changes.

    All methods raise RecordError where the index's files are damaged.
    """

    def __init__(self, folder: Folder, version: Version, records: Records) -> None:
        self.folder = folder
        self.version = version
        self._records = records
        super().__init__(folder.version(version.number), self._read_documents)
        self.mesh: Mesh = Mesh(folder.path / version.mesh) if version.mesh else bundled_mesh()

    @classmethod
    def open(cls, path: str | Path, as_of: str | int | date | None = None) -> LocalIndex:
        """The index at ``path``, as of its last version, of version N or of a day (``YYYY-MM-DD``:
        the last version by then).

        Raises UsageError: no index there, one of another form, one whose first build is not
        finished, no such version, or the packages of the extra ``index`` missing. Raises
        RecordError where it is damaged.
        """
        refuse_missing()
        folder = Folder(Path(path).expanduser())
        folder.check()
        records = Records(folder.path)
        try:
            return cls(folder, _chosen(folder, records, as_of), records)
        except BaseException:
            records.close()
            raise

    @property
    def description(self) -> str:
        """The index in a few words: its folder's name, version, day and number of citations."""
        one = self.version
        name = self.folder.path.absolute().name
        return (
            f"index {name}, version {one.number} of {one.day}, {one.citations:,} "
            f"citation{'' if one.citations == 1 else 's'}"
        )

    # Searching

    def search(
        self,
        text: str,
        limit: int = 20,
        offset: int = 0,
        sort: Sort = "relevance",
        today: date | None = None,
        history: Mapping[int, Plan] = {},
        *,
        filter: str | None = None,
        within: Plan | None = None,
    ) -> Found:
        """Return what the index has for a query in PubMed's language
        (`clinfo.pubmed.search.search`).

        ``today`` is by default the day of the version, so that "last 5 years" means the same
        whenever it is asked.
        """
        from clinfo.pubmed.search import search

        today = today or date.fromisoformat(self.version.day)
        return search(
            text, self, self.mesh, limit, offset, sort, today, history, filter=filter, within=within
        )

    def ids(self, plan: Plan) -> list[str]:
        """The ids of everything that the plan finds, higher PMIDs first."""
        return [f"pmid:{pmid}" for pmid in self.pmids(plan)]

    # Records

    def records(self, pmids: Iterable[str]) -> dict[str, bytes]:
        """The XML of these records, in UTF-8, by PMID; one that is not held is left out."""
        wanted = [int(pmid) for pmid in dict.fromkeys(pmids) if pmid.isascii() and pmid.isdecimal()]
        return {str(pmid): xml for pmid, xml in self._records.read(wanted, self.version.number)}

    def articles(self, pmids: Iterable[str]) -> list[Article]:
        """The articles of these PMIDs, in the order asked; one that is not held is left out."""
        from clinfo.pubmed.xml import read_article

        return [read_article(xml) for xml in self.records(pmids).values()]

    def _read_documents(self, pmids: Sequence[int]) -> Iterable[Document]:
        from clinfo.pubmed.xml import read_citation

        return (
            document(read_citation(xml))
            for _, xml in self._records.read(pmids, self.version.number)
        )

    # Links

    def related(self, pmid: str, limit: int) -> Related:
        """Article ids, at most ``limit`` of each kind, all of them held here and none the article
        itself.
        """
        similar = [one for one, _ in self.similar(pmid, limit + 1) if one != pmid][:limit]
        cited, citing = self.cited(pmid)[:limit], self.citing(pmid)[:limit]
        return Related(*(tuple(f"pmid:{one}" for one in ones) for ones in (similar, citing, cited)))

    def similar(self, pmid: str, limit: int) -> list[tuple[str, int]]:
        """(PMID, score) of the articles most like this one, itself first: by BM25 of its most
        telling words and headings.
        """
        for own in self._read_documents([int(pmid)] if pmid.isascii() and pmid.isdecimal() else []):
            found = self.weighted(self._telling(own), limit, int(pmid))
            return [(str(one), round(score * SCORE_UNIT)) for one, score in found]
        return []

    def citing(self, pmid: str) -> list[str]:
        """PMIDs of the articles here whose reference lists name this one, higher numbers first."""
        return [str(one) for one in self.pmids(Keys("refs", frozenset((pmid,))))]

    def cited(self, pmid: str) -> list[str]:
        """PMIDs of the articles here that this one's reference list names, higher numbers first."""
        for own in self._read_documents([int(pmid)] if pmid.isascii() and pmid.isdecimal() else []):
            return [str(one) for one in self.pmids(Keys("pmid", frozenset(own.keys["refs"])))]
        return []

    def _telling(self, own: Document) -> list[tuple[str, str, float]]:
        """(field, term, weight) of the words and headings that tell most about a document."""
        total = max(len(self), 1)

        def rarity(field: str, term: str) -> float:
            found = min(self.frequency(field, term), total)
            return math.log(1 + (total - found + 0.5) / (found + 0.5))

        title = set(" ".join(own.texts["ti"]).split())
        words = Counter(" ".join((*own.texts["ti"], *own.texts["ab"])).split())
        worth = {
            word: (math.log1p(times) + (TITLE_WEIGHT if word in title else 0)) * rarity("ab", word)
            for word, times in words.items()
            if word not in STOPWORDS and len(word) > 1 and not word.isdecimal()
        }
        chosen = sorted(worth, key=lambda word: (-worth[word], word))[:TELLING]
        most = worth[chosen[0]] if chosen else 1.0
        terms = [
            (store, word, weight * worth[word] / most)
            for word in chosen
            for store, weight in (("ti", TITLE_WEIGHT), ("ab", 1.0))
        ]
        headings = [f"mh:{written(heading)}" for heading in own.keys["mh"]]
        return terms + [
            (KEYS, one, HEADING_WEIGHT)
            for one in headings
            if self.frequency(KEYS, one) <= COMMONEST * total
        ]

    # About itself

    def info(self) -> Info:
        """Return what the index holds and how large it is."""
        files = self._records.files(self.version.number)
        return Info(
            version=self.version,
            versions=tuple(self._records.versions()),
            files=tuple(files),
            bytes=size_of(self.folder.path),
            xml_bytes=sum(one.xml_bytes for one in files),
            unfinished=any(
                one.version > self._records.versions()[-1].number for one in self._records.files()
            ),
        )

    def close(self) -> None:
        """Let go of the files."""
        self._records.close()
        self.mesh.close()


def snapshots(path: str | Path) -> list[Version]:
    """The versions of an index, oldest first. Raises UsageError, RecordError."""
    folder = Folder(Path(path).expanduser())
    folder.check()
    with closing(Records(folder.path)) as records:
        return _versions(folder, records)


def _versions(folder: Folder, records: Records) -> list[Version]:
    found = records.versions() if folder.records.exists() else []
    if not found:
        raise UsageError(
            f"the first build of the index {folder.path} is not finished; {BUILD_IT} resumes where "
            "it stopped"
        )
    return found


def _chosen(folder: Folder, records: Records, as_of: str | int | date | None) -> Version:
    versions = _versions(folder, records)
    if as_of is None:
        return versions[-1]
    if isinstance(as_of, date) or re.fullmatch(r"\d{4}-\d\d-\d\d", str(as_of).strip()):
        try:
            day = as_of if isinstance(as_of, date) else date.fromisoformat(as_of.strip())  # type: ignore[union-attr]
        except ValueError:
            raise UsageError(f"--as-of: {as_of} is not a day") from None
        by_then = [one for one in versions if one.day <= day.isoformat()]
        if not by_then:
            raise UsageError(
                f"--as-of: the index {folder.path} had no version by {day}; its first is of "
                f"{versions[0].day}"
            )
        return by_then[-1]
    if not str(as_of).strip().isdecimal():
        raise UsageError(
            f"--as-of: {as_of} is neither a day (YYYY-MM-DD) nor the number of a version"
        )
    for one in versions:
        if one.number == int(as_of):
            return one
    raise UsageError(
        f"--as-of: version {as_of} does not exist; there are "
        f"{', '.join(str(one.number) for one in versions)}"
    )
