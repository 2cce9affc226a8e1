"""The judges of a run, and the sentences under the verdicts that stand."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from clinfo.claims import learned, model_judge
from clinfo.claims.cited import cited_sentence
from clinfo.claims.joining import Opinion, chosen
from clinfo.claims.learned import EntailmentJudge
from clinfo.claims.model_judge import Answers
from clinfo.claims.registry import spec
from clinfo.llm.prompts import Prompt
from clinfo.records.articles import Article, JudgeChoice, Sentence, Study
from clinfo.runs.protocols import Ask
from clinfo.text.citations import citation_marks, with_brackets


@dataclass(frozen=True)
class Heard:
    """The sentences as judged, what each judge said of them by place, and whether the TL;DR among
    them answers the question.
    """

    sentences: tuple[Sentence, ...]
    opinions: Mapping[int, Sequence[Opinion]] = field(default_factory=dict)
    answers: Answers | None = None

    @property
    def failed(self) -> list[Opinion]:
        """The opinions that could not be had."""
        return [one for every in self.opinions.values() for one in every if one.failed]


def given(
    sentences: Sequence[str], articles: Sequence[Article]
) -> tuple[list[Sentence], Sequence[Study]]:
    """(the sentences as they cite, the articles as studies): the articles are [1], [2] … in their
    order; a sentence without marks cites them all.
    """
    studies = [Study(n, article, None) for n, article in enumerate(articles, 1)]
    numbers = [study.n for study in studies]
    pmids = {study.article.pmid: study.n for study in studies}
    texts = [with_brackets(one, numbers, pmids) for one in sentences]
    every = [(one, () if citation_marks(one) else numbers) for one in texts]
    return [cited_sentence(one, cites, studies) for one, cites in every], studies


@dataclass(frozen=True)
class Judges:
    """The judges. ``prompt`` and ``ask`` are the model judge's; None stands for a judge who is not
    there.
    """

    choice: JudgeChoice
    prompt: Prompt | None = None
    ask: Ask | None = None
    learned: EntailmentJudge | None = None

    @property
    def cut(self) -> int:
        """Return how many passages the entailment model read cut short so far."""
        return getattr(self.learned, "truncated", 0)

    @property
    def asks_model(self) -> bool:
        """Return whether a language model judges."""
        return spec(self.choice).model and self.prompt is not None and self.ask is not None

    @property
    def any(self) -> bool:
        """Return whether anybody judges."""
        return self.asks_model or self._entailment is not None

    @property
    def _entailment(self) -> EntailmentJudge | None:
        return self.learned if spec(self.choice).open is not None else None

    async def verdicts(
        self,
        sentences: Sequence[Sentence],
        studies: Sequence[Study],
        call: str,
        *,
        own: bool = False,
        question: str = "",
        only: Collection[int] | None = None,
        apart: bool = False,
        mend: bool = False,
    ) -> Heard:
        """The sentences under the verdicts of all judges.

        ``call`` names the model's calls uniquely in the run; ``own`` says that the model wrote the
        text. With a ``question`` the model also says whether the TL;DR answers it. ``only`` are the
        places that are judged, the rest is their context; ``apart``: they are no running text.
        ``mend``: the model says too what stands instead. Raises BudgetReached.
        """
        places = [
            place
            for place, one in enumerate(sentences)
            if one.cites and (only is None or place in only)
        ]
        heard: list[dict[int, Opinion]] = []
        answers = None
        if self.asks_model and self.prompt is not None and self.ask is not None:
            found, answers = await model_judge.opinions(
                sentences, places, studies, call, self.prompt, self.ask,
                own=own, question=question, apart=apart, mend=mend,
            )  # fmt: skip
            heard.append(found)
        if self._entailment is not None:
            heard.append(await learned.opinions(sentences, places, studies, self._entailment))
        opinions = {
            place: [found[place] for found in heard if place in found]
            for place in range(len(sentences))
        }
        return Heard(
            tuple(chosen(one, opinions[place]) for place, one in enumerate(sentences)),
            {place: every for place, every in opinions.items() if every},
            answers,
        )
