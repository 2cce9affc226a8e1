"""An answer of any pipeline as a file, in the form that its name ends in."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from clinfo import render
from clinfo.errors import UsageError
from clinfo.pipelines.literature.stages import LITERATURE
from clinfo.references.registry import IEEE
from clinfo.render import notebook
from clinfo.render.forms import forms
from clinfo.render.html import document
from clinfo.render.markdown import blocks_as_markdown
from clinfo.render.office import blocks_as_docx
from clinfo.render.text import written
from clinfo.runs.pipeline import Pipeline


def file_of(path: Path, pipeline: Pipeline[Any, Any], record: Any, run_log: Any) -> bytes:
    """The content of a file of this name. Raises UsageError where it ends in no form that the
    answer has, and where a package is missing.
    """
    known = _writers(pipeline, record, run_log)
    ends = sorted(known, key=len, reverse=True)  # ".csl.json" before ".json"
    end = next((one for one in ends if path.name.lower().endswith(f".{one}")), None)
    if end is None:
        raise UsageError(
            f"an answer cannot be written as {path.name}: let the name end in .jsonl (the run), "
            f".{', .'.join(sorted(known))}"
        )
    made = known[end]()
    return made.encode() if isinstance(made, str) else made


def _writers(
    pipeline: Pipeline[Any, Any], record: Any, run_log: Any
) -> Mapping[str, Callable[[], str | bytes]]:
    """The forms of an answer by the ends of names, without the dot."""

    def html() -> str:
        shown = getattr(notebook, pipeline.name)(record, run_log)
        return document(record.question, shown)

    if pipeline is LITERATURE:
        lists = {one.suffix: partial(one.write, run_log, "cited", IEEE) for one in forms()}
        return {**lists, "html": html}
    blocks = list(getattr(render, f"{pipeline.name}_page")(record))
    form = pipeline.answer(run_log)
    return {
        "docx": lambda: blocks_as_docx(record.question, blocks),
        "html": html,
        "json": lambda: json.dumps(form, ensure_ascii=False, indent=2) + "\n",
        "md": lambda: blocks_as_markdown(blocks),
        "txt": lambda: written(blocks),
    }
