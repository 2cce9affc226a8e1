"""Requests of the literature pipeline over the settings: models by stage, the judge, the source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clinfo.claims import registry as judges
from clinfo.errors import UsageError
from clinfo.pipelines.literature.at_work import permit as permit
from clinfo.pipelines.literature.declared import JUDGE_STAGE, LITERATURE
from clinfo.pipelines.opening import open_cache as open_cache
from clinfo.records.articles import JudgeChoice, RunRequest
from clinfo.records.request import EXTRACTIVE

if TYPE_CHECKING:
    from clinfo.settings import Settings

assemble = LITERATURE.assemble


def request_of(
    settings: Settings, model: str | None, judge_model: str | None = None, **fields: Any
) -> RunRequest:
    """The request of ``fields`` over the settings; ``model`` holds for every stage, whatever the
    environment says, but for the judge's: ``judge_model``, else CLINFO_MODEL_VERIFY, hold beside
    it.

    Raises `clinfo.pipelines.literature.request.FieldError`.
    """
    from clinfo.pipelines.literature.request import checked

    of_stages = dict(LITERATURE.stage_models(settings))
    if model is not None:
        judge = {} if model == EXTRACTIVE else {JUDGE_STAGE: of_stages.get(JUDGE_STAGE)}
        of_stages = {stage: name for stage, name in judge.items() if name is not None}
    if judge_model is not None:
        of_stages[JUDGE_STAGE] = judge_model
    everywhere = model if model is not None else settings.model
    if fields.get("judge") is None:
        fields["judge"] = default_judge(settings, of_stages.get(JUDGE_STAGE, everywhere))
    if fields.get("source") is None:
        fields["source"] = settings.source
    return checked(files=True, model=everywhere, models=of_stages, **fields)


def default_judge(settings: Settings, model: str | None) -> JudgeChoice:
    """Return who judges where nobody says: CLINFO_JUDGE as far as it can be had; ``model`` is the
    one that would be the model judge.

    Without CLINFO_JUDGE: a language model where one is named, else the entailment model where there
    is one, else nobody.
    """
    named = settings.judge
    if named is not None and named not in (*judges.names(), *judges.RENAMED):
        raise UsageError(
            "the environment variable CLINFO_JUDGE cannot be used: it must be one of: "
            f"{', '.join(judges.names())}"
        )
    named = judges.spec(named).name if named is not None else None
    if named is not None and not judges.asks_model(named):
        return named
    if model is not None and model != EXTRACTIVE:
        return named or "model"
    return "nli" if settings.nli_model else "none"
