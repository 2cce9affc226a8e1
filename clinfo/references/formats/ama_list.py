"""References in the style of the American Medical Association."""

from clinfo.references.medical_line import ama
from clinfo.references.registry import styled

FORMAT = styled("ama", "AMA", "the same, as JAMA asks", ama, "{}.", order=8)
