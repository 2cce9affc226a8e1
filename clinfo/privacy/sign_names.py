"""Names in runs of Chinese, Japanese and Korean signs, which set no spaces between a name and the
words beside it.
"""

import re
from collections.abc import Iterator
from functools import cache

from clinfo.privacy.name_cues import CUES
from clinfo.terms.lexicon import GIVEN, SURNAME, flags, listed

_CUES = sorted(
    (
        word
        for word in CUES
        if re.fullmatch(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{1,4}", word)
    ),
    key=len,
    reverse=True,
)
_CUE = re.compile("|".join(word for word in _CUES if len(word) > 1 or word in "様氏씨님"))
_PARTICLE = re.compile(
    r"(?:에게는|에게서|에게|에서|께서|이는|이가|은|는|이|가|을|를|의|도|와|과)\Z"
)
_HONOURED = frozenset("さん 様 氏 ちゃん くん 씨 님 先生 女士 小姐 太太".split())  # noqa: SIM905
_LONGEST = 5


@cache
def _of_given_names() -> frozenset[str]:
    """The signs that listed given names are made of."""
    return frozenset(
        sign for word in listed(GIVEN) if word[0] >= "\u3400" and len(word) < 4 for sign in word
    )


def pieces(run: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, kind) of each part of a run: the kind of a cue, "xsure" for what has the form of
    a name, else "xlong".
    """
    end = 0
    for cue in _CUE.finditer(run):
        yield from _between(run, end, cue.start(), cue.group() in _HONOURED)
        yield cue.start(), cue.end(), CUES[cue.group()]
        end = cue.end()
    yield from _between(run, end, len(run), False)


def _between(run: str, start: int, end: int, honoured: bool) -> Iterator[tuple[int, int, str]]:
    skipped = start + (start + 1 < end and run[start] in "のは的")
    length = _name_length(run[skipped:end], honoured)
    if length:
        yield skipped, skipped + length, "xsure"
        start = skipped + length
    if start < end:
        yield start, end, "xlong"


def _name_length(run: str, honoured: bool) -> int:
    """Return how many of the first signs have the form of a name: a listed surname and a given name
    made of signs of such; else 0.
    """
    if len(run) < 2:
        return 0
    if honoured and 2 <= len(run) <= _LONGEST and (flags(run[:1]) | flags(run[:2])) & SURNAME:
        return len(run)
    whole = _PARTICLE.sub("", run) if run[0] >= "\uac00" else run
    for family in (2, 1):
        if len(run) <= family or not flags(run[:family]) & SURNAME:
            continue
        if run[0] >= "\uac00":
            return len(whole) if len(whole) == 3 and set(whole[1:]) <= _of_given_names() else 0
        for given in (3, 2, 1):
            rest = run[family : family + given]
            if len(rest) == given and (
                flags(rest) & GIVEN or (given < 3 and set(rest) <= _of_given_names())
            ):
                return family + given
    return 0
