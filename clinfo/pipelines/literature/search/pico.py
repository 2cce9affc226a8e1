"""The strategy pico: what a question is about as the model understands it, and three queries of
different breadth made of it.

The model names terms and nothing else; operators, field tags and headings are written here, so
every query is one that PubMed reads as it is meant. A term is looked up in MeSH; what MeSH does not
know is searched for by its words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from clinfo.errors import ModelError, RecordError, SourceError
from clinfo.llm.prompts import Prompt
from clinfo.pipelines.literature.replies import PicoTerms
from clinfo.pipelines.literature.search.question2query import AskedBack
from clinfo.pipelines.literature.stages import QUERY, Asked
from clinfo.pubmed import expand
from clinfo.pubmed.expand import Piece
from clinfo.records.articles import MeshMatch, Pico, Query
from clinfo.runs.protocols import Ask
from clinfo.runs.replies import typed
from clinfo.sources.mesh_lookup import MeshLookup
from clinfo.text.terms import PEOPLE_WORDS, stem, weight
from clinfo.text.words import words

NO_LOOKUP = "MeSH could not be reached, so the terms of the question are searched only as words."

PARTS = ("population", "intervention", "comparator", "outcome")
_CONTROLLED = (
    '"randomized controlled trial"[pt] OR "controlled clinical trial"[pt] OR "Random '
    'Allocation"[mh] OR "Double-Blind Method"[mh]'
    ' OR random*[tiab] OR placebo*[tiab] OR "double blind*"[tiab] OR trial[tiab]'
)
CONTROLLED = f"({_CONTROLLED})"
"""Controlled studies: terms of the highly sensitive strategy for PubMed (K. A. Robinson and K.
Dickersin, Int J Epidemiol 2002; 31:150–153) and of its revision in the Cochrane Handbook (C.
Lefebvre and others, 2008), without their broadest ones."""
STUDIES = (
    f'({_CONTROLLED} OR "comparative study"[pt] OR "Follow-Up Studies"[mh] OR "Prospective '
    'Studies"[mh]'
    ' OR "Cross-Over Studies"[mh] OR control*[tiab] OR prospectiv*[tiab] OR volunteer*[tiab] OR '
    "systematic[sb])"
)
"""Clinical studies of any kind, by the last, broadest part of the same strategy, and systematic
reviews.
"""
_PEOPLE = PEOPLE_WORDS | {
    "adolescents",
    "children",
    "elderly",
    "infants",
    "neonates",
    "newborns",
    "patients",
    "people",
    "seniors",
}
"""Words that end a term for people where MeSH cannot be asked ("older adults")."""
_PERSONS = "M01."
"""The branch of MeSH that holds groups of people."""
MOST_TERMS = 8
"""Terms of one part that are used; a model that goes on listing is not followed."""


async def understand(question: str, seed: int | None, prompt: Prompt, ask: Ask) -> Pico:
    """Return what the question is about, as the model says it; a reply without one usable term is
    asked for again once.

    The calls are "question2query pico" and "question2query pico again". Raises ModelError where the
    second reply cannot be used either, AskedBack, and what ``ask`` raises.
    """
    variables = Asked(question=question, form="pico")
    request = QUERY.request(prompt.fill(question=question), variables, reply=PicoTerms, seed=seed)
    said = await typed(ask, "question2query pico", request, PicoTerms)
    pico = None if said.value is None else pico_of(said.value)
    if pico is None and said.value is not None and said.value.ask_back:
        raise AskedBack(said.value.ask_back)
    if pico is None:
        raise ModelError("the model did not say, in two replies, what the question is about")
    return pico


def pico_of(said: PicoTerms) -> Pico | None:
    """Return what a reply names, each term once and in one part; None where it names none."""
    taken: set[str] = set()
    parts: dict[str, tuple[str, ...]] = {}
    for part in PARTS:
        terms = [
            term for term in getattr(said, part) if expand.plain(term) and _key(term) not in taken
        ]
        parts[part] = tuple({_key(term): term for term in reversed(terms)}.values())[::-1][
            :MOST_TERMS
        ]
        taken.update(_key(term) for term in parts[part])
    return Pico(**parts) if any(parts.values()) else None


async def write_queries(
    pico: Pico, lookup: MeshLookup | None, fresh: bool = False
) -> tuple[Query, ...]:
    """Three queries from narrow to wide, without those that are the same as an earlier one; their
    seed is None.

    strict asks for all parts, standard for population and intervention, wide for the more specific
    of these two in words that PubMed maps itself (where three or more parts are named, with any of
    the others). Studies stand in for what the question does not name: with neither comparator nor
    outcome strict asks for controlled studies, and with one part alone all three ask for studies,
    wide for those of any kind. Without ``lookup``, or where it fails, terms are words only; where
    it fails the queries say so in their remarks. Never raises.
    """
    terms = {
        part: [plain for term in getattr(pico, part) if (plain := expand.plain(term))]
        for part in PARTS
    }
    remarks: tuple[str, ...] = ()
    try:
        matches = {} if lookup is None else await _looked_up(terms, lookup, fresh)
    except (SourceError, RecordError):
        matches, remarks = {}, (NO_LOOKUP,)
    texts = _texts({part: _cut(terms[part], matches) for part in PARTS if terms[part]})
    queries: list[Query] = []
    for breadth, text in texts.items():
        if text and all(text != query.text for query in queries):
            queries.append(Query(len(queries), text, remarks=remarks, breadth=breadth))
    return tuple(queries)


async def _looked_up(
    terms: Mapping[str, Sequence[str]], lookup: MeshLookup, fresh: bool
) -> dict[str, MeshMatch]:
    """Return what MeSH holds for the terms. Asking may cost requests: parts of a term are asked for
    only where the term itself is unknown and the first of its part, which is what the question
    says."""
    rounds = {
        term: expand.lookups(term)[: None if place == 0 else 2]
        for part in terms.values()
        for place, term in enumerate(part)
    }
    matches: dict[str, MeshMatch] = {}
    for number in range(max(map(len, rounds.values()), default=0)):
        open_terms = [
            term
            for term in rounds
            if not any(piece.descriptor for piece in expand.pieces(term, matches))
        ]
        wanted = {
            text
            for term in open_terms
            for texts in rounds[term][number : number + 1]
            for text in texts
        } - set(matches)
        if wanted:
            matches |= await lookup.match(sorted(wanted), fresh)
    return matches


def _cut(terms: Sequence[str], matches: Mapping[str, MeshMatch]) -> list[tuple[Piece, ...]]:
    """The terms of a part in pieces, without those that only say who was studied where others say
    more.
    """
    found = [expand.pieces(term, matches) for term in terms]
    return [term for term in found if not _is_people(term)] or found


def _texts(parts: Mapping[str, Sequence[Sequence[Piece]]]) -> dict[str, str]:
    """The text of each breadth. ``parts`` holds the terms of each part that has some, cut into
    pieces.
    """
    if not parts:
        return {}
    full = {part: expand.block(terms) for part, terms in parts.items()}
    loose = {
        part: expand.block([expand.relaxed(term) for term in terms])
        for part, terms in parts.items()
    }
    strict = list(full.values())
    if len(parts) == 1 or not ("comparator" in parts or "outcome" in parts):
        strict.append(CONTROLLED)
    standard = [loose[part] for part in _main(parts)]
    if len(parts) == 1:
        standard.append(CONTROLLED)
    wide = [_wide(parts), *([STUDIES] if len(parts) == 1 else [])]
    return {
        "strict": expand.every(strict),
        "standard": expand.every(standard),
        "wide": expand.every(wide),
    }


def _main(parts: Mapping[str, Sequence[Sequence[Piece]]]) -> list[str]:
    """The parts that standard asks for: population and intervention; the outcome for one that is
    missing or names people only.
    """
    main = [part for part in ("population", "intervention") if part in parts]
    if (
        "outcome" in parts
        and "population" in main
        and all(_is_people(term) for term in parts["population"])
    ):
        main.remove("population")
    if len(main) < 2:
        main += [part for part in ("outcome", "comparator") if part in parts][: 2 - len(main)]
    return main


def _wide(parts: Mapping[str, Sequence[Sequence[Piece]]]) -> str:
    """The part that tells most, in words that PubMed maps; where three or more are named, with any
    of the others.
    """
    mapped = {
        part: expand.either([expand.mapped(term) for term in terms])
        for part, terms in parts.items()
    }
    main = [part for part in ("intervention", "population") if part in parts] or list(parts)
    first = max(
        main,
        key=lambda part: (not all(_is_people(term) for term in parts[part]), _weight(parts[part])),
    )
    others = [text for part, text in mapped.items() if part != first]
    return expand.every(
        [mapped[first], expand.either(others)] if len(others) > 1 else [mapped[first]]
    )


def _is_people(term: Sequence[Piece]) -> bool:
    """Return whether a term only says who was studied: a heading under Persons, or a word for
    people.
    """
    return all(
        any(place.startswith(_PERSONS) for place in piece.descriptor.tree_numbers)
        if piece.descriptor
        else piece.words[-1].lower() in _PEOPLE
        for piece in term
    )


def _weight(terms: Sequence[Sequence[Piece]]) -> float:
    """Return how much a part tells one question from another: that of the first of its terms, which
    is the question's own.
    """
    return sum(weight(word) for piece in terms[0] for word in piece.words)


def _key(term: str) -> str:
    return " ".join(stem(word) for word in words(expand.plain(term)))
