"""Operations that notes name: by the dictionary, by the endings and words of surgery, and by what
stands under headings of procedures.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from clinfo.pipelines.chart.evidence import Place, quoted_span
from clinfo.pipelines.chart.telling import Asked
from clinfo.text.regex import anycase
from clinfo.text.terms import stem, words
from clinfo.text.words import key

_ASKED: Final = anycase(r"\b(?:operat\w+|surg\w+|(?:taken|cut) out|had \S+(?: \S+)? removed)\b")
_WORDS: Final = anycase(
    r"\b(?:\w{3,}(?:ectom(?:y|ies)|plast(?:y|ies)|(?<!anat)otom(?:y|ies)|ostom(?:y|ies)|rrhaphy|pexy)|"
    r"surger(?:y|ies)|operated|resect\w+|bypass(?: graft\w*)?|(?:un)?grafting|transplant\w*|"
    r"stent(?:s|ing| placement)?|amputat\w+|replacement|repair(?:s|ed)?|cabg|c-section|"
    r"ca?esarean\w*|(?:spinal|lumbar|cervical|ankle) fusion|arthroscop\w+|lithotripsy|ablation)\b"
)
_NOT_SURGERY: Final = anycase(
    r"\b(?:(?:hormone|fluid|volume|potassium|nicotine|electrolyte|thyroid|testosterone|iron) "
    r"replacement|surgery (?:clinic|department)|angina|phlebotomy)\b"
)


def asks_for_operations(question: str) -> bool:
    """Return whether a question is after operations."""
    return bool(_ASKED.search(question))


def operations(asked: Asked) -> Iterator[Place]:
    """The sentences that name an operation and do not deny it, with their places."""
    index = asked.index
    for number, one in enumerate(index.occurrences):
        note = index.notes[one.note]
        if (at := quoted_span(one, number, index)) is None:
            continue
        text = note.text[slice(*at)]
        named = {
            mention.text: mention.assertion
            for mention in index.mentions.get(note.id, ())
            if "surgery" in mention.types and at[0] <= mention.start < at[1]
        }
        worded = [m[0] for m in _WORDS.finditer(text) if not _NOT_SURGERY.search(text)]
        denied = {m for m in worded if one.denied.intersection(map(stem, words(m)))}
        if any(said not in ("negated", "family") for said in named.values()) or (
            set(worded) - denied - named.keys()
        ):
            yield Place(note, *at, "present", one.at.section, key(text))
