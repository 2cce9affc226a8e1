"""Thought and answer in the reply of a model: parted by the marks that chat templates and servers
leave in the text.

Known are the tags of DeepSeek, Qwen and their kin (with the opening one, or without it where the
chat template has written it into the prompt), those of Mistral, Kimi and Cohere, the channels of
gpt-oss and Gemma, and tags around the answer alone. What stands before a closing tag without an
opening one is thought.
"""

import re
from typing import Final

from clinfo.text.wording import unescaped

_NAME: Final = (
    r"(?:(?!begin_|start_|end_)\w+[:_])?(?:(?:ant)?think(?:ing)?|thoughts?|reason(?:ing)?|reflection|scratchpad"
    r"|monologue|analysis)"
)
_ANSWER: Final = r"(?:answer|final_answer|final|response|output|solution)"
_MARK: Final = re.compile(
    rf"(?P<open>(?:<|&lt;)\s*\|?{_NAME}\|?\s*(?:>|&gt;)|\[{_NAME}\]|◁think▷|<\|begin_of_thought\|>"
    r"|<\|start_thinking\|>|<\|channel>thought|<unused94>thought|<details type=.?reasoning[^<>]*>)"
    rf"|(?P<close>(?:<|&lt;)\s*\|?/\s*{_NAME}\|?\s*(?:>|&gt;)|<think/>|\[/{_NAME}\]|◁/think▷"
    r"|<\|end_of_thought\|>|<\|end_thinking\|>|<channel\|>|<unused95>)"
    r"|(?P<folded></details>)"
    rf"|(?P<answer><{_ANSWER}>|<\|begin_of_solution\|>|<\|start_response\|>)"
    rf"|(?P<answered></{_ANSWER}>|<\|end_of_solution\|>|<\|end_response\|>)"
    r"|(?P<message>(?:<\|start\|>[^<]*)?(?:<\|channel\|>(?P<channel>[^<]*)(?:<\|constrain\|>[^<]*)?)?"
    r"<\|message\|>)"
    r"|(?P<over><\|(?:end|return|call|im_end|eot_id|eom_id|eot|endoftext|end_of_text|end_of_turn"
    r"|assistant|user)\|>|</s>|<end_of_turn>|<｜end▁of▁sentence｜>)",
    re.IGNORECASE,
)
_UNFINISHED: Final = re.compile(
    r"(?:<\|(?:start|channel|constrain)\|>[^<]{0,60}){0,3}(?:[<&\[◁][^<\[◁>\]▷]{0,60})?\Z"
)
"""The end of a text that may go on to be a mark."""


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
        self._shown = True
        self._over = False

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
        unfinished = _UNFINISHED.search(self._held)
        return self._read(len(self._held) if unfinished is None else unfinished.start())

    def end(self) -> str:
        """Take in what was held back, as the reply is over; what of the answer is new."""
        return self._read(len(self._held))

    def _read(self, upto: int) -> str:
        voided, known, at = self.voided, len(self._said), 0
        for mark in _MARK.finditer(self._held, 0, upto):
            self._take(self._held[at : mark.start()])
            self._meet(mark)
            at = mark.end()
        self._take(self._held[at:upto])
        self._held = self._held[upto:]
        return "".join(self._said if self.voided != voided else self._said[known:])

    def _take(self, text: str) -> None:
        if not self._shown or self._over:
            self._thoughts.append(text)
        elif text := text if self._said else text.lstrip():
            self._said.append(text)

    def _meet(self, mark: re.Match[str]) -> None:
        kind = mark.lastgroup
        if mark["message"]:
            if mark["channel"] is not None:
                self._void()
            named = (mark["channel"] or "final").split()[:1]
            self._shown, self._over = named in ([], ["final"]), False
        elif self._over:
            return
        elif kind == "open":
            self._shown = False
        elif kind == "folded" and self._shown:  # it folds something else
            self._take(mark[0])
        elif kind in ("close", "folded") or (kind == "answer" and self._shown):
            if self._shown:
                self._void()
            self._shown = True
        elif kind == "over" and not self._shown:  # its turn is over
            self._shown = True
        elif kind in ("over", "answered") and self._shown and self._said:
            self._over = True  # what a model goes on with after its answer is none

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
    """The answer in a whole reply, which steers no terminal; "" where a model only thought."""
    return parted(unescaped(text))[0]
