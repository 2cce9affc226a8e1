"""Prompt texts: read, checked, filled. A prompt is data; nothing in it is ever evaluated.

A prompt's text has three layers:

    # comment lines at the very start: what the prompt is for, and    # variables: question, title, abstract
    === system ===      starts the system message (may be left out)
    === user ===        starts the user message; without any such line the whole text is the user message

In the messages ``{name}``, in lower-case letters, digits and underscores, stands for a variable.
Filling is one pass of plain substitution: what is put in is never read again, so braces, percent
signs and backslashes in a question or an abstract stay as they are. ``{{name}}`` gives a literal
``{name}``; every other brace, as in a JSON example, is ordinary text.
"""  # noqa: E501

from __future__ import annotations

import hashlib
import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from importlib.resources import files
from pathlib import Path

from clinfo.errors import PromptError
from clinfo.runs.pipeline import Step, stages_of
from clinfo.runs.protocols import Message
from clinfo.text.wording import did_you_mean

SUFFIXES = (".md", ".txt")

_PLACEHOLDER = re.compile(r"\{\{([a-z][a-z0-9_]*)\}\}|\{([a-z][a-z0-9_]*)\}")
# Bounded, and begun at the first brace of a row only: prompts come from visitors too, and none may
# keep a server busy.
_ALMOST_PLACEHOLDER = re.compile(r"(?<!\{)\{+\s{0,40}([A-Za-z][A-Za-z0-9_ -]{0,40}?)\s{0,40}\}+")
_MARKER = re.compile(r"={3,}[ \t]*([A-Za-z]+)[ \t]*={3,}[ \t]*")


@dataclass(frozen=True)
class Prompt:
    """A checked prompt. ``text`` is the whole text as given (newlines as ``\\n``), ``user`` and
    ``system`` its messages.
    """

    name: str
    text: str
    user: str
    system: str | None = None
    variables: tuple[str, ...] = ()

    @cached_property
    def sha256(self) -> str:
        """Hexadecimal SHA-256 of the whole text in UTF-8."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def fill(self, **values: str) -> tuple[Message, ...]:
        """The messages with ``values`` put in: exactly the prompt's variables, else TypeError."""
        needed = self.variables
        if set(values) != set(needed):
            raise TypeError(
                f"the prompt {self.name} is filled with {', '.join(needed)}, not "
                f"{', '.join(values)}"
            )

        def filled(text: str) -> str:
            return _PLACEHOLDER.sub(
                lambda match: f"{{{match[1]}}}" if match[1] else values[match[2]], text
            )

        user = Message("user", filled(self.user))
        return (user,) if self.system is None else (Message("system", filled(self.system)), user)


@dataclass(frozen=True)
class PromptSet:
    """The prompts of a pipeline, by ``names``: the files of its ``folder`` under prompts/, whose
    placeholders are the variables that each must hold, and no other.

    A folder of the user's own may leave out the ``optional`` ones: the default one is used then.
    It may lack those that were ``added`` later too, which is said.
    """

    folder: str
    names: tuple[str, ...]
    optional: tuple[str, ...] = ()
    added: tuple[str, ...] = ()

    @classmethod
    def of(cls, folder: str, steps: Iterable[Step]) -> PromptSet:
        """The prompts of a pipeline's stages, the first of each that every run has before the
        others, which are optional.
        """
        stages = stages_of(steps)
        first = {one.prompts[0]: one.added for one in stages if one.required and one.prompts}
        names = dict.fromkeys((*first, *(name for one in stages for name in one.prompts)))
        others = tuple(name for name in names if name not in first)
        return cls(folder, tuple(names), others, tuple(name for name in first if first[name]))

    @cached_property
    def variables(self) -> Mapping[str, tuple[str, ...]]:
        """The variables of each prompt."""
        found = {
            name: _PLACEHOLDER.findall("\n".join(_parts(name, text).values()))
            for name, text in self.defaults().items()
        }
        return {
            name: tuple(dict.fromkeys(one for _, one in each if one))
            for name, each in found.items()
        }

    def parse(self, name: str, text: str) -> Prompt:
        """The prompt ``name`` made of ``text``. Raises PromptError, in one line, where the text
        cannot be used.
        """
        if name not in self.names:
            known = ", ".join(self.names)
            raise PromptError(
                f"there is no prompt named {_shown(name)}{did_you_mean(name, self.names)}; "
                f"the prompts are {known}"
            )
        if "\0" in text:
            raise PromptError(f"the prompt {name} contains a NUL byte")
        try:
            text.encode()
        except UnicodeEncodeError:
            raise PromptError(f"the prompt {name} is not valid Unicode text") from None
        text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
        parts = _parts(name, text)
        _check_placeholders(name, self.variables[name], "\n".join(parts.values()))
        return Prompt(name, text, parts["user"], parts.get("system"), self.variables[name])

    def checked(self, edited: Mapping[str, str] | None = None) -> dict[str, Prompt]:
        """The default prompts with those ``edited`` laid over them. Raises PromptError."""
        texts = {**self.defaults(), **(edited or {})}
        return {name: self.parse(name, text) for name, text in texts.items()}

    def defaults(self) -> dict[str, str]:
        """The texts of the prompts that come with the program, by name."""
        folder = files("clinfo") / "prompt_files" / self.folder
        if not folder.is_dir():  # a checkout keeps them beside the package, a wheel inside it
            folder = Path(__file__).resolve().parents[2] / "prompts" / self.folder
        return {name: (folder / f"{name}.md").read_text(encoding="utf-8") for name in self.names}

    def read_folder(
        self, path: str | Path, say: Callable[[str], None] = warnings.warn
    ) -> dict[str, str]:
        """The texts in a folder that replaces the default prompts, those that differ from them: one
        file each, named ``NAME.md`` or ``NAME.txt``.

        All must be there but the ``optional`` ones and those ``added`` later; which of the latter
        are missing is handed to ``say``. Raises PromptError, naming the file, where the
        folder or a file is missing or cannot be read as UTF-8 text.
        """
        folder = Path(path)
        try:
            if not folder.is_dir():
                raise PromptError(f"the prompts folder {str(path)!r} is not a folder")
            if (own := folder / self.folder).is_dir() and not _files(folder, self.names[0]):
                folder = own  # the prompts of all pipelines, as they are exported
            texts = {
                name: self._read(folder, name)
                for name in self.names
                if name not in (*self.optional, *self.added) or _files(folder, name)
            }
        except OSError as error:  # a name too long, a folder that may not be looked into
            raise PromptError(
                f"the prompts folder {str(path)!r} cannot be read: {error.strerror}"
            ) from None
        for name in self.added:
            if name not in texts:
                say(f"the prompts folder {str(path)!r} has no {name}.md; the built-in one is used")
        for name, text in texts.items():
            try:
                self.parse(name, text)
            except PromptError as error:
                raise PromptError(f"{_files(folder, name)[0]}: {error}") from None
        defaults = self.defaults()
        return {name: text for name, text in texts.items() if text != defaults.get(name)}

    def _read(self, folder: Path, name: str) -> str:
        present = _files(folder, name)
        if not present:
            required = ", ".join(
                one for one in self.names if one not in (*self.optional, *self.added)
            )
            raise PromptError(
                f"the prompts folder {str(folder)!r} has no {name}.md or {name}.txt; it must "
                f"contain all of: {required}"
            )
        if len(present) > 1:
            raise PromptError(
                f"the prompts folder {str(folder)!r} contains both {name}.md and {name}.txt; keep "
                "one of them"
            )
        (file,) = present
        try:
            return file.read_bytes().decode()
        except OSError as error:
            why = f"cannot be read: {error.strerror}"
        except UnicodeDecodeError as error:
            why = f"is not UTF-8 text (byte {error.start})"
        raise PromptError(f"the prompt file {str(file)!r} {why}")


def _files(folder: Path, name: str) -> list[Path]:
    return [path for suffix in SUFFIXES if (path := folder / f"{name}{suffix}").exists()]


def _parts(name: str, text: str) -> dict[str, str]:
    """The messages of a prompt by role, without its leading comments; ``user`` is always among
    them.
    """
    lines = text.split("\n")
    while lines and (lines[0].startswith("#") or not lines[0].strip()):
        lines.pop(0)
    in_parts = any(_MARKER.fullmatch(line) for line in lines)
    parts: dict[str, list[str]] = {}
    role: str | None = None
    for line in lines:
        if marker := _MARKER.fullmatch(line):
            role = marker[1].lower()
            if role not in ("system", "user"):
                raise PromptError(
                    f"the prompt {name} has a part named {_shown(marker[1])}; the parts are system "
                    "and user"
                )
            if role in parts:
                raise PromptError(f"the prompt {name} has two parts named {role}")
            parts[role] = []
        elif role is None and line.strip() and in_parts:
            raise PromptError(
                f"the prompt {name} has text before its first part: {_shown(line.strip())}"
            )
        else:
            parts.setdefault(role or "user", []).append(line)
    messages = {key: "\n".join(value).strip() for key, value in parts.items()}
    if not any(messages.values()):
        raise PromptError(f"the prompt {name} is empty")
    for key in ("user", *messages):
        if not messages.get(key):
            raise PromptError(f"the prompt {name} has no text in its part {key}")
    return messages


def _check_placeholders(name: str, needed: tuple[str, ...], text: str) -> None:
    """Raise PromptError unless ``text`` holds every variable that prompt ``name`` needs and no
    other.
    """
    found = {match[2] for match in _PLACEHOLDER.finditer(text) if match[2]}
    for unknown in sorted(found - set(needed)):
        allowed = ", ".join(_braced(one) for one in needed)
        raise PromptError(
            f"the prompt {name} contains the unknown placeholder "
            f"{_braced(unknown)}{did_you_mean(unknown, needed)}; "
            f"it may contain {allowed}; write {_braced(_braced(unknown))} to keep the text as it is"
        )
    almost = {match[1].lower(): match[0] for match in _ALMOST_PLACEHOLDER.finditer(text)}
    for missing in needed:
        if missing not in found:
            close = get_close_matches(missing, almost, n=1)
            hint = f" ({almost[close[0]]} is not one)" if close else ""
            raise PromptError(f"the prompt {name} has no placeholder {_braced(missing)}{hint}")


def _braced(name: str) -> str:
    return "{" + name + "}"


def _shown(text: str) -> str:
    """A short printable form of text from outside, on one line."""
    return repr(text if len(text) <= 60 else text[:57] + "...")
