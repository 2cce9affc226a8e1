"""The public Python API: every example of docs/python.md runs, and what it promises holds."""

from __future__ import annotations

import asyncio
import importlib
import json
import pickle
import pkgutil
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any
from unittest import mock

import numpy
import pytest

import clinfo
from clinfo.errors import BudgetReached, IdentifiersFound, ModelError, SourceError, UsageError
from clinfo.pipelines.literature import batch
from clinfo.pipelines.literature.stages import PROMPTS
from clinfo.runs.protocols import Budget, ModelReply, ModelRequest

QUESTION = "Do probiotics prevent antibiotic-associated diarrhea?"
DEMO: dict[str, Any] = {"model": "extractive", "source": "demo"}


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CLINFO_CACHE_DIR", str(tmp_path / "cache"))


def test_the_examples_of_the_documentation_run() -> None:
    page = Path(__file__).parents[1] / "docs" / "python.md"
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) >= 6
    names: dict[str, Any] = {"__name__": "example"}
    for block in blocks:
        exec(compile(block, "docs/python.md", "exec"), names)
    assert [bool(study.candidates) for study in names["answer"].studies] == [True]
    assert names["case"].claims
    assert names["chart"].to_dict()["notes"]


def test_importing_it_loads_nothing() -> None:
    program = (
        "import sys, clinfo; print([name for name in sys.modules if name.startswith(('clinfo.', "
        "'pydantic', 'lxml'))])"
    )
    root = Path(__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=root
    )
    assert done.stdout.strip() == "[]"


def test_every_export_is_there_whatever_was_imported_before() -> None:
    for module in pkgutil.walk_packages(clinfo.__path__, "clinfo."):
        if module.name != "clinfo.__main__":
            importlib.import_module(module.name)
    for name in clinfo.__all__:
        assert getattr(clinfo, name) is not None
        assert not str(getattr(clinfo, name)).startswith("<module")
    with pytest.raises(AttributeError, match="nothing"):
        clinfo.nothing  # noqa: B018


def test_it_works_where_an_event_loop_runs() -> None:
    async def notebook() -> clinfo.Answer:
        return clinfo.ask(QUESTION, **DEMO)

    assert asyncio.run(notebook()).to_dict()["tldr"] == clinfo.ask(QUESTION, **DEMO).tldr


def test_a_saved_run_goes_on_where_it_was_cut_off(tmp_path: Path) -> None:
    whole = clinfo.ask(QUESTION, save=tmp_path / "run.jsonl", **DEMO)
    lines = (tmp_path / "run.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "run.jsonl").write_text("".join(lines[: len(lines) // 2]), encoding="utf-8")
    resumed = clinfo.ask(QUESTION, save=tmp_path / "run.jsonl", **DEMO)
    assert {event.key for event in resumed.events} == {event.key for event in whole.events}
    (tmp_path / "run.jsonl").write_text("".join(lines[:3]), encoding="utf-8")
    with pytest.raises(UsageError, match="another request"):
        clinfo.ask("Does zinc shorten the common cold?", save=tmp_path / "run.jsonl", **DEMO)


def test_a_finished_run_is_kept_and_shown_again(tmp_path: Path) -> None:
    first = clinfo.ask(QUESTION, save=tmp_path / "run.jsonl", **DEMO)
    assert clinfo.ask(QUESTION, save=tmp_path / "run.jsonl", **DEMO).to_dict() == first.to_dict()


def test_a_refused_request_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        clinfo.ask(QUESTION, save=tmp_path / "run.jsonl", max_articles=0, **DEMO)
    assert not (tmp_path / "run.jsonl").exists()


def test_options_are_those_of_the_command_line(tmp_path: Path) -> None:
    folder = tmp_path / "prompts"
    folder.mkdir()
    for name, text in PROMPTS.defaults().items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    answer = clinfo.ask(QUESTION, no_strict=True, no_repair=True, prompts=folder, **DEMO)
    assert (answer.record.settings["strict"], answer.record.settings["repair"]) == (False, False)
    with pytest.raises(UsageError, match="@FILE"):
        clinfo.ask(QUESTION, query="@query.txt", **DEMO)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"max_articles": 0}, "max_articles"),
        ({"nonsense": 1}, "nonsense: unknown field"),
        ({"max_article": 1}, "did you mean max_articles?"),
        ({"source": "nowhere"}, "nowhere"),
    ],
)
def test_what_cannot_be_asked_is_said(options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        clinfo.ask(QUESTION, **DEMO | options)


class OwnModel:
    """A ChatModel of one's own that fails, with a key in its error."""

    name, remote, notices, context_tokens = "own", False, (), None
    failure = OSError("no GPU is free (key hunter-2-hunter)")

    def count_tokens(self, text: str) -> int:
        return 1

    def worst_cost(self, request: ModelRequest) -> float | None:
        return 0.0

    async def complete(self, request: ModelRequest) -> ModelReply:
        raise self.failure

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelReply]:
        yield await self.complete(request)


def broken(prompt: str) -> str:
    raise OwnModel.failure


@pytest.mark.parametrize(
    ("reply", "options", "came"),
    [
        (7, {}, "a int"),
        ({"say": "zinc"}, {}, "a dict with say"),
        ({"say": "zinc"}, {"query": "vitamin D"}, "a dict with say"),
    ],
)
def test_what_a_model_of_ones_own_gives_for_a_text_is_named(
    reply: object, options: dict[str, Any], came: str
) -> None:
    with pytest.raises(ModelError, match=f"gave no text but {came}$"):
        clinfo.ask(QUESTION, model=lambda _: reply, source="demo", judge="none", **options)


@pytest.mark.parametrize("model", [broken, OwnModel()])
def test_a_failing_model_of_ones_own_is_an_error_with_its_text_and_cause(
    model: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OWN_SERVICE_TOKEN", "hunter-2-hunter")
    article = tmp_path / "zinc.txt"
    article.write_text("Results\n\nFewer had a cold.\n")
    asked: list[Callable[[], object]] = [
        lambda: clinfo.ask(QUESTION, model=model, source="demo"),
        lambda: clinfo.trials("Does zinc prevent colds?", [article], model=model),
    ]
    for call in asked:
        with pytest.raises(
            ModelError, match=r"failed: OSError: no GPU is free \(key \[key\]\)"
        ) as e:
            call()
        assert e.value.__cause__ is OwnModel.failure


def test_what_repeats_the_question_is_no_part_of_an_error() -> None:
    def echoes(prompt: str) -> str:
        raise ValueError(f"cannot read: {prompt}")

    with pytest.raises(ModelError) as error:
        clinfo.ask(QUESTION, model=echoes, source="demo")
    assert "probiotics" not in str(error.value).lower()
    assert isinstance(error.value.__cause__, ValueError)


async def _asynchronous(prompt: str) -> str:
    return own_reply(prompt)


class _Callable:
    async def __call__(self, prompt: str) -> object:
        return {"role": "assistant", "content": [{"type": "text", "text": own_reply(prompt)}]}


def own_reply(prompt: str) -> str:
    """A sensible reply behind a thought whose opening mark a chat template has written."""
    said = '{"relevant": "yes", "reason": "it fits", "summary": {"finding": "Fewer had it."}}'
    judging = '"relevant": "yes" | "no"' in prompt  # the layout, in words
    return f"It may be no.\n</think>\n{said if judging else 'Fewer had it [1].'}"


@pytest.mark.parametrize(
    "model",
    [
        _asynchronous,
        _Callable(),
        lambda prompt: {"choices": [{"message": {"content": own_reply(prompt)}}]},
    ],
)
def test_a_model_of_ones_own_may_be_asynchronous_and_give_what_an_api_gives(model: Any) -> None:
    answer = clinfo.ask(
        QUESTION, model=model, source="demo", query="vitamin D", judge="rules", max_articles=2
    )
    assert "</think>" not in json.dumps(answer.to_dict())
    assert answer.synthesis == "Fewer had it [1]."
    judged = [one["relevant"] for one in answer.to_dict()["articles"]]
    assert judged[:2] == [True, True]


def test_a_model_of_ones_own_counts_as_remote() -> None:
    with pytest.raises(IdentifiersFound):
        clinfo.ask("Should John Smith take aspirin?", model=lambda prompt: "no", source="demo")


def test_trials_keep_their_run_and_raise_what_the_command_line_would(tmp_path: Path) -> None:
    question = "Does zinc cream reduce itching compared with placebo?"
    paper = tmp_path / "zinc.txt"
    paper.write_text("RESULTS:\nItching was significantly lower with zinc cream than placebo.\n")
    saved = tmp_path / "run.jsonl"
    given: dict[str, Any] = {"model": "extractive", "better": "lower", "n_max": 40}
    first = clinfo.trials(question, [paper], save=saved, **given)
    assert (first.status, first.studies[0].direction) == (0, None)
    assert "significantly lower" in first.studies[0].candidates[0].text
    assert first.to_dict()["settings"]["n_max"] == 40
    with saved.open() as file:
        lines = file.readlines()
    saved.write_text("".join(lines[:5]))
    again = clinfo.trials(question, [paper], save=saved, **given)
    assert again.studies == first.studies
    nothing = clinfo.trials("Does zinc lower blood pressure?", [tmp_path], model="extractive")
    assert nothing.status == 3
    for wrong in ({"papers": []}, {"papers": [paper], "colour": 1}, {"papers": [paper], "k": 0}):
        with pytest.raises(UsageError):
            clinfo.trials(question, model="extractive", **wrong)
    with pytest.raises(UsageError):
        clinfo.trials(question, [paper], model=None)


@pytest.mark.parametrize(
    "texts",
    [
        ["Zinc shortened colds by a day in 50 adults.", "Honey eased cough in children."],
        [{"title": "Zinc and colds", "abstract": "Zinc shortened colds by a day.", "year": 2020},
         {"title": "Honey", "abstract": "Honey eased cough.", "authors": ["Doe J", "Roe R"]}],
    ],
)  # fmt: skip
def test_a_list_of_texts_is_a_source(texts: list[Any]) -> None:
    answer = clinfo.ask("Does zinc shorten colds?", model="extractive", source=texts)
    assert "Zinc shortened colds by a day" in answer.synthesis
    assert answer.to_dict()["settings"]["source"] == "texts given"


@pytest.mark.parametrize("texts", [[7], [{"abstrct": "no title"}], [], 7])
def test_a_list_that_is_no_source_is_refused(texts: list[Any]) -> None:
    with pytest.raises(UsageError, match="source"):
        clinfo.ask("Does zinc shorten colds?", model="extractive", source=texts)


def test_rows_of_a_data_frame_are_a_source_and_unread_fields_are_told() -> None:
    text = "Zinc shortened colds by a day in 50 adults."
    own = [{"Text": text, "title": float("nan"), "authors": float("nan"), "abstrct": "x"}, {}]
    answer = clinfo.ask("Does zinc shorten colds?", model="extractive", source=own)
    assert "nan" not in answer.tldr
    assert text in answer.synthesis
    assert any("abstrct" in one for one in answer.notices)
    assert "1 text given without a word" in answer.notices


def test_many_questions_are_answered_and_a_batch_goes_on(tmp_path: Path) -> None:
    """What was answered is not asked again, what failed is; a torn line at the end is cut off."""
    asked: list[str] = []
    broken = [True]

    def model(prompt: str) -> str:
        asked.append(prompt)
        if broken[0] and "snoring" in prompt:
            raise ValueError("out of order")
        return "yes [1]"

    out = tmp_path / "answers.jsonl"
    questions = [{"id": "z", "question": "Does zinc shorten colds?"}, "Does snoring shorten life?"]
    texts = [
        "Zinc shortened colds\u2028 by a day in 50 adults.",
        "Snoring shortened life by a year.",
    ]
    first = clinfo.ask_many(questions, model=model, source=texts, out=out)
    assert [(row["id"], row["status"]) for row in first] == [("z", 0), ("2", 4)]
    assert "out of order" in first[1]["error"]
    with out.open("a") as file:
        file.write('{"id": "torn')
    broken[0], before = False, len(asked)
    again = clinfo.ask_many(questions, model=model, source=texts, out=out)
    assert [row["status"] for row in again] == [0, 0]
    assert not [prompt for prompt in asked[before:] if "zinc" in prompt.lower()]
    assert [json.loads(line)["id"] for line in out.read_text().strip().split("\n")] == ["z", "2"]
    with pytest.raises(UsageError, match="other options"):
        clinfo.ask_many(questions, model=model, source=texts, out=out, queries=1)
    with pytest.raises(UsageError, match=r"other questions \(under the id z\)"):
        clinfo.ask_many(["Does zinc help?", "x"], model=model, source=texts, out=out)


def test_one_budget_holds_for_a_batch_and_what_failed_counts(tmp_path: Path) -> None:
    """A question that spends and fails leaves less for the others, when the batch goes on too."""
    asked: list[str] = []

    async def ask(question: str, budget: Budget) -> Any:
        try:
            token = await budget.reserve(0.4)
        except BudgetReached as error:  # of the batch; what this run cost is told by its events
            raise BudgetReached(str(error)) from None
        asked.append(question)
        await budget.settle(token, 0.4)
        raise ModelError("out of order", cost_usd=0.4)

    every = batch.questions_of(["a?", "b?", "c?", "d?"])
    for expected in (["a?", "b?"], []):
        asked.clear()
        with pytest.raises(BudgetReached, match="of \\$1"):
            asyncio.run(batch.each(every, ask, "options", tmp_path / "out.jsonl", 1.0))
        assert asked == expected
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [row["cost_usd"] for row in rows] == [0.4, 0.4, 0.0, 0.0]


def test_questions_are_asked_some_at_a_time_and_stop_together() -> None:
    """None is taken after a stop, and what hangs is broken off."""
    begun: list[int] = []

    async def do(item: int) -> int:
        begun.append(item)
        await asyncio.sleep(0 if item < 3 else 3_600)
        return item

    async def carried_out(stop: asyncio.Event) -> AsyncIterator[int]:
        async for item, result in batch.under_way(range(9), do, 2, stop):
            assert item == result
            if item == 2:
                stop.set()
            yield item

    async def all_of() -> list[int]:
        return [item async for item in carried_out(asyncio.Event())]

    with mock.patch.object(batch, "STOPPING", 0.01):
        assert sorted(asyncio.run(all_of())) == [0, 1, 2]
    assert len(begun) <= 5


@pytest.mark.parametrize(
    "questions",
    [
        [], [""], [{"text": "x"}], [{"id": 1, "question": "x"}, {"id": 1, "question": "y"}],
        "Does it help?", {"text": "x"}, None, 7,
    ],
)  # fmt: skip
def test_questions_that_cannot_be_asked_are_refused(questions: Any) -> None:
    with pytest.raises(UsageError, match="question"):
        clinfo.ask_many(questions, model="extractive", source="demo")


def test_hits_say_what_the_source_made_of_the_query() -> None:
    assert "no field" in clinfo.search("yoga[zz]", source="demo").warnings[0]


def test_a_function_is_a_source() -> None:
    asked: list[str] = []

    def shelf(query: str) -> list[Any]:
        asked.append(query)
        twice = {"title": "Zinc and colds", "pmid": "12"}
        return ["Zinc shortened colds by a day.", twice, twice]

    async def later(query: str) -> list[Any]:
        return shelf(query)

    async def piecemeal(query: str) -> Any:
        for one in shelf(query):
            yield one

    for own in (shelf, later, piecemeal):
        answer = clinfo.ask("Does zinc shorten colds?", model="extractive", source=own)
        assert "Zinc shortened colds by a day." in answer.synthesis
        assert {line.id for line in answer.references} == {"ref:1", "pmid:12"}
        assert answer.to_dict()["settings"]["source"] == own.__name__
        assert "more than once" in answer.to_dict()["queries"][0]["warnings"][0]
    assert all("zinc" in query.lower() for query in asked)
    assert clinfo.ask("Does zinc help?", model="extractive", source=lambda _: None).status == 3


@pytest.mark.parametrize(
    "gives", [1, [1], [{"titel": "Zinc"}], "Zinc helps.", OSError("the shelf is locked")]
)
def test_a_function_that_finds_nothing_usable_is_a_source_that_failed(gives: Any) -> None:
    def shelf(query: str) -> Any:
        if isinstance(gives, Exception):
            raise gives
        return gives

    with pytest.raises(SourceError, match=r"shelf failed: \w+: |what the source gave"):
        clinfo.ask("Does zinc shorten colds?", model="extractive", source=shelf)


@pytest.mark.parametrize(
    ("model", "source", "said"),
    [
        ("extractive", [], "the list given as source is empty"),
        ("extractive", {"a": 1}, "a function from a query to texts"),
        (3, "demo", "a function from a prompt to a reply"),
        (None, "demo", 'give model="extractive"'),
    ],
)
def test_what_is_no_model_and_no_source_is_refused_with_a_way_out(
    model: Any, source: Any, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CLINFO_MODEL", raising=False)
    with pytest.raises(UsageError, match=said):
        clinfo.ask("Does zinc shorten colds?", model=model, source=source)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: clinfo.ask(), "ask: missing a required argument: 'question'; it takes question, "),
        (lambda: clinfo.ask(None, **DEMO), "question: must be text, not NoneType"),
        (lambda: clinfo.search("zinc", sources="demo"), "unexpected keyword argument 'sources'"),
        (lambda: clinfo.search("zinc", source="demo", limit="5"), "limit: must be a whole number"),
        (lambda: clinfo.search("zinc", source="demo", limit=0), "limit: must be a whole number"),
        (lambda: clinfo.ask("x", max_cost=-1, **DEMO), "max_cost: must be a number from 0 to "),
        (lambda: clinfo.ask("x", max_seconds=0, **DEMO), "max_seconds: must be a number above 0 "),
        (lambda: clinfo.search("zinc", source=Path), "source: the class Path is none"),
        (
            lambda: clinfo.search("zinc", source=re.compile("")),
            "source: Pattern has no name, remote",
        ),
        (lambda: clinfo.ask(QUESTION, model=mock.NonCallableMock(["complete"])), "has no name, "),
        (lambda: clinfo.verify("Zinc helps.", None), "articles: must be a list"),
        (lambda: clinfo.check_references(5), "file: must be a path"),
        (lambda: clinfo.replay(None), "path: must be a path"),
        (lambda: clinfo.trials("Does zinc help?", 5), "papers: must be a list"),
        (lambda: clinfo.chart(None, "Any gout?"), "record: must be a list"),
        (lambda: clinfo.cohort(5), "index: must be a path"),
        (lambda: clinfo.copilot(None), "question: must be text"),
        (lambda: clinfo.ask_many(), "ask_many: missing a required argument"),
    ],
)
def test_a_wrong_call_is_an_error_of_the_projects_own(call: Any, said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)):
        call()


def test_values_of_numpy_and_options_left_at_none_are_taken() -> None:
    own: dict[str, Any] = {
        "max_articles": numpy.int64(5),
        "strict": numpy.bool_(True),
        "query": None,
    }
    assert clinfo.ask("Does yoga lower blood pressure?", **DEMO, **own).status == 0
    assert pickle.loads(pickle.dumps(clinfo.ask)) is clinfo.ask


def test_lines_of_a_batch_go_to_no_workbook(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\.jsonl \(--table answers\.xlsx"):
        clinfo.ask_many(["Does it help?"], out=tmp_path / "answers.xlsx", **DEMO)
    assert not (tmp_path / "answers.xlsx").exists()
