from clinfo.pipelines.copilot.answer import build_answer, trace_text
from clinfo.pipelines.copilot.records import CopilotAnswer, CopilotLog, CopilotRequest, called
from clinfo.pipelines.copilot.request import OPTIONS, request_of
from clinfo.pipelines.tools import Host, OpenTool
from clinfo.pipelines.tools import declared as declared_tools
from clinfo.pipelines.tools import opened as opened_tools
from clinfo.retrieval.silos.store import open_silos, silos_folder

__all__ = [
    "OPTIONS",
    "CopilotAnswer",
    "CopilotLog",
    "CopilotRequest",
    "Host",
    "OpenTool",
    "build_answer",
    "called",
    "declared_tools",
    "open_silos",
    "opened_tools",
    "request_of",
    "silos_folder",
    "trace_text",
]
