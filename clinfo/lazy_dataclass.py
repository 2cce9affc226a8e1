"""``dataclass`` as in the standard library, whose methods are made when a class is first used.

Making a frozen dataclass takes half a millisecond, and the rules define a hundred of them, of which
a run uses a part: they are most of the cost of importing a room. Importing this module instead of
``dataclasses`` moves that cost to the first instance. Type checkers see the standard decorator.
"""

from __future__ import annotations

import dataclasses
from threading import RLock
from typing import TYPE_CHECKING, Any

_MADE_LATER = ("__init__", "__repr__", "__eq__", "__hash__")
_LOCK = RLock()


class _Fields:
    """Stands for the fields of a class whose methods are not made yet; asking for them makes
    them."""

    def __init__(self, cls: type, options: dict[str, Any]) -> None:
        self._cls, self._options = cls, options

    def __get__(self, instance: object, owner: type) -> Any:
        return self.made().__dict__["__dataclass_fields__"]

    def made(self) -> type:
        """The class, with the methods of a dataclass."""
        with _LOCK:
            if self._cls.__dict__["__dataclass_fields__"] is self:
                for name in ("__dataclass_fields__", *self._cls.__dict__["_made_later"]):
                    delattr(self._cls, name)
                dataclasses.dataclass(**self._options)(self._cls)
        return self._cls

    def method(self, name: str) -> Any:
        """Stands for a method: makes all of them, then calls the one of this name."""

        def first(instance: object, *values: Any, **named: Any) -> Any:
            return getattr(self.made(), name)(instance, *values, **named)

        return first


def _dataclass(cls: type | None = None, /, **options: Any) -> Any:
    if cls is None:
        return lambda cls: _dataclass(cls, **options)
    fields = _Fields(cls, options)
    own = [name for name in _MADE_LATER if name not in cls.__dict__]
    cls._made_later = own  # type: ignore[attr-defined]
    cls.__dataclass_fields__ = fields  # type: ignore[attr-defined]
    for name in own:
        setattr(cls, name, fields.method(name))
    return cls


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
    from dataclasses import field as field
    from dataclasses import replace as replace
else:
    dataclass, field, replace = _dataclass, dataclasses.field, dataclasses.replace
