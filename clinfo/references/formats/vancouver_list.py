"""References in Vancouver style."""

from clinfo.references.medical_line import vancouver
from clinfo.references.registry import styled

FORMAT = styled("vancouver", "Vancouver", "the same, as ICMJE asks", vancouver, "{}.", order=7)
