"""References as IEEE numbers them."""

from clinfo.references.ieee_line import ieee
from clinfo.references.registry import styled

FORMAT = styled("ieee", "IEEE", "a list of references, for a text", ieee, "[{}]", order=6)
