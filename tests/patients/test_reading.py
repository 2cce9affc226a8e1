"""Records read from files: what is kept, what is told, and that order plays no part."""

import json
from pathlib import Path

from clinfo.patients.reading import read_records


def lines(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def note(text: str, date: str = "", **more: str) -> dict[str, str]:
    return {"date": date, "type": "Nursing", "encounter": "v1", "text": text, **more}


def test_notes_stand_in_order_of_time_and_keep_stable_ids(tmp_path: Path) -> None:
    notes = [note("later", "2020-02-01"), note("undated"), note("first", "2020-01-01T10:00:00")]
    one = read_records([lines(tmp_path / "a.jsonl", {"id": "p", "notes": notes})]).one()
    other = read_records([lines(tmp_path / "b.jsonl", {"id": "p", "notes": notes[::-1]})])
    assert [n.text for n in one.notes] == ["first", "later", "undated"]
    assert one == other.one()
    assert len({n.id for n in one.notes}) == 3
    assert other.problems == ("1 of the notes have no date; they are kept, after the others",)
