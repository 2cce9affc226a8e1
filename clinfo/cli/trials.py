"""``clinfo trials``: papers in, what each study concludes out."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from clinfo.cli.ask import HOW_TO_CHOOSE_A_MODEL
from clinfo.cli.flags import Kept, plot_file, with_options
from clinfo.cli.help import OUTPUT, JsonAnswer, flag, refuse
from clinfo.cli.running import told
from clinfo.console import streams
from clinfo.errors import RecordError, UsageError
from clinfo.evidence.forest import pooled_plot
from clinfo.evidence.meta_analysis import exports
from clinfo.evidence.plot import image
from clinfo.files import file_errors
from clinfo.pipelines.trials.answer import outcome
from clinfo.pipelines.trials.events import TrialsLog
from clinfo.pipelines.trials.records import READ, TrialsRequest
from clinfo.pipelines.trials.request import NO_MODEL, OPTIONS, request_of
from clinfo.pipelines.trials.stages import TRIALS
from clinfo.settings import Settings

FLAGS = OPTIONS.at("cli")


@with_options(FLAGS, after="model")
def trials(
    question: Annotated[
        str | None, typer.Argument(help="The question, in quotes.", show_default=False)
    ] = None,
    papers: Annotated[
        list[str] | None,
        flag(
            "--papers",
            "A paper as JATS XML, PDF or text, or a folder of them; repeat it.",
            READ,
            "FILE",
        ),
    ] = None,
    pmcid: Annotated[
        list[str] | None,
        flag("--pmcid", "An article of PubMed Central, by number; repeat it.", READ, "ID"),
    ] = None,
    study: Annotated[
        list[str] | None,
        flag("--study", 'Papers of one study: "NAME: FILE FILE"; repeat it.', READ, "TEXT"),
    ] = None,
    model: Annotated[
        str | None, flag("--model", "The model of every stage. [CLINFO_MODEL]", READ, "NAME")
    ] = None,
    json: JsonAnswer = False,
    plot: Annotated[
        str | None,
        flag("--plot", "Also draw a forest plot, as .svg, .png or .pdf.", OUTPUT, "FILE"),
    ] = None,
    export: Annotated[
        Literal["metafor", "revman", "csv"] | None,
        flag("--export", "The studies' numbers and effects instead of the page.", OUTPUT),
    ] = None,
    *,
    kept: Kept,
    options: Mapping[str, Any],
) -> int:
    """Read what each trial concludes from its full-text papers.

    A model's conclusion quotes the sentence that says so, and its numbers stand in what it quotes.
    Without one (extractive) the passages on the outcome are quoted, and nobody judges them. The
    answer goes to stdout, progress to stderr.

    Exit status: 0 at least one study says something; 2 wrong usage, or no paper could be read; 3
    no study says anything about the outcome; 4 a model failed; 5 budget reached; 130 interrupted.
    """

    def asked(settings: Settings) -> tuple[Settings, TrialsRequest]:
        refuse(
            (
                not (question or "").strip(),
                'a question is missing: clinfo trials "Does X reduce Y?" --papers FOLDER',
            ),
            (
                not papers and not pmcid,
                "--papers or --pmcid is missing: files of papers, a folder, or PMCIDs",
            ),
        )
        own = papers or (), pmcid or (), _studies(study or [])
        try:
            return settings, request_of(settings, question or "", *own, model, **options)
        except UsageError as error:
            raise UsageError(HOW_TO_CHOOSE_A_MODEL) if str(error) == NO_MODEL else error from None

    show = partial(_shown, json=json, plot=plot_file(plot, ".svg", ".png", ".pdf"), export=export)
    return kept.run(TRIALS, show, asked, private=False)


def _shown(
    run_log: TrialsLog, json: bool, events: bool, plot: Path | None, export: str | None
) -> int:
    """Write the answer of a finished run, unless its events were, and give its exit status."""
    if "answer" not in run_log:
        return 0
    if plot is not None:
        _draw(run_log, plot)
    if export is not None and not events:
        streams.write(_exported(run_log, export))
    if status := told(TRIALS, run_log, json, events or export is not None):
        streams.complain("no study says anything about the outcome")
    return status


def _studies(given: list[str]) -> dict[str, tuple[str, ...]]:
    studies: dict[str, tuple[str, ...]] = {}
    for text in given:
        name, colon, files = text.partition(":")
        if not colon or not name.strip() or not files.split():
            raise UsageError(f'--study must be "NAME: FILE FILE", not {text!r}')
        studies[name.strip()] = tuple(files.split())
    return studies


def _draw(run_log: TrialsLog, path: Path) -> None:

    found = outcome(run_log)
    if found is None:
        streams.complain("no plot was drawn: no study's numbers give an effect")
        return
    form: Any = path.suffix.lower().removeprefix(".")
    with file_errors(f"--plot: {path} cannot be written", RecordError):
        path.write_bytes(image(pooled_plot(found), form))
    streams.say(f"the forest plot is in {path}")


def _exported(run_log: TrialsLog, form: str) -> str:

    found = outcome(run_log)
    if found is None:
        raise UsageError("--export: no study's numbers give an effect")
    if form == "revman":
        return exports.revman_csv(found)
    return (exports.metafor_csv if form == "metafor" else exports.plain_csv)(found.analysis)
