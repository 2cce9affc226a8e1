"""Finding what identifies a patient, offline, before a text leaves the machine.

`phi_guard` is the door: `identifiers` finds what identifies somebody, `without` takes it out of a
text, `refuse` stops a run that would send it. It joins three finders: `person_names` (with
`name_cues`, `name_weights` and `sign_names`), `national_ids` (check digits by python-stdnum) and
`contacts` (record and telephone numbers, addresses, dates of birth).
"""

from clinfo import doors

__getattr__ = doors.opened(__name__, __file__)
