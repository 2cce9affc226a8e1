"""The Model Context Protocol: what other programs' agents may call; tools whose arguments are types
are in ``tools/``.

Every tool only reads. Sources, models and limits are the host's own; nothing here reads a
patient's record. The package ``mcp`` (extra ``mcp``) is imported by `server` and `http` alone.
"""
