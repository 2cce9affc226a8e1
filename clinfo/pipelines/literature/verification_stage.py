"""Checking what a model wrote before it counts: verdicts, one repair, removal, and that a conflict
of the evidence is said.

What is written down about each sentence are events. In a strict run a sentence that its sources do
not carry, or that they contradict, is repaired once with the reasons and removed where that did not
help; otherwise it stays and shows its verdict. What no judge could tell stays, too. An answer of
which too little is carried (`clinfo.claims.floor`) is withheld by a strict run.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from clinfo.claims.estimates import ESTIMATED
from clinfo.claims.floor import too_little
from clinfo.claims.joining import CARRIED, CONDEMNED, RULES
from clinfo.claims.judging import Judges
from clinfo.claims.learned import ReadingJudge
from clinfo.claims.orders import OBEYED, as_evidence, obeys
from clinfo.claims.verify import SUMMARISED, CheckedText, check, check_sentence
from clinfo.errors import ModelError
from clinfo.extractive.answer import answer
from clinfo.llm.prompts import Prompt
from clinfo.pipelines.literature.declared import JUDGE_STAGE
from clinfo.pipelines.literature.events import (
    AnswerWithheld,
    SentenceChecked,
    SentencesRemoved,
    TldrRefused,
    TldrText,
)
from clinfo.pipelines.literature.gate import Asked, refused
from clinfo.pipelines.literature.run_log import LiteratureLog
from clinfo.pipelines.literature.synthesize import repair_request
from clinfo.records.appraisal import Appraisal
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
from clinfo.text.foreign_references import foreign, in_brackets, without_mentions
from clinfo.text.overclaims import overclaims

NAMES: dict[Part, str] = {"synthesis": "synthesis", "tldr": "TL;DR", "summary": "summary"}
ADDED = f"made by {PROGRAM} from the evidence table"


class VerificationStage:
    """The checks of one run."""

    def __init__(
        self,
        request: RunRequest,
        prompts: Mapping[str, Prompt],
        recorder: Recorder[LiteratureLog],
        learned: ReadingJudge | None = None,
    ) -> None:
        self.request = request
        self.judges = Judges(request.judge, prompts[JUDGE_STAGE], recorder.ask, learned)
        self.cut_before = self.judges.cut
        self.written: list[Sentence] = []
        """The sentences of synthesis and TL;DR as the model wrote them, before any was removed."""
        self.prompts = prompts
        self.recorder = recorder
        self.ask = recorder.ask
        self.emit = recorder.emit
        self.run_log = recorder.run_log

    def _warn(self, about: str, text: str) -> None:
        self.recorder.warn(about, text, "verify")

    async def text(
        self,
        part: Part,
        written: ModelRequest,
        text: str,
        studies: Sequence[Study],
        appraisal: Appraisal | None,
    ) -> str:
        """Check a synthesis or TL;DR, the reply to ``written``, record the verdicts, and give its
        final form back.
        """
        if self.request.models.get(part) == EXTRACTIVE:
            return self._recorded(
                await asyncio.to_thread(answer, part, self.request.question, studies)
            )
        call = TldrText(text=text.strip()).name if part == "tldr" else part
        checked = await self._verdicts(part, text.strip(), studies, call)
        if self.request.strict:
            problems = _condemned(checked.sentences)
            if problems:
                repaired = await self._repaired(part, repair_request(written, text, problems))
                if repaired:
                    checked = _better(
                        checked, await self._verdicts(part, repaired, studies, f"{part} repaired")
                    )
        self._report_invented(part, checked)
        if self._withheld(checked):
            return self._recorded(checked.sentences)
        if (
            part == "tldr"
            and (instead := await self._in_place_of(checked, studies, appraisal)) is not None
        ):
            return self._recorded((instead,))
        sentences = (
            self._kept(part, checked.sentences) if self.request.strict else checked.sentences
        )
        final = self._recorded(sentences)
        for number, words in enumerate(overclaims(final)):
            self._warn(
                f"overclaim {part} {number}",
                f'The {NAMES[part]} says "{words}"; it can only refer to the studies retrieved.',
            )
        return final

    async def ahead(
        self, tldr: str, studies: Sequence[Study], appraisal: Appraisal | None
    ) -> tuple[Sentence, ...]:
        """The sentences of a TL;DR whose synthesis is still being written, with their verdicts;
        none unless each cites, each is carried, and they would stand as the answer.
        """
        written = await asyncio.to_thread(check, tldr, "tldr", as_evidence(studies))
        if not all(one.cites for one in written.sentences):
            return ()  # it rests on what the synthesis will cite
        checked = await self._verdicts("tldr", tldr, studies, TldrText(text=tldr).name)
        if any(one.verdict not in CARRIED for one in checked.sentences):
            return ()
        reason, _ = await self._refused(checked, studies, appraisal)
        return () if reason else checked.sentences

    async def _refused(
        self, tldr: CheckedText, studies: Sequence[Study], appraisal: Appraisal | None
    ) -> tuple[str, Sentence | None]:
        """(why a TL;DR does not stand as the answer, what stands in its place)."""
        asked = Asked(
            self.request.question, as_evidence(studies), appraisal.balance if appraisal else None
        )
        extractive = self.request.models["tldr"] == EXTRACTIVE
        synthesis = self.run_log.sentences("synthesis")
        # In a thread: the rules take a tenth of a second, and other runs share the loop.
        return await asyncio.to_thread(refused, asked, tldr.sentences, synthesis, extractive)

    async def _in_place_of(
        self, tldr: CheckedText, studies: Sequence[Study], appraisal: Appraisal | None
    ) -> Sentence | None:
        """Return what stands in place of a TL;DR that does not stand as the answer; None where it
        does.
        """
        reason, instead = await self._refused(tldr, studies, appraisal)
        if not reason:
            return None
        extractive = self.request.models["tldr"] == EXTRACTIVE
        self.emit(TldrRefused(text=tldr.text.strip(), reason=reason))
        maker = f"made by {PROGRAM}" if extractive else "that the model wrote"
        self._warn("tldr refused", f"The TL;DR {maker} is not used as the answer: {reason}.")
        return instead

    @property
    def withheld(self) -> bool:
        """Return whether what was written so far is not to be shown as an answer."""
        return "answer withheld" in self.run_log

    def _withheld(self, checked: CheckedText) -> bool:
        """Withhold the answer where too little of what the model wrote, this text the last of it,
        is carried.
        """
        self.written += checked.sentences
        reason = too_little(self.written) if self.request.strict else ""
        if reason:
            parts = [
                [one for one in self.written if one.part == part] for part in ("tldr", "synthesis")
            ]
            text = "\n\n".join(text_of(sentences) for sentences in parts if sentences)
            self.emit(AnswerWithheld(text=text, reason=reason))
        return bool(reason)

    def _recorded(self, sentences: Sequence[Sentence]) -> str:
        """Record the sentences of a final text, and give that text back."""
        for index, sentence in enumerate(sentences):
            self.emit(SentenceChecked(index=index, sentence=sentence))
        return text_of(sentences)

    async def summary(self, article: Article, summary: Summary) -> Summary:
        """The summary without what its article orders a language model to say."""
        return _without_orders(summary, article)

    async def _repaired(self, part: Part, request: ModelRequest) -> str:
        """The text written again; "" where the model failed, and then what is not proved goes
        without a second try.
        """
        try:
            return (await self.ask(f"{part} repaired", request)).text.strip()
        except ModelError as error:
            self._warn(f"repair {part}", f"The {NAMES[part]} could not be repaired: {error}")
            return ""

    async def _verdicts(
        self, part: Part, text: str, studies: Sequence[Study], call: str
    ) -> CheckedText:
        evidence = as_evidence(studies)
        own = self._without_foreign_brackets(part, text, studies)
        checked = await asyncio.to_thread(check, own, part, evidence)
        if self.request.models.get(part) != EXTRACTIVE:
            checked = replace(checked, sentences=tuple(map(_of_the_model, checked.sentences)))
        # A TL;DR need not cite: without citation it rests on what the synthesis cites.
        resting = tuple(
            dict.fromkeys(n for one in self.run_log.sentences("synthesis") for n in one.cites)
        )
        rests = [
            part == "tldr" and not one.cites and one.verdict not in CONDEMNED
            for one in checked.sentences
        ]
        asked = [
            _resting(one, resting, evidence) if rest else one
            for one, rest in zip(checked.sentences, rests, strict=True)
        ]
        final = await self.judges.verdicts(part, asked, evidence, call, self._own(part))
        sentences = tuple(
            replace(one, cites=was.cites) for one, was in zip(final, checked.sentences, strict=True)
        )
        self._report_unjudged(part, call)
        return replace(
            checked,
            sentences=tuple(
                _disobeying(_without_foreign(each, studies), studies) for each in sentences
            ),
        )

    def _own(self, part: Part) -> bool:
        """Return whether the judge of this part is the model that wrote it, which a reader is
        told.
        """
        judge = self.request.models.get(JUDGE_STAGE)
        own = self.judges.asks_model(part) and judge == self.request.models[part]
        if own:
            self._warn(
                "own judge",
                f"{judge} judged text that it wrote itself; another judge can be named with "
                "CLINFO_MODEL_VERIFY.",
            )
        return own

    def _report_unjudged(self, part: Part, call: str) -> None:
        """A judge that fails or cannot be read is told once a part, so that nobody takes the rules'
        verdicts for its own.
        """
        heard = self.judges.heard.get(call, [])
        silent = sum(one.failed for one in heard)
        if silent and f"warning unjudged {part}" not in self.run_log:
            judge = "model" if self.judges.asks_model(part) else "learned"
            of = "a summary, and perhaps of others" if part == "summary" else f"the {NAMES[part]}"
            said = (
                f"The {judge} judge gave no readable verdict on {silent} of {len(heard)} sentences "
                f"of {of}"
            )
            self._warn(f"unjudged {part}", f"{said}; only verdicts of the rules count.")
        if self.judges.cut > self.cut_before and "warning cut short" not in self.run_log:
            self._warn(
                "cut short",
                "Some passages are longer than the learned judge can read; it judged their "
                "beginning.",
            )

    def _without_foreign_brackets(self, part: Part, text: str, studies: Sequence[Study]) -> str:
        """The text without references in brackets, such as "(PMID 1)", to what was not retrieved;
        each is told.
        """
        removed = [one for one in foreign(text, studies) if in_brackets(text, one)]
        for one in removed:
            said = (
                f"The {NAMES[part]} referred to {text[one.start : one.end]}, which is none of the "
                "studies retrieved"
            )
            self._warn(f"foreign {part} {one.name}", f"{said}; it was removed.")
        return without_mentions(text, removed) if removed else text

    def _kept(self, part: Part, sentences: Sequence[Sentence]) -> tuple[Sentence, ...]:
        """The sentences that stay in a strict run."""
        removed = _condemned(sentences)
        if removed:
            self.emit(SentencesRemoved(part=part, sentences=removed))
            count = (
                "1 unsupported sentence was"
                if len(removed) == 1
                else f"{len(removed)} unsupported sentences were"
            )
            self._warn(f"removed {part}", f"{count} removed from the {NAMES[part]}.")
        return tuple(sentence for sentence in sentences if sentence.verdict not in CONDEMNED)

    def _report_invented(self, part: Part, checked: CheckedText) -> None:
        unread = [n for n in checked.invented if n in self.run_log.numbers.values()]
        invented = [n for n in checked.invented if n not in unread]
        for about, numbers, why in (
            ("invented", invented, "no study has"),
            ("unread", unread, "the model was not shown"),
        ):
            if numbers:
                cited = ", ".join(f"[{n}]" for n in numbers)
                self._warn(
                    f"{about} {part}",
                    f"The {NAMES[part]} cited {cited}, which {why}; the citation was removed.",
                )


def _better(first: CheckedText, repaired: CheckedText) -> CheckedText:
    """The repaired text, unless nothing of it may stay and something of the first may."""
    stays = [len(text.sentences) > len(_condemned(text.sentences)) for text in (first, repaired)]
    return first if stays == [True, False] else repaired


def _of_the_model(sentence: Sentence) -> Sentence:
    """A language model's sentence in the words of the program's own estimate is not that estimate,
    but one more claim.
    """
    if not sentence.reason.startswith(ESTIMATED):
        return sentence
    return replace(
        sentence, reason="the model that wrote it gives no basis for it", counts_only=False
    )


def _resting(sentence: Sentence, numbers: Sequence[int], studies: Sequence[Study]) -> Sentence:
    """A sentence without citation as judged against the studies of these ``numbers``; as it is
    where there are none.
    """
    if not numbers or sentence.counts_only:
        return sentence
    return replace(
        check_sentence(sentence.text, numbers, studies), part=sentence.part, lead=sentence.lead
    )


def _condemned(sentences: Sequence[Sentence]) -> tuple[Sentence, ...]:
    return tuple(sentence for sentence in sentences if sentence.verdict in CONDEMNED)


def _without_orders(summary: Summary, article: Article) -> Summary:
    """The summary without what its article orders a language model to say, in the fields beside the
    finding, whose sentences are judged.
    """

    def kept(field: str | None) -> str | None:
        return None if obeys(field or "", (Study(SUMMARISED, article, None),)) else field

    return replace(
        summary,
        design=kept(summary.design),
        population=kept(summary.population),
        bias=kept(summary.bias),
        outcome=kept(summary.outcome),
        intervention=kept(summary.intervention),
        comparator=kept(summary.comparator),
        follow_up=kept(summary.follow_up),
    )


def _disobeying(sentence: Sentence, studies: Sequence[Study]) -> Sentence:
    """A sentence that says what an article orders a language model to say is unsupported, whoever
    vouches for it.
    """
    if sentence.verdict in CONDEMNED or not obeys(sentence.text, studies):
        return sentence
    return replace(
        sentence, verdict="unsupported", reason=OBEYED, spans=(), judges=(RULES,), counts_only=False
    )


def _without_foreign(sentence: Sentence, studies: Sequence[Study]) -> Sentence:
    """A sentence that refers to a work which was not retrieved is unsupported, whatever else it
    says.
    """
    found = foreign(sentence.text, studies)
    if not found or sentence.verdict in CONDEMNED:
        return sentence
    named = ", ".join(dict.fromkeys(sentence.text[one.start : one.end] for one in found))
    return replace(
        sentence,
        verdict="unsupported",
        reason=f"{named} is not among the studies retrieved; {sentence.reason}",
    )
