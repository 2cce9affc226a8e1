"""Kinds of tools, a module each with a ``KIND`` (`clinfo.pipelines.copilot.tools.Kind`)."""
