"""The common part of the stages of one run: what they work with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinfo.pipelines.literature.deadline import Deadline
from clinfo.pipelines.literature.run_log import LiteratureLog
from clinfo.records.articles import RunRequest
from clinfo.runs.recorder import Recorder

if TYPE_CHECKING:
    from clinfo.pipelines.literature.chain import Chain


class AtWork:
    """A stage of one run with its chain, request, recorder and deadline."""

    def __init__(
        self,
        chain: Chain,
        request: RunRequest,
        recorder: Recorder[LiteratureLog],
        deadline: Deadline,
    ) -> None:
        self.chain, self.request, self.deadline = chain, request, deadline
        self.recorder, self.run_log = recorder, recorder.run_log
        self.emit, self.ask = recorder.emit, recorder.ask
