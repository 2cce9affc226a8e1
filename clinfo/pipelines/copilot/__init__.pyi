from clinfo.pipelines.copilot.request import (
    LONGEST_CASE,
    LONGEST_FIELD,
    LONGEST_QUESTION,
    request_of,
)
from clinfo.pipelines.copilot.run import RECORDS
from clinfo.pipelines.copilot.run_log import CopilotLog, build_answer, trace_text
from clinfo.pipelines.copilot.tools import Host, OpenTool
from clinfo.pipelines.copilot.tools import declared as declared_tools
from clinfo.pipelines.copilot.tools import opened as opened_tools
from clinfo.retrieval.silos.store import open_silos, silos_folder

__all__ = [
    "LONGEST_CASE",
    "LONGEST_FIELD",
    "LONGEST_QUESTION",
    "RECORDS",
    "CopilotLog",
    "Host",
    "OpenTool",
    "build_answer",
    "declared_tools",
    "open_silos",
    "opened_tools",
    "request_of",
    "silos_folder",
    "trace_text",
]
