"""The judges of a run: who looks at which text, and the sentences under the verdicts that stand."""

from __future__ import annotations

from collections.abc import Sequence

from clinfo.claims import learned, model_judge
from clinfo.claims.joining import Opinion, joined
from clinfo.claims.learned import CutsShort, ReadingJudge
from clinfo.claims.registry import spec
from clinfo.lazy_dataclass import dataclass, field
from clinfo.llm.prompts import Prompt
from clinfo.records.articles import JudgeChoice, Part, Sentence, Study
from clinfo.runs.protocols import Ask


@dataclass(frozen=True)
class Judges:
    """The judges beside the rules. ``prompt`` and ``ask`` are the model judge's; None stands for a
    judge who is not there.
    """

    choice: JudgeChoice
    prompt: Prompt | None = None
    ask: Ask | None = None
    learned: ReadingJudge | None = None
    heard: dict[str, list[Opinion]] = field(default_factory=dict)
    """The opinions of the judges beside the rules, by call."""

    @property
    def cut(self) -> int:
        """Return how many passages the learned judge read cut short so far, since they are longer
        than it reads.
        """
        return self.learned.truncated if isinstance(self.learned, CutsShort) else 0

    def asks_model(self, part: Part) -> bool:
        """Return whether a language model reads this part."""
        return part in spec(self.choice).model_reads

    async def verdicts(
        self,
        part: Part,
        sentences: Sequence[Sentence],
        studies: Sequence[Study],
        call: str,
        own: bool = False,
    ) -> tuple[Sentence, ...]:
        """The sentences as the rules judged them, under the verdicts of all judges asked of this
        part.

        ``call`` names the model's calls uniquely in the run; ``own`` says that the model wrote the
        text. Raises BudgetReached.
        """
        every = []
        if self.asks_model(part) and self.prompt is not None and self.ask is not None:
            every.append(
                await model_judge.opinions(sentences, studies, call, self.prompt, self.ask, own)
            )
        elif self.learned is not None and spec(self.choice).open is not None:
            every.append(await learned.opinions(sentences, studies, self.learned))
        self.heard[call] = [opinion for found in every for opinion in found.values()]
        return tuple(
            joined(
                sentence,
                [found[place] for found in every if place in found],
                alone=not spec(self.choice).by_rules,
            )
            for place, sentence in enumerate(sentences)
        )
