"""Passages with their fields in a compact form: in memory, or in files read as far as needed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from clinfo.retrieval.index import Filed, Only, days

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Records:
    """Passages in places 0, 1 … ``ends`` says where each ends in ``data``; ``fields`` holds for
    each field the number of the value that a passage has, and the values.
    """

    def __init__(self, data: Any, ends: Any, fields: dict[str, tuple[Any, list[str]]]) -> None:
        self._data = data
        self._ends = ends
        self._fields = fields
        self._decoder = msgspec.msgpack.Decoder(Filed)

    @classmethod
    def of(cls, items: Sequence[Filed]) -> Records:
        """The records of these passages."""
        import numpy as np

        data = [msgspec.msgpack.encode(item) for item in items]
        fields: dict[str, tuple[Any, list[str]]] = {}
        for name in dict.fromkeys(name for item in items for name in item.fields):
            numbers: dict[str, int] = {}
            own = [numbers.setdefault(one.fields.get(name, ""), len(numbers)) for one in items]
            fields[name] = np.array(own, np.int32), list(numbers)
        return cls(b"".join(data), np.cumsum([len(one) for one in data], dtype=np.int64), fields)

    @classmethod
    def opened(cls, folder: Path) -> Records:
        """The records that `save` wrote."""
        import numpy as np

        values: dict[str, list[str]] = msgspec.json.decode((folder / "fields.json").read_bytes())
        numbers = [np.load(folder / f"field{n}.npy", mmap_mode="r") for n in range(len(values))]
        size = (folder / "passages.bin").stat().st_size
        data = np.memmap(folder / "passages.bin", np.uint8, "r") if size else b""
        fields = dict(zip(values, zip(numbers, values.values(), strict=True), strict=True))
        return cls(data, np.load(folder / "ends.npy", mmap_mode="r"), fields)

    def save(self, folder: Path) -> None:
        """Write the records into an empty folder."""
        import numpy as np

        (folder / "passages.bin").write_bytes(bytes(self._data))
        np.save(folder / "ends.npy", self._ends)
        values = {name: values for name, (_, values) in self._fields.items()}
        (folder / "fields.json").write_bytes(msgspec.json.encode(values))
        for number, (own, _) in enumerate(self._fields.values()):
            np.save(folder / f"field{number}.npy", own)

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, place: int) -> Filed:
        start = int(self._ends[place - 1]) if place else 0
        return self._decoder.decode(bytes(self._data[start : int(self._ends[place])]))

    def __iter__(self) -> Iterator[Filed]:
        return (self[place] for place in range(len(self)))

    def allowed(self, only: Only) -> NDArray[np.intp] | None:
        """The places of what ``only`` lets through, in order; None where that is everything."""
        import numpy as np

        if not only:
            return None
        mask = np.ones(len(self), bool)
        for name, wanted in only.fields.items():
            numbers, values = self._fields.get(name, (np.zeros(len(self), np.int32), [""]))
            mask &= np.isin(numbers, [values.index(one) for one in wanted if one in values])
        if only.since or only.until:
            numbers, values = self._fields.get("date", (np.zeros(len(self), np.int32), [""]))
            first, last = only.days
            may = [start <= last and end >= first for start, end in map(days, values)]
            mask &= np.array(may, bool)[numbers]
        return np.flatnonzero(mask)
