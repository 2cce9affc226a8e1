from clinfo.patients.access import allowed, require_allowed
from clinfo.patients.collecting import Records
from clinfo.patients.keeping import PatientStore
from clinfo.patients.lexicon import with_terms
from clinfo.patients.mentions import Mention
from clinfo.patients.overview import Place
from clinfo.patients.overview import overview as overview_of
from clinfo.patients.reading import read_records
from clinfo.patients.records import Note, Record

__all__ = [
    "Mention",
    "Note",
    "PatientStore",
    "Place",
    "Record",
    "Records",
    "allowed",
    "overview_of",
    "read_records",
    "require_allowed",
    "with_terms",
]
