"""An agent whose tools are silos, each kept apart (GeneSilico Copilot)."""

from clinfo import doors

__getattr__ = doors.opened(__name__, __file__)
