"""What a note says around the name of a tumour, of metastases or of a treatment and that name with
it: "spindle cell carcinoma of the lung", "liver metastases", "adjuvant trastuzumab".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from clinfo.pipelines.cohort.facts import Fact
from clinfo.pipelines.cohort.settings_of_care import metastasis, setting_before
from clinfo.terms.naming import descriptor_of, known
from clinfo.terms.narrower import is_tumour_word, narrower_names
from clinfo.text.words import key

_TUMOUR = re.compile(
    r"(?i)(?:carcinoma|sarcoma|blastoma|lymphoma|leuka?emia|melanoma|cancer|tumou?r|glioma|adenoma)s?"
)
_METASTASES = re.compile(r"(?i)metast[ae]s[ei]s|mets")
_BEFORE = re.compile(r"[A-Za-z-]+(?=\s$)")
_BEHIND = re.compile(r"(?i)\s+(?:of|in|to)\s+(?:the\s+)?[a-z-]+")
_MOST = 4
"""Words before a name that are looked at."""


def with_longer(text: str, fact: Fact) -> Iterator[Fact]:
    """A fact that a text names at its place, and the same under each longer name."""
    yield fact
    start, end = fact.source.start, fact.source.end
    if fact.kind in ("drug", "procedure"):
        if said := setting_before(text, start):
            yield replace(fact, name=f"{said} {fact.name}", concept="")
        return
    own = text[start:end]
    tumour, spread = _TUMOUR.search(own), _METASTASES.fullmatch(own)
    if fact.kind != "condition" or not (tumour or spread):
        return
    begin = start
    for _ in range(_MOST):
        word = _BEFORE.search(text, max(0, begin - 24), begin)
        if word is None or not is_tumour_word(word[0], known()):
            break
        begin = word.start()
    behind = _BEHIND.match(text, end)
    if behind is not None and is_tumour_word(behind[0].split()[-1], known()):
        end = behind.end()
    longer = text[begin:end]
    if spread:
        names = [f"{place} metastases"] if (place := metastasis(longer)) else []
    else:
        heading = descriptor_of(longer)
        if heading is not None and heading.ui == fact.concept:
            names = [key(longer)] if narrower_names(longer, heading) else []
        else:
            names = [key(longer)] if longer != own else []
    for name in names:
        yield replace(fact, name=name, concept="")
