"""The formats of references: a module each, with its `clinfo.references.registry.ReferenceFormat`
as ``FORMAT``.
"""
