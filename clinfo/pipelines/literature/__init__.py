"""From a question to a cited synthesis of the literature: Clinfo.ai (Lozano et al., PSB 2024) and
beyond.
"""

from clinfo import doors

__getattr__ = doors.opened(__name__, __file__)
