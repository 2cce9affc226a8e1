"""An answer as something to read: `page` says what stands where, `text` and `markdown` write it
down.
"""

from clinfo import doors

__getattr__ = doors.opened(__name__, __file__)
