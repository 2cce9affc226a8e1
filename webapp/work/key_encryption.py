"""A visitor's key on its way to a worker: sealed in the web process, opened in that worker's memory
only.

The database holds a key only as sealed bytes, and only until the worker has taken the run. A worker
makes its private key at its start and never stores it: what is sealed for it dies with it.
"""

from nacl.exceptions import CryptoError
from nacl.public import PrivateKey, PublicKey, SealedBox


def seal(public_key: bytes, api_key: str) -> bytes:
    """``api_key``, to be opened by the owner of ``public_key`` (32 bytes) only."""
    return SealedBox(PublicKey(public_key)).encrypt(api_key.encode())


def opened(private_key: PrivateKey, sealed: bytes) -> str | None:
    """The text that was sealed; None for what was not sealed for this key, or was changed on its
    way.
    """
    try:
        return SealedBox(private_key).decrypt(sealed).decode()
    except (CryptoError, ValueError):
        return None
