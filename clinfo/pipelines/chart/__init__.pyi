from clinfo.pipelines.chart.choosing import chosen
from clinfo.pipelines.chart.note_reading import read_note
from clinfo.pipelines.chart.packing import Chunk, packed
from clinfo.pipelines.chart.request import request_of
from clinfo.pipelines.chart.run_log import build_answer, trace_text

__all__ = [
    "Chunk",
    "build_answer",
    "chosen",
    "packed",
    "read_note",
    "request_of",
    "trace_text",
]
