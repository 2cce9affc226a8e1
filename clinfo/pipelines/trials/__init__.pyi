from clinfo.pipelines.trials.answer import build_answer, outcome
from clinfo.pipelines.trials.effects import checked as checked_numbers
from clinfo.pipelines.trials.effects import given_of, in_force
from clinfo.pipelines.trials.events import (
    EditUndone,
    PaperRead,
    PaperRefused,
    PassagesChosen,
    StudyEdited,
    TrialsLog,
)
from clinfo.pipelines.trials.records import GivenArm, GivenNumbers, TrialsAnswer, TrialsRequest
from clinfo.pipelines.trials.request import OPTIONS, asked_in
from clinfo.pipelines.trials.stages import MODEL_STAGES, PROMPTS, TRIALS
from clinfo.retrieval.readers import kind_of, read_document

__all__ = [
    "MODEL_STAGES",
    "OPTIONS",
    "PROMPTS",
    "TRIALS",
    "EditUndone",
    "GivenArm",
    "GivenNumbers",
    "PaperRead",
    "PaperRefused",
    "PassagesChosen",
    "StudyEdited",
    "TrialsAnswer",
    "TrialsLog",
    "TrialsRequest",
    "asked_in",
    "build_answer",
    "checked_numbers",
    "given_of",
    "in_force",
    "kind_of",
    "outcome",
    "read_document",
]
