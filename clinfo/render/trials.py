"""The answer of the trials pipeline as it is shown: each study's conclusion in words; and as a page
of blocks.
"""

from collections import Counter
from collections.abc import Iterator
from types import SimpleNamespace

from clinfo.evidence.meta_analysis.values import Direction
from clinfo.pipelines.trials.records import (
    DIRECTIONS,
    ArmNumbers,
    Edit,
    Effect,
    GivenArm,
    Number,
    NumbersKind,
    Paper,
    Pico,
    PooledEffect,
    Span,
    StatedEffect,
    StudyNumbers,
    StudyResult,
    TrialsAnswer,
)
from clinfo.render.blocks import Block, Heading, Item, Paragraph, section
from clinfo.text.wording import number, one_line
from clinfo.views.counts import model_names

_Arm = ArmNumbers | GivenArm


def study_view(study: StudyResult, answer: TrialsAnswer) -> SimpleNamespace:
    """A study of an answer, as it is shown: its conclusion, whom it favours ("" where nobody can
    say), what it rests on.

    ``numbers`` are those of both arms, ``effect`` what they come to, ``stated`` the effect that the
    paper states; "" where there are none.
    ``as_read`` are those of the paper where a person gave others, ``places`` where it has them.
    ``candidates`` are passages to look at where nobody says what they conclude. Passages are as
    `_quote` makes them.
    """
    papers, pico = {paper.id: paper for paper in answer.papers}, answer.pico
    named = ", ".join(_licensed(papers[one]) for one in study.papers)
    return SimpleNamespace(
        name=study.name,
        papers=named + (f" ({study.why})" if len(study.papers) > 1 else ""),
        conclusion=conclusion(study, pico),
        favours=favours(study, pico),
        numbers=_numbers(study.numbers, pico) if study.numbers else "",
        effect=_effect(study.effect) if study.effect else "",
        stated=_stated(study.reading.stated) if study.reading and study.reading.stated else "",
        as_read=_numbers(study.numbers_read, pico) if study.numbers_read else "",
        flags=study.flags,
        quotes=[_quote(span, papers) for span in study.spans],
        places=[_quote(span, papers) for span in study.number_spans],
        candidates=[_quote(span, papers) for span in study.candidates],
        reason=study.reason if study.direction == "not_stated" else "",
        read=f"{study.passages_read:,} of {number(study.passages_found, 'passage')} read",
        edits=[_edited(edit, pico) for edit in study.edits],
    )


def _edited(edit: Edit, pico: Pico) -> str:
    """Return what a person changed, why, who and when."""
    done = []
    if edit.numbers is not None:
        given = edit.numbers
        done.append(
            "numbers given: "
            + _told(given.kind, given.intervention, given.comparator, given.timepoint, pico)
        )
    if edit.excluded is not None:
        done.append("left out of the pool" if edit.excluded else "pooled again")
    undone = " (undone)" if edit.undone else ""
    when = edit.made_at.replace("T", " ")[:16]
    return f"{'; '.join(done)}{undone}. Why: {edit.why}. By {edit.who}, {when} UTC."


def conclusion(study: StudyResult, pico: Pico) -> str:
    """The conclusion in words, "" where nobody was asked for one."""
    if study.direction is None:
        return "" if study.read else "not read"
    return f"{pico.outcome}: {_said_of(study.direction, pico)}"


def _said_of(direction: Direction, pico: Pico) -> str:
    """Where the outcome went, in words."""
    against = f" than with {pico.comparator}" if pico.comparator else ""
    return {
        "increase": f"more with {pico.intervention}{against}",
        "decrease": f"less with {pico.intervention}{against}",
        "no_difference": "no clear difference",
        "not_stated": "not reported",
    }[direction]


def favours(study: StudyResult, pico: Pico) -> str:
    """Whom a conclusion speaks for."""
    whom = {
        "intervention": f"favours {pico.intervention}",
        "comparator": f"favours {pico.comparator or 'the comparator'}",
        "neither": "favours neither",
    }
    return whom.get(study.favours or "", "")


def _numbers(numbers: StudyNumbers, pico: Pico) -> str:
    """``12 of 40 with zinc, 20 of 41 with placebo (week 8)``; what is missing is said."""
    at = ", ".join(filter(None, (numbers.unit, numbers.timepoint)))
    return _told(numbers.kind, numbers.intervention, numbers.comparator, at, pico)


def _told(kind: NumbersKind, one: _Arm, other: _Arm, timepoint: str | None, pico: Pico) -> str:
    arms = ((one, pico.intervention), (other, pico.comparator or "the comparator"))
    told = ", ".join(f"{_arm(arm, kind)} with {name}" for arm, name in arms)
    return f"{told} ({timepoint})" if timepoint else told


def _arm(arm: _Arm, kind: NumbersKind) -> str:
    if kind == "binary":
        total = ", people not given" if arm.total is None else _said(" of ", arm.total, "")
        return _said("", arm.events, "events") + total
    if isinstance(arm, ArmNumbers) and arm.mean is None and arm.median is not None:
        quartiles = f"{_said('', arm.q1, 'quartile')} to {_said('', arm.q3, 'quartile')}"
        return f"{_said('median ', arm.median, '')} ({quartiles}, {_said('n ', arm.total, 'n')})"
    rest = f"{_said('SD ', arm.sd, 'SD')}, {_said('n ', arm.total, 'n')}"
    if arm.mean is None and arm.sd is None:
        rest = _said("n ", arm.total, "n")
    return f"{_said('mean ', arm.mean, 'mean')} ({rest})".replace(" (n not given)", "")


def _said(before: str, number: Number | float | None, name: str) -> str:
    value = number.value if isinstance(number, Number) else number
    return f"{name} not given" if value is None else f"{before}{value:,.6g}"


def _effect(effect: Effect | PooledEffect) -> str:
    return f"{effect.measure} {effect.estimate:.2f} (95% CI {effect.low:.2f} to {effect.high:.2f})"


def _stated(effect: StatedEffect) -> str:
    """``RR 0.60 (0.40 to 0.90), p = 0.01``, as far as the paper states it."""
    low, high = effect.low, effect.high
    parts = (
        effect.measure or "effect",
        "" if effect.estimate is None else f"{effect.estimate:g}",
        "" if low is None or high is None else f"({low:g} to {high:g})",
    )
    return " ".join(filter(None, parts)) + (f", p {effect.p}" if effect.p else "")


def pooled(answer: TrialsAnswer) -> str:
    """The pooled effect in a sentence or two, or why nothing is pooled; "" where no numbers were
    looked for.
    """
    found = answer.pooled
    if found is None:
        return _unpooled(answer)
    told = f"{_effect(found)} in {number(found.studies, 'study', 'studies')} pooled"
    left = f" Not pooled: {'; '.join(f'{s} ({why})' for s, why in found.left_out.items())}."
    return f"{told} ({found.model}), I² {found.i2:.0f}%." + (left if found.left_out else "")


def _unpooled(answer: TrialsAnswer) -> str:
    """Why nothing is pooled, said once for all studies."""
    studies, outcome = answer.studies, answer.pico.outcome
    numbers = [one for one in studies if one.effect is not None and not one.excluded]
    if not studies or (answer.settings.get("method") != "numbers" and not numbers):
        return ""
    out, many = [one.name for one in studies if one.excluded], len(studies) > 1
    silent = all(one.direction == "not_stated" for one in studies)
    whose = f"None of the {len(studies):,} studies reports" if many else "The study does not report"
    first = numbers[0].name if numbers else ""
    reasons = (
        (len(numbers) > 1, f"The studies report {outcome} in numbers of different kinds"),
        (out, f"{'One study is' if numbers else 'No study is'} left without {', '.join(out)}"),
        (numbers, f"Only {first} reports {outcome} in numbers of both groups"),
        (all(one.direction is None for one in studies), ""),  # `tally`: no model was named
        (silent, f"{whose} {outcome}"),
    )
    otherwise = f"{whose} {outcome} in numbers of both groups"
    why = next((told for holds, told in reasons if holds), otherwise)
    return why and f"{why}, so nothing was pooled."


def tally(answer: TrialsAnswer) -> str:
    """The studies by conclusion, in a sentence."""
    studies = answer.studies
    if not studies:
        return "No study was read."
    counted = Counter(one.direction if one.read else "unread" for one in studies)
    said = ", ".join(
        f"{_said_of(one, answer.pico)} in {counted[one]:,}" for one in DIRECTIONS if counted[one]
    )
    every, rest = number(len(studies), "study", "studies"), list[str]()
    if counted[None] and said:
        rest.append(f"{counted[None]:,} not judged")
    elif counted[None]:
        quoted = sum(bool(one.candidates) for one in studies)
        said = f"passages on it in {quoted:,}" if quoted else "no passage on it in any"
        rest.append("no model was named, so nothing was judged or pooled")
    if counted["unread"]:
        rest.append(f"{counted['unread']:,} not read")
    return f"{answer.pico.outcome}: {' · '.join((f'{said or 0} of {every}', *rest))}."


def _quote(span: Span, papers: dict[str, Paper]) -> SimpleNamespace:
    """A passage of a paper: its text, of a table a line a row, and where it stands ("Results,
    PMC123").
    """
    where = ", ".join((*span.section, _named(papers[span.paper])))
    lines = [" ".join(line.split()) for line in span.text.splitlines()]
    text = ("\n" if " | " in span.text else " ").join(filter(None, lines))
    return SimpleNamespace(text=text, where=where)


def _licensed(paper: Paper) -> str:
    return _named(paper) + (f" (licence: {paper.licence})" if paper.licence else "")


def _named(paper: Paper) -> str:
    return paper.id.partition(":")[2] if paper.id.startswith(("pmcid:", "pmid:")) else paper.file


_BETTER = {"lower": "Lower is better.", "higher": "Higher is better."}


def page(answer: TrialsAnswer) -> Iterator[Block]:
    """The blocks of an answer's page; nothing in their texts is markup."""
    pico = answer.pico
    yield Heading(one_line(answer.question), 1)
    parts = [
        ("Intervention", pico.intervention),
        ("Comparator", pico.comparator or "not named"),
        ("Outcome", pico.outcome),
    ]
    yield Paragraph("\n".join(f"{name}: {one_line(text)}" for name, text in parts))
    yield Paragraph(
        one_line(" ".join(filter(None, (tally(answer), _BETTER.get(pico.better or "")))))
    )
    if together := pooled(answer):
        yield Paragraph(one_line(together))
    for study in answer.studies:
        view = study_view(study, answer)
        yield Heading(one_line(view.name))
        effect = f": {view.effect}" if view.effect else ""
        told = (
            ("", " — ".join(part for part in (view.conclusion, view.favours) if part)),
            ("Numbers: ", view.numbers and f"{view.numbers}{effect}"),
            ("The paper states: ", view.stated),
            ("As it was read: ", view.as_read),
        )
        yield from (Paragraph(one_line(f"{name}{text}")) for name, text in told if text)
        if view.places:
            yield Paragraph("Where the numbers stand:")
        yield from section("", map(_quoted, view.places))
        yield from section("", (f"By hand: {edit}" for edit in view.edits))
        yield from section("", view.flags)
        yield from section("", map(_quoted, view.quotes))
        if view.candidates:
            yield Paragraph("Passages on the outcome, quoted, not judged:")
        yield from section("", map(_quoted, view.candidates))
        yield Paragraph(one_line("; ".join(filter(None, (view.reason, view.read, view.papers)))))
    yield from section("Warnings", answer.warnings)
    yield Heading("How this was made", folded=True)
    how = f"by {', '.join(model_names(answer))}, method {answer.settings['method']}"
    yield Paragraph(f"Read on {answer.read_on} {how}. {' '.join(answer.notices)}")


def _quoted(one: SimpleNamespace) -> Item:
    lines = "\n".join(map(one_line, one.text.split("\n")))
    return Item(f"“{lines}” ({one_line(one.where)})")
