"""Texts in fields of FHIR resources."""

from __future__ import annotations

from clinfo.patients.readers.fhir_fields import without_marks


def test_cells_of_a_table_stand_apart_and_rows_on_lines_of_their_own() -> None:
    rows = "<tr><th>Na</th><td>140</td></tr><tr><th>K</th><td>4.1</td></tr>"
    lines = without_marks(f"<div><table>{rows}</table><p>Drawn at 8.</p></div>").splitlines()
    assert [line.strip() for line in lines] == ["Na 140", "K 4.1", "Drawn at 8."]
