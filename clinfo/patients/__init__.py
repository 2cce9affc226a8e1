"""Patients' records: what is in them, how they are read, who may see them."""

from clinfo import doors

__getattr__ = doors.opened(__name__, __file__)
