"""The sources that can be chosen by name: a module each, with its
`clinfo.sources.registry.SourceSpec` as ``SOURCE``.

A module here imports what it opens only when it is opened, since every command reads the specs.
"""
