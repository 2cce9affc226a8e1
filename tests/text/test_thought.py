"""Thought parted from the answer, whole and piece by piece."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinfo.text.thought import Parting, parted

ANSWER = "Yoga lowered systolic blood pressure [1]."


@pytest.mark.parametrize(
    "text",
    [
        ANSWER,
        f"<think>An answer could be {{}}.</think>\n\n{ANSWER}",
        f"Okay. It could be {{}}.\n</think>\n\n{ANSWER}",
        f"<think><think>twice</think>{ANSWER}",
        f"<think>a<think>b</think>c</think>{ANSWER}",
        f"<think>I end with </think> now.</think>{ANSWER}",
        f"<think>could be <answer>x</answer>?</think><answer>{ANSWER}</answer>",
        f"< THINKING >x</ Thinking >{ANSWER}",
        f"<Thought>\nx\n</Thought>{ANSWER}",
        f"<reasoning>x</reasoning>{ANSWER}",
        f"<seed:think>x</seed:think>{ANSWER}",
        f"<|thinking|>x<|/thinking|>{ANSWER}",
        f"[THINK]x[/THINK]{ANSWER}",
        f"x [/THINK] {ANSWER}",
        f"◁think▷x◁/think▷{ANSWER}",
        f"[THOUGHT]x[/THOUGHT]{ANSWER}",
        f"<longcat_think>x</longcat_think>{ANSWER}",
        f'<details type="reasoning" done="true"><summary>x</summary></details>{ANSWER}',
        f"<|START_THINKING|>x<|END_THINKING|><|START_RESPONSE|>{ANSWER}<|END_RESPONSE|>",
        f"<|begin_of_thought|>x<|end_of_thought|><|begin_of_solution|>{ANSWER}<|end_of_solution|>",
        f"<|channel>thought\nx<channel|>{ANSWER}",
        f"<|channel|>analysis<|message|>x<|end|><|start|>assistant<|channel|>final<|message|>{ANSWER}"
        "<|return|>",
        f"x<|end|><|start|>assistant<|channel|>final <|constrain|>json<|message|>{ANSWER}",
        f"<|channel|>analysis<|message|>x<|end|>{ANSWER}",
        f"<|start|>assistant<|message|>{ANSWER}",
        f"{ANSWER}<|im_end|>\n<|im_start|>user\nAnd now?",
        f"I see. <answer>{ANSWER}</answer> Done.",
    ],
)
def test_the_answer_alone(text: str) -> None:
    assert parted(text)[0] == ANSWER
    shown, voided, parting = "", 0, Parting()
    for sign in text:
        fresh = parting.add(sign)
        shown = fresh if parting.voided != voided else shown + fresh
        voided = parting.voided
        assert shown == parting.text
    shown += parting.end()
    assert shown.strip() == parting.text.strip() == ANSWER


@pytest.mark.parametrize(
    "text",
    [
        "<think>It never ends",
        "All of it is thought.</think>",
        "<|channel|>analysis<|message|>x",
        "<|channel|>commentary to=functions.a <|constrain|>json<|message|>{}<|call|>",
        "",
    ],
)
def test_nothing_but_thought(text: str) -> None:
    answer, thought = parted(text)
    assert answer == ""
    assert bool(thought) == bool(text)


@pytest.mark.parametrize(
    "text",
    [
        "a < b, p<0.05 [1, 2] and [Thiamine] <b>bold</b>",
        "analysis of covariance showed no difference",
        "Here is my response to it: yes",
        "Analysis",
    ],
)
def test_what_only_looks_like_a_mark_is_text(text: str) -> None:
    assert parted(text) == (text, "")


def test_an_opened_thought_is_never_shown() -> None:
    parting = Parting()
    for sign in f"<think>x < y [1] </thin {ANSWER} </think>":
        assert parting.add(sign) == ""
    assert parting.voided == 0


@given(st.text(), st.lists(st.integers(1, 9), max_size=9))
def test_pieces_do_not_matter(text: str, sizes: list[int]) -> None:
    marked = f"{text}</think>{text}<think>{text}"
    parting, at = Parting(), 0
    for size in sizes:
        parting.add(marked[at : at + size])
        at += size
    parting.add(marked[at:])
    parting.end()
    assert (parting.text.strip(), parting.thought) == parted(marked)
