"""The judges that can be chosen by name: a module each, with its `clinfo.claims.registry.JudgeSpec`
as ``JUDGE``.

A module here imports what it opens only when it is opened, since every command reads the specs.
"""
