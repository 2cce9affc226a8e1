"""A visitor's key on its way to a worker: sealed in the web process, opened in that worker's memory
only.

The database holds a key only as sealed bytes, and only until the worker has taken the run.
"""

from __future__ import annotations

from nacl.exceptions import CryptoError
from nacl.public import PrivateKey, PublicKey, SealedBox


class CannotOpen(Exception):
    """These bytes were not sealed for this worker, or were changed on their way."""


class KeyPair:
    """The key pair of one worker, made at its start and never stored: what is sealed for it dies
    with it.
    """

    def __init__(self) -> None:
        self._private = PrivateKey.generate()

    @property
    def public(self) -> bytes:
        """Return what others seal with (32 bytes)."""
        return bytes(self._private.public_key)

    def open(self, sealed: bytes) -> str:
        """The text that was sealed. Raises CannotOpen."""
        try:
            return SealedBox(self._private).decrypt(sealed).decode("utf-8")
        except (CryptoError, ValueError, TypeError):
            raise CannotOpen("the key was not encrypted for this worker") from None


def seal(public_key: bytes, api_key: str) -> bytes:
    """``api_key``, to be opened by the owner of ``public_key`` only. Raises ValueError for what is
    not a public key.
    """
    try:
        box = SealedBox(PublicKey(public_key))
    except (CryptoError, TypeError):
        raise ValueError("not a public key") from None
    return box.encrypt(api_key.encode("utf-8"))
