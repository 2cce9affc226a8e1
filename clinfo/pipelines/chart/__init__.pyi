from clinfo.pipelines.chart.answer import build_answer, trace_text
from clinfo.pipelines.chart.note_reading import read_note
from clinfo.pipelines.chart.packing import Chunk, packed
from clinfo.pipelines.chart.records import NOT_DOCUMENTED, ChartAnswer, ChartRequest, StageTrace
from clinfo.pipelines.chart.request import OPTIONS, chosen, request_of

__all__ = [
    "NOT_DOCUMENTED",
    "OPTIONS",
    "ChartAnswer",
    "ChartRequest",
    "Chunk",
    "StageTrace",
    "build_answer",
    "chosen",
    "packed",
    "read_note",
    "request_of",
    "trace_text",
]
