"""The tools, a module each, which declares one as ``TOOL``."""
