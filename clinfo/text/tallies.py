"""Counts that the chain itself can make of the studies retrieved: how many there are of a kind, and
how many participants.

A sentence says which studies it counts by its words ("4 of 9 trials support this"): the noun and
its adjectives choose by design, the verb by relation to the question or direction of the effect,
"retrieved" chooses all. Several reports of one study count once, unless articles, papers,
publications, reports or records are counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from clinfo.lazy_dataclass import replace
from clinfo.records.articles import STANCES, Stance, Study
from clinfo.text.lexicon import either
from clinfo.text.passages import beginnings
from clinfo.text.regex import anycase

Group = tuple[Study, ...]

_NOUN = anycase(rf"\b(?:{either('study_kinds', 'tallies')})\b")
_REPORTS = anycase(rf"\b(?:{either('study_kinds', 'reports')})\Z")
_BY_DESIGN = (
    (anycase(r"\btrials?\b|\bRCTs?\b"), ("trial", "randomi")),
    (anycase(r"\brandomi[sz]ed\b|\bRCTs?\b"), ("randomi",)),
    (anycase(r"\bcohort\b"), ("cohort",)),
    (anycase(r"\bcase-control\b"), ("case-control",)),
    (anycase(r"\bcross-sectional\b"), ("cross-sectional",)),
    (
        anycase(r"\bobservational\b"),
        ("cohort", "case-control", "cross-sectional", "observational", "case series"),
    ),
    (anycase(r"\breviews?\b"), ("review",)),
    (anycase(r"\bprotocols?\b"), ("protocol",)),
    (anycase(r"\bsystematic\b"), ("systematic",)),
    (anycase(r"\bmeta-?analys[ei]s\b"), ("meta-analysis",)),
)
_YES_OR_NO = anycase(r"\W*(yes|no)\b(?!\s\w)")
_NONE_OF_IT = r"no\s(?:\w+\s){0,2}(?:effect|benefit|difference|association|change|improvement)"
_RELATION_WORDS = (
    ("other outcomes", r"(?:do(?:es)?|did)\snot\s(?:answer|address|bear)|not\sanswer\w*"),
    ("mixed", r"\bmixed|inconsistent|conflicting|equivocal|both\sways"),
    (
        "contradicts",
        (
            r"\bagainst\b|contradict\w*|(?:support\w*\s)?\ba\sno\b|(?:do(?:es)?|"
            rf"did)\snot\s(?:support|confirm|favou?r)|{_NONE_OF_IT}|unfavou?rabl\w*"
            r"|oppos\w*|disagree\w*|refut\w*|\b(?:it|they)\s(?:do(?:es)?|did)(?:\snot|n['’]t)\b"
        ),
    ),
    (
        "supports",
        r"support\w*|\bfavou?r\w*|confirm\w*|\bagree\w*|benefit\w*|\ba\syes\b|\ban\seffect\b"
        r"|\bthat\s(?:it|they)\s(?:do(?:es)?|did|work(?:s|ed)?|help(?:s|ed)?)\b",
    ),
    ("answers", r"\bbears?\son\b|answer(?:s|ed)?\s(?:it|this|the\squestion)\b"),
)
_DIRECTION_WORDS = (
    (
        "no difference",
        rf"{_NONE_OF_IT}|not\s(?:significantly\s)?(?:differ|chang)\w*|unchanged|similar|neither",
    ),
    ("decreased", r"decreas\w*|reduc\w*|\blower\w*|fewer|\bless\b|\bfell\b|declin\w*|\bdrop\w*"),
    ("increased", r"increas\w*|\brais\w*|\brose\b|higher|greater|\bmore\b|elevat\w*"),
)
_RELATIONS = tuple((name, anycase(pattern)) for name, pattern in _RELATION_WORDS)
_DIRECTIONS = tuple((name, anycase(pattern)) for name, pattern in _DIRECTION_WORDS)
_SAYS_NOTHING = beginnings(
    "study studies trial randomised randomized controlled rct cohort observational systematic "
    "review meta-analysis meta-analyses "
    "article paper publication report record retrieved included read judged identified question "
    "answer evidence mixed conflicting "
    "overall total summary stated known reported concluded concluding found finding result showed "
    "said gave pointing speaks "
    "bearing weakly strongly strongest yes none participant patient people person adult women men "
    "children subject enrolled "
    "recruited protocol combined pooled respectively counted all both relevant "
    "one two three four five six seven eight nine ten eleven twelve"
)
_ANSWERING = ("supports", "contradicts", "mixed")
_EFFECTS = ("increased", "decreased", "no difference")


def named_by_noun(phrase: str, studies: Sequence[Study]) -> Group:
    """The studies of the design that ``phrase`` names up to its first noun: all for "studies",
    trials for "small trials".

    Of several reports of one study `once` is meant, unless the noun names reports.
    """
    noun = _NOUN.search(phrase)
    return _of_design(
        phrase, studies if noun is not None and _REPORTS.search(noun.group()) else once(studies)
    )


def once(studies: Sequence[Study]) -> Group:
    """The studies with each that has several reports once: as its first report that answers, with
    the most participants any states.

    Where its reports that answer have different relations to the question, that of the study is
    mixed.
    """
    if not any(study.group for study in studies):
        return tuple(studies)
    reports: dict[int, list[Study]] = {}
    for study in studies:
        reports.setdefault(study.group or -study.n, []).append(study)
    return tuple(_of_reports(members) for members in reports.values())


def _of_reports(members: Sequence[Study]) -> Study:
    answering = [study for study in members if fits(study, ("answers",))]
    first = (answering or members)[0]
    if len(members) == 1 or first.summary is None:
        return first
    stances = {study.summary.stance for study in answering if study.summary is not None}
    _, sized = participants(tuple(members))
    sizes = [study.summary.sample_size or 0 for study in sized if study.summary is not None]
    stance: Stance | None = "mixed" if len(stances) > 1 else first.summary.stance
    size = max(sizes, default=0) or first.summary.sample_size
    return replace(first, summary=replace(first.summary, stance=stance, sample_size=size))


def _of_design(phrase: str, studies: Sequence[Study]) -> Group:
    noun = _NOUN.search(phrase)
    words = phrase[: noun.end()] if noun is not None else ""
    wanted = [designs for pattern, designs in _BY_DESIGN if pattern.search(words)]
    return tuple(
        study
        for study in studies
        if all(any(design in _design(study) for design in designs) for designs in wanted)
    )


def groups(clause: str, opening: str, candidates: Group) -> Iterator[Group]:
    """The groups of ``candidates`` that a clause may be counting, the likelier first; none where
    its words fit no study.

    The words of the clause decide; without any, those of the sentence's ``opening`` ("Yes", "No");
    without either, every group that can be formed by relation, direction, design, or design and
    relation.
    """
    said = meanings(clause)
    if said:
        yield from (_fitting(candidates, name) for name in said)
        return
    answered = answer(opening)
    if answered is not None:
        yield _fitting(candidates, answered)
    yield candidates
    yield from (_fitting(candidates, name) for name in (*STANCES, "answers", *_EFFECTS))
    for design in dict.fromkeys(_design(study) for study in candidates):
        same = tuple(study for study in candidates if _design(study) == design)
        yield same
        yield from (_fitting(same, name) for name in STANCES)


def meanings(clause: str) -> tuple[str, ...]:
    """The relations and directions that the words of a clause name; "answers" stands for any
    relation but "does not answer".
    """
    return (*_named(_RELATIONS, clause), *_named(_DIRECTIONS, clause))


def beyond(text: str) -> frozenset[str]:
    """The beginnings of the words of ``text`` that say more than how many studies or people there
    are and which way they point.
    """
    for _, pattern in (*_RELATIONS, *_DIRECTIONS):
        text = pattern.sub(" ", text)
    return beginnings(text) - _SAYS_NOTHING


def recorded(text: str, cited: Group) -> bool:
    """Return whether ``text`` says of the studies cited only what the record holds of each: its
    design, and which way it points.
    """
    answered = answer(text)
    said = (*meanings(text), *((answered,) if answered is not None else ()))
    told = bool(said) or any(pattern.search(text) for pattern, _ in _BY_DESIGN)
    return (
        told
        and not beyond(text)
        and _of_design(text, cited) == cited
        and all(fits(study, said) for study in cited)
    )


def answer(text: str) -> Stance | None:
    """The relation that a sentence beginning with "Yes" or "No" goes by."""
    found = _YES_OR_NO.match(text)
    return None if found is None else "supports" if found[1].lower() == "yes" else "contradicts"


def fits(study: Study, names: Sequence[str]) -> bool:
    """Return whether a study's relation or direction is one of ``names`` (any will do for none);
    "mixed" is a relation here.

    A study whose relation is not known does not answer.
    """
    stance = (study.summary.stance if study.summary is not None else None) or "other outcomes"
    direction = study.summary.effect_direction if study.summary is not None else None
    own = {stance, "answers"} if stance in _ANSWERING else {stance}
    return not names or any(
        name in own or (name in _EFFECTS and name == direction) for name in names
    )


def _named(names: Sequence[tuple[str, re.Pattern[str]]], clause: str) -> Iterator[str]:
    """The names whose words stand in the clause; words read once are not read again ("no support"
    is no "support").
    """
    for name, pattern in names:
        if pattern.search(clause):
            clause = pattern.sub(" ", clause)
            yield name


def _fitting(candidates: Group, name: str) -> Group:
    return tuple(study for study in candidates if fits(study, (name,)))


def participants(group: Group) -> tuple[int, Group]:
    """(sum of the sample sizes known, the studies that have one).

    Reviews and meta-analyses are left out: their size may count studies, and their people may be
    those of other studies here. Of several reports of one study the largest size counts.
    """
    sized = tuple(
        study
        for study in group
        if study.summary is not None
        and study.summary.sample_size
        and not any(kind in _design(study) for kind in ("review", "meta-analysis"))
    )
    largest: dict[int, int] = {}
    for study in sized:
        size = study.summary.sample_size if study.summary is not None else None
        largest[study.group or -study.n] = max(size or 0, largest.get(study.group or -study.n, 0))
    return sum(largest.values()), sized


def _design(study: Study) -> str:
    return (study.summary.design or "").lower() if study.summary is not None else ""
