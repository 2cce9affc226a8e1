from clinfo.api import check_references, replay, search, verify
from clinfo.pipelines.chart.answer import ChartAnswer, chart
from clinfo.pipelines.cohort.answer import cohort
from clinfo.pipelines.copilot.answer import CopilotAnswer, copilot
from clinfo.pipelines.literature.api import Answer, aask, ask, ask_many, stream
from clinfo.pipelines.trials.answer import TrialsAnswer, trials

__version__: str
__all__ = [
    "Answer",
    "ChartAnswer",
    "CopilotAnswer",
    "TrialsAnswer",
    "aask",
    "ask",
    "ask_many",
    "chart",
    "check_references",
    "cohort",
    "copilot",
    "replay",
    "search",
    "stream",
    "trials",
    "verify",
]
