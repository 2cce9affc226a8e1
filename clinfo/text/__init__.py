"""Reading of English medical prose: sentences, figures, effects, designs, arms, directions. Pure
functions of text.
"""

from clinfo import doors

__getattr__ = doors.opened(__name__, __file__)
