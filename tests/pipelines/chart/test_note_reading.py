"""What is read of a note is the same from the patient's cache, and gone with it."""

from pathlib import Path

import pytest

from clinfo.patients.keeping import PatientStore
from clinfo.patients.lexicon import standard
from clinfo.pipelines.chart import note_reading
from clinfo.pipelines.chart.note_reading import read_note

NOTE = """# Assessment and Plan
Atrial fibrillation, no diabetes. Mother had stroke.

# Medications
- warfarin 5 mg
"""


def test_a_note_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, lexicon = PatientStore(tmp_path), standard()
    cache = store.cache("p")
    first = read_note(NOTE, lexicon, cache)
    assert first == read_note(NOTE, lexicon)
    assert {one.assertion for one in first.mentions} >= {"present", "negated", "family"}
    monkeypatch.setattr(note_reading, "find_mentions", lambda *_: pytest.fail("read again"))
    assert read_note(NOTE, lexicon, cache) == first
    cache.close()
    assert store.erase(store.hashed("p")) > 0
