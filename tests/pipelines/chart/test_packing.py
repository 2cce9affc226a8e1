"""Notes packed into chunks: bounded, whole, in order, of one visit and category."""

from hypothesis import given
from hypothesis import strategies as st

from clinfo.patients.records import Note
from clinfo.pipelines.chart.packing import Chunk, packed, pieces

TEXTS = st.text(alphabet="ab. \n", max_size=400)
NOTES = st.lists(
    st.builds(
        lambda text, day, visit, category: (text, f"2020-01-{day:02}", visit, category),
        TEXTS,
        st.integers(1, 28),
        st.sampled_from("vw"),
        st.sampled_from(("discharge", "nursing")),
    ),
    max_size=8,
)


def notes(rows: list[tuple[str, str, str, str]]) -> list[Note]:
    return [
        Note(f"n{number}", "p", text, day, category, visit)
        for number, (text, day, visit, category) in enumerate(rows)
    ]


def held(chunks: tuple[Chunk, ...], note: Note) -> str:
    parts = sorted(
        (part.start, part.end) for one in chunks for part in one.parts if part.note == note.id
    )
    return "".join(note.text[start:end] for start, end in parts)


@given(NOTES)
def test_every_character_is_in_one_chunk_of_its_visit_and_category(
    rows: list[tuple[str, str, str, str]],
) -> None:
    record = notes(rows)
    chunks = packed(record, least=20, most=50)
    known = {note.id: note for note in record}
    for note in record:
        assert held(chunks, note) == note.text
    for chunk in chunks:
        own = [known[part.note] for part in chunk.parts]
        assert sum(part.end - part.start for part in chunk.parts) <= 50
        assert len({note.category for note in own}) == 1
        assert len({note.visit for note in own}) == 1
        assert [note.time for note in own] == sorted(note.time for note in own)
    assert len({chunk.id for chunk in chunks}) == len(chunks)


def test_a_long_note_is_cut_where_its_paragraphs_end() -> None:
    text = "\n\n".join(["one " * 200, "two " * 200, "three " * 100])
    spans = pieces(text)
    assert [text[start:end].split()[0] for start, end in spans] == ["one", "two"]
    assert all(end - start <= 1500 for start, end in spans)


def test_fifty_megabytes_without_a_blank_are_cut() -> None:
    spans = pieces("x" * 5_000_000)
    assert spans[-1][1] == 5_000_000
    assert max(end - start for start, end in spans) <= 1500
