"""Records with one small note a day, for tests."""

from clinfo.patients.records import Note, Record


def record(patient: str, *notes: tuple[str, str]) -> Record:
    """A record of (day, text) notes."""
    return Record(
        patient,
        tuple(
            Note(f"{patient}-{number}", patient, text, time)
            for number, (time, text) in enumerate(notes)
        ),
    )


def visit(*conditions: str, person: str = "40 year-old non-hispanic white female") -> str:
    """A note in which a patient presents with conditions."""
    said = f"Patient is presenting with {', '.join(conditions)}. " if conditions else ""
    return (
        f"# History of Present Illness\nAda1\n is a {person}.\n\n# Medications\n"
        f"No Active Medications.\n\n# Assessment and Plan\n{said}\n\n## Plan\n"
    )


RECORDS = (
    record(
        "ada",
        ("2019-03-01", visit("epilepsy", "fever (finding)")),
        ("2020-05-01", visit("pneumonia (disorder)")),
    ),
    record("ben", ("2020-01-01", visit("viral sinusitis (disorder)", "fatigue (finding)"))),
    record(
        "cem",
        ("2018-01-01", visit("suspected pneumonia", person="70 year-old white male")),
        ("2021-01-01", visit("hypertension", person="73 year-old white male")),
    ),
    record("dan", ("2020-01-01", visit("sinusitis (disorder)", person="9 year-old male"))),
    record(
        "eva",
        (
            "2020-02-02",
            "# Assessment and Plan\n\n## Plan\nThe patient was prescribed the following "
            "medications:\n- amoxicillin 250 mg / clavulanate 125 mg oral tablet\n",
        ),
    ),
)
"""Five patients: conditions with dates, a suspicion, a drug of two ingredients."""
