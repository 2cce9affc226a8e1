"""Judging what was written: TL;DR and synthesis in one go, one mending, removal.

What is written down about each sentence are events. Where a judge gave a verdict no code gives
another. In a strict run a sentence that the judge rejects, or finds said too strongly, is written
again, alone and once, with its abstracts at hand; what stays rejected is removed. A TL;DR that does
not answer the question is written once more. An answer of which too little is carried
(`clinfo.claims.floor`) is withheld by a strict run.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from clinfo.claims.cited import CheckedText, cited, resting
from clinfo.claims.floor import too_little
from clinfo.claims.joining import CARRIED, CONDEMNED
from clinfo.claims.judging import Heard, Judges
from clinfo.claims.learned import ReadingJudge
from clinfo.claims.model_judge import Answers
from clinfo.claims.orders import OBEYED, as_evidence, obeys
from clinfo.errors import ModelError
from clinfo.extractive.answer import answer
from clinfo.llm.prompts import Prompt
from clinfo.pipelines.literature import rewriting, summarize
from clinfo.pipelines.literature.declared import JUDGE_STAGE, REWRITE
from clinfo.pipelines.literature.events import (
    AnswerWithheld,
    SentenceChecked,
    SentencesRemoved,
    TldrRefused,
)
from clinfo.pipelines.literature.run_log import LiteratureLog
from clinfo.records.articles import (
    PROGRAM,
    Article,
    Part,
    RunRequest,
    Sentence,
    Study,
    Summary,
    text_of,
)
from clinfo.records.request import EXTRACTIVE
from clinfo.runs.protocols import ModelRequest
from clinfo.runs.recorder import Recorder
from clinfo.text.sentences import sentence_spans

NAMES: Mapping[Part, str] = {"synthesis": "synthesis", "tldr": "TL;DR"}
OPEN = "These studies do not answer the question"
REPLACED = "no sentence of it is carried by the articles it cites"


class JudgingStage:
    """The judging of one run."""

    def __init__(
        self,
        request: RunRequest,
        prompts: Mapping[str, Prompt],
        recorder: Recorder[LiteratureLog],
        learned: ReadingJudge | None = None,
    ) -> None:
        self.request = request
        self.prompts = prompts
        self.recorder = recorder
        self.judges = Judges(request.judge, prompts[JUDGE_STAGE], recorder.ask, learned)
        self._cut_before = self.judges.cut

    async def texts(
        self,
        synthesis: str,
        tldr: str,
        tldr_request: ModelRequest,
        studies: Sequence[Study],
    ) -> list[Sentence] | None:
        """Judge both texts, mend what the judge rejects, record the sentences of the synthesis that
        stand, and give those of the TL;DR; None where the answer is withheld.

        ``tldr_request`` is what a TL;DR is asked for with, should it be written again.
        """
        evidence = as_evidence(studies)
        sentences = [
            *await self._sentences("tldr", tldr, evidence),
            *await self._sentences("synthesis", synthesis, evidence),
        ]
        judged = frozenset(
            place
            for place, one in enumerate(sentences)
            if self.request.models[one.part] != EXTRACTIVE
        )
        heard = await self._judged(sentences, studies, evidence, "text", judged)
        if self._withhold(heard.sentences):
            await self.record(heard.sentences)
            return None
        if self.request.strict:
            heard = await self._mended(heard, tldr_request, studies, evidence)
        standing = self._standing(heard)
        await self.record(_of("synthesis", standing))
        return _of("tldr", standing)

    def summary(self, article: Article, summary: Summary) -> Summary:
        """The summary without what its article orders a language model to say."""
        study = (Study(0, article, None),)

        def kept(field: str | None) -> str | None:
            return None if obeys(field or "", study) else field

        told = [summary.finding[start:end] for start, end in sentence_spans(summary.finding)]
        own = [one for one in told if not obeys(one, study)]
        if len(own) < len(told):
            summary = replace(summary, finding=" ".join(own) or summarize.NOTHING_PROVED)
        if not own:  # what was ordered must not count for or against either
            summary = replace(summary, stance=None, effect_direction=None)
        return replace(
            summary,
            design=kept(summary.design),
            population=kept(summary.population),
            bias=kept(summary.bias),
        )

    async def record(self, sentences: Sequence[Sentence]) -> None:
        """Record the sentences of a text that stands."""
        parts: tuple[Part, ...] = ("tldr", "synthesis")
        for part in parts:
            for index, one in enumerate(_of(part, sentences)):
                self.recorder.emit(SentenceChecked(index=index, sentence=one))

    # ---- one round

    async def _sentences(
        self, part: Part, text: str, evidence: Sequence[Study]
    ) -> tuple[Sentence, ...]:
        """The sentences that a model wrote, or the quotations without one."""
        if self.request.models[part] != EXTRACTIVE:
            return self._read(part, text, evidence).sentences
        # In a thread: ranking takes a tenth of a second, and other runs share the loop.
        return await asyncio.to_thread(answer, part, self.request.question, evidence)

    def _read(self, part: Part, text: str, evidence: Sequence[Study]) -> CheckedText:
        """The sentences of a text; citation numbers that lead nowhere are told and taken out."""
        found = cited(text.strip(), part, evidence)
        unread = [n for n in found.invented if n in self.recorder.run_log.numbers.values()]
        invented = [n for n in found.invented if n not in unread]
        for about, numbers, why in (
            ("invented", invented, "no study has"),
            ("unread", unread, "the model was not shown"),
        ):
            if numbers:
                told = ", ".join(f"[{n}]" for n in numbers)
                self._warn(
                    f"{about} {part}",
                    f"The {NAMES[part]} cited {told}, which {why}; the citation was removed.",
                )
        return found

    async def _judged(
        self,
        sentences: Sequence[Sentence],
        studies: Sequence[Study],
        evidence: Sequence[Study],
        call: str,
        only: frozenset[int],
        answering: bool = True,
    ) -> Heard:
        """The sentences under the verdicts of the judges. A TL;DR need not cite: without citation
        it rests on what the synthesis cites.
        """
        on = tuple(
            dict.fromkeys(n for one in sentences if one.part == "synthesis" for n in one.cites)
        )
        asked = [
            resting(one, on, evidence) if one.part == "tldr" and place in only else one
            for place, one in enumerate(sentences)
        ]
        question = self.request.question if answering else ""
        heard = await self.judges.verdicts(
            asked, evidence, call, own=self._own(), question=question, only=only
        )
        self._report(heard)
        return replace(
            heard,
            sentences=tuple(
                _disobeying(replace(one, cites=was.cites), studies)
                for one, was in zip(heard.sentences, sentences, strict=True)
            ),
        )

    def _own(self) -> bool:
        """Return whether the judge is the model that wrote, which a reader is told once."""
        judge = self.request.models.get(JUDGE_STAGE)
        own = self.judges.asks_model and judge == self.request.models["synthesis"]
        if own:
            self._warn(
                "own judge",
                f"{judge} judged text that it wrote itself; another judge can be named with "
                "CLINFO_MODEL_VERIFY.",
            )
        return own

    def _report(self, heard: Heard) -> None:
        """Tell of a judge that failed or could not be read, once."""
        if heard.failed and "warning unjudged" not in self.recorder.run_log:
            asked = sum(map(len, heard.opinions.values()))
            self._warn(
                "unjudged",
                f"The judge gave no readable verdict on {len(heard.failed)} of {asked} sentences: "
                f"{heard.failed[0].reason}.",
            )
        if self.judges.cut > self._cut_before:
            self._warn(
                "cut short",
                "Some passages are longer than the entailment model can read; it judged their "
                "beginning.",
            )

    def _withhold(self, sentences: Sequence[Sentence]) -> bool:
        """Withhold the answer where too little of what the model wrote is carried."""
        reason = too_little(sentences) if self.request.strict else ""
        if reason:
            texts = [text_of(_of("tldr", sentences)), text_of(_of("synthesis", sentences))]
            self.recorder.emit(AnswerWithheld(text="\n\n".join(filter(None, texts)), reason=reason))
        return bool(reason)

    # ---- mending

    async def _mended(
        self,
        heard: Heard,
        tldr_request: ModelRequest,
        studies: Sequence[Study],
        evidence: Sequence[Study],
    ) -> Heard:
        """The sentences with those written again that the judge rejects or finds overstated, and a
        TL;DR that does not answer, judged once more.
        """
        sentences = list(heard.sentences)
        anew = heard.answers if heard.answers and heard.answers.said == "no" else None
        tldr = [place for place, one in enumerate(sentences) if one.part == "tldr"]
        places = [
            place
            for place, one in enumerate(sentences)
            if _rejected(one, heard, place)
            and not (anew and place in tldr)
            and self.request.models[one.part] != EXTRACTIVE
        ]
        written = await asyncio.gather(
            self._tldr_anew(sentences, tldr_request, anew, evidence),
            *(self._rewritten(place, sentences[place], evidence) for place in places),
        )
        again = dict(zip(places, written[1:], strict=True))
        if written[0] and tldr:
            again |= dict.fromkeys(tldr, ()) | {tldr[0]: written[0]}
        made: list[Sentence] = []
        changed: set[int] = set()
        for place, one in enumerate(sentences):
            replaced = again.get(place)
            if replaced is not None:
                changed |= set(range(len(made), len(made) + len(replaced)))
            made += (one,) if replaced is None else replaced
        if not changed:
            return heard
        whole = bool(written[0])
        second = await self._judged(
            made, studies, evidence, "text mended", frozenset(changed), answering=whole
        )
        return second if whole else replace(second, answers=heard.answers)

    async def _rewritten(
        self, place: int, sentence: Sentence, evidence: Sequence[Study]
    ) -> tuple[Sentence, ...] | None:
        """The sentence written again; None where the model failed or left it empty."""
        on = sentence.cites or tuple(dict.fromkeys(span.n for span in sentence.spans))
        shown = [study for study in evidence if study.n in on]
        if not shown:
            return None
        request = rewriting.request(self.request.question, sentence, shown, self.prompts[REWRITE])
        try:
            reply = await self.recorder.ask(f"{sentence.part} mended {place}", request)
        except ModelError as error:
            self._warn("mending", f"A sentence could not be written again: {error}")
            return None
        text = rewriting.read(reply.text, sentence)
        found = self._read(sentence.part, text, evidence).sentences
        return (replace(found[0], lead=sentence.lead), *found[1:]) if found else None

    async def _tldr_anew(
        self,
        sentences: Sequence[Sentence],
        asked: ModelRequest,
        answers: Answers | None,
        evidence: Sequence[Study],
    ) -> tuple[Sentence, ...]:
        """A TL;DR in the place of one that does not answer; nothing where it answers or the model
        failed.
        """
        if answers is None or self.request.models["tldr"] == EXTRACTIVE:
            return ()
        before = text_of(_of("tldr", sentences))
        try:
            reply = await self.recorder.ask(
                "tldr mended", rewriting.anew(asked, before, answers.reason)
            )
        except ModelError as error:
            self._warn("mending", f"The TL;DR could not be written again: {error}")
            return ()
        return self._read("tldr", reply.text, evidence).sentences

    # ---- the end

    def _standing(self, heard: Heard) -> list[Sentence]:
        """The sentences that are shown, those of the TL;DR first."""
        synthesis = self._kept("synthesis", _of("synthesis", heard.sentences))
        written = _of("tldr", heard.sentences)
        tldr = self._kept("tldr", written)
        if written and not tldr:
            first = next((one for one in synthesis if one.verdict == "supported"), None)
            tldr = [replace(first, part="tldr", lead="")] if first is not None else []
            self.recorder.emit(TldrRefused(text=text_of(written), reason=REPLACED))
        elif heard.answers is not None and heard.answers.said == "no" and tldr:
            tldr = [_open(heard.answers), replace(tldr[0], lead="\n\n"), *tldr[1:]]
        return [*tldr, *synthesis]

    def _kept(self, part: Part, sentences: Sequence[Sentence]) -> list[Sentence]:
        """The sentences that stay in a strict run; all of them in another."""
        removed = tuple(one for one in sentences if one.verdict in CONDEMNED)
        if not removed or not self.request.strict:
            return list(sentences)
        self.recorder.emit(SentencesRemoved(part=part, sentences=removed))
        count = (
            "1 unsupported sentence was"
            if len(removed) == 1
            else f"{len(removed)} unsupported sentences were"
        )
        self._warn(f"removed {part}", f"{count} removed from the {NAMES[part]}.")
        return [one for one in sentences if one.verdict not in CONDEMNED]

    def _warn(self, about: str, text: str) -> None:
        self.recorder.warn(about, text, "verify")


def _of(part: Part, sentences: Sequence[Sentence]) -> list[Sentence]:
    return [one for one in sentences if one.part == part]


def _rejected(sentence: Sentence, heard: Heard, place: int) -> bool:
    """Return whether a sentence is to be written again: its verdict condemns it, or a judge said
    itself that only a part of it is carried.
    """
    said = heard.opinions.get(place, ())
    partly = any(one.verdict == "partial" and not one.lowered for one in said)
    return sentence.verdict in CONDEMNED or (partly and sentence.verdict in CARRIED)


def _open(answers: Answers) -> Sentence:
    """The line above a TL;DR that does not answer the question."""
    reason = answers.reason.strip().rstrip(".")
    text = f"{OPEN}: {reason}." if reason else f"{OPEN}."
    return Sentence(
        "tldr", text, (), "not_verified", f"said by the judge, {answers.judge}", judges=(PROGRAM,)
    )


def _disobeying(sentence: Sentence, studies: Sequence[Study]) -> Sentence:
    """A sentence that says what an article orders a language model to say is unsupported, whoever
    vouches for it.
    """
    if sentence.verdict in CONDEMNED or not obeys(sentence.text, studies):
        return sentence
    return replace(sentence, verdict="unsupported", reason=OBEYED, spans=(), judges=())
