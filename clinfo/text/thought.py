"""Thought and answer in the reply of a model: parted by the marks that chat templates and servers
leave in the text.

Known are the tags of DeepSeek, Qwen and their kin (with the opening one, or without it where the
chat template has written it into the prompt), those of Mistral, Kimi and Cohere, the channels of
gpt-oss and Gemma, Granite's two headings, and tags around the answer alone. What stands before a
closing tag without an opening one is thought.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import Final


class _Mark(Enum):
    """The effect of a mark: thought begins or ends, the answer begins or ends, a channel is named,
    its message begins, a turn begins or ends.
    """

    OPEN, CLOSE, ANSWER, ANSWERED, CHANNEL, MESSAGE, TURN, END = (auto() for _ in range(8))


class _Place(Enum):
    """The place of the reader: in the answer, in a thought, in the name of a channel or of who
    speaks, past the tag that ends an answer, past the end of a turn.
    """

    ANSWER, THOUGHT, NAME, PAST, OVER = (auto() for _ in range(5))


_THOUGHTS: Final = [
    "think",
    "thinking",
    "thought",
    "thoughts",
    "reason",
    "reasoning",
    "reflection",
    "analysis",
    "scratchpad",
    "seed:think",
    "mm:think",
    "internal_thoughts",
    "inner_monologue",
    "antthinking",
]
_ANSWERS: Final = ["answer", "final_answer", "final", "response", "output", "solution"]
_ENDS: Final = [
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<|im_end|>",
    "<|eot_id|>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<|eom_id|>",
    "</s>",
    "<|end_of_turn|>",
    "<end_of_turn>",
    "<｜end▁of▁sentence｜>",
]
_OWN: Final = "here is my thought process:", "here's my thought process:"
_SAID: Final = "here is my response:", "here's my response:"
_MARKS: Final[dict[str, _Mark]] = {
    **{f"<{name}>": _Mark.OPEN for name in _THOUGHTS},
    **{f"</{name}>": _Mark.CLOSE for name in _THOUGHTS},
    **{f"<|{name}|>": _Mark.OPEN for name in _THOUGHTS},
    **{f"<|/{name}|>": _Mark.CLOSE for name in _THOUGHTS},
    **{f"&lt;{name}&gt;": _Mark.OPEN for name in _THOUGHTS},
    **{f"&lt;/{name}&gt;": _Mark.CLOSE for name in _THOUGHTS},
    **dict.fromkeys(("[think]", "◁think▷", "<|begin_of_thought|>"), _Mark.OPEN),
    **dict.fromkeys(("[/think]", "◁/think▷", "<|end_of_thought|>"), _Mark.CLOSE),
    **dict.fromkeys(
        ("<unused94>thought", "<|start_thinking|>", "<|channel>thought", *_OWN), _Mark.OPEN
    ),
    **dict.fromkeys(("<think/>", "<unused95>", "<|end_thinking|>", "<channel|>"), _Mark.CLOSE),
    **{f"<{name}>": _Mark.ANSWER for name in _ANSWERS},
    **{f"</{name}>": _Mark.ANSWERED for name in _ANSWERS},
    **dict.fromkeys(("<|begin_of_solution|>", "<|start_response|>", *_SAID), _Mark.ANSWER),
    **dict.fromkeys(("<|end_of_solution|>", "<|end_response|>"), _Mark.ANSWERED),
    "<|channel|>": _Mark.CHANNEL,
    "<|message|>": _Mark.MESSAGE,
    "<|start|>": _Mark.TURN,
    **dict.fromkeys(_ENDS, _Mark.END),
}
_BEGINNINGS: Final = frozenset(mark[:size] for mark in _MARKS for size in range(1, len(mark)))
_FIRST: Final = re.compile(r"[<&\[◁]|[Hh]ere")
_FIRST_OF_PART: Final = re.compile(r"[<&\[◁]|[Hh](?:e(?:re?)?)?\Z|[Hh]ere")
_BARE, _BARE_FINAL = "analysis", "assistantfinal"
"""The channels of gpt-oss where a server has left out the marks around them."""


class Parting:
    """A reply that comes piece by piece, parted into the answer and what was thought.

    ``text`` is what is taken for the answer so far. It grows, but for where a closing mark shows
    that it was thought: then it begins anew, and ``voided`` counts that. What may be the beginning
    of a mark is held back until more has come, or the `end`.
    """

    def __init__(self) -> None:
        self.voided = 0
        self._said: list[str] = []
        self._thoughts: list[str] = []
        self._held = ""
        self._place = _Place.ANSWER
        self._name = ""
        self._bare: bool | None = None

    @property
    def text(self) -> str:
        """The answer so far, without white space in front of it."""
        return "".join(self._said)

    @property
    def thought(self) -> str:
        """Return what was thought so far."""
        return "".join(self._thoughts).strip()

    def add(self, piece: str) -> str:
        """Take in what has come; what of the answer is new, all of it where that begins anew."""
        self._held += piece
        return self._fresh(over=False)

    def end(self) -> str:
        """Take in what was held back, as the reply is over; what of the answer is new."""
        return self._fresh(over=True)

    def _fresh(self, *, over: bool) -> str:
        voided, known = self.voided, len(self._said)
        self._read(over=over)
        return "".join(self._said if self.voided != voided else self._said[known:])

    def _read(self, *, over: bool) -> None:
        if self._bare is not False and not self._past_bare_thought(over=over):
            return
        text, at = self._held, 0
        first = _FIRST if over else _FIRST_OF_PART
        while (found := first.search(text, at)) is not None:
            self._take(text[at : found.start()])
            at = found.start()
            mark, length = self._mark_at(text, at)
            if mark is not None:
                self._meet(mark)
            elif length and not over:
                self._held = text[at:]
                return
            else:
                length = 1
                self._take(text[at])
            at += length
        self._take(text[at:])
        self._held = ""

    def _past_bare_thought(self, *, over: bool) -> bool:
        """Return whether there is no thought of gpt-oss without marks, or it is over."""
        head = self._held.lstrip()
        if not head.startswith(_BARE):
            if over or not _BARE.startswith(head):
                self._bare = False
            return self._bare is False
        if (after := head[len(_BARE) :]) and not after[0].isalpha():
            self._bare = False
            return True
        thought, mark, answer = after.partition(_BARE_FINAL)
        if not (mark or over):
            return False
        self._thoughts.append(thought)
        self._held, self._bare = answer, False
        return True

    def _mark_at(self, text: str, at: int) -> tuple[_Mark | None, int]:
        """The mark that stands here and its length; without one (None, 1) where the text ends in
        what may become one, else (None, 0).
        """
        in_words = text[at] in "Hh"
        if in_words and self._said:
            return None, 0
        folded = ""
        for place in range(at, len(text)):
            sign = text[place].lower().replace("’", "'")
            if sign.isspace() and not in_words:
                continue
            folded += sign
            mark = _MARKS.get(folded)  # an answer's heading is none without a thought before it
            amiss = in_words and mark is _Mark.ANSWER and self._place is not _Place.THOUGHT
            if mark is not None and not amiss:
                return mark, place + 1 - at
            if folded not in _BEGINNINGS:
                return None, 0
        return None, 1

    def _take(self, text: str) -> None:
        if self._place is _Place.ANSWER:
            if text := text if self._said else text.lstrip():
                self._said.append(text)
        elif self._place is _Place.NAME:
            self._name += text
        else:
            self._thoughts.append(text)

    def _meet(self, mark: _Mark) -> None:
        if mark in (_Mark.CHANNEL, _Mark.TURN):
            if mark is _Mark.CHANNEL:
                self._void()
            self._place, self._name = _Place.NAME, ""
        elif mark is _Mark.MESSAGE:
            if self._place is _Place.NAME:
                named = self._name.split()[:1]
                shown = named in ([], ["final"], ["assistant"])
                self._place = _Place.ANSWER if shown else _Place.THOUGHT
        elif self._place is _Place.OVER:
            return
        elif mark is _Mark.OPEN:
            self._place = _Place.THOUGHT
        elif mark is _Mark.CLOSE:
            if self._place is not _Place.THOUGHT:
                self._void()
            self._place = _Place.ANSWER
        elif mark is _Mark.ANSWER:
            if self._place is not _Place.THOUGHT or not self._said:
                self._void()
                self._place = _Place.ANSWER
        elif self._place is _Place.THOUGHT:  # its turn is over
            self._place = _Place.ANSWER if mark is _Mark.END else _Place.THOUGHT
        elif self._said:  # what a model goes on with after its answer is none
            self._place = _Place.OVER if mark is _Mark.END else _Place.PAST

    def _void(self) -> None:
        """Note that all taken for the answer was thought."""
        if self._said:
            self._thoughts += self._said
            self._said = []
            self.voided += 1


def parted(text: str) -> tuple[str, str]:
    """The answer in a whole reply, and what was thought beside it."""
    parting = Parting()
    parting.add(text)
    parting.end()
    return parting.text.strip(), parting.thought


def without_thought(text: str) -> str:
    """The answer in a whole reply; "" where a model only thought."""
    return parted(text)[0]
