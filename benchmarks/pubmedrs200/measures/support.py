"""Support of what an answer says by what it cites: the sentences, the articles, and what a judge
makes of them.

Citation recall and precision are as ALCE defines them (Gao et al., EMNLP 2023, section 3.3). A
sentence has recall 1 if it cites something and all it cites, together, supports it; one that cites
a number without an article has recall 0, whatever else it cites, as in ALCE's own program. A
citation of a sentence with recall 1 is precise unless it does not support the sentence alone while
the others do without it; citations of a sentence without recall are not precise (ALCE's program
leaves those with a number without an article out of the mean, its paper does not). An answer's
recall is the mean over its sentences, its precision that over its citations.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from benchmarks.pubmedrs200.running.folder import load_articles, numbered
from benchmarks.pubmedrs200.running.records import Record
from clinfo.claims.cited import cited_sentence
from clinfo.errors import UsageError
from clinfo.extras import install
from clinfo.pipelines.literature.events import ArticlesChased, ArticlesFetched, loads
from clinfo.records.articles import PROGRAM, Article, Study
from clinfo.text.citations import citation_marks
from clinfo.text.quotes import numbers
from clinfo.text.sentences import sentences
from clinfo.text.stated_numbers import written_numbers

_BETWEEN_CLAUSES = re.compile(r";\s|,\s(?:while|whereas|but)\s")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


@dataclass(frozen=True)
class Claim:
    """A sentence without its citation marks, the part it stands in (synthesis or tldr), and the
    numbers of what it cites.
    """

    part: str
    text: str
    cites: tuple[int, ...]


def claims(record: Record, *, of_chain: bool) -> tuple[Claim, ...]:
    """The sentences to judge.

    Those of a chain (``of_chain``) are in the answer's own list of sentences, which this program
    wrote. Whatever an external system lists is its own word on what is to be judged, so its texts
    are split here and their citation marks read.
    """
    if of_chain:
        return tuple(
            Claim(form["in"], without_marks(form["text"]), tuple(dict.fromkeys(form["cites"])))
            for form in _listed(record)
            if not _of_the_program(form)
        )
    return tuple(
        Claim(
            part,
            without_marks(text),
            tuple(
                dict.fromkeys(number for mark in citation_marks(text) for number in mark.numbers)
            ),
        )
        for part, whole in (("synthesis", record.synthesis), ("tldr", record.tldr))
        for text in sentences(whole)
    )


def set_apart(record: Record, *, of_chain: bool) -> float | None:
    """The share of an answer's sentences that no judge is asked about: those of a chain that it
    added, or that only count studies.

    0 where texts are split here; None without any sentence.
    """
    if of_chain:
        listed = _listed(record)
        return sum(map(_of_the_program, listed)) / len(listed) if listed else None
    return 0.0 if claims(record, of_chain=False) else None


def _listed(record: Record) -> Sequence[Mapping[str, Any]]:
    return record.answer["sentences"] if record.answer is not None else ()


def _of_the_program(sentence: Mapping[str, Any]) -> bool:
    return sentence.get("counts_only") is True or sentence.get("judges") == [PROGRAM]


def without_marks(text: str) -> str:
    """``text`` without its citation marks and the spaces and commas that stood before them."""
    kept, at = [], 0
    for mark in citation_marks(text):
        kept.append(text[at : mark.start].rstrip(" ,"))
        at = mark.end
    return "".join([*kept, text[at:]]).strip()


def cited_articles(record: Record, root: Path) -> dict[int, Article] | None:
    """The articles behind an answer's reference numbers; None where nobody knows them.

    They are in the events of a chain's run under ``root``, and in what the run's source held of a
    command's references where it could be asked (`benchmarks.pubmedrs200.running.folder`).
    References that are not there are left out. Raises UsageError and RecordError for files that
    hold something else.
    """
    if record.answer is None:
        return None
    if not has_events(record, root):
        fetched = load_articles(root, record.cell)
        if fetched is None:
            return None
        by_pmid = {article.pmid: article for article in fetched.articles}
        listed = numbered(record.answer["references"])
        return {n: by_pmid[form["pmid"]] for n, form in listed.items() if form["pmid"] in by_pmid}
    by_id: dict[str, Article] = {}
    with _events(record, root).open(encoding="utf-8") as file:
        for event in loads(file):
            if isinstance(event, ArticlesFetched | ArticlesChased):
                by_id.update((article.id, article) for article in event.articles)
    return {
        form["n"]: by_id[form["id"]] for form in record.answer["references"] if form["id"] in by_id
    }


def has_events(record: Record, root: Path) -> bool:
    """Return whether this program answered: only its own systems leave events in the run's folder
    ``root``.
    """
    return _events(record, root).exists()


def _events(record: Record, root: Path) -> Path:
    return record.cell.path(root, "events", ".jsonl")


def figures_supported(claims: Sequence[Claim], articles: Mapping[int, Article]) -> float | None:
    """Share (0 to 1) of the numbers in the sentences that stand in title or abstract of an article
    cited there, in digits or in words; None without numbers.

    A number is looked for as it is written: 12 % is not 0.12, nor 0.75 0.7532. Of what it is said
    is no matter: a judge asks that.
    """
    stand = {
        n: written_numbers(f"{article.title}\n{article.abstract}")
        for n, article in articles.items()
    }
    held = [
        any(number in stand[n] for n in claim.cites if n in stand)
        for claim in claims
        for number, _, _ in numbers(without_marks(claim.text))
    ]
    return sum(held) / len(held) if held else None


@dataclass(frozen=True)
class Entailment:
    """Do these articles, taken together, support this sentence?"""

    sentence: str
    articles: tuple[Article, ...]

    @property
    def premise(self) -> str:
        """Title and abstract of each article, one after the other."""
        return "\n\n".join(
            f"{article.title}\n{article.abstract}".strip() for article in self.articles
        )


class Judge(Protocol):
    """Somebody who says whether articles support a sentence. ``warnings`` are what there is to say
    of the verdicts so far, a line each.
    """

    @property
    def name(self) -> str:
        """Names the judge with its settings, as it stands beside its figures."""

    @property
    def warnings(self) -> tuple[str, ...]: ...

    def judge(self, asked: Sequence[Entailment]) -> list[bool]:
        """In the order asked, whether the articles support the sentence wholly. Raises ModelError,
        BudgetReached, UsageError.
        """


class QuotationJudge:
    """The judge where none is named: articles support a sentence that stands word for word in one
    of them, as a whole or clause by clause (`clinfo.claims.cited`). Of other wording it says
    nothing.
    """

    name = "quotations"
    warnings = ()

    def judge(self, asked: Sequence[Entailment]) -> list[bool]:
        return [_quoted(one) or _by_clauses(one) for one in asked]


def _quoted(asked: Entailment) -> bool:
    studies = [Study(n, article, None) for n, article in enumerate(asked.articles, 1)]
    found = cited_sentence(asked.sentence, range(1, len(studies) + 1), studies)
    return found.verdict == "quoted"


def _by_clauses(asked: Entailment) -> bool:
    """Return whether each of several clauses stands in one of the articles."""
    clauses = [each for each in _BETWEEN_CLAUSES.split(asked.sentence) if each.strip()]
    return len(clauses) > 1 and all(_quoted(Entailment(each, asked.articles)) for each in clauses)


@dataclass(frozen=True)
class Support:
    """Shares from 0 to 1; None without any sentence, or without any citation."""

    sentences: float | None
    recall: float | None
    precision: float | None


def supports(
    answers: Sequence[tuple[Sequence[Claim], Mapping[int, Article]]], judge: Judge
) -> list[Support]:
    """Return what a judge makes of the sentences of each answer. One that cites a number without an
    article is not supported.

    The judge is asked of each sentence with all it cites, then with each citation alone, then with
    the others where that did not do: of all answers together, because a judge that is far away
    answers many questions at a time, and each thing once.
    """
    told: dict[Entailment, bool] = {}

    def ask(asked: Sequence[Entailment]) -> list[bool]:
        new = [one for one in dict.fromkeys(asked) if one not in told]
        told.update(zip(new, judge.judge(new), strict=True) if new else ())
        return [told[one] for one in asked]

    each = [[(claim, articles) for claim in claims] for claims, articles in answers]
    places = {(at, n): one for at, own in enumerate(each) for n, one in enumerate(own)}
    judged = {
        place: _entailment(claim, claim.cites, articles)
        for place, (claim, articles) in places.items()
        if claim.cites and all(n in articles for n in claim.cites)
    }
    whole = dict.fromkeys(places, False) | dict(zip(judged, ask([*judged.values()]), strict=True))
    alone = {
        (place, n): _entailment(places[place][0], (n,), places[place][1])
        for place, held in whole.items()
        if held and places[place][0].part == "synthesis" and len(places[place][0].cites) > 1
        for n in places[place][0].cites
    }
    precise = dict(zip(alone, ask([*alone.values()]), strict=True))
    others = {
        (place, n): _entailment(claim, [m for m in claim.cites if m != n], articles)
        for (place, n), held in precise.items()
        if not held
        for claim, articles in (places[place],)
    }
    needless = zip(others, ask([*others.values()]), strict=True)
    precise |= {citation: not held for citation, held in needless}
    found = []
    for at, own in enumerate(each):
        held = [whole[at, n] for n in range(len(own))]
        synthesis = [n for n, (claim, _) in enumerate(own) if claim.part == "synthesis"]
        cited = [((at, n), cite) for n in synthesis for cite in own[n][0].cites]
        found.append(
            Support(
                _mean(held),
                _mean([held[n] for n in synthesis]),
                _mean([precise.get(citation, whole[citation[0]]) for citation in cited]),
            )
        )
    return found


def _entailment(claim: Claim, cites: Sequence[int], articles: Mapping[int, Article]) -> Entailment:
    return Entailment(claim.text, tuple(articles[n] for n in cites if n in articles))


def _mean(held: Sequence[bool]) -> float | None:
    return sum(held) / len(held) if held else None


def reading_grade(text: str) -> float | None:
    """0.39 words a sentence + 11.8 syllables a word - 15.59 (Kincaid, Fishburne, Rogers and Chissom
    1975); None without words.

    Syllables are those between which Pyphen would hyphenate (American English), which finds
    slightly fewer than are spoken. Raises UsageError without Pyphen.
    """
    plain = without_marks(text)
    words = _WORD.findall(plain)
    if not words:
        return None
    syllables = sum(_syllables(word.lower()) for word in words)
    return 0.39 * len(words) / max(1, len(sentences(plain))) + 11.8 * syllables / len(words) - 15.59


@cache
def _syllables(word: str) -> int:
    return len(_hyphenation().positions(word)) + 1


@cache
def _hyphenation() -> Any:
    try:
        import pyphen
    except ImportError:
        raise UsageError(f"readability needs the package pyphen; {install('metrics')}") from None
    return pyphen.Pyphen(lang="en_US")
