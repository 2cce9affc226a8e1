"""Finds patients: criteria in words and many records → the set of those who match, with the
sentence behind each criterion (Mendel AI's neuro-symbolic system, 2024).
"""

from clinfo import doors

__getattr__ = doors.opened(__name__, __file__)
