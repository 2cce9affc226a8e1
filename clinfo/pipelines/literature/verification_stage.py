"""Checking by rules what the extractive model wrote, where nobody judges: verdicts, removal, and
that a conflict of the evidence is said.

What is written down about each sentence are events. In a strict run a sentence that its sources do
not carry, or that they contradict, is repaired once with the reasons and removed where that did not
help; otherwise it stays and shows its verdict. What no judge could tell stays, too. An answer of
which too little is carried (`clinfo.claims.floor`) is withheld by a strict run.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from clinfo.claims.cited import CheckedText
from clinfo.claims.floor import too_little
from clinfo.claims.joining import CONDEMNED
from clinfo.claims.orders import OBEYED, as_evidence, obeys
from clinfo.claims.verify import SUMMARISED, check, check_summary
from clinfo.errors import ModelError
from clinfo.evidence import conflict
from clinfo.extractive.answer import answer
from clinfo.llm.prompts import Prompt
from clinfo.pipelines.literature import summarize
from clinfo.pipelines.literature.events import (
    AnswerWithheld,
    SentenceChecked,
    SentencesRemoved,
    SummaryChecked,
    TldrRefused,
    TldrText,
)
from clinfo.pipelines.literature.gate import Asked, refused
from clinfo.pipelines.literature.run_log import LiteratureLog
from clinfo.pipelines.literature.synthesize import repair_request
from clinfo.records.appraisal import Appraisal, Conflict
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
from clinfo.text.citations import citation_marks
from clinfo.text.disagreement import says_findings_disagree
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
    ) -> None:
        self.request = request
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
        disagreement = appraisal.balance.conflict if appraisal and appraisal.balance else None
        clash = disagreement if part == "synthesis" else None
        call = TldrText(text=text.strip()).name if part == "tldr" else part
        checked = await self._verdicts(part, text.strip(), studies, call)
        if self.request.strict:
            problems = _condemned(checked.sentences)
            # What the model was not shown (beyond the rerank limit, cut from its context) it cannot
            # be asked to tell.
            unsaid = (
                clash is not None
                and _shown(clash, studies)
                and not conflict.says_so(checked.sentences, clash)
            )
            if problems or unsaid:
                missing = (
                    conflict.statement(clash, appraisal.rows)
                    if unsaid and clash and appraisal
                    else ""
                )
                repaired = await self._repaired(
                    part, repair_request(written, text, problems, missing)
                )
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
        if (
            clash is not None
            and appraisal is not None
            and sentences
            and not conflict.says_so(sentences, clash)
        ):
            sentences = (*sentences, _added(part, conflict.statement(clash, appraisal.rows)))
            self._warn(
                "conflict",
                "The synthesis did not say that the strongest studies disagree; a sentence saying "
                "so was added.",
            )
        if (
            part == "tldr"
            and disagreement is not None
            and sentences
            and not _tells(sentences, disagreement)
        ):
            self._warn(
                "conflict tldr",
                "The TL;DR does not say that the strongest studies disagree; the synthesis does.",
            )
        final = self._recorded(sentences)
        for number, words in enumerate(overclaims(final)):
            self._warn(
                f"overclaim {part} {number}",
                f'The {NAMES[part]} says "{words}"; it can only refer to the studies retrieved.',
            )
        return final

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
        """Check a summary against its article, record the verdicts, and give back the summary that
        counts.
        """
        if self.request.models.get("summary") == EXTRACTIVE:
            return summary  # the article's own words
        summary = _without_orders(summary, article)
        sentences = await self._of_summary(article, summary, "")
        if self.request.strict and (problems := _condemned(sentences)):
            try:
                again = await summarize.repaired(
                    self.request.question,
                    article,
                    self.prompts["summary"],
                    self.ask,
                    summary,
                    problems,
                )
            except ModelError:  # what is not proved goes without a second try
                again = None
            if again is not None:
                summary = _without_orders(again, article)
                sentences = await self._of_summary(article, summary, " repaired")
            kept = tuple(sentence for sentence in sentences if sentence.verdict not in CONDEMNED)
            if len(kept) < len(sentences):
                finding = "".join(sentence.lead + sentence.text for sentence in kept).strip()
                summary = replace(summary, finding=finding or summarize.NOTHING_PROVED)
                if not finding:  # what nothing proves must not count for or against either
                    summary = replace(summary, stance=None, effect_direction=None)
        self.emit(SummaryChecked(id=article.id, sentences=sentences))
        return summary

    async def _repaired(self, part: Part, request: ModelRequest) -> str:
        """The text written again; "" where the model failed, and then what is not proved goes
        without a second try.
        """
        try:
            return (await self.ask(f"{part} repaired", request)).text.strip()
        except ModelError as error:
            self._warn(f"repair {part}", f"The {NAMES[part]} could not be repaired: {error}")
            return ""

    async def _of_summary(
        self, article: Article, summary: Summary, again: str
    ) -> tuple[Sentence, ...]:
        (study,) = as_evidence([Study(SUMMARISED, article, None)])
        own = tuple(
            replace(sentence, cites=(SUMMARISED,))
            for sentence in check_summary(summary.finding, study.article)
        )
        return tuple(
            _disobeying(replace(one, cites=()), (Study(SUMMARISED, article, None),)) for one in own
        )

    async def _verdicts(
        self, part: Part, text: str, studies: Sequence[Study], call: str
    ) -> CheckedText:
        evidence = as_evidence(studies)
        own = self._without_foreign_brackets(part, text, studies)
        checked = await asyncio.to_thread(check, own, part, evidence)
        return replace(
            checked,
            sentences=tuple(
                _disobeying(_without_foreign(each, studies), studies) for each in checked.sentences
            ),
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


def _condemned(sentences: Sequence[Sentence]) -> tuple[Sentence, ...]:
    return tuple(sentence for sentence in sentences if sentence.verdict in CONDEMNED)


def _added(part: Part, statement: str) -> Sentence:
    """The statement as a sentence of the text. It may cite any relevant article, also one that the
    model was not shown.
    """
    cites = tuple(dict.fromkeys(n for mark in citation_marks(statement) for n in mark.numbers))
    return Sentence(part, statement, cites, "supported", ADDED, lead=" ", judges=(PROGRAM,))


def _tells(sentences: Sequence[Sentence], clash: Conflict) -> bool:
    """Return whether a TL;DR, which need not cite both sides, says that findings disagree."""
    return conflict.says_so(sentences, clash) or any(
        says_findings_disagree(sentence.text) for sentence in sentences
    )


def _shown(clash: Conflict, studies: Sequence[Study]) -> bool:
    """Return whether at least two sides of a conflict have studies among those that the model was
    shown.
    """
    numbers = {study.n for study in studies}
    return sum(not numbers.isdisjoint(side) for _, side in clash.sides) >= 2


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
    )


def _disobeying(sentence: Sentence, studies: Sequence[Study]) -> Sentence:
    """A sentence that says what an article orders a language model to say is unsupported, whoever
    vouches for it.
    """
    if sentence.verdict in CONDEMNED or not obeys(sentence.text, studies):
        return sentence
    return replace(
        sentence,
        verdict="unsupported",
        reason=OBEYED,
        spans=(),
        judges=("rules",),
        counts_only=False,
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
