"""The results of `pubmedrs.build.measuring`, as a page."""

from __future__ import annotations

from pubmedrs.build.measuring import Agreement, Measured


def page(measured: Measured) -> str:
    """Tables in Markdown: precision and recall of dropping and of keeping, each with its
    numbers.
    """
    rows = [*measured.halves.items()]
    rows += [(f"held out, {part} only", found) for part, found in measured.parts.items()]
    lines = [
        "# Rules against the annotators",
        "",
        (
            "A sentence counts as kept by the annotators where it stands nearly word for word in "
            "their answer."
        ),
        "",
        (
            "| sentences | records | n | annotators dropped | dropped: precision | dropped: recall "
            "| kept: precision | kept: recall |"
        ),
        "| --- | --: | --: | --: | --: | --: | --: | --: |",
        *(_row(name, found) for name, found in rows),
        "",
        (
            "To be brief, the annotators also dropped findings; most rules keep findings. Of what "
            "they dropped and the rules "
            "kept, so many sentences hold a figure of an effect, or a word of change or comparison:"
        ),
        "",
        *(
            f"- {name}: {_share(found.findings_missed, found.missed)}"
            for name, found in measured.halves.items()
        ),
        "",
        "Held out, by rule:",
        "",
        "| rule | dropped | of these also by the annotators |",
        "| --- | --: | --: |",
        *(
            f"| {name} | {found.dropped} | {_share(found.dropped_right, found.dropped)} |"
            for name, found in measured.rules.items()
        ),
        "",
        (
            f"Questions cut from titles: {_share(measured.exact, measured.questions)} of the "
            "file's questions exactly."
        ),
    ]
    return "\n".join(lines) + "\n"


def _row(name: str, found: Agreement) -> str:
    kept_by_annotators = found.n - found.by_annotators
    cells = (
        _share(found.dropped_right, found.dropped),
        _share(found.dropped_right, found.by_annotators),
        _share(found.kept_right, found.kept),
        _share(found.kept_right, kept_by_annotators),
    )
    return f"| {name} | {found.records} | {found.n} | {found.by_annotators} | {' | '.join(cells)} |"


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.3f} ({part} of {whole})" if whole else "none"
