"""The counts of a run from found to cited, what was left on the way, and what it took, as every
page says them; verdicts in words: what each is called, who gave it, how many sentences have which,
and a text with marks and reasons.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any, Literal

from clinfo.records.answer import Answer, StageUsage
from clinfo.records.articles import Part, Sentence, Verdict
from clinfo.records.request import EXTRACTIVE
from clinfo.text.wording import cost, listed, number, one_line, printable, seconds

EXTRACTIVE_SHOWN = "no language model"


@dataclass(frozen=True)
class Count:
    """A count with the words after it and the name under which its articles are listed."""

    count: int
    words: str
    which: str

    def __str__(self) -> str:
        return f"{self.count:,} {self.words}"


def funnel(answer: Answer) -> tuple[Count, ...]:
    """The counts from found to cited."""
    counts = answer.counts
    if _quotes(answer):
        return (
            Count(counts.found, "found", "found"),
            Count(counts.judged, "read", "judged"),
            Count(counts.relevant, "that name what is asked", "relevant"),
            Count(counts.cited, "quoted", "cited"),
        )
    return (
        Count(counts.found, "found", "found"),
        Count(counts.judged, "judged", "judged"),
        Count(counts.relevant, "relevant", "relevant"),
        Count(counts.summarised, "summarised", "summarised"),
        Count(counts.cited, "cited", "cited"),
    )


def left_on_the_way(answer: Answer) -> tuple[Count, ...]:
    """Return what went no further than it did, as far as there was any."""
    counts = answer.counts
    irrelevant = sum(
        article.relevant is False and "excluded" not in article.flags for article in answer.articles
    )
    unlike = "that name too little of it" if _quotes(answer) else "not relevant"
    every = (
        Count(irrelevant, unlike, "not-relevant"),
        Count(counts.relevant - counts.cited, "relevant but not used", "not-used"),
        Count(counts.excluded, "excluded", "excluded"),
        Count(counts.not_assessed, "not judged", "not-judged"),
    )
    return tuple(count for count in every if count.count)


def _quotes(answer: Answer) -> bool:
    """Return whether no language model was asked: what was found is ranked and quoted."""
    return set(model_names(answer)) == {EXTRACTIVE}


def taken(answer: Answer) -> tuple[str, ...]:
    """Time, tokens, calls and cost, in words."""
    parts = (
        seconds(answer.timings["total"]) if "total" in answer.timings else "",
        used(answer.usage) if not _quotes(answer) else "no language model used",
    )
    return tuple(part for part in parts if part)


def used(usage: StageUsage) -> str:
    """Tokens, model calls and cost."""
    tokens = usage.prompt_tokens + usage.completion_tokens
    calls = number(usage.calls + usage.cached, "model call") + (
        f", {usage.cached:,} from the cache" if usage.cached else ""
    )
    return (
        f"{number(tokens, 'token')} in {calls} · {cost(usage.cost_usd)}"
        if tokens
        else f"{calls} · {cost(usage.cost_usd)}"
    )


def model_names(answer: Any) -> list[str]:
    """The names of the models of an answer of any pipeline, each once."""
    models = answer.settings.get("models")
    return list(dict.fromkeys(map(str, models.values()))) if isinstance(models, Mapping) else []


def models_in_words(answer: Answer) -> list[str]:
    """The same as people call them."""
    return [
        EXTRACTIVE_SHOWN if name == EXTRACTIVE else one_line(name) for name in model_names(answer)
    ]


VERDICTS: Mapping[Verdict, str] = {
    "supported": "supported",
    "partial": "supported in part",
    "quoted": "quoted word for word",
    "not_verified": "not verified",
    "unsupported": "not supported",
    "contradicted": "contradicted by its source",
    "uncited": "without a citation",
}
NOT_VERIFIED = "no check could confirm this wording; read the passage"
"""The meaning of "not verified", for whoever reads such a sentence."""
COUNTED = "counted by software from abstracts"
"""The word for a sentence that counts the studies."""
NONE_VERIFIED = (
    "No check could confirm any of these sentences: read the passages they cite before you rely on "
    "one."
)


def matching(sentences: Sequence[Sentence]) -> str:
    """``3 of 4 sentences match their sources, 1 in part``: of all sentences that claim something;
    "" where none does. What nobody verified may match all the same.
    """
    claims = [one for one in sentences if not one.added and not one.counts_only]
    if not claims:
        return ""
    verdicts = Counter(one.verdict for one in claims)
    match, total = verdicts["supported"] + verdicts["quoted"], len(claims)
    what = "quoted sentence" if verdicts["quoted"] == total else "sentence"
    others = [
        f"{count:,} {'in part' if verdict == 'partial' else name}"
        for verdict, name in VERDICTS.items()
        if verdict not in ("supported", "quoted") and (count := verdicts[verdict])
    ]
    if verdicts["not_verified"] == total:
        return f"{number(total, 'sentence')}, {'none' if total > 1 else 'not'} verified"
    if total == 1:
        said = f"The {what} matches its source" if match else f"1 {what}"
    elif others:
        said = f"{match:,} of {total:,} {what}s match their sources"
    else:
        said = f"All {total:,} {what}s match their sources"
    return ", ".join([said, *others])


def checked(answer: Answer, brief: bool = False) -> str:
    """Return what the checks found and who checked; where not ``brief``, also what that is worth
    and what became of other sentences.
    """
    judges = list(
        dict.fromkeys(
            one_line(judge)
            for sentence in answer.sentences
            if not sentence.added
            for judge in sentence.judges
        )
    )
    found = matching(answer.sentences)
    if not found:
        return ""
    if not judges:
        return f"{found}; judged by nobody."
    removed = f"; {answer.support.removed:,} removed" if answer.support.removed else ""
    said = f"{found}{removed}. Checked by {listed(judges)}"
    if brief:
        return f"{said}."
    return (
        f"{said} against the titles and abstracts cited. A check can be wrong: the passages are "
        "shown, and the citations link to the articles."
    )


class Marks(dict[str, str]):
    """Letters for sentences that no passage supports or that have notes: one for each reason, so
    that a reason is told once.
    """

    def of(self, sentence: Sentence) -> str:
        """`` (!b)``; "" for a supported sentence."""
        if not (reason := reason_of(sentence)):
            return ""
        return f" ({self.setdefault(reason, next(islice(letters(), len(self), None)))})"


def reason_of(sentence: Sentence) -> str:
    """``not supported: the trial found no difference.`` with the notes on it; "" for a supported
    sentence without notes.

    Counts have one reason, and so has what is not verified, whatever was looked at.
    """
    view = sentence_view(sentence)
    why = NOT_VERIFIED if view.verdict == "not_verified" else view.reason.rstrip(".")
    said = f"{view.word}{': ' + why if why else ''}" if view.marked else ""
    notes = f"note: {'; '.join(map(one_line, sentence.notes))}" if sentence.notes else ""
    return f"{'; '.join(filter(None, (said, notes)))}." if said or notes else ""


@dataclass(frozen=True)
class SentenceView:
    """The result of the checks of a sentence. ``verdict`` is "counted" for one that only counts;
    ``word`` says it.

    ``marked``: no passage supports it, which a reader is told.
    """

    verdict: Verdict | Literal["counted"]
    word: str
    reason: str
    marked: bool


def sentence_view(sentence: Sentence) -> SentenceView:
    """The verdict on a sentence and the reason for it."""
    if sentence.counts_only and not sentence.added:
        return SentenceView("counted", COUNTED, "", marked=sentence.verdict != "quoted")
    by_rule = sentence.verdict == "partial" and sentence.judges == ("rules",)  # of older versions
    return SentenceView(
        sentence.verdict,
        VERDICTS[sentence.verdict],
        one_line(sentence.reason),
        sentence.verdict not in ("supported", "quoted") and not sentence.added and not by_rule,
    )


def marked(sentences: Sequence[Sentence], marks: Marks) -> str:
    """The text of these sentences, with a mark after each that is not supported."""
    return "".join(
        printable(sentence.lead + sentence.text) + marks.of(sentence) for sentence in sentences
    ).strip()


def of_part(answer: Answer, part: Part) -> list[Sentence]:
    """The checked sentences of a part, in order."""
    return [sentence for sentence in answer.sentences if sentence.part == part]


def letters() -> Iterator[str]:
    """``!a``, ``!b`` … ``!z``, ``!aa`` …: marks that no citation number can be taken for."""
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    for length in (1, 2, 3):
        yield from (f"!{''.join(letter)}" for letter in product(alphabet, repeat=length))
