"""The model that needs no language model: it quotes and counts."""
