"""An agent whose tools are silos, each kept apart (GeneSilico Copilot)."""
