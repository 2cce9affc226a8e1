"""Language models of any provider through litellm: prompts, delimiting, prices, retries, cached
replies.
"""

from clinfo import doors

__getattr__ = doors.opened(__name__, __file__)
