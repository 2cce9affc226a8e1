from clinfo.runs.engine import internal
from clinfo.runs.events import Answered, CostIncurred, Event, RunCancelled, RunFailed, Warned, dumps
from clinfo.runs.given import Given, fault, shown, taken
from clinfo.runs.pipeline import AnyRequest, Carrier, named, recorded_answer
from clinfo.runs.run_log import RunLog
from clinfo.runs.saved import ended
from clinfo.runs.spending import MemoryBudget, dollars
from clinfo.runs.tasks import cancelled

__all__ = [
    "Answered",
    "AnyRequest",
    "Carrier",
    "CostIncurred",
    "Event",
    "Given",
    "MemoryBudget",
    "RunCancelled",
    "RunFailed",
    "RunLog",
    "Warned",
    "cancelled",
    "dollars",
    "dumps",
    "ended",
    "fault",
    "internal",
    "named",
    "recorded_answer",
    "shown",
    "taken",
]
