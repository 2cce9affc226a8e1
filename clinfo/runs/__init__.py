"""A resumable run: its record, recorder, spending and deadline, and the protocols of what it is
given.
"""

from clinfo import doors

__getattr__ = doors.opened(__name__, __file__)
