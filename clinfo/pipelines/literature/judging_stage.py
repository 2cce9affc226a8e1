"""Judging what was written: TL;DR and synthesis in one go, one mending, removal.

What is written down about each sentence are events. Where a judge gave a verdict no code gives
another. In a strict run a sentence that the judge rejects, or finds said too strongly, is written
again, alone and once, with its abstracts at hand; what stays rejected is removed. A TL;DR that does
not answer the question is written once more. An answer of which too little is carried
(`clinfo.claims.joining`) is withheld by a strict run.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from clinfo.claims.cited import CheckedText, cited, resting
from clinfo.claims.joining import CARRIED, CONDEMNED, too_little
from clinfo.claims.judging import Heard, Judges
from clinfo.claims.model_judge import Answers
from clinfo.errors import ModelError
from clinfo.extractive.answer import answer
from clinfo.pipelines.literature import writing
from clinfo.pipelines.literature.at_work import AtWork, LiteratureRun
from clinfo.pipelines.literature.events import (
    AnswerWithheld,
    DoubtsRaised,
    SentenceChecked,
    SentencesRemoved,
    TldrRefused,
)
from clinfo.pipelines.literature.stages import JUDGE_STAGE, REWRITE
from clinfo.records.articles import (
    PROGRAM,
    Part,
    Sentence,
    Study,
    text_of,
)
from clinfo.records.request import EXTRACTIVE
from clinfo.runs.protocols import ModelRequest

NAMES: Mapping[Part, str] = {"synthesis": "synthesis", "tldr": "TL;DR", "doubts": "doubts"}
OPEN = "These studies do not answer the question"
REPLACED = "no sentence of it is carried by the articles it cites"


class JudgingStage(AtWork):
    """The judging of one run."""

    def __init__(self, run: LiteratureRun) -> None:
        super().__init__(run)
        prompt = self.prompts[JUDGE_STAGE]
        self.judges = Judges(self.request.judge, prompt, self.ask, self.chain.learned)
        self._cut_before = self.judges.cut

    async def texts(
        self,
        synthesis: str,
        tldr: str,
        doubts: Sequence[str],
        tldr_request: ModelRequest,
        studies: Sequence[Study],
    ) -> list[Sentence] | None:
        """Judge both texts, mend what the judge rejects, record the sentences of the synthesis that
        stand, and give those of the TL;DR; None where the answer is withheld.

        ``tldr_request`` is what a TL;DR is asked for with, should it be written again.
        """
        sentences = [
            *await self._sentences("tldr", tldr, studies),
            *await self._sentences("synthesis", synthesis, studies),
            *self._read("doubts", " ".join(doubts), studies).sentences,
        ]
        judged = frozenset(
            place
            for place, one in enumerate(sentences)
            if self.request.models["synthesis" if one.part == "doubts" else one.part] != EXTRACTIVE
        )
        items = await self._rounds(sentences, judged, tldr_request, studies)
        if items is None:
            return None
        written = _of("doubts", items.sentences)
        if raised := tuple(one for one in written if one.verdict == "supported"):
            self.emit(DoubtsRaised(sentences=raised))
        standing = self._standing(items)
        await self.record(_of("synthesis", standing))
        return _of("tldr", standing)

    async def record(self, sentences: Sequence[Sentence]) -> None:
        """Record the sentences of a text that stands."""
        parts: tuple[Part, ...] = ("tldr", "synthesis")
        for part in parts:
            for index, one in enumerate(_of(part, sentences)):
                self.emit(SentenceChecked(index=index, sentence=one))

    # ---- one round

    async def _sentences(
        self, part: Part, text: str, studies: Sequence[Study]
    ) -> tuple[Sentence, ...]:
        """The sentences that a model wrote, or the quotations without one."""
        if self.request.models[part] != EXTRACTIVE:
            return self._read(part, text, studies).sentences
        # In a thread: ranking takes a tenth of a second, and other runs share the loop.
        return await asyncio.to_thread(answer, part, self.request.question, studies)

    def _read(self, part: Part, text: str, studies: Sequence[Study]) -> CheckedText:
        """The sentences of a text; citation numbers that lead nowhere and a list of references of
        the model's own are told and taken out.
        """
        found = cited(text.strip(), part, studies)
        if found.listed:
            told = "ended in a list of references of the model's own; the list was left out"
            self._warn(f"own list {part}", f"The {NAMES[part]} {told}.")
        unread = [n for n in found.invented if n in self.run_log.numbers.values()]
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
            resting(one, on, studies) if one.part == "tldr" and place in only else one
            for place, one in enumerate(sentences)
        ]
        heard = await self.judges.verdicts(
            asked, studies, call, own=self._own(), only=only, mend=self.request.strict,
            question=self.request.question if answering else "",
        )  # fmt: skip
        self._report(heard)
        return replace(
            heard,
            sentences=tuple(
                replace(one, cites=was.cites)
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
        if heard.failed and "warning unjudged" not in self.run_log:
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
        told = [one for one in sentences if one.part != "doubts"]
        reason = too_little(told) if self.request.strict else ""
        if reason:
            texts = [text_of(_of("tldr", sentences)), text_of(_of("synthesis", sentences))]
            self.emit(AnswerWithheld(text="\n\n".join(filter(None, texts)), reason=reason))
        return bool(reason)

    # ---- rounds

    async def _rounds(
        self,
        sentences: Sequence[Sentence],
        judged: frozenset[int],
        tldr_request: ModelRequest,
        studies: Sequence[Study],
    ) -> Heard | None:
        """The sentences as judged at the end; None where too little of them is carried.

        What the judge rejects is written again once, as the judge would have it, else by its
        writer, and judged. A TL;DR that stands is recorded before that.
        """
        heard = await self._judged(sentences, studies, "text", judged)
        if self._withhold(heard.sentences):
            await self.record(heard.sentences)
            return None
        if _tldr_stands(heard):
            await self.record(_of("tldr", heard.sentences))
        options = await self._options(heard, judged, tldr_request, studies)
        return await self._mended(heard, options, studies) if options else heard

    async def _options(
        self,
        heard: Heard,
        judged: frozenset[int],
        tldr_request: ModelRequest,
        studies: Sequence[Study],
    ) -> dict[int, tuple[Sentence, ...]]:
        """Sentences in the place of another, by its place: none for the further sentences of a
        TL;DR that is written anew.
        """
        found: dict[int, tuple[Sentence, ...]] = {}
        if not self.request.strict:
            return found
        tldr = [place for place, one in enumerate(heard.sentences) if one.part == "tldr"]
        unanswered = heard.answers is not None and heard.answers.said == "no"
        if unanswered and tldr and tldr[0] in judged:
            anew = await self._tldr_anew(heard.sentences, tldr_request, heard.answers, studies)
            if anew:
                found = dict.fromkeys(tldr, ()) | {tldr[0]: anew}
        places = [
            place for place in sorted(judged) if place not in found and _rejected(heard, place)
        ]
        written = await asyncio.gather(*(self._instead(heard, place, studies) for place in places))
        return found | {place: text for place, text in zip(places, written, strict=True) if text}

    async def _instead(
        self, heard: Heard, place: int, studies: Sequence[Study]
    ) -> tuple[Sentence, ...]:
        """The sentence as its judge would have it, else as its writer writes it again; a doubt is
        not worth that.
        """
        sentence = heard.sentences[place]
        text = next((one.instead for one in heard.opinions.get(place, ()) if one.instead), "")
        if not text and sentence.part == "doubts":
            return ()
        if not text:
            return await self._rewritten(place, sentence, studies)
        return self._again(writing.in_its_place(text, sentence), sentence, studies)

    async def _mended(
        self,
        heard: Heard,
        options: Mapping[int, tuple[Sentence, ...]],
        studies: Sequence[Study],
    ) -> Heard:
        """The sentences with what stands in the place of those with options, judged."""
        asked: list[Sentence] = []
        before: dict[int, int] = {}
        for place, one in enumerate(heard.sentences):
            if place not in options:
                before[len(asked)] = place
            asked += options.get(place, (one,))
        changed = {each for each in range(len(asked)) if each not in before}
        again = any(asked[each].part == "tldr" for each in changed)
        only = changed | {each for each, one in enumerate(asked) if again and one.part == "tldr"}
        now = await self._judged(asked, studies, "text mended", frozenset(only), answering=again)
        opinions = {each: heard.opinions.get(place, ()) for each, place in before.items()}
        return replace(
            now, opinions=opinions | dict(now.opinions), answers=now.answers or heard.answers
        )

    async def _rewritten(
        self, place: int, sentence: Sentence, studies: Sequence[Study]
    ) -> tuple[Sentence, ...]:
        """The sentence written again; nothing where the model failed or left it empty."""
        on = sentence.cites or tuple(dict.fromkeys(span.n for span in sentence.spans))
        shown = [study for study in studies if study.n in on]
        if not shown or self.request.models[sentence.part] == EXTRACTIVE:
            return ()
        request = writing.rewrite_request(
            self.request.question, sentence, shown, self.prompts[REWRITE]
        )
        text = await self._written(f"{sentence.part} mended {place}", request, "A sentence")
        return self._again(writing.rewritten(text, sentence), sentence, studies)

    async def _written(self, call: str, request: ModelRequest, what: str) -> str:
        """What is written again; "" where the model failed."""
        try:
            return (await self.ask(call, request)).text
        except ModelError as error:
            self._warn("mending", f"{what} could not be written again: {error}")
            return ""

    def _again(self, text: str, before: Sentence, studies: Sequence[Study]) -> tuple[Sentence, ...]:
        """The sentences of a text that takes the place of the one ``before``."""
        found = self._read(before.part, text, studies).sentences if text else ()
        return (replace(found[0], lead=before.lead), *found[1:]) if found else ()

    async def _tldr_anew(
        self,
        sentences: Sequence[Sentence],
        asked: ModelRequest,
        answers: Answers | None,
        studies: Sequence[Study],
    ) -> tuple[Sentence, ...]:
        """A TL;DR in the place of one that does not answer; nothing where it answers or the model
        failed.
        """
        if answers is None or self.request.models["tldr"] == EXTRACTIVE:
            return ()
        before = text_of(_of("tldr", sentences))
        request = writing.tldr_anew(asked, before, answers.reason)
        text = await self._written("tldr mended", request, "The TL;DR")
        return self._read("tldr", text, studies).sentences

    # ---- the end

    def _standing(self, heard: Heard) -> list[Sentence]:
        """The sentences that are shown, those of the TL;DR first."""
        synthesis = self._kept("synthesis", _of("synthesis", heard.sentences))
        written = _of("tldr", heard.sentences)
        tldr = self._kept("tldr", written)
        if written and not tldr:
            first = next((one for one in synthesis if one.verdict == "supported"), None)
            tldr = [replace(first, part="tldr", lead="")] if first is not None else []
            self.emit(TldrRefused(text=text_of(written), reason=REPLACED))
        elif heard.answers is not None and heard.answers.said == "no" and tldr:
            tldr = [_open(heard.answers), replace(tldr[0], lead="\n\n"), *tldr[1:]]
        return [*tldr, *synthesis]

    def _kept(self, part: Part, sentences: Sequence[Sentence]) -> list[Sentence]:
        """The sentences that stay in a strict run; all of them in another."""
        removed = tuple(one for one in sentences if one.verdict in CONDEMNED)
        if not removed or not self.request.strict:
            return list(sentences)
        self.emit(SentencesRemoved(part=part, sentences=removed))
        count = (
            "1 unsupported sentence was"
            if len(removed) == 1
            else f"{len(removed)} unsupported sentences were"
        )
        self._warn(f"removed {part}", f"{count} removed from the {NAMES[part]}.")
        return [one for one in sentences if one.verdict not in CONDEMNED]

    def _warn(self, about: str, text: str) -> None:
        self.warn(about, text, "verify")


def _of(part: Part, sentences: Sequence[Sentence]) -> list[Sentence]:
    return [one for one in sentences if one.part == part]


def _rejected(heard: Heard, place: int) -> bool:
    """Return whether a sentence is to be written again: its verdict condemns it, or a judge said
    itself that only a part of it is carried.
    """
    verdict, said = heard.sentences[place].verdict, heard.opinions.get(place, ())
    partly = any(one.verdict == "partial" and not one.lowered for one in said)
    return verdict in CONDEMNED or (partly and verdict in CARRIED)


def _tldr_stands(heard: Heard) -> bool:
    """Return whether the TL;DR answers the question and no sentence of it is written again."""
    answers = heard.answers is None or heard.answers.said != "no"
    places = [place for place, one in enumerate(heard.sentences) if one.part == "tldr"]
    return answers and not any(_rejected(heard, place) for place in places)


def _open(answers: Answers) -> Sentence:
    """The line above a TL;DR that does not answer the question."""
    reason = answers.reason.strip().rstrip(".")
    text = f"{OPEN}: {reason}." if reason else f"{OPEN}."
    return Sentence(
        "tldr", text, (), "not_verified", f"said by the judge, {answers.judge}", judges=(PROGRAM,)
    )
