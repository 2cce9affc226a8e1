"""Prompts: the default ones render, faults are named before any call, filling is plain
substitution.
"""

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinfo.errors import PromptError
from clinfo.llm.prompts import Prompt
from clinfo.pipelines.literature.stages import MODEL_STAGES, PROMPTS
from clinfo.runs.protocols import Message

DEFAULTS = PROMPTS.defaults()


def test_there_is_a_default_for_every_stage() -> None:
    assert PROMPTS.names == tuple(DEFAULTS) == (*MODEL_STAGES, *PROMPTS.optional)


@pytest.mark.parametrize("name", DEFAULTS)
def test_a_default_declares_its_variables_and_holds_each_value_as_it_is(name: str) -> None:
    assert f"# variables: {', '.join(PROMPTS.variables[name])}\n" in DEFAULTS[name]
    prompt = PROMPTS.parse(name, DEFAULTS[name])
    system, user = prompt.fill(
        **{variable: f"<{variable} 100% {{title}} \\1>" for variable in PROMPTS.variables[name]}
    )
    assert (system.role, user.role) == ("system", "user")
    for variable in PROMPTS.variables[name]:
        assert user.content.count(f"<{variable} 100% {{title}} \\1>") == 1
    assert "# variables" not in system.content + user.content
    assert prompt.sha256 == hashlib.sha256(DEFAULTS[name].encode()).hexdigest()


def test_parts_and_comments() -> None:
    text = (
        "# what it is for\n\n# variables: question\n=== SYSTEM ===\nBe brief.\n# not a comment\n\n"
        "=== user ===\n {question} \n"
    )
    prompt = PROMPTS.parse("question2query", text)
    assert prompt.fill(question="Why?") == (
        Message("system", "Be brief.\n# not a comment"),
        Message("user", "Why?"),
    )
    assert PROMPTS.parse("question2query", "Ask: {question}\n").fill(question="x") == (
        Message("user", "Ask: x"),
    )
    assert PROMPTS.parse("question2query", "=== user ===\n{question}").system is None
    windows = PROMPTS.parse("question2query", "\ufeff" + text.replace("\n", "\r\n"))
    assert windows == prompt
    assert windows.sha256 == prompt.sha256


PIECES = st.one_of(
    st.sampled_from(["{question}", "{", "}", "\n", "{x}", "#", "=== user ===\n"]),
    st.text(max_size=3),
)


def outcome(text: str) -> Prompt | PromptError:
    try:
        return PROMPTS.parse("question2query", text)
    except PromptError as error:
        return error


@given(st.one_of(st.text(), st.lists(PIECES).map("".join)))
def test_any_text_is_a_prompt_or_a_prompt_error(text: str) -> None:
    found = outcome(text)
    if isinstance(found, PromptError):
        assert str(found).startswith("the prompt question2query ")
        assert len(str(found).splitlines()) == 1
    else:
        assert "{question}" in found.user + (found.system or "")
        assert "{x}" not in text.replace("{{x}}", "")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("tldr", "", "the prompt tldr is empty"),
        ("tldr", "# only a comment\n", "the prompt tldr is empty"),
        ("tldr", "=== user ===\n \n", "the prompt tldr is empty"),
        (
            "tldr",
            "=== system ===\n{question} {synthesis}",
            "the prompt tldr has no text in its part user",
        ),
        (
            "tldr",
            "=== sytem ===\n{question} {synthesis}",
            "has a part named 'sytem'; the parts are system and user",
        ),
        (
            "tldr",
            "=== user ===\n{question}\n=== user ===\n{synthesis}",
            "the prompt tldr has two parts named user",
        ),
        (
            "tldr",
            "Hello\n=== user ===\n{question} {synthesis}",
            "has text before its first part: 'Hello'",
        ),
        ("tldr", "{question}", "the prompt tldr has no placeholder {synthesis}"),
        (
            "tldr",
            "{question} { Synthesis }",
            "has no placeholder {synthesis} ({ Synthesis } is not one)",
        ),
        (
            "tldr",
            "{question} {{synthesis}}",
            "has no placeholder {synthesis} ({{synthesis}} is not one)",
        ),
        (
            "tldr",
            "{question} {sinthesis}",
            "contains the unknown placeholder {sinthesis} (did you mean synthesis?)",
        ),
        (
            "tldr",
            "{question} {synthesis} {x}",
            "it may contain {question}, {synthesis}; write {{x}} to keep the text as it is",
        ),
        ("tldr", "{question} {synthesis}\0", "the prompt tldr contains a NUL byte"),
        ("tldr", "{question} {synthesis}\ud800", "the prompt tldr is not valid Unicode text"),
        (
            "sumary",
            "{question}",
            (
                "there is no prompt named 'sumary' (did you mean summary?); the prompts are "
                "question2query,"
            ),
        ),
    ],
)
def test_faults_are_named(name: str, text: str, message: str) -> None:
    with pytest.raises(PromptError) as raised:
        PROMPTS.parse(name, text)
    assert message in str(raised.value)
    assert raised.value.exit_status == 2


def test_filling_with_the_wrong_values_is_a_programming_error() -> None:
    with pytest.raises(TypeError, match="is filled with question, synthesis, not question"):
        PROMPTS.parse("tldr", "{question} {synthesis}").fill(question="x")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in DEFAULTS.items():
        (tmp_path / f"{name}.md").write_text(text, encoding="utf-8")
    return tmp_path


def test_a_folder_replaces_all_prompts(folder: Path) -> None:
    (folder / "tldr.md").unlink()
    (folder / "tldr.txt").write_bytes("é {question} {synthesis}".encode())
    (folder / "notes.md").write_text("left alone")
    assert PROMPTS.read_folder(folder) == {"tldr": "é {question} {synthesis}"}


def test_a_folder_may_leave_out_what_is_optional(folder: Path) -> None:
    (folder / "pico.md").write_text("What is it about? {question}")
    assert PROMPTS.read_folder(folder)["pico"] == "What is it about? {question}"
    (folder / "pico.md").unlink()
    assert "pico" not in PROMPTS.read_folder(folder)
    (folder / "pico.txt").write_bytes(b"\0")
    with pytest.raises(PromptError, match=r"pico\.txt: .* contains a NUL byte"):
        PROMPTS.read_folder(folder)


def test_a_folder_that_is_older_than_a_prompt_still_works_and_says_what_is_missing(
    folder: Path,
) -> None:
    newer = replace(PROMPTS, added=("summary",))
    (folder / "summary.md").unlink()
    said: list[str] = []
    assert "summary" not in newer.read_folder(folder, said.append)
    assert len(said) == 1
    assert "summary.md" in said[0]
    with pytest.raises(PromptError):
        PROMPTS.read_folder(folder)


def test_faults_of_a_folder_are_named(folder: Path) -> None:
    with pytest.raises(PromptError, match="nowhere' is not a folder"):
        PROMPTS.read_folder(folder / "nowhere")
    file = folder / "summary.md"
    (folder / "summary.txt").write_text("x")
    with pytest.raises(PromptError, match=r"contains both summary\.md and summary\.txt"):
        PROMPTS.read_folder(folder)
    (folder / "summary.txt").unlink()
    file.write_bytes(b"caf\xe9 {question}")
    with pytest.raises(PromptError, match=r"summary\.md' is not UTF-8 text \(byte 3\)"):
        PROMPTS.read_folder(folder)
    file.write_bytes(b"a\0b")
    with pytest.raises(PromptError, match=r"summary\.md: .* contains a NUL byte"):
        PROMPTS.read_folder(folder)
    file.unlink()
    with pytest.raises(PromptError, match=r"no summary\.md .*relevance"):
        PROMPTS.read_folder(folder)
    file.mkdir()
    with pytest.raises(PromptError, match=r"summary\.md' cannot be read: Is a directory"):
        PROMPTS.read_folder(folder)
