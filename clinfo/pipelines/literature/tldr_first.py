"""One call that writes the TL;DR and then the synthesis: when that is done, what is asked for, and
how the reply is parted.

So the TL;DR is on screen before the synthesis is whole. Where a reply brings none, the TL;DR is a
call of its own.
"""

from __future__ import annotations

import re
from dataclasses import replace

from clinfo.pipelines.literature.one_call import edited
from clinfo.records.articles import RunRequest
from clinfo.records.request import EXTRACTIVE
from clinfo.runs.protocols import Message, ModelRequest

STAGES = ("synthesis", "tldr")
"""The stages, and the prompts, that share the call."""
FORM = (
    'Before the paragraph, write "TL;DR:" and, on the same line, the direct answer: one sentence, '
    "two at most, about 30 words, with the size of the effect and how certain it is, at most two "
    "numbers of studies in brackets before each full stop; no more certain than the studies: copy "
    "figures exactly, say if they disagree or do not answer it, give no advice; then an empty "
    "line, then the paragraph without a label."
)
MOST = 500
"""Characters within which an empty line ends the TL;DR; after as many a line does. One of 50 words
has some 350.
"""
HELD = 24
"""Characters of a synthesis that are waited for before they are shown: a label may begin it."""
_LABEL = re.compile(r"[\s*_#>]*TL\W{0,2}DR\b[\s*_#>:–—-]*", re.IGNORECASE)
_SECOND = re.compile(
    r"[\s>]*(?:[\s*_#>]*Synthesis[*_ \t]*(?::[*_]{0,2}\s*|\s*\n\s*))?", re.IGNORECASE
)
_EMPTY_LINE = re.compile(r"\n[ \t\r>]*\n")
_BREAK = re.compile(rf"(?<=[.!?\]])[*_\"”) \t\r]*\n|{_EMPTY_LINE.pattern}")


def tldr_first(request: RunRequest) -> bool:
    """Return whether one call writes both: one language model does both, and neither prompt was
    edited.
    """
    writer, distiller = (request.models.get(stage) for stage in STAGES)
    return writer == distiller != EXTRACTIVE and not edited(request.prompts, STAGES)


def both(synthesis: ModelRequest) -> ModelRequest:
    """The request for a synthesis, asked to begin with the TL;DR."""
    first, *rest = synthesis.messages
    messages = (Message(first.role, f"{first.content}\n\n{FORM}"), *rest)
    return replace(synthesis, messages=messages)


def parted(text: str, whole: bool = False) -> tuple[str, str]:
    """(TL;DR, synthesis) of a reply, which is ``whole`` or as far as it has come; both empty until
    the TL;DR is whole, the first empty where there is none.
    """
    label = _LABEL.match(text)
    if label is None:
        letters = re.sub(r"[\W_]", "", text[:HELD]).lower()[:4]
        return "", text if whole or not "tldr".startswith(letters) else ""
    body = text[label.end() :]
    end = _EMPTY_LINE.search(body[:MOST])
    if end is None and (whole or len(body) >= MOST):
        end = _BREAK.search(body)
    if end is None:
        return "", body if whole else ""
    tldr, rest = body[: end.start()].replace("**", "").strip(" \t\r\n*_"), body[end.end() :]
    if not whole and len(rest) < HELD:
        return tldr, ""
    rest = _SECOND.sub("", rest, count=1)
    return (tldr, rest) if rest.strip() or not whole else ("", tldr)
