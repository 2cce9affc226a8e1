"""Messages on stderr."""

from clinfo.console import streams


def complain(message: str) -> None:
    """One printable line on stderr, whatever the message holds."""
    from clinfo.text.wording import one_line

    streams.say(f"pubmedrs: {one_line(message)}")
