"""What takes long is done beside the event loop, which the other runs of a worker share."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

import clinfo
from clinfo.pipelines.literature import judging_stage, run
from clinfo.pipelines.literature.search import search_stage


def test_what_reads_all_studies_is_done_in_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    where: dict[str, set[bool]] = {}

    def told(name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*arguments: Any) -> Any:
            on_the_loop = threading.current_thread() is threading.main_thread()
            where.setdefault(name, set()).add(on_the_loop)
            return work(*arguments)

        return noted

    works = (
        (run, "appraise"),
        (judging_stage, "answer"),
        (search_stage.integrity, "notices"),
        (search_stage.prompt_injection, "notice"),
    )
    for module, name in works:
        monkeypatch.setattr(module, name, told(name, getattr(module, name)))
    answer = clinfo.ask(
        "Does vitamin D supplementation improve clinical outcomes?",
        model="extractive",
        source="demo",
    )
    assert answer.synthesis
    assert where == {name: {False} for _, name in works}
