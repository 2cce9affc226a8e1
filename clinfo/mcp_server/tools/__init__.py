"""The tools with arguments of their own, a module each, which declares one as ``TOOL``."""
