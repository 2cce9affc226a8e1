"""Make the lexicon that the guard tells names by: ``clinfo/terms/lexicon.txt.gz``.

    python -m benchmarks.own.pack_names          (needs the package faker, 40 or later, and litellm's copy of cl100k_base)

Names are those of the Faker package (MIT), in all of its languages; medical words are the words of
the MeSH table that comes with the program; everyday words are those of
`clinfo/terms/everyday_words.txt`, the words that the program names itself and the whole words among
the tokens of cl100k_base (tiktoken, MIT). ``clinfo/terms/README.md`` says so too.
"""  # noqa: E501

from __future__ import annotations

import base64
import gzip
import importlib
import importlib.util
import pkgutil
import re
from collections import defaultdict
from pathlib import Path

from clinfo.privacy import name_cues
from clinfo.terms.lexicon import EVERYDAY, FILE, GIVEN, MEDICAL, SURNAME, folded
from clinfo.terms.mesh import bundled_mesh
from clinfo.terms.naming import everyday_words

_TOKENS = "litellm/litellm_core_utils/tokenizers/9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
_MOST_FREQUENT = 40_000
_PARTICLES = name_cues.PARTICLES | {"mac", "mc", "the", "dr", "mr", "mrs", "ms"}
_WORD = re.compile(r"[^\W\d_](?:[^\W\d_]|[\u0300-\u036f\u0900-\u0dff\u0e00-\u0e7f])*")


def main() -> None:
    flags: dict[str, int] = defaultdict(int)
    for flag, words in (
        (GIVEN, faker_names("first_name")),
        (SURNAME, faker_names("last_name")),
        (MEDICAL, medical()),
        (EVERYDAY, everyday()),
    ):
        for word in words:
            flags[folded(word)] |= flag
    by_flags: dict[int, list[str]] = defaultdict(list)
    for word, flag in sorted(flags.items()):
        by_flags[flag].append(word)
    lines = "".join(f"{flag} {' '.join(words)}\n" for flag, words in sorted(by_flags.items()))
    FILE.write_bytes(gzip.compress(lines.encode(), 9, mtime=0))
    print({flag: len(words) for flag, words in by_flags.items()}, FILE.stat().st_size)


def faker_names(kind: str) -> set[str]:
    """The words of all first or last names that Faker knows; one sign where the script writes names
    without spaces.
    """
    persons = importlib.import_module("faker.providers.person")

    words: set[str] = set()
    for module in pkgutil.iter_modules(persons.__path__):
        provider = importlib.import_module(f"{persons.__name__}.{module.name}").Provider
        for name in dir(provider):
            listed = getattr(provider, name)
            if name.startswith(kind) and isinstance(listed, (tuple, list, dict)):
                words.update(word for one in listed for word in _WORD.findall(str(one)))
    return {
        word
        for word in words
        if (len(word) > 1 or not word.isascii()) and word.lower() not in _PARTICLES
    }


def medical() -> set[str]:
    names = bundled_mesh().names
    return {word for name in names for word in name.split() if word.isalpha() and len(word) > 1}


def everyday() -> set[str]:
    words = set(everyday_words())
    words |= {cue for cue in name_cues.CUES if cue.isalpha() and cue.islower() and len(cue) > 2}
    packages = importlib.util.find_spec("litellm")
    assert packages is not None
    assert packages.origin is not None
    for line in (Path(packages.origin).parents[1] / _TOKENS).read_bytes().splitlines():
        token, rank = line.split()
        text = base64.b64decode(token).decode(errors="replace")
        if int(rank) < _MOST_FREQUENT and re.fullmatch(r" [a-z]{3,}", text):
            words.add(text.strip())
    return words


if __name__ == "__main__":
    main()
