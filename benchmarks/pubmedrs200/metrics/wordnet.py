"""WordNet 3.0 and the synonyms that METEOR takes from it.

It is looked for where nltk looks (NLTK_DATA and nltk's own folders, corpora/wordnet, a zip file
too), then in /usr/share/wordnet, where Debian's package wordnet-base puts it.
"""

from __future__ import annotations

import os
import shutil
import warnings
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final

from clinfo.errors import ClinfoError, UsageError

DEBIAN: Final = Path("/usr/share/wordnet")
VERSION: Final = "3.0"
_FILES: Final = (
    *(f"{kind}.{part}" for kind in ("data", "index") for part in ("noun", "verb", "adj", "adv")),
    *(f"{part}.exc" for part in ("noun", "verb", "adj", "adv")),
)
# The lexicographers' files by number, with WordNet's digit for the part of speech: lexnames(5WN).
_NOUNS: Final = (
    "Tops act animal artifact attribute body cognition communication event feeling food group "
    "location motive object person "
    "phenomenon plant possession process quantity relation shape state substance time"
)
_VERBS: Final = (
    "body change cognition communication competition consumption contact creation emotion motion "
    "perception possession social "
    "stative weather"
)
_LEXICOGRAPHERS_FILES: Final = (
    ("adj.all", 3),
    ("adj.pert", 3),
    ("adv.all", 4),
    *((f"noun.{name}", 1) for name in _NOUNS.split()),
    *((f"verb.{name}", 2) for name in _VERBS.split()),
    ("adj.ppl", 3),
)
_LONGEST: Final = 200
"""Characters; the longest word of WordNet has fewer than 80."""


def lexnames() -> str:
    """The file ``lexnames`` that nltk wants and Debian's package lacks: number, name and part of
    speech, parted by tabs.
    """
    return "".join(
        f"{number:02}\t{name}\t{part}\n"
        for number, (name, part) in enumerate(_LEXICOGRAPHERS_FILES)
    )


@cache
def reader() -> Any:
    """nltk's reader of WordNet 3.0, finding base forms by the rules of nltk 3.8.1.

    Raises UsageError where WordNet is not on this machine.
    """
    import nltk.data

    try:
        place = nltk.data.find("corpora/wordnet/")
    except LookupError:
        place = None
    if place is not None:
        return _opened(place)
    if not (DEBIAN / "data.noun").is_file():
        raise UsageError(
            "METEOR needs WordNet 3.0: install Debian's package wordnet-base, or fetch it with "
            '"python -m nltk.downloader wordnet" and name its folder in NLTK_DATA'
        )
    # nltk reads only below its data folders and follows no link out of them.
    root = _copied()
    if str(root) not in nltk.data.path:
        nltk.data.path.append(str(root))
    return _opened(nltk.data.find("corpora/wordnet/", [str(root)]))


def _opened(place: Any) -> Any:
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    class Reader(WordNetCorpusReader):  # type: ignore[misc]  # nltk has no types
        def _morphy(self, form: str, pos: str, check_exceptions: bool = True) -> list[str]:
            """Up to nltk 3.8.1 a word's endings were taken off again and again until WordNet knew
            the rest; 3.9 stops at one.
            """
            found: list[str] = super()._morphy(form, pos, check_exceptions)
            if found or (check_exceptions and form in self._exception_map[pos]):
                return found
            forms = self._without_ending([form], pos)
            while forms and not found:
                forms = self._without_ending(forms, pos)
                found = [
                    each
                    for each in dict.fromkeys(forms)
                    if pos in self._lemma_pos_offset_map.get(each, ())
                ]
            return found

        def _without_ending(self, forms: list[str], pos: str) -> list[str]:
            endings = self.MORPHOLOGICAL_SUBSTITUTIONS[pos]
            return [
                form[: -len(old)] + new
                for form in forms
                for old, new in endings
                if form.endswith(old)
            ]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about other languages, which are not wanted
        try:
            opened = Reader(place, None)
            version = opened.get_version()
        except (OSError, ValueError, AssertionError) as error:
            why = str(error).partition("\n")[0]
            raise UsageError(
                f"METEOR needs WordNet {VERSION}; what is in {place} cannot be read: {why}"
            ) from None
    if version != VERSION:
        raise UsageError(f"METEOR needs WordNet {VERSION}; {place} holds {version}")
    return opened


def _copied() -> Path:
    """The nltk data folder in clinfo's cache folder, with a whole copy of Debian's WordNet."""
    from filelock import FileLock

    from clinfo.settings import load_settings

    root = load_settings().cache_dir / "nltk_data"
    folder = root / "corpora" / "wordnet"
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(root / "wordnet.lock"):
            if not _is_whole(folder):
                partial = folder.with_name(f"wordnet.{os.getpid()}.partial")
                shutil.rmtree(partial, ignore_errors=True)
                partial.mkdir()
                for name in _FILES:
                    shutil.copyfile(DEBIAN / name, partial / name)
                (partial / "lexnames").write_text(lexnames(), encoding="ascii")
                (partial / "index.sense").touch()
                shutil.rmtree(folder, ignore_errors=True)
                partial.rename(folder)
    except OSError as error:
        raise ClinfoError(
            f"WordNet cannot be copied from {DEBIAN} to {folder}: {error.strerror or error}"
        ) from None
    return root


def _is_whole(folder: Path) -> bool:
    return (folder / "lexnames").is_file() and all(
        (folder / name).is_file()
        and (folder / name).stat().st_size == (DEBIAN / name).stat().st_size
        for name in _FILES
    )


class Synonyms:
    """The part of WordNet that METEOR uses, remembered by word: `synsets(word)`, each with
    `lemmas()`, each with `name()`.

    A word's synonyms are given as one synset of the single words among them, which is all that
    METEOR looks at.
    """

    def __init__(self) -> None:
        self._reader = reader()
        self.synsets = lru_cache(maxsize=100_000)(self._one)

    def _one(self, word: str) -> tuple[_Group, ...]:
        if len(word) > _LONGEST:  # no word of WordNet, and taking off endings could go on for long
            return ()
        names = {lemma.name() for synset in self._reader.synsets(word) for lemma in synset.lemmas()}
        return (_Group(tuple(_Name(name) for name in sorted(names) if "_" not in name)),)


class _Name(str):
    __slots__ = ()

    def name(self) -> str:
        return str(self)


class _Group(tuple[_Name, ...]):
    __slots__ = ()

    def lemmas(self) -> tuple[_Name, ...]:
        return self
