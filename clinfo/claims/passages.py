"""What a judge is shown of an article: its title with the passages that the typed reading rests on,
or the whole.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from clinfo.claims.clauses import unmarked
from clinfo.records.articles import Sentence, Study
from clinfo.text.abstracts import abstract_sentences
from clinfo.text.citations import citation_marks
from clinfo.text.quotes import locate, numbers

LEFT_OUT: Final = "[…]"
MOST: Final = 0.7
"""Share of an abstract that its passages may have; above it the whole is shown."""


def text(study: Study, whole: bool = True) -> str:
    """Title and abstract on two lines; its passages alone where not ``whole`` and there are
    some.
    """
    body = study.article.abstract if whole else passages(study)
    return f"{study.article.title}\n{body or study.article.abstract or '(no abstract)'}"


def passages(study: Study) -> str:
    """The sentences of the abstract with the quotations and figures of the study's reading, and
    those that conclude; "" where the whole is to be shown.
    """
    abstract, read = study.article.abstract, study.summary
    if read is None or not read.quotes:
        return ""
    parts = abstract_sentences(study.article)
    quoted = [at for one in read.quotes if (at := locate(one, abstract))]
    effect = read.effect
    values = (effect.estimate, effect.low, effect.high, effect.against) if effect else ()
    figures = {float(one) for one in (read.sample_size, read.analysed, *values) if one is not None}
    pieces: list[str] = []
    before = -1
    for place, one in enumerate(parts):
        if (
            one.role == "conclusion"
            or any(start < one.end and end > one.start for start, end in quoted)
            or figures & set(_values(one.text))
        ):
            pieces += [LEFT_OUT] if place > before + 1 else []
            pieces.append(one.text)
            before = place
    pieces += [LEFT_OUT] if before < len(parts) - 1 else []
    shown = " ".join(pieces)
    return shown if quoted and len(shown) <= MOST * len(abstract) else ""


def needed_whole(sentences: Iterable[Sentence], studies: Sequence[Study]) -> Collection[int]:
    """The numbers of those studies whose abstract holds a figure of one of the sentences that their
    passages do not.
    """
    found: set[int] = set()
    by_number = {study.n: study for study in studies}
    for one in sentences:
        cited = [by_number[n] for n in one.cites if n in by_number]
        told = set(_values(unmarked(one.text, citation_marks(one.text))))
        shown = {value for study in cited for value in _values(text(study, whole=False))}
        missing = told - shown
        found |= {study.n for study in cited if missing & set(_values(study.article.abstract))}
    return found


def _values(written: str) -> list[float]:
    return [float(number) for number, _, _ in numbers(written) if number.count(".") < 2]
