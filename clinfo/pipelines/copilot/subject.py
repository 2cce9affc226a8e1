"""Whether a passage is about what a question is about: the diseases that both name, by MeSH and its
tree, and the other things that the question names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Final

from clinfo.lazy_dataclass import dataclass, replace
from clinfo.pipelines.copilot.disease_names import FILLERS, modifiers, vocabulary
from clinfo.pipelines.copilot.medicines import medicines
from clinfo.pipelines.copilot.naming import american, plain, table
from clinfo.retrieval.silos import SiloDocument
from clinfo.terms.naming import known, synonyms
from clinfo.text.words import key

_DISEASES: Final = ("C", "F03")
_SIGNS: Final = ("C23", "C04.697")
"""Signs, symptoms and the course of a disease, which are of any."""
_TUMOUR: Final = frozenset(("cancer", "cancers", "tumor", "tumors", "tumour", "tumours",
                            "neoplasm", "neoplasms", "carcinoma", "carcinomas",
                            "adenocarcinoma", "adenocarcinomas"))  # fmt: skip
_MOST_BEFORE = 7
"""Words before "cancer" among which its organ is looked for: "lip and oral cavity cancer"."""
_TUMOURS = ("C04", "C15.378")
_HEADS = ("cancer", "disorders", "diseases")
_LONGEST = 9
_ANY = "Neoplasms"
_ABOVE = {
    "Adenocarcinoma of Lung": "Carcinoma, Non-Small-Cell Lung",
    "Cholangiocarcinoma": "Bile Duct Neoplasms",
}
"""What MeSH files beside each other though one is a kind of the other."""
_OF_ORIGIN = frozenset(("C04.557.465", "C04.557.465.625", "C04.557.580", "C04.557.580.625"))
"""Places under which MeSH files tumours by the tissue they come from: a melanoma or a glioma is no
"germ cell and embryonal tumour" to a reader.
"""
_READ = 3_000
"""Characters of a document's text that are read where its title names no disease."""
_STAGE = re.compile(r"(?:iv|i{1,3})[a-c]\d?")
_WRITTEN = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Named:
    """A disease that a text names at words [start, end): its places in MeSH's tree; none where it
    is a tumour that MeSH has not, of which ``words`` tell ("small intestine cancer"), or any.
    ``qualified``: a word stands before the name that may make it narrower ("CNS lymphoma"),
    ``narrowed``: one that does, a word of MeSH's names ("gastric lymphoma").
    """

    places: tuple[str, ...]
    start: int
    end: int
    words: frozenset[str] = frozenset()
    qualified: bool = False
    narrowed: bool = False


@lru_cache(maxsize=5_000)
def diseases(text: str) -> tuple[Named, ...]:
    """The diseases that a text names, the longest name at each place; a word for any tumour only
    where there is no other.
    """
    written = _WRITTEN.findall(text)
    lowered = [american(key(one)) for one in written]
    found: list[Named] = []
    at = 0
    while at < len(written):
        one = _abbreviated(written, lowered, at) or _of_mesh(lowered, at)
        if one is not None:
            before = plain(lowered[one.start - 1]) if one.start else ""
            free = not before or before in modifiers() or before in (*FILLERS, "chronic")
            free = free or _STAGE.fullmatch(before) is not None
            narrowed = before in vocabulary() and not free
            found.append(replace(one, qualified=not free, narrowed=narrowed))
        at = one.end if one is not None else at + 1
    return tuple(one for one in found if one.places or one.words) or tuple(found)


def _of_mesh(lowered: Sequence[str], at: int) -> Named | None:
    match = known().longest(lowered, at)
    if match is not None and (match[0] > 1 or lowered[at] not in _TUMOUR):
        trees = [*match[1].tree_numbers, *_tree(_ABOVE.get(match[1].heading, ""))]
        return Named(own, at, at + match[0]) if (own := _places(trees)) else None
    if lowered[at] not in _TUMOUR:
        return None
    organs = dict(_organs(lowered, at))
    start = min(organs.values(), default=at)
    return Named(tuple(organs), start, at + 1, frozenset() if organs else _before(lowered, at))


def _organs(lowered: Sequence[str], at: int) -> Iterator[tuple[str, int]]:
    """The places of the diseases whose organs stand before a word for any tumour, and where."""
    for start in range(max(0, at - _MOST_BEFORE), at):
        for end in range(start + 1, min(start + 3, at) + 1):
            for head in _HEADS:
                name = " ".join((*lowered[start:end], head))
                for place in _tree(name):
                    if place.startswith(_TUMOURS):
                        yield place, start


def _tree(name: str) -> tuple[str, ...]:
    found = known().match_exactly(name) if name else None
    return found.tree_numbers if found is not None and found.heading != _ANY else ()


def _before(lowered: Sequence[str], at: int) -> frozenset[str]:
    """The words right before a word for any tumour that tell which."""
    start = at
    while start and plain(lowered[start - 1]) in vocabulary() - modifiers():
        start -= 1
    return frozenset(map(plain, lowered[start:at]))


def _places(trees: Iterable[str]) -> tuple[str, ...]:
    return tuple(one for one in trees if one.startswith(_DISEASES) and not one.startswith(_SIGNS))


def _abbreviated(written: Sequence[str], lowered: Sequence[str], at: int) -> Named | None:
    """A name that the table of this room has and MeSH has not: NSCLC, mCRC, squamous NSCLC."""
    for end in range(min(at + _LONGEST, len(written)), at, -1):
        name = " ".join(lowered[at:end])
        own = _others().get(name)
        if own is None and name.endswith("s"):
            own = _others().get(name[:-1])
        short = end == at + 1 and len(name) <= 6
        if own and (not short or sum(one.isupper() for one in written[at]) > 1):
            return Named(own, at, end)
    return None


@cache
def _others() -> dict[str, tuple[str, ...]]:
    """The names of the table that are none of MeSH, with the places of those in their row that
    are.
    """
    found: dict[str, tuple[str, ...]] = {}
    for name, others in table("disease_names.txt").items():
        every = [key(one) for one in (name, *others)]
        places = {
            place
            for one in every
            if (match := _of_mesh(one.split(), 0)) is not None and match.end == len(one.split())
            for place in match.places
        }
        for one in every:
            if one and places and known().match_exactly(one) is None:
                found[one] = tuple(sorted({*found.get(one, ()), *places}))
    return found


def kind_of(one: Named, other: Named) -> bool:
    """Whether a disease stands below another in MeSH."""
    wider = {*other.places} - _OF_ORIGIN
    return not other.narrowed and any(a.startswith(f"{b}.") for a in one.places for b in wider)


def subtype_of(name: str, other: str) -> bool:
    """Whether a disease's name is another's with more words, of one place in MeSH: HER2-positive
    breast cancer.
    """
    same = {place for one in diseases(name) for place in one.places} & {
        place for one in diseases(other) for place in one.places
    }
    return bool(same) and _plain_words(other) < _plain_words(name)


def placed_in(name: str, other: str) -> bool:
    """Whether the table calls a disease by its own words with another's, which it has not: the
    transitional cell carcinoma that is a bladder cancer.
    """
    own, organ = _plain_words(name), _plain_words(other)
    others = table("disease_names.txt").get(name, ())
    if not organ or organ & own:
        return False
    return any(_plain_words(one) == own | organ for one in others)


def _plain_words(name: str) -> frozenset[str]:
    return frozenset(plain(one) for one in _WRITTEN.findall(name)) - {*map(plain, _TUMOUR)}


def related(asked: Named, about: Named) -> bool:
    """Whether a text about one disease is about the one that is asked for: the same, a kind of it,
    or all of which it is a kind. A tumour of no kind is related to any.
    """
    if not asked.places or not about.places:
        every = not (asked.words or asked.places) or not (about.words or about.places)
        return every or bool(asked.words & about.words)
    same = bool({*asked.places} & {*about.places})
    wider = any(a.startswith(f"{b}.") for a in asked.places for b in {*about.places} - _OF_ORIGIN)
    return same or kind_of(about, asked) or (wider and not about.qualified)


def of_another(question: str, document: SiloDocument) -> bool:
    """Whether a document is about other diseases than a question: by its field or its title, by the
    beginning of its text where they name none. False where one of both names no disease.
    """
    asked = diseases(question)
    if not asked:
        return False
    about = document.fields.get("disease") or document.title
    if _organ_in(question, asked, about):
        return False
    own = diseases(about) or diseases(document.text[:_READ])
    return bool(own) and not any(related(one, other) for one in asked for other in own)


def of_a_form(question: str, document: SiloDocument) -> bool:
    """Whether a document is, by its field or title, about a form of a disease that a question names
    whole: intraocular melanoma, where melanoma is asked for.
    """
    asked = diseases(question)
    names = diseases(document.fields.get("disease") or document.title)
    about = [one for one in names if any(related(other, one) for other in asked)]
    return (
        bool(about)
        and all(one.qualified for one in about)
        and not any(one.narrowed for one in asked)
    )


def _organ_in(question: str, asked: Iterable[Named], about: str) -> bool:
    """Whether a disease that is asked for is named by an organ alone that stands in a title: brain
    tumours, "Brain and Spinal Cord Tumors".
    """
    written, own = _WRITTEN.findall(question), {plain(one) for one in _WRITTEN.findall(about)}
    for one in asked:
        left = [word for word in written[one.start : one.end] if key(word) not in _TUMOUR]
        if len(left) == 1 and plain(left[0]) in own and one.end - one.start > 1:
            return True
    return False


_MARKED = re.compile(r"(?<![\w-])[a-z]?[A-Z][A-Za-z]*[A-Z0-9]\w*(?:-[A-Z0-9]\w*)*")
"""Words written as symbols are: MSI, dMMR, PD-L1, HER2."""
_NO_SUBJECT = re.compile(
    r"NCI|FDA|EMA|WHO|NCCN|ESMO|ASCO|NICE|NIH|USA|UK|PDQ|DNA|RNA|FAQ|CIVIC|ECOG|KPS|PS|OS|PFS|DFS|ORR|TNM|QOL|UICC|AJCC|FIGO|NCT\d*|[IVX]+[ABC]?"
    r"|[TNM]\d\w*"
)


def not_named(question: str, texts: Sequence[str]) -> tuple[tuple[str, ...], bool]:
    """The symbols and medicines of a question that none of some texts names, and whether that are
    all it has.
    """
    held = _run_together("\n".join(texts))
    wanted = _symbols(question)
    missing = tuple(
        one for one in wanted if not any(_run_together(name) in held for name in _called(one))
    )
    return missing, len(missing) == len(wanted)


def _symbols(question: str) -> tuple[str, ...]:
    written = _WRITTEN.findall(question)
    ill = {word for one in diseases(question) for word in written[one.start : one.end]}
    found = [*(one[0] for one in _MARKED.finditer(question)), *medicines(question)]
    return tuple(
        one
        for one in dict.fromkeys(found)
        if not _NO_SUBJECT.fullmatch(one.upper()) and not ill & set(_WRITTEN.findall(one))
    )


def _called(name: str) -> tuple[str, ...]:
    """What a symbol or a medicine is called: genes by the table of this room, medicines by theirs,
    else by MeSH.
    """
    own = next(
        (
            (one, *others)
            for one, others in table("gene_names.txt").items()
            if name.casefold() in {each.casefold() for each in (one, *others)}
        ),
        (),
    )
    return (name, *own, *synonyms(name))


def _run_together(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.casefold())
