"""The numbers of each arm for an asked outcome, read from a full text without a language model."""
