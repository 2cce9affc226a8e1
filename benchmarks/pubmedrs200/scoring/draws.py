"""The questions that each round of resampling draws and the signs it tosses: some rounds at a time,
so that memory is bounded.

The rounds are those that one call for all of them gives, whatever the size of the blocks.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

BLOCK: Final = 4_000_000
"""Numbers in a block of rounds where the questions are not too many for it: 32 MB."""
STEP: Final = 16
"""A block has a multiple of so many rounds. Generators hand out tosses by four, and products of a
block and a column of values have the last digits of the product with all rounds only where no block
ends within a step of the linear algebra's loops."""


def sizes(questions: int, rounds: int) -> Iterator[int]:
    """The numbers of rounds of the blocks, ``rounds`` in all."""
    size = max(STEP, BLOCK // questions // STEP * STEP)
    return (min(size, rounds - start) for start in range(0, rounds, size))


def times_drawn(questions: int, rounds: int, seed: int) -> Iterator[NDArray[numpy.float64]]:
    """Yield how often each question is among as many drawn with replacement; blocks of shape
    (rounds, questions).
    """
    import numpy

    generator = numpy.random.default_rng(seed)
    chances = numpy.full(questions, 1 / questions)
    for size in sizes(questions, rounds):
        drawn: Any = generator.multinomial(questions, chances, size=size)
        yield drawn.astype(numpy.float64)


def signs(questions: int, rounds: int, seed: int) -> Iterator[NDArray[numpy.float64]]:
    """+1 or −1 for each question of each round; blocks of shape (rounds, questions)."""
    import numpy

    generator = numpy.random.default_rng(seed)
    for size in sizes(questions, rounds):
        tossed: Any = generator.integers(0, 2, size=(size, questions), dtype=numpy.int8)
        yield 2.0 * tossed - 1.0


def all_signs(questions: int) -> Iterator[NDArray[numpy.float64]]:
    """Every choice of +1 or −1 for each of few questions, in one block of shape (2 ** questions,
    questions).
    """
    import numpy

    bits: Any = numpy.arange(2**questions)[:, None] >> numpy.arange(questions) & 1
    yield 2.0 * bits - 1.0
