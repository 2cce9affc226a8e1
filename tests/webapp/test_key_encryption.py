"""A visitor's key on its way: only the worker that it was sealed for can open it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.work.key_encryption import CannotOpen, KeyPair, seal

PAIR, OTHER = KeyPair(), KeyPair()


@given(st.text(max_size=300).filter(lambda text: text.encode("utf-8", "ignore").decode() == text))
def test_what_was_sealed_opens_with_the_right_pair_only(api_key: str) -> None:
    sealed = seal(PAIR.public, api_key)
    assert PAIR.open(sealed) == api_key
    with pytest.raises(CannotOpen):
        OTHER.open(sealed)


def test_changed_bytes_are_refused() -> None:
    sealed = seal(PAIR.public, "sk-test")
    for changed in (b"", sealed[:-1], sealed[:-1] + bytes([sealed[-1] ^ 1])):
        with pytest.raises(CannotOpen):
            PAIR.open(changed)


@pytest.mark.parametrize("bytes_", [b"", b"too short", bytes(33)])
def test_only_a_public_key_seals(bytes_: bytes) -> None:
    with pytest.raises(ValueError, match="not a public key"):
        seal(bytes_, "sk-test")
