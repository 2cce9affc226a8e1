"""The pipelines as the web app shows them, a folder each."""
