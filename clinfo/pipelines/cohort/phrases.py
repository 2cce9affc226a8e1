"""What a run of words of the criteria names: one concept, or several that stand side by side."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Protocol

from clinfo.pipelines.cohort.concepts import Concept
from clinfo.pipelines.cohort.tokens import is_filler, is_soft

Named = tuple[str, Concept]
_ENDINGS = tuple(
    (re.compile(said, re.IGNORECASE), puts)
    for said, puts in (
        (r"menopausal$", ("menopause",)),
        (r"otics?$", ("osis",)),
        (r"etics?$", ("etes", "esia")),
        (r"ics?$", ("ia", "y", "is", "ism", "e")),
        (r"ives?$", ("ion",)),
        (r"(?:z)?ers?$", ("ing", "e")),
        (r"ied$", ("iage", "y")),
        (r"ed$", ("", "e", "ing", "ion", "ation")),
        (r"ous$", ("us", "y")),
        (r"s$", ("",)),
    )
)
"""Endings of who has or did something, and those of the name of it: "epileptics", "wheezers"."""

_KIND = re.compile(r"(?i)(?:carcinoma|sarcoma|cancer|tumou?r|lymphoma|melanoma)$")
_MOST = 24
"""Words of a run from which on it names nothing: it would be looked up in as many ways."""
_LONGEST = 8
"""Words of the longest name that is tried with its first words last, or beside another."""
_OF_PEOPLE = re.compile(
    r"(?i)pregnant|obese|(?:diabetic|asthmatic|hypertensive|epileptic|an(?:a)?emic|alcoholic|smoker)s?"
)
"""Names that are said of people, so that several side by side are all wanted."""
_OTHER = ("other", "another")
"""Words after which another thing is meant, which the criteria do not name."""


def is_other(word: str) -> bool:
    """Return whether a word means another thing than what was named."""
    return word.lower() in _OTHER


class Terms(Protocol):
    """What understands phrases: by their parts too, or only as listed names."""

    def named(self, phrase: str) -> Concept | None: ...

    def listed(self, phrase: str) -> Concept | None: ...

    def is_composed(self, phrase: str) -> bool: ...

    def takes_in(self, broad: Concept, narrow: Concept) -> bool: ...

    def is_histology(self, concept: Concept) -> bool: ...


class Phrases:
    """The reading of runs of words; each is a word, or several that are one name."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms

    def one(self, words: Sequence[str]) -> Named | None:
        """The name that the run is, with the concept that it stands for. Words that say nothing
        may be left off at both ends, the fewest first.
        """
        if any(map(is_other, words)) or len(words) > _MOST:
            return None  # other than what is for who wrote it to say
        runs = list(_trimmed(words))
        for run in runs:
            if (listed := self._terms.listed(" ".join(run))) is not None:
                return " ".join(run), listed
        empty: Named | None = None
        for run in [*reversed(runs), *map(_bare, runs[-1:])]:
            concept = self._terms.named(" ".join(run))
            if concept is not None and concept.above:
                return " ".join(run), concept
            empty = empty or ((" ".join(run), concept) if concept is not None else None)
        last = (self._otherwise(runs[-1]) or self._turned(runs[-1]) if runs else None) or empty
        if (last is None or not last[1].above) and any(map(is_soft, words)):
            return self.one([word for word in words if not is_soft(word)]) or last
        return last

    def is_name(self, words: Sequence[str]) -> bool:
        """Whether the run is a name of something that can be found."""
        found = self.one(words)
        return found is not None and bool(found[1].above)

    def lacks_noun(self, words: Sequence[str]) -> bool:
        """Whether the run names a kind of tumour without the word for it: "small cell"."""
        found = self.one(words)
        if found is None or self._terms.listed(" ".join(words)) is not None:
            return False
        fuller = (self.one([*words, noun]) for noun in ("carcinoma", "cancer"))
        return any(one is not None and one[1].above == found[1].above for one in fuller)

    def is_drug(self, words: Sequence[str]) -> bool:
        """Whether the run names a drug."""
        found = self.one(words)
        return found is not None and found[1].kind == "drug"

    def is_listed(self, words: Sequence[str]) -> bool:
        """Whether the run as it is is a listed name."""
        return self._terms.listed(" ".join(words)) is not None

    def is_without_place(self, words: Sequence[str]) -> bool:
        """Whether the run names a kind of tumour, wherever it is."""
        found = self.one(words)
        return found is not None and self._terms.is_histology(found[1])

    def _otherwise(self, words: Sequence[str]) -> Named | None:
        """The name of what those have who are called so, or did what a verb says."""
        for at in range(len(words) - 1, -1, -1):
            for ending, puts in _ENDINGS:
                if not ending.search(words[at]):
                    continue
                for put in puts:
                    run = [*words[:at], ending.sub(put, words[at]), *words[at + 1 :]]
                    for text in (" ".join(run), " ".join(_bare(run))):
                        found = self._terms.named(text)
                        if found is not None and found.above and found.kind != "drug":
                            return text, found
        return None

    def _turned(self, words: Sequence[str]) -> Named | None:
        """The name of which the first words stand last: "thyroid cancer papillary"."""
        said = " ".join(words).split()
        for at in range(1, min(len(said), _LONGEST)):
            turned = " ".join([*said[at:], *said[:at]])
            found = self._terms.listed(turned)
            if found is None and _KIND.search(said[at - 1]):
                found = self._terms.named(turned)
            if found is not None and found.above and self._terms.listed(" ".join(said[:at])):
                return turned, found
        return None

    def several(self, words: Sequence[str]) -> list[Named] | None:
        """The names that a run is made of, where they are of different kinds ("asthma salbutamol");
        None where they are not, or a word between them is not understood.
        """
        found: list[Named] = []
        at = 0
        while at < len(words):
            for end in range(min(len(words), at + _LONGEST), at, -1):
                name = " ".join(words[at:end])
                concept = self._terms.listed(name)
                if _OF_PEOPLE.fullmatch(name) and (one := self.one([name])) is not None:
                    concept = one[1]
                if concept is not None and concept.kind and not is_filler(name):
                    found.append((name, concept))
                    at = end
                    break
            else:
                if not is_filler(words[at]):
                    return None
                at += 1
        kinds = [concept.kind for _, concept in found]
        people = all(_OF_PEOPLE.fullmatch(name) for name, _ in found)  # "pregnant smokers"
        return found if found and (people or len(set(kinds)) == len(kinds)) else None


def _trimmed(words: Sequence[str]) -> Iterator[list[str]]:
    """The run, then without words at its ends that say nothing, first without those at the end."""
    low = next((at for at, word in enumerate(words) if not is_filler(word)), len(words))
    high = next(
        (at for at in range(len(words), 0, -1) if not is_filler(words[at - 1])), 0
    )  # fmt: skip
    spans = [(start, end) for start in range(low + 1) for end in range(high, len(words) + 1)]
    for start, end in sorted(spans, key=lambda span: (span[0] - span[1], span[0])):
        if start < end:
            yield list(words[start:end])


def _bare(words: Sequence[str]) -> list[str]:
    """The run without words that say nothing inside it ("sprained their ankle")."""
    return [word for word in words if not is_filler(word)]
